//! `mcp-test cases record`: from traces to cases.

use std::fs;
use std::path::Path;

use super::super::error::CliError;
use super::super::output;
use super::super::record;
use super::args::RecordArgs;
use crate::cases::Recording;
use crate::trace::file;

/// Writes the cases of traces, and tells on standard error what came of them.
///
/// Each trace is a recording by itself: what is said under one name in several is compared.
pub(super) fn write(args: &RecordArgs) -> Result<u8, CliError> {
    let mut all = Recording::new();
    for path in &args.traces {
        let recording = read(path)?;
        if let Err(complaints) = all.compare(recording) {
            complaints.iter().for_each(|complaint| {
                let path = path.display();
                output::warn(&format!("not taken from {path}: {complaint}"));
            });
        }
    }
    let Some(path) = &args.output else {
        output::print(&all.to_string())?;
        output::note(&record::of_cases(&all));
        return Ok(0);
    };
    output::note(&record::keep(path, &all, "--output")?);
    Ok(0)
}

fn read(path: &Path) -> Result<Recording, CliError> {
    let text = fs::read_to_string(path)
        .map_err(|source| CliError::Input { path: path.to_owned(), source })?;
    let trace = file::read(&text)
        .map_err(|error| CliError::NoTrace { path: path.to_owned(), problem: error.to_string() })?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut recording = Recording::new();
    for (name, trace) in trace.parts() {
        let name = name.or_else(|| stem.clone()).unwrap_or_default();
        recording.add(&name, &trace);
    }
    Ok(recording)
}
