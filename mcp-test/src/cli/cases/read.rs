//! From arguments to cases. What is to be said of them goes to standard error, each complaint at its place.

use super::super::error::CliError;
use super::super::output;
use super::args::Files;
use crate::cases::{Cases, Complaint, Level, ReadError, ReadOptions};

/// Reads the cases, and tells warnings and notes.
pub(super) fn read(files: &Files, options: &ReadOptions) -> Result<Cases, CliError> {
    match Cases::read(&files.files, options) {
        Ok((cases, complaints)) => {
            tell(&complaints);
            Ok(cases)
        }
        Err(ReadError::Complaints(complaints)) => {
            tell(&complaints);
            let wrong = complaints.iter().filter(|it| it.level == Level::Error).count();
            Err(CliError::WrongCases(wrong))
        }
        Err(error) => Err(CliError::Cases(error)),
    }
}

/// Tells complaints, with an empty line after each.
pub(super) fn tell(complaints: &[Complaint]) {
    for complaint in complaints {
        output::note(&complaint.render(true));
        output::note("");
    }
}
