//! Errors of reading cases.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::diagnostic::Diagnostic;

/// Why cases cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A file cannot be opened or read.
    #[error("cannot read {}: {source}", .path.display())]
    Io {
        /// The file, or the directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A glob pattern is not valid.
    #[error("`{pattern}` is not a valid glob pattern: {problem}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A pattern matches no file, or a directory contains none.
    #[error("{}", no_files(.0))]
    NoFiles(String),
    /// No path is given.
    #[error("no file of cases is given")]
    NoPath,
    /// The files are together larger than what is read at once.
    #[error(
        "{} and the files before it are together larger than the {} MiB that mcp-test reads at once: name fewer files",
        .path.display(), .limit >> 20
    )]
    TooLarge {
        /// The file that exceeds the limit.
        path: PathBuf,
        /// The limit in bytes.
        limit: usize,
    },
    /// The files have errors: all diagnostics, including warnings and notes.
    #[error("{}", rendered(.0))]
    Diagnostics(Vec<Diagnostic>),
}

fn no_files(path: &str) -> String {
    match path.contains(['*', '?', '[']) {
        true => format!("no file matches `{path}`"),
        false => format!("{path} contains no `*.yaml` or `*.yml`"),
    }
}

fn rendered(diagnostics: &[Diagnostic]) -> impl fmt::Display + use<> {
    let rendered: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    rendered.join("\n\n")
}
