//! Standard output and standard error: colours only where supported, and no error when the reader is gone.

use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process;

use clap::error::{ContextKind, ContextValue};

use super::error::CliError;
use super::workflow_commands;
use crate::expect::words;

/// Whether standard error is a terminal.
pub(super) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Prints a text without colours on standard output.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    // Elsewhere it may be data, such as a file that is formatted, which must stay as it is.
    match io::stdout().is_terminal() {
        true => write_out(&words::inert(text)),
        false => write_out(text),
    }
}

/// Prints a text on standard output whose colours are ours: what it quotes has none.
pub(super) fn print_styled(text: &str) -> Result<(), CliError> {
    write_out(&words::inert_but_colours(text))
}

fn write_out(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    // A reader such as `head` that has seen enough is not an error.
    tolerate(written).map(drop).map_err(CliError::Stdout)
}

/// Prints an error and its advice on standard error, and returns the exit code.
pub(super) fn failure(error: &CliError) -> process::ExitCode {
    self::error(&error.to_string());
    if let Some(advice) = error.advice() {
        note(advice);
    }
    error.exit().into()
}

/// Prints `error: …` on standard error.
pub(super) fn error(text: &str) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    note_styled(&format!("{style}error:{style:#} {}", words::inert(text)));
}

/// Prints `warning: …` on standard error.
pub(super) fn warn(text: &str) {
    let style = anstyle::AnsiColor::Yellow.on_default().bold();
    note_styled(&format!("{style}warning:{style:#} {}", words::inert(text)));
}

/// Prints a text without colours on standard error; a closed standard error is ignored.
pub(super) fn note(text: &str) {
    note_styled(&words::inert(text));
}

/// Prints a text on standard error whose colours are ours: what it quotes has none.
pub(super) fn note_styled(text: &str) {
    let text = words::inert_but_colours(text.trim_end());
    let text = workflow_commands::disarm(&text);
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Prints the message of clap and returns its exit code; help and version are not errors.
pub(super) fn usage(mut error: clap::Error) -> process::ExitCode {
    // It quotes the arguments, which may have colours of their own.
    let quoted: Vec<_> = error.context().filter_map(inert_context).collect();
    for (kind, text) in quoted {
        error.insert(kind, ContextValue::String(text));
    }
    let text = error.render().ansi().to_string();
    let text = words::inert_but_colours(&text);
    // A closed stream does not change the exit code.
    let _ = match error.use_stderr() {
        true => write!(anstream::stderr().lock(), "{text}"),
        false => write!(anstream::stdout().lock(), "{text}"),
    };
    u8::try_from(error.exit_code()).map_or(process::ExitCode::FAILURE, process::ExitCode::from)
}

fn inert_context((kind, value): (ContextKind, &ContextValue)) -> Option<(ContextKind, String)> {
    match value {
        ContextValue::String(text) => Some((kind, words::inert(text))),
        _ => None,
    }
}

/// Whether the reader is still there; errors other than a broken pipe are returned.
pub(super) fn tolerate(written: io::Result<()>) -> io::Result<bool> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}

/// Checks that a file can be written, without changing anything.
pub(super) fn check_writable(path: &Path) -> io::Result<()> {
    // Trying is the only reliable way: permissions, quotas and read-only file systems all have a say.
    let existed = path.exists();
    // Unlike `write`, `append` does not truncate an existing file.
    fs::OpenOptions::new().append(true).create(true).open(path)?;
    if existed { Ok(()) } else { fs::remove_file(path) }
}

/// Replaces a file atomically, keeping its permissions.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let temporary = temporary(path);
    // The temporary file has the default permissions; the rename would give them to the path.
    let permissions = || match fs::metadata(path) {
        Ok(existing) => fs::set_permissions(&temporary, existing.permissions()),
        Err(_) => Ok(()),
    };
    let written = fs::write(&temporary, text).and_then(|()| permissions());
    let written = written.and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Writes a new file, completely or not at all; an existing one is kept, and the error says so.
pub(super) fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let temporary = temporary(path);
    // A link fails if the file exists, which `rename` would replace. Not every file system has links.
    let link = || match fs::hard_link(&temporary, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !path.exists() => {
            fs::rename(&temporary, path)
        }
        linked => linked,
    };
    // After a link both names exist; after the rename the temporary one is gone, and its removal fails.
    let written = write_synced(&temporary, text).and_then(|()| link());
    let _ = fs::remove_file(&temporary);
    written
}

fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    // A full disk or a network file system may report its error only now.
    file.sync_all()
}

/// The name of a temporary file in the same directory, so that renaming it is atomic.
fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // With the id of the process, so that two runs at the same time do not write to the same file.
    path.with_file_name(format!(".{name}.{}", process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checking_a_file_changes_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a");
        check_writable(&file).expect("it can be written");
        assert!(!file.exists());
        fs::write(&file, "kept").expect("it can be written");
        check_writable(&file).expect("it can be written");
        assert_eq!(fs::read_to_string(&file).expect("a text"), "kept");
        assert!(check_writable(directory.path()).is_err());
        assert!(check_writable(&file.join("below")).is_err());
    }

    #[test]
    fn a_file_is_replaced_atomically() {
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
    fn a_reader_that_is_gone_is_not_an_error() {
        assert!(tolerate(Ok(())).expect("no error"));
        assert!(!tolerate(Err(ErrorKind::BrokenPipe.into())).expect("no error"));
        assert!(tolerate(Err(ErrorKind::StorageFull.into())).is_err());
    }
}
