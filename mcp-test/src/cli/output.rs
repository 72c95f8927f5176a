//! Standard output and standard error: colours only where supported, and no error when the reader is gone.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process;

use super::error::CliError;
use super::workflow_commands;
use crate::expect::words;

/// Whether standard error is a terminal.
pub(super) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Prints a text on standard output.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    // Elsewhere it may be data, such as a file that is formatted, which must stay as it is.
    let text = match io::stdout().is_terminal() {
        true => words::inert_but_colours(text),
        false => text.into(),
    };
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
    note(&format!("{style}error:{style:#} {text}"));
}

/// Prints `warning: …` on standard error.
pub(super) fn warn(text: &str) {
    let style = anstyle::AnsiColor::Yellow.on_default().bold();
    note(&format!("{style}warning:{style:#} {text}"));
}

/// Prints a line on standard error; a closed standard error is ignored.
pub(super) fn note(text: &str) {
    let text = words::inert_but_colours(text.trim_end());
    let text = workflow_commands::disarm(&text);
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Prints the message of clap and returns its exit code; help and version are not errors.
pub(super) fn usage(error: &clap::Error) -> process::ExitCode {
    // It quotes the arguments. A closed stream does not change the exit code.
    let text = error.render().ansi().to_string();
    let text = words::inert_but_colours(&text);
    let _ = match error.use_stderr() {
        true => write!(anstream::stderr().lock(), "{text}"),
        false => write!(anstream::stdout().lock(), "{text}"),
    };
    u8::try_from(error.exit_code()).map_or(process::ExitCode::FAILURE, process::ExitCode::from)
}

/// Whether the reader is still there; errors other than a broken pipe are returned.
pub(super) fn tolerate(written: io::Result<()>) -> io::Result<bool> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_is_gone_is_not_an_error() {
        assert!(tolerate(Ok(())).expect("no error"));
        assert!(!tolerate(Err(ErrorKind::BrokenPipe.into())).expect("no error"));
        assert!(tolerate(Err(ErrorKind::StorageFull.into())).is_err());
    }
}
