//! `mcp-test cases record`: converts traces to cases.

use std::path::Path;

use mcp_test::cases::Recording;
use mcp_test_core::files;
use mcp_test_core::trace::file;

use super::args::RecordArgs;
use crate::error::CliError;
use crate::output;
use crate::record;

/// Writes the cases of the traces, and prints a summary on standard error.
///
/// Each trace is a recording of its own; conversations with the same name in several traces are compared.
pub(super) fn convert(args: &RecordArgs) -> Result<u8, CliError> {
    let mut all = Recording::new();
    for path in &args.traces {
        let recording = read(path)?;
        // Not an error: what the traces have in common is still worth recording.
        for mismatch in all.compare(recording).err().into_iter().flatten() {
            output::warn(&format!("{} is ignored: {mismatch}", path.display()));
        }
    }
    let Some(path) = &args.output else {
        output::print(&all.to_string())?;
        output::note(&record::summary(&all));
        return Ok(0);
    };
    output::note(&record::write_cases(path, &all, "--output")?);
    Ok(0)
}

fn read(path: &Path) -> Result<Recording, CliError> {
    let text = files::read_text(path, files::TRACE).map_err(CliError::unreadable(path))?;
    let trace = file::read(&text).map_err(CliError::unreadable(path))?;
    // A trace that was written by a Rust program has a single part without a name.
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut recording = Recording::new();
    for (name, trace) in trace.parts() {
        let name = name.or_else(|| stem.clone()).unwrap_or_default();
        recording.add(&name, &trace);
    }
    Ok(recording)
}
