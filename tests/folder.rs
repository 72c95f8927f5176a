//! Folders for what a test has written.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed at the end.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A folder of this name that is empty, below the one that cargo has for the files of tests.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    #[must_use]
    pub fn new(below: &str, name: &str) -> Self {
        let folder = Path::new(below).join(name);
        // A run that was cut short may have left it.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
        Self(folder)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of something in it, as a word of a command line.
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
