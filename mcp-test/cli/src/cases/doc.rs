//! `mcp-test cases doc`: documents a server from its cases.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_test::cases::{Cases, Doc, ReadOptions};
use mcp_test_core::files;

use super::args::{DocArgs, DocFormat};
use super::{read, selection};
use crate::error::CliError;
use crate::output;

/// Writes the page, and reports changed files on standard error.
pub(super) fn write(args: &DocArgs) -> Result<u8, CliError> {
    let cases = read::read(&args.files, &ReadOptions::default())?;
    let mut doc = match args.tags.as_slice() {
        [] => Doc::of(&cases),
        tags => {
            selection::require_tags(&cases, tags)?;
            // The name of the server may be in a case without the tag.
            Doc::of(&cases.tagged(tags)).titled(Doc::of(&cases).title())
        }
    };
    if let Some(title) = &args.title {
        doc = doc.titled(title);
    }
    match &args.output {
        None => output::print(&rendered(&doc, args.format.unwrap_or(DocFormat::Markdown)))?,
        Some(directory) => {
            fs::create_dir_all(directory).map_err(CliError::unwritable("--output", directory))?;
            let both = [DocFormat::Markdown, DocFormat::Html];
            for &format in args.format.as_ref().map_or(&both[..], std::slice::from_ref) {
                write_if_changed(&file(directory, &cases, &doc, format), &rendered(&doc, format))?;
            }
        }
    }
    Ok(0)
}

fn rendered(doc: &Doc, format: DocFormat) -> String {
    match format {
        DocFormat::Markdown => doc.markdown(),
        DocFormat::Html => doc.html(),
    }
}

/// The output file, named after the file of cases, or after the title if there are several.
fn file(directory: &Path, cases: &Cases, doc: &Doc, format: DocFormat) -> PathBuf {
    let stem = match cases.files.as_slice() {
        [only] => Path::new(&only.path).file_stem().map(|stem| stem.to_string_lossy().into_owned()),
        _ => None,
    };
    let extension = match format {
        DocFormat::Markdown => "md",
        DocFormat::Html => "html",
    };
    directory.join(format!("{}.{extension}", stem.unwrap_or_else(|| doc.file_stem())))
}

/// Writes a file unless it has this content already, so that a page under version control or a build stays untouched.
fn write_if_changed(path: &Path, text: &str) -> Result<(), CliError> {
    if fs::read(path).is_ok_and(|known| known == text.as_bytes()) {
        output::note(&format!("Unchanged: {}", path.display()));
        return Ok(());
    }
    files::replace(path, text).map_err(CliError::write(path))?;
    output::note(&format!("Written: {}", path.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::args::Files;

    #[test]
    fn only_cases_with_the_tag_are_documented_under_the_name_of_the_server() {
        let directory = tempfile::tempdir().expect("a directory");
        let text = "\
case: Agrees
in: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"initialize\", \"params\": {\"protocolVersion\": \"2025-11-25\", \"capabilities\": {}, \"clientInfo\": {\"name\": \"c\", \"version\": \"1\"}}}
out: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {\"protocolVersion\": \"2025-11-25\", \"capabilities\": {}, \"serverInfo\": {\"name\": \"shop\", \"version\": \"1\"}}}
---
case: Pings
_tags: [fast]
in: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}
out: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}
";
        fs::write(directory.path().join("shop.yaml"), text).expect("a file");
        let args = |tag: &str| DocArgs {
            files: Files { files: vec![directory.path().join("shop.yaml")] },
            tags: vec![tag.to_owned()],
            output: Some(directory.path().join("docs")),
            format: Some(DocFormat::Markdown),
            title: None,
        };
        assert_eq!(write(&args("fast")).expect("an exit code"), 0);
        let page = fs::read_to_string(directory.path().join("docs/shop.md")).expect("a page");
        assert!(page.starts_with("# shop\n"), "{page}");
        assert!(page.contains("### Pings") && !page.contains("### Agrees"), "{page}");
        let unknown = write(&args("fats")).expect_err("an unknown tag");
        insta::assert_snapshot!(unknown, @"--tag: no case has the tag `fats`; did you mean `fast`?");
    }
}
