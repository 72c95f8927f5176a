//! Standard output and standard error: colours only where supported, and no error when the reader is gone.

use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process;

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use clap::error::{ContextKind, ContextValue};
use mcp_test_core::expect::words;

use super::common_args::Colours;
use super::error::CliError;
use super::workflow_commands;

/// Standard output, with colours only where they are supported.
#[cfg(not(test))]
pub(super) fn stdout() -> impl Write {
    anstream::stdout()
}

/// Standard error, with colours only where they are supported.
#[cfg(not(test))]
pub(super) fn stderr() -> impl Write {
    anstream::stderr()
}

#[cfg(test)]
pub(super) use tests::{stderr, stdout};

/// Whether standard error is a terminal.
pub(super) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether somebody at a terminal can be asked.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && stderr_is_terminal()
}

/// Applies `--color`; whether it is valid is checked with the other arguments.
pub(super) fn choose_colours(args: &[OsString]) {
    let options = args.iter().map(|arg| arg.to_str().unwrap_or_default());
    // What follows belongs to the command under test.
    let options: Vec<&str> = options.take_while(|option| *option != "--").collect();
    let next = options.iter().skip(1).chain([&""]);
    let chosen = options.iter().zip(next).find_map(|(option, next)| match *option {
        "--color" => Some(*next),
        option => option.strip_prefix("--color="),
    });
    match chosen.and_then(|value| Colours::from_str(value, false).ok()) {
        Some(Colours::Always) => ColorChoice::Always.write_global(),
        Some(Colours::Never) => ColorChoice::Never.write_global(),
        // As the environment says.
        Some(Colours::Auto) | None => ColorChoice::Auto.write_global(),
    }
}

/// Standard error for a line that is rewritten, which needs the control characters also where there are no colours.
pub(super) fn terminal_line() -> impl Write {
    AutoStream::always(io::stderr())
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
    write_out(&workflow_commands::disarm(&words::inert_but_colours(text)))
}

fn write_out(text: &str) -> Result<(), CliError> {
    let mut out = stdout();
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
    let _ = writeln!(stderr(), "{text}");
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
        true => write!(stderr(), "{text}"),
        false => write!(stdout(), "{text}"),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that libtest captures, as it does only with what these macros print.
    struct Captured(fn(&str));

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            (self.0)(&String::from_utf8_lossy(bytes));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    pub(crate) fn stdout() -> impl Write {
        Captured(|text| print!("{text}"))
    }

    pub(crate) fn stderr() -> impl Write {
        Captured(|text| eprint!("{text}"))
    }

    #[test]
    fn a_reader_that_is_gone_is_not_an_error() {
        assert!(tolerate(Ok(())).expect("no error"));
        assert!(!tolerate(Err(ErrorKind::BrokenPipe.into())).expect("no error"));
        assert!(tolerate(Err(ErrorKind::StorageFull.into())).is_err());
    }
}
