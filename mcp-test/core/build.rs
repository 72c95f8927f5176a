//! Writes the requirements of `src/spec/requirement/*.req` as a table and a constant for each, so that a misspelt one does not
//! compile.

#[path = "src/spec/requirement/parse.rs"]
mod parse;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use parse::{AREA_OF_MCP_TEST, Range, Row};

const FOLDER: &str = "src/spec/requirement";

fn main() {
    println!("cargo::rerun-if-changed={FOLDER}");
    if let Err(error) = write_requirements() {
        println!("cargo::error={FOLDER}/{error}");
    }
}

fn write_requirements() -> Result<(), Box<dyn Error>> {
    let (mut table, mut constants) = (String::new(), String::new());
    // By id and alias: the index at run time is a binary search.
    let mut by_id = BTreeMap::new();
    let mut index = 0;
    for path in requirement_files()? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        for row in parse::file(&name, &text).map_err(|error| error.to_string())? {
            writeln!(table, "{},", literal(&row, area(&name)))?;
            writeln!(
                constants,
                "#[doc = {:?}]\npub const {}: &'static Self = &ALL[{index}];",
                format!("`{}`: {}", row.id, row.says),
                row.constant(),
            )?;
            for id in [row.id].into_iter().chain(row.aliases) {
                if by_id.insert(id.to_owned(), index).is_some() {
                    return Err(format!("{name}: `{id}` names two requirements").into());
                }
            }
            index += 1;
        }
    }
    let ids: String = by_id.iter().map(|(id, index)| format!("({id:?}, {index}),\n")).collect();
    let text = format!(
        "static ALL: [Requirement; {index}] = [\n{table}];\n\n\
         static BY_ID: [(&str, u16); {}] = [\n{ids}];\n\n\
         #[allow(clippy::doc_markdown, rustdoc::all, reason = \"the texts are of the `.req` files\")]\n\
         impl Requirement {{\n{constants}}}\n",
        by_id.len(),
    );
    let out = env::var("OUT_DIR")?;
    Ok(fs::write(Path::new(&out).join("requirements.rs"), text)?)
}

/// The `.req` files, by name: the table is in this order.
fn requirement_files() -> Result<Vec<PathBuf>, std::io::Error> {
    let entries = fs::read_dir(FOLDER)?;
    let paths: Result<Vec<_>, _> = entries.map(|entry| entry.map(|it| it.path())).collect();
    let mut paths = paths?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "req"));
    paths.sort();
    Ok(paths)
}

fn area(file: &str) -> &str {
    file.trim_end_matches(".req")
}

/// The row as a literal of `Requirement`.
fn literal(row: &Row<'_>, area: &str) -> String {
    let Row { id, level, binds, testable, source, says, probe, violation, .. } = row;
    let source = match area {
        AREA_OF_MCP_TEST => format!("McpTest {{ reason: {source:?} }}"),
        _ => format!("Specification {{ page: {source:?} }}"),
    };
    format!(
        "Requirement {{ id: {id:?}, aliases: &{:?}, revisions: {}, level: Level::{level}, \
         binds: BoundParty::{binds}, source: Source::{source}, text: {says:?}, \
         testable: Testability::{testable}, probe: {probe:?}, violation: {violation:?}, \
         unchecked: {:?}, unchecked_of_clients: {:?} }}",
        row.aliases,
        revisions(row),
        row.unchecked,
        row.unchecked_of_clients,
    )
}

/// The revisions as an expression of `Revisions`.
fn revisions(row: &Row<'_>) -> String {
    let variant = |date: &str| format!("Revision::V{}", date.replace('-', "_"));
    let range = |(first, last): &Range<'_>| match (first, last) {
        (None, None) => "Revisions::all()".to_owned(),
        (Some(first), None) => format!("Revisions::from({})", variant(first)),
        (None, Some(last)) => format!("Revisions::until({})", variant(last)),
        (Some(first), Some(last)) => {
            format!("Revisions::between({}, {})", variant(first), variant(last))
        }
    };
    row.revisions
        .iter()
        .map(range)
        .reduce(|all, next| format!("{all}.union({next})"))
        .unwrap_or_default()
}
