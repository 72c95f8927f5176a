//! `--record FILE`: records conversations as cases or as a trace.
//!
//! The extension of the file decides. The content of an existing file is never lost: cases are added to it, and a trace is not
//! written over it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use mcp_test::cases::{Recording, SaveError, Saved};
use mcp_test_core::expect::words::count;
use mcp_test_core::files;
use mcp_test_core::run::Outcome;
use mcp_test_core::trace::{Recorder, Redactor, Trace, file};

use super::error::CliError;
use super::{inherited_secrets, output};
use crate::report::Secrets;

/// The greatest size of a trace in bytes: it is kept in memory until the end of the run.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// A file to record, and its future content.
pub(super) struct Record {
    path: PathBuf,
    content: Content,
}

enum Content {
    Cases(Recording),
    Trace { trace: Trace, bytes: usize, left_out: usize },
}

impl Content {
    /// Empty content of the kind that the extension selects.
    fn for_path(path: &Path) -> Option<Self> {
        match path.extension().and_then(OsStr::to_str)? {
            "yaml" | "yml" => Some(Self::Cases(Recording::new())),
            "jsonl" => Some(Self::Trace { trace: Trace::default(), bytes: 0, left_out: 0 }),
            _ => None,
        }
    }
}

impl Record {
    /// Checks before a long run that the file can be written.
    pub(super) fn to(path: &Path) -> Result<Self, CliError> {
        let content =
            Content::for_path(path).ok_or_else(|| CliError::RecordKind(path.to_owned()))?;
        match (&content, path.exists()) {
            (Content::Trace { .. }, true) => return Err(CliError::Recorded(path.to_owned())),
            // Adding nothing shows before the run whether the file can be extended.
            (Content::Cases(none), true) => {
                none.update_file(path).map_err(CliError::NotRecorded)?;
            }
            (_, false) => {}
        }
        files::check_replaceable(path).map_err(CliError::unwritable("--record", path))?;
        Ok(Self { path: path.to_owned(), content })
    }

    /// Adds the conversations of a scenario run.
    pub(super) fn outcome(&mut self, outcome: &Outcome) {
        let scenario_run = &outcome.scenario_run;
        let name = format!(
            "{} at {} over {}",
            scenario_run.scenario.id, scenario_run.revision, scenario_run.transport
        );
        let attempts = outcome.attempts();
        if let [only] = attempts[..] {
            return self.add(&name, &only.trace);
        }
        for attempt in attempts {
            self.add(&format!("{name}, attempt {}", attempt.attempt), &attempt.trace);
        }
    }

    /// Adds conversations under a name.
    pub(super) fn add(&mut self, name: &str, added: &Trace) {
        // A scenario that was skipped before it connected has no conversation.
        if added.events.is_empty() {
            return;
        }
        match &mut self.content {
            Content::Cases(recording) => recording.add(name, added),
            Content::Trace { trace, bytes, left_out } => {
                // Left out as a whole, because a part of a conversation could not be replayed.
                let more = added.weight();
                if *bytes + more > MAX_BYTES {
                    *left_out += 1;
                    return;
                }
                *bytes += more;
                trace.append(name, added.clone());
            }
        }
    }

    /// Writes the file and returns a summary.
    pub(super) fn write(self) -> Result<String, CliError> {
        let Self { path, content } = self;
        let (trace, left_out) = match content {
            Content::Cases(recording) => return write_cases(&path, &recording, "--record"),
            Content::Trace { trace, left_out, .. } => (trace, left_out),
        };
        // Only secrets that are recognized by their names; those of the options were masked when the events came.
        let text = file::write(&trace, &Redactor::secrets());
        files::write_new(&path, &text).map_err(CliError::write(&path))?;
        let scenarios = count(trace.parts().len(), "scenario");
        let left_out = match left_out {
            0 => String::new(),
            some => format!("; {some} left out, because the trace would exceed 256 MiB"),
        };
        Ok(format!("Recorded in {}: {scenarios}{left_out}", path.display()))
    }
}

/// The recording of a conversation outside of a run: that of a server or a client of mcp-test.
pub(super) struct Live {
    record: Record,
    recorder: Recorder,
}

impl Live {
    /// Checks that the file can be written; `None` if nothing is to be recorded.
    pub(super) fn to(path: Option<&Path>) -> Result<Option<Self>, CliError> {
        let live = |record| Self { record, recorder: Recorder::new() };
        Ok(path.map(Record::to).transpose()?.map(live))
    }

    /// The recorder of the conversations.
    pub(super) fn recorder(&self) -> Recorder {
        self.recorder.clone()
    }

    /// Writes the file, and prints a summary on standard error.
    pub(super) fn end(mut self, name: &str) -> Result<(), CliError> {
        let secrets = Secrets::new(inherited_secrets());
        self.record.add(name, &secrets.mask_trace(self.recorder.trace()));
        output::note(&self.record.write()?);
        Ok(())
    }
}

