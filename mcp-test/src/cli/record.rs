//! `--record FILE`: what was said in a run, as cases or as a trace.
//!
//! The end of the name decides. What stands in a file already is never lost: nothing is written over it but what keeps it.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

use super::error::CliError;
use super::output;
use crate::cases::{Recording, Updated};
use crate::expect::words;
use crate::run::Outcome;
use crate::trace::{Recorder, Redactor, Trace, file};

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
        match (&said, path.exists()) {
            (Said::Trace { .. }, true) => return Err(CliError::Recorded(path.to_owned())),
            // Better now than after a long run.
            (Said::Cases(nothing), true) => drop(added(path, nothing, "--record")?),
            (_, false) => {}
        }
        output::try_file(path).map_err(CliError::unwritable("--record", path))?;
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
            Said::Cases(recording) => return keep(&path, &recording, "--record"),
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

/// A record of conversations that are no run: with those who come to a server of ours, or where a client of ours goes.
pub(super) struct Live {
    record: Record,
    recorder: Recorder,
}

impl Live {
    /// Makes sure that it can be written, before anything is said; `None` if nothing is to be recorded.
    pub(super) fn to(path: Option<&Path>) -> Result<Option<Self>, CliError> {
        let live = |record| Self { record, recorder: Recorder::new() };
        Ok(path.map(Record::to).transpose()?.map(live))
    }

    /// Where what is said goes.
    pub(super) fn recorder(&self) -> Recorder {
        self.recorder.clone()
    }

    /// Writes what was said, and tells what there is to tell.
    pub(super) fn end(mut self, name: &str) -> Result<(), CliError> {
        self.record.take(name, &self.recorder.trace());
        output::note(&self.record.write()?);
        Ok(())
    }
}

/// Writes cases into a file, or adds them to it; gives what there is to tell.
///
/// If it cannot be added to, they are written beside it: a run that was long is not lost.
pub(super) fn keep(
    path: &Path,
    recording: &Recording,
    option: &'static str,
) -> Result<String, CliError> {
    if recording.cases() == 0 {
        return Ok(format!("Nothing recorded: {}", of_cases(recording)));
    }
    let unwritten = |path: &Path| {
        let path = path.to_owned();
        move |source| CliError::Write { path, source }
    };
    if !path.exists() {
        write_new(path, &recording.to_string()).map_err(unwritten(path))?;
        return Ok(format!("Recorded in {}: {}", path.display(), of_cases(recording)));
    }
    match added(path, recording, option) {
        Ok((before, updated)) if before == updated.text => {
            Ok(format!("Recorded in {}: nothing that it does not say already", path.display()))
        }
        Ok((_, updated)) => {
            output::replace(path, &updated.text).map_err(unwritten(path))?;
            let (added, matchers) = (updated.added, updated.matchers);
            let path = path.display();
            let cases = words::count(added, "case");
            let places = words::count(matchers, "place");
            Ok(format!("Recorded in {path}: {cases} added; {places} may differ from now on"))
        }
        Err(error) => {
            let other = unused(path);
            write_new(&other, &recording.to_string()).map_err(unwritten(&other))?;
            let told = of_cases(recording);
            Ok(format!(
                "{error}\nRecorded in {} instead: {told}. Take over what is right, or remove the old cases, and record again",
                other.display()
            ))
        }
    }
}

/// What a file says now, and with what was recorded.
fn added(
    path: &Path,
    recording: &Recording,
    option: &'static str,
) -> Result<(String, Updated), CliError> {
    let refused = |problem| CliError::NotAdded { option, path: path.to_owned(), problem };
    let text = fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let name = path.display().to_string();
    let updated = recording.update(&name, &text).map_err(|why| refused(why.join("\n  ")))?;
    Ok((text, updated))
}

/// A file beside this one that is not there: `a.recorded.yaml`.
fn unused(path: &Path) -> PathBuf {
    let stem = path.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
    let names = (1..).map(|number| match number {
        1 => format!("{stem}.recorded.yaml"),
        number => format!("{stem}.recorded-{number}.yaml"),
    });
    let mut paths = names.map(|name| path.with_file_name(name));
    paths.find(|path| !path.exists()).unwrap_or_else(|| path.to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Party, Reading, Recorder};

    fn said(result: &str) -> Recording {
        let recorder = Recorder::new();
        let wire = recorder.open("duplex");
        let ask = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        recorder.record(wire, Party::Client, Reading::message(ask.into()));
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        recorder.record(wire, Party::Server, Reading::message(answer.into()));
        let mut recording = Recording::new();
        recording.add("lists", &recorder.trace());
        recording
    }

    #[test]
    fn a_file_that_is_there_is_added_to_and_never_lost() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.yaml");
        let told = |recording: &Recording| {
            let told = keep(&path, recording, "--record").unwrap_or_else(|error| panic!("{error}"));
            told.replace(&directory.path().display().to_string(), "")
        };
        insta::assert_snapshot!(told(&said(r#"{"tools":[]}"#)), @"Recorded in /a.yaml: 1 case");
        let text = fs::read_to_string(&path).expect("a file");
        fs::write(&path, format!("# Written by hand.\n{text}")).expect("it can be written");
        insta::assert_snapshot!(told(&said(r#"{"tools":[]}"#)), @"Recorded in /a.yaml: nothing that it does not say already");
        insta::assert_snapshot!(told(&said(r#"{"tools":[],"at":1}"#)), @"Recorded in /a.yaml: 0 cases added; 1 place may differ from now on");
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
        insta::assert_snapshot!(told(&said("{}")), @"
        --record /a.yaml is there already, and cannot be added to: lists: it has 1 message, and what was recorded has 2
        Recorded in /a.recorded.yaml instead: 1 case. Take over what is right, or remove the old cases, and record again
        ");
        assert!(directory.path().join("a.recorded.yaml").exists());
        let left = fs::read_dir(directory.path()).expect("a directory").count();
        assert_eq!(left, 2, "nothing else is left behind");
    }

    #[test]
    fn what_cannot_be_recorded_is_told_before_the_run() {
        let directory = tempfile::tempdir().expect("a directory");
        let refused = |name: &str, text: Option<&str>| {
            let path = directory.path().join(name);
            text.into_iter().for_each(|text| fs::write(&path, text).expect("written"));
            let told = Record::to(&path).err().map(|error| error.to_string()).unwrap_or_default();
            told.replace(&directory.path().display().to_string(), "")
        };
        insta::assert_snapshot!(refused("a.json", None), @"--record /a.json: expected a name that ends with .yaml, for cases, or with .jsonl, for a trace");
        insta::assert_snapshot!(refused("a.jsonl", Some("")), @"--record /a.jsonl: it exists already, and a trace is not added to; name another file, or remove this one");
        assert!(refused("a.yaml", Some("case: [")).contains("cannot be added to"));
        assert_eq!(refused("b.yaml", None), "");
    }
}
