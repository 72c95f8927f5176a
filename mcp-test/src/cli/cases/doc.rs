//! `mcp-test cases doc`: a page on a server, from its cases.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::error::CliError;
use super::super::output;
use super::args::{DocArgs, DocFormat};
use super::read;
use crate::cases::{Cases, Doc, ReadOptions};

/// Writes the page, and tells on standard error which files have changed.
pub(super) fn write(args: &DocArgs) -> Result<u8, CliError> {
    let cases = read::read(&args.files, &ReadOptions::default())?;
    let mut doc = Doc::of(&cases);
    if let Some(title) = &args.title {
        doc = doc.titled(title);
    }
    match &args.output {
        None => output::print(&written(&doc, args.format.unwrap_or(DocFormat::Markdown)))?,
        Some(directory) => {
            fs::create_dir_all(directory).map_err(CliError::unwritable("--output", directory))?;
            let formats = [DocFormat::Markdown, DocFormat::Html];
            for format in
                formats.into_iter().filter(|it| args.format.is_none_or(|only| only == *it))
            {
                keep(&file(directory, &cases, &doc, format), &written(&doc, format))?;
            }
        }
    }
    Ok(0)
}

fn written(doc: &Doc, format: DocFormat) -> String {
    match format {
        DocFormat::Markdown => doc.markdown(),
        DocFormat::Html => doc.html(),
    }
}

/// The file is called like the one file of cases; a page of several, like its title.
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

/// Writes a file, unless it says the same already.
fn keep(path: &Path, text: &str) -> Result<(), CliError> {
    if fs::read(path).is_ok_and(|known| known == text.as_bytes()) {
        output::note(&format!("Unchanged: {}", path.display()));
        return Ok(());
    }
    output::replace(path, text)
        .map_err(|source| CliError::Write { path: path.to_owned(), source })?;
    output::note(&format!("Written: {}", path.display()));
    Ok(())
}