/// Writes cases to a file, or adds them to an existing one; returns a summary.
///
/// If they cannot be added, they are written to another file, so that a long run is not lost.
pub(super) fn write_cases(
    path: &Path,
    recording: &Recording,
    option: &'static str,
) -> Result<String, CliError> {
    match recording.save(path) {
        Ok(Saved::Nothing) => Ok(format!("Nothing recorded: {}", summary(recording))),
        Ok(Saved::Created) => Ok(format!("Recorded in {}: {}", path.display(), summary(recording))),
        Ok(Saved::Unchanged) => Ok(format!("Recorded in {}: nothing new", path.display())),
        Ok(Saved::Updated { added, matchers }) => {
            let (added, matchers) = (count(added, "case"), count(matchers, "new matcher"));
            Ok(format!("Recorded in {}: {added} added; {matchers}", path.display()))
        }
        Err(SaveError::Write { path, source }) => Err(CliError::write(&path)(source)),
        Err(error) => {
            let other = unused(path);
            files::write_new(&other, &recording.to_string()).map_err(CliError::write(&other))?;
            let (other, summary) = (other.display(), summary(recording));
            Ok(format!(
                "{option} {error}\nRecorded in {other} instead: {summary}. Copy what is right, or remove the old cases and record again"
            ))
        }
    }
}

/// An unused name in the same directory: `a.recorded.yaml`.
fn unused(path: &Path) -> PathBuf {
    let stem = path.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
    let names = (1..).map(|number| match number {
        1 => format!("{stem}.recorded.yaml"),
        number => format!("{stem}.recorded-{number}.yaml"),
    });
    let mut paths = names.map(|name| path.with_file_name(name));
    // The iterator is infinite. If the file appears meanwhile, `write_new` does not replace it.
    paths.find(|path| !path.exists()).unwrap_or_else(|| path.to_owned())
}

/// A summary of recorded cases.
pub(super) fn summary(recording: &Recording) -> String {
    let mut text = count(recording.cases(), "case");
    if let repeated @ 1.. = recording.repeated() {
        text.push_str(&format!("; {} repeated", count(repeated, "conversation")));
    }
    if let left_out @ 1.. = recording.left_out() {
        let conversations = count(left_out, "conversation");
        text.push_str(&format!("; {conversations} left out, which a case cannot express"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mcp_test_core::trace::{EventKind, Party, Recorder};

    use super::*;

    fn recording(result: &str) -> Recording {
        let recorder = Recorder::new();
        let wire = recorder.open("duplex");
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        recorder.record(wire, Party::Client, EventKind::message(request.into()));
        let reply = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        recorder.record(wire, Party::Server, EventKind::message(reply.into()));
        let mut recording = Recording::new();
        recording.add("lists", &recorder.trace());
        recording
    }

    #[test]
    fn an_existing_file_is_extended_and_never_lost() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.yaml");
        let written = |recording: &Recording| {
            let summary =
                write_cases(&path, recording, "--record").unwrap_or_else(|error| panic!("{error}"));
            summary.replace(&directory.path().display().to_string(), "")
        };
        insta::assert_snapshot!(written(&recording(r#"{"tools":[]}"#)), @"Recorded in /a.yaml: 1 case");
        let text = fs::read_to_string(&path).expect("a file");
        fs::write(&path, format!("# Written by hand.\n{text}")).expect("it can be written");
        insta::assert_snapshot!(written(&recording(r#"{"tools":[]}"#)), @"Recorded in /a.yaml: nothing new");
        insta::assert_snapshot!(written(&recording(r#"{"tools":[],"at":1}"#)), @"Recorded in /a.yaml: 0 cases added; 1 new matcher");
        insta::assert_snapshot!(fs::read_to_string(&path).expect("a file"), @r#"
        # Written by hand.
        case: lists
        in_tools_list: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        out_tools_list: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
        _match:
          out_tools_list:
            /result/at: ignored
        "#);
        fs::write(&path, "case: lists\nin: {jsonrpc: '2.0', method: a}\n").expect("written");
        insta::assert_snapshot!(written(&recording("{}")), @"
        --record /a.yaml exists, and cases cannot be added to it: lists: expected 1 message, got 2
        Recorded in /a.recorded.yaml instead: 1 case. Copy what is right, or remove the old cases and record again
        ");
        assert!(directory.path().join("a.recorded.yaml").exists());
        let left = fs::read_dir(directory.path()).expect("a directory").count();
        assert_eq!(left, 2, "nothing else is left behind");
    }

    #[test]
    fn what_cannot_be_recorded_is_reported_before_the_run() {
        let directory = tempfile::tempdir().expect("a directory");
        let refused = |name: &str, text: Option<&str>| {
            let path = directory.path().join(name);
            text.into_iter().for_each(|text| fs::write(&path, text).expect("written"));
            let error = Record::to(&path).err().map(|error| error.to_string()).unwrap_or_default();
            error.replace(&directory.path().display().to_string(), "")
        };
        insta::assert_snapshot!(refused("a.json", None), @"--record /a.json: expected a file name that ends in .yaml (cases) or .jsonl (trace)");
        insta::assert_snapshot!(refused("a.jsonl", Some("")), @"--record /a.jsonl: the file exists; use another name, or remove it");
        assert!(refused("a.yaml", Some("case: [")).contains("cannot be added to"));
        assert_eq!(refused("b.yaml", None), "");
    }
}
