//! Reads and writes files that a user names: reads up to a bound, since a path may lead to a device without end; writes as
//! [`write`] says.

mod write;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

#[doc(hidden)]
pub use self::write::replace;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use self::write::{check_appendable, check_replaceable, write_new};

const MIB: usize = 1024 * 1024;

/// How large a configuration may be: a baseline, or cases that a recording is added to.
pub const CONFIGURATION: usize = 16 * MIB;

/// How large a recorded trace may be; it takes several times as much memory.
#[cfg(feature = "suite")]
pub const TRACE: usize = 32 * MIB;

/// How large the file with the value of an option may be.
#[cfg(feature = "suite")]
pub const OPTION_VALUE: usize = MIB;

/// Reads a file of at most `most` bytes.
///
/// # Errors
///
/// If it cannot be read, or is larger: [`io::ErrorKind::FileTooLarge`].
pub fn read(path: impl AsRef<Path>, most: usize) -> io::Result<Vec<u8>> {
    let bytes = read_start(path, most)?;
    if bytes.len() > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// Reads a file, and stops one byte beyond `most`, which shows that it is larger.
///
/// # Errors
///
/// If it cannot be read.
pub fn read_start(path: impl AsRef<Path>, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text of at most `most` bytes.
///
/// # Errors
///
/// As [`read`], and if it is not UTF-8.
pub fn read_text(path: impl AsRef<Path>, most: usize) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// The error about a file that is larger than `most` bytes.
pub fn too_large(most: usize) -> io::Error {
    let problem = format!("it is larger than the {} MiB that mcp-test reads", most / MIB);
    io::Error::new(io::ErrorKind::FileTooLarge, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "x".repeat(MIB)).expect("a file");
        assert_eq!(read_text(&path, MIB).expect("as large as allowed").len(), MIB);
        let error = read(&path, MIB - 1).expect_err("larger than allowed");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        insta::assert_snapshot!(read(&path, 0).expect_err("too large"), @"it is larger than the 0 MiB that mcp-test reads");
        std::fs::write(&path, b"\xff").expect("a file");
        insta::assert_snapshot!(read_text(&path, 1).expect_err("not UTF-8"), @"invalid utf-8 sequence of 1 bytes from index 0");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_end_is_too_large() {
        let error = read("/dev/zero", MIB).expect_err("it never ends");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
