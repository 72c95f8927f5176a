//! A fresh folder for the files that a child needs: only this user can enter it, and it is deleted with its handle.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The longest temporary-directory path that leaves room for the path of a Unix socket, which is at most 103 bytes long.
const MAX_PARENT: usize = 48;

/// A folder that is deleted with everything in it when this is dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Creates a folder with this name, which must be hard to guess, in the temporary directory, or in `/tmp` if its path is too
    /// long.
    ///
    /// # Errors
    ///
    /// If it cannot be created, for example because it exists.
    pub(crate) fn create(name: &str) -> io::Result<Self> {
        let parent = std::env::temp_dir();
        let is_short = parent.as_os_str().len() <= MAX_PARENT;
        let parent = if is_short { parent } else { PathBuf::from("/tmp") };
        let path = parent.join(name);
        // The mode is set when it is created, so that others can never enter.
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // Files that cannot be deleted stay behind: `drop` cannot report an error.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_folder_is_private_and_deleted_with_its_files() {
        let name = format!("mcp-test-private-{}", std::process::id());
        let folder = PrivateFolder::create(&name).expect("a folder");
        let mode = fs::metadata(folder.path()).expect("it exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(PrivateFolder::create(&name).is_err(), "one that exists is not used");
        fs::write(folder.path().join("file"), "x").expect("it can be written");
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
