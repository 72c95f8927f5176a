//! Folders for the files that a test writes.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Creates an empty folder. `below` is `CARGO_TARGET_TMPDIR`, which Cargo defines only for integration tests.
    ///
    /// # Panics
    ///
    /// If it cannot be created.
    #[must_use]
    pub fn new(below: &str, name: &str) -> Self {
        let folder = Path::new(below).join(name);
        // An interrupted run may have left it.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
        Self(folder)
    }

    /// The path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in the folder, as a command-line argument.
    #[must_use]
    pub fn word(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
