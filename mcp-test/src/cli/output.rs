//! Standard output and standard error: colours only where they are wanted, and no complaint when a reader has left.

use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process;

use super::error::CliError;

/// Whether somebody watches standard error.
pub(super) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Prints a text on standard output.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    tolerate(written).map(|_| ()).map_err(CliError::Stdout)
}

/// Tells a failure on standard error.
pub(super) fn failure(error: &CliError) -> process::ExitCode {
    complain(&error.to_string());
    if let Some(advice) = error.advice() {
        note(advice);
    }
    error.exit().into()
}

/// Prints `error: …` on standard error.
pub(super) fn complain(text: &str) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    tell(&format!("{style}error:{style:#} {text}"));
}

/// Prints `warning: …` on standard error.
pub(super) fn warn(text: &str) {
    let style = anstyle::AnsiColor::Yellow.on_default().bold();
    tell(&format!("{style}warning:{style:#} {text}"));
}

/// Prints a line on standard error.
pub(super) fn note(text: &str) {
    tell(text);
}

/// Standard error may be closed; there is nobody left to tell then.
fn tell(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", text.trim_end());
}

/// What clap says: help and version are no errors.
pub(super) fn usage(error: &clap::Error) -> process::ExitCode {
    let _ = error.print();
    u8::try_from(error.exit_code()).map_or(process::ExitCode::FAILURE, process::ExitCode::from)
}

/// Whether the reader is still there; other errors stay errors.
pub(super) fn tolerate(written: io::Result<()>) -> io::Result<bool> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes sure that a file can be written, and leaves everything as it was.
pub(super) fn try_file(path: &Path) -> io::Result<()> {
    let existed = path.exists();
    fs::OpenOptions::new().append(true).create(true).open(path)?;
    if existed { Ok(()) } else { fs::remove_file(path) }
}

/// Writes a file anew, all of it or nothing.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", process::id()));
    let permissions = || match fs::metadata(path) {
        Ok(known) => fs::set_permissions(&beside, known.permissions()),
        Err(_) => Ok(()),
    };
    let written = fs::write(&beside, text).and_then(|()| permissions());
    let written = written.and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_try_a_file_leaves_no_trace() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a");
        try_file(&file).expect("it can be written");
        assert!(!file.exists());
        fs::write(&file, "kept").expect("it can be written");
        try_file(&file).expect("it can be written");
        assert_eq!(fs::read_to_string(&file).expect("a text"), "kept");
        assert!(try_file(directory.path()).is_err());
        assert!(try_file(&file.join("below")).is_err());
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_or_not_at_all() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a");
        replace(&file, "first").expect("it can be written");
        replace(&file, "second").expect("it can be written");
        assert_eq!(fs::read_to_string(&file).expect("a text"), "second");
        let taken = directory.path().join("taken");
        fs::create_dir_all(taken.join("inside")).expect("a directory");
        assert!(replace(&taken, "a file").is_err());
        let left = fs::read_dir(directory.path()).expect("a directory").count();
        assert_eq!(left, 2, "nothing else is left");
    }

    #[test]
    fn a_reader_that_has_left_is_no_error() {
        assert!(tolerate(Ok(())).expect("no error"));
        assert!(!tolerate(Err(ErrorKind::BrokenPipe.into())).expect("no error"));
        assert!(tolerate(Err(ErrorKind::StorageFull.into())).is_err());
    }
}
