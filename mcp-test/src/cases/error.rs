//! What can go wrong with cases before they are used.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::Complaint;

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
    /// A pattern that is none.
    #[error("`{pattern}` is no pattern of paths: {problem}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Nothing is there by that name.
    #[error("{}", nothing(.0))]
    Nothing(String),
    /// No path is named.
    #[error("no file of cases is named")]
    NoPath,
    /// The files are there, and wrong: every complaint about them, warnings and notes included.
    #[error("{}", told(.0))]
    Complaints(Vec<Complaint>),
}

fn nothing(path: &str) -> String {
    match path.contains(['*', '?', '[']) {
        true => format!("no file matches `{path}`"),
        false => format!("{path} has no `*.yaml` or `*.yml` in it"),
    }
}

fn told(complaints: &[Complaint]) -> impl fmt::Display + use<> {
    let told: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    told.join("\n\n")
}
