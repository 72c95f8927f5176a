//! `--record FILE`: what was said in a run, as cases or as a trace.
//!
//! The end of the name decides. What stands in a file already is never lost: nothing is written over it but what keeps it.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

use super::error::CliError;
use crate::cases::Recording;
use crate::expect::words;
use crate::run::Outcome;
use crate::trace::{Redactor, Trace, file};

/// How many bytes of a trace are kept until they are written.
const MOST: usize = 256 * 1024 * 1024;

/// Where what is said is recorded.
pub(super) struct Record {
    path: PathBuf,
    said: Said,
}

enum Said {
    Cases(Recording),
    Trace { trace: Trace, bytes: usize, left_out: usize },
}

/// What is written, by the end of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cases,
    Trace,
}

impl Kind {
    fn of(path: &Path) -> Option<Self> {
        match path.extension().and_then(OsStr::to_str)? {
            "yaml" | "yml" => Some(Self::Cases),
            "jsonl" => Some(Self::Trace),
            _ => None,
        }
    }
}

impl Record {
    /// Makes sure that it can be written there, before anything is said.
    pub(super) fn to(path: &Path) -> Result<Self, CliError> {
        let said = match Kind::of(path) {
            Some(Kind::Cases) => Said::Cases(Recording::new()),
            Some(Kind::Trace) => Said::Trace { trace: Trace::default(), bytes: 0, left_out: 0 },
            None => return Err(CliError::RecordKind(path.to_owned())),
        };
        if path.exists() {
            return Err(CliError::Recorded(path.to_owned()));
        }
        super::output::try_file(path).map_err(CliError::unwritable("--record", path))?;
        Ok(Self { path: path.to_owned(), said })
    }

    /// Takes what was said in one cell.
    pub(super) fn outcome(&mut self, outcome: &Outcome) {
        let cell = &outcome.cell;
        let name = format!("{} at {} over {}", cell.scenario.id, cell.revision, cell.carrier);
        self.take(&name, &outcome.trace);
    }

    /// Takes what was said under a name.
    pub(super) fn take(&mut self, name: &str, said: &Trace) {
        if said.events.is_empty() {
            return;
        }
        match &mut self.said {
            Said::Cases(recording) => recording.add(name, said),
            Said::Trace { trace, bytes, left_out } => {
                let more = said.weight();
                if *bytes + more > MOST {
                    *left_out += 1;
                    return;
                }
                *bytes += more;
                trace.append(name, said.clone());
            }
        }
    }

    /// Writes it; gives what there is to tell.
    pub(super) fn write(self) -> Result<String, CliError> {
        let Self { path, said } = self;
        let (text, told) = match said {
            Said::Cases(recording) if recording.cases() == 0 => {
                return Ok(format!("Nothing recorded: {}", of_cases(&recording)));
            }
            Said::Cases(recording) => (recording.to_string(), of_cases(&recording)),
            Said::Trace { trace, left_out, .. } => {
                let scenarios = trace.clone().parts().len();
                let mut told = words::count(scenarios, "scenario");
                if left_out > 0 {
                    told.push_str(&format!("; {left_out} left out, for which there was no room"));
                }
                (file::write(&trace, &Redactor::secrets()), told)
            }
        };
        write_new(&path, &text).map_err(|source| CliError::Write { path: path.clone(), source })?;
        Ok(format!("Recorded in {}: {told}", path.display()))
    }
}

/// What is told of cases.
pub(super) fn of_cases(recording: &Recording) -> String {
    let mut told = words::count(recording.cases(), "case");
    if let repeated @ 1.. = recording.repeated() {
        let said = words::count(repeated, "conversation");
        told.push_str(&format!("; {said} said the same as another one"));
    }
    if let left_out @ 1.. = recording.left_out() {
        let said = words::count(left_out, "conversation");
        told.push_str(&format!("; {said} left out, which no case can say"));
    }
    told
}

/// Writes a file that is not there yet, all of it or nothing.
pub(super) fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let beside = beside(path);
    let written = write_synced(&beside, text).and_then(|()| match fs::hard_link(&beside, path) {
        // Not every file system has links.
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !path.exists() => {
            fs::rename(&beside, path)
        }
        linked => linked,
    });
    let _ = fs::remove_file(&beside);
    written
}

fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A file in the same directory that nobody else writes.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}", process::id()))
}
