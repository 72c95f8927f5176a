//! Why a report cannot be written.

use std::io;
use std::path::{Path, PathBuf};

/// A result file cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file or directory cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Standard output or standard error cannot be written.
    #[error("cannot write the report: {0}")]
    Output(#[from] io::Error),
}

impl ReportError {
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }
}
