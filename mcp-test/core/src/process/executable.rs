//! Executable files that are written at run time.
//!
//! A file cannot be executed while any process has it open for writing. If this process wrote it, a program that another thread
//! starts at that moment would hold the open file, too, until it is executed, and starting the new file could fail (ETXTBSY).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Creates an executable file of this text, which only this user can read and execute. It can be started at once.
///
/// # Errors
///
/// If the file exists or cannot be created.
#[doc(hidden)]
pub fn create_executable(path: &Path, text: &str) -> io::Result<()> {
    let mut shell = Command::new("sh");
    // -C, since a file that exists is not overwritten.
    shell.args(["-Cc", "umask 077; printf %s \"$1\" >\"$0\""]).arg(path).arg(text);
    let output = shell.stdin(Stdio::null()).stdout(Stdio::null()).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executable_can_be_started_while_others_start_programs() {
        let place = tempfile::tempdir().expect("a directory");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let place = place.path();
                scope.spawn(move || {
                    for number in 0..50 {
                        let path = place.join(format!("it's {thread}-{number}"));
                        create_executable(&path, "#!/bin/sh\nexit 7\n").expect("it is created");
                        let status = Command::new(&path).status().expect("it can be started");
                        assert_eq!(status.code(), Some(7));
                    }
                });
            }
        });
    }

    #[test]
    fn what_exists_is_not_overwritten() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("file");
        create_executable(&path, "first").expect("it is created");
        let why = create_executable(&path, "second").expect_err("it exists").to_string();
        assert!(why.contains("file"), "{why}");
        assert_eq!(fs::read_to_string(&path).expect("it can be read"), "first");
        assert_eq!(fs::metadata(&path).expect("it exists").permissions().mode() & 0o777, 0o700);
    }
}
