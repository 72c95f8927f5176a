//! Reads the cases of a command.

use mcp_test::cases::{Cases, Diagnostic, Level, ReadError, ReadOptions};

use super::args::Files;
use crate::error::CliError;
use crate::output;

/// Reads cases and prints their diagnostics on standard error.
pub(super) fn read(files: &Files, options: &ReadOptions) -> Result<Cases, CliError> {
    match Cases::read(&files.files, options) {
        Ok((cases, diagnostics)) => {
            report(&diagnostics);
            Ok(cases)
        }
        Err(ReadError::Diagnostics(diagnostics)) => {
            report(&diagnostics);
            let errors = diagnostics.iter().filter(|it| it.level == Level::Error).count();
            Err(CliError::InvalidCases(errors))
        }
        Err(error) => Err(CliError::Cases(error)),
    }
}

/// Prints diagnostics on standard error, each followed by a blank line.
pub(super) fn report(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        output::note_styled(&diagnostic.render(true));
        output::note("");
    }
}
