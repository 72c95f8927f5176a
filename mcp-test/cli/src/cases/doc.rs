//! `mcp-test cases doc`: documents a server from its cases.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_test::cases::{Cases, Doc, ReadOptions};
use mcp_test_core::files;

use super::args::{DocArgs, DocFormat};
use super::read;
use crate::error::CliError;
use crate::output;

/// Writes the page, and reports changed files on standard error.
pub(super) fn write(args: &DocArgs) -> Result<u8, CliError> {
    let cases = read::read(&args.files, &ReadOptions::default())?;
    let mut doc = Doc::of(&cases);
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
