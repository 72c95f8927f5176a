//! Saves a recording to a file, whose present content is never lost.

use std::io;
use std::path::{Path, PathBuf};

use mcp_test_core::files;

use super::{Recording, Updated};

/// What has become of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// There was nothing to save.
    Nothing,
    /// The file is new.
    Created,
    /// Everything was in the file.
    Unchanged,
    /// The recording was added to the file.
    Updated {
        /// How many cases were added.
        added: usize,
        /// How many matchers were added, for places where the recording differs.
        matchers: usize,
    },
}

/// Why a recording was not saved; the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// Something in the file would be lost.
    #[error("{} exists, and cases cannot be added to it: {problem}", .path.display())]
    NotAdded {
        /// The file.
        path: PathBuf,
        /// What is wrong with its content, or does not fit to the recording.
        problem: String,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl Recording {
    /// Writes the cases to a file, or adds them to those in it: new cases at its end, and matchers where known cases differ.
    ///
    /// # Errors
    ///
    /// If something in the file would be lost, or it cannot be read or written.
    pub fn save(&self, path: &Path) -> Result<Saved, SaveError> {
        let write = |text: &str| {
            files::replace(path, text)
                .map_err(|source| SaveError::Write { path: path.to_owned(), source })
        };
        if self.cases() == 0 {
            return Ok(Saved::Nothing);
        }
        if !path.exists() {
            write(&self.to_string())?;
            return Ok(Saved::Created);
        }
        let (before, Updated { text, added, matchers }) = self.update_file(path)?;
        // Not written, so that whatever watches the file sees no change.
        if before == text {
            return Ok(Saved::Unchanged);
        }
        write(&text)?;
        Ok(Saved::Updated { added, matchers })
    }

    /// The text of a file, and its update with the recording.
    ///
    /// # Errors
    ///
    /// If something in the file would be lost, or it cannot be read.
    pub fn update_file(&self, path: &Path) -> Result<(String, Updated), SaveError> {
        let not_added = |problem| SaveError::NotAdded { path: path.to_owned(), problem };
        let text = files::read_text(path, files::CONFIGURATION);
        let text = text.map_err(|error| not_added(error.to_string()))?;
        let updated = self.update(&path.display().to_string(), &text).map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            not_added(errors.join("\n  "))
        })?;
        Ok((text, updated))
    }
}
