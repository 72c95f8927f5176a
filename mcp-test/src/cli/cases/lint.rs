//! `mcp-test cases lint`: what keeps files of cases from being read, and what a reviewer would ask about.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read};

use super::super::args::Format;
use super::super::error::CliError;
use super::super::output;
use super::args::LintArgs;
use crate::cases::{self, Cases, Complaint, LINTS, Level, Loaded, ReadOptions};
use crate::expect::words::{self, count};
use crate::json::{Object, Value};
use crate::run::ExitCode;
use crate::yaml::Limits;

/// What standard input is called.
pub(super) const STDIN: &str = "<stdin>";

/// Tells what is wrong; gives the exit code.
pub(super) fn conduct(args: &LintArgs) -> Result<u8, CliError> {
    if args.list {
        output::print(&list())?;
        return Ok(ExitCode::Passed.number());
    }
    for name in &args.allow {
        known(name)?;
    }
    let options = ReadOptions::default().strict(args.strict);
    let is_stdin = matches!(args.files.as_slice(), [only] if only.as_os_str() == "-");
    let loaded = match is_stdin {
        true => cases::of_bytes(STDIN, &stdin().map_err(CliError::stdin)?, &options),
        false => cases::of_files(&args.files, &options).map_err(CliError::Cases)?,
    };
    let (files, known) = (loaded.files, loaded.cases.iter().count());
    let mut complaints = all(loaded);
    // What keeps a file from being read cannot be let pass.
    let is_let_pass = |it: &Complaint| args.allow.iter().any(|name| *name == it.name);
    complaints.retain(|it| it.level == Level::Error || !is_let_pass(it));
    let report = Report { files, cases: known, complaints, strict: args.strict };
    output::print(&match args.format {
        Format::Human => report.text(),
        Format::Json => report.json().pretty() + "\n",
    })?;
    Ok(report.exit().number())
}

/// The bytes of standard input; of too many, as many as show that.
pub(super) fn stdin() -> io::Result<Vec<u8>> {
    let most = u64::try_from(Limits::default().bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What was told when the files were read, and what there is to say of those that could be.
fn all(loaded: Loaded) -> Vec<Complaint> {
    let Loaded { cases, mut complaints, .. } = loaded;
    let errors = complaints.iter().filter(|complaint| complaint.level == Level::Error);
    let broken: BTreeSet<String> = errors.map(|complaint| complaint.file.clone()).collect();
    // Of what could be read in part only, much would be told that is not so.
    let whole = cases.files.into_iter().filter(|file| !broken.contains(&file.path));
    complaints.extend(cases::lint(&Cases { files: whole.collect() }));
    // Files stay in their order.
    let mut order: HashMap<String, usize> = HashMap::new();
    for complaint in &complaints {
        let next = order.len();
        order.entry(complaint.file.clone()).or_insert(next);
    }
    complaints.sort_by_key(|complaint| (order.get(&complaint.file).copied(), complaint.span.start));
    complaints
}

fn known(name: &str) -> Result<(), CliError> {
    let mut names = LINTS.iter().map(|lint| lint.name);
    match names.clone().any(|known| known == name) {
        true => Ok(()),
        false => Err(CliError::UnknownLint {
            name: name.to_owned(),
            suggestion: words::closest(name, names.by_ref()).map(str::to_owned),
        }),
    }
}

/// What came of it all.
struct Report {
    files: usize,
    cases: usize,
    complaints: Vec<Complaint>,
    strict: bool,
}

impl Report {
    fn of_level(&self, level: Level) -> usize {
        self.complaints.iter().filter(|complaint| complaint.level == level).count()
    }

    fn exit(&self) -> ExitCode {
        let fails = if self.strict { Level::Warning } else { Level::Error };
        match self.complaints.iter().any(|complaint| complaint.level >= fails) {
            true => ExitCode::Failed,
            false => ExitCode::Passed,
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for complaint in &self.complaints {
            text.push_str(&complaint.render(true));
            text.push_str("\n\n");
        }
        let levels = [Level::Error, Level::Warning, Level::Note];
        let found = levels.map(|level| (self.of_level(level), level));
        let found = found.into_iter().filter(|(times, _)| *times > 0);
        let found: Vec<String> = found.map(|(times, level)| count(times, level.as_str())).collect();
        let what = match found.as_slice() {
            [] => "nothing to say".to_owned(),
            found => words::list(found, "and"),
        };
        let (cases, files) = (count(self.cases, "case"), count(self.files, "file"));
        text.push_str(&format!("{cases} in {files}: {what}\n"));
        text
    }

    fn json(&self) -> Value {
        let mut object = Object::new();
        object.push("files", self.files);
        object.push("cases", self.cases);
        object.push("errors", self.of_level(Level::Error));
        object.push("warnings", self.of_level(Level::Warning));
        object.push("notes", self.of_level(Level::Note));
        object
            .push("complaints", self.complaints.iter().map(Complaint::to_value).collect::<Value>());
        object.push("exitCode", i64::from(self.exit().number()));
        object.into()
    }
}

/// The names of all complaints.
fn list() -> String {
    let width = LINTS.iter().map(|lint| lint.name.len()).max().unwrap_or_default();
    let line = |lint: &cases::Lint| {
        format!("{:7}  {:width$}  {}\n", lint.level, lint.name, lint.about.trim())
    };
    LINTS.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn args(directory: &Path, files: &[&str]) -> LintArgs {
        LintArgs {
            files: files.iter().map(|file| directory.join(file)).collect(),
            strict: false,
            allow: Vec::new(),
            format: Format::Human,
            list: false,
        }
    }

    #[test]
    fn errors_fail_and_warnings_only_where_that_is_asked() {
        let directory = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text);
        write("good.yaml", "case: A\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\nout: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}\n").expect("a file");
        write("odd.yaml", "case: A\n").expect("a file");
        write("bad.yaml", "cse: A\n").expect("a file");
        let exit = |args: &LintArgs| conduct(args).expect("it is linted");
        let strict = |files: &[&str]| LintArgs { strict: true, ..args(directory.path(), files) };
        assert_eq!(exit(&args(directory.path(), &["good.yaml", "odd.yaml"])), 0);
        assert_eq!(exit(&strict(&["good.yaml"])), 0);
        assert_eq!(exit(&strict(&["good.yaml", "odd.yaml"])), 1);
        let allow = vec!["empty-case".to_owned()];
        assert_eq!(exit(&LintArgs { allow, ..strict(&["odd.yaml"]) }), 0);
        assert_eq!(exit(&args(directory.path(), &["good.yaml", "bad.yaml"])), 1);
        let allow = vec!["unknown-key".to_owned()];
        assert_eq!(exit(&LintArgs { allow, ..args(directory.path(), &["bad.yaml"]) }), 1);
        let absent = conduct(&args(directory.path(), &["no.yaml"])).expect_err("it is not there");
        assert_eq!(absent.exit().number(), 2);
        let allow = vec!["empty-cas".to_owned()];
        let unknown = conduct(&LintArgs { allow, ..args(directory.path(), &["odd.yaml"]) });
        insta::assert_snapshot!(unknown.expect_err("no such name"), @"--allow: no error, warning or note is called `empty-cas`; did you mean `empty-case`?");
    }

    #[test]
    fn what_is_told_of_a_file_is_told_in_its_order_and_counted() {
        let text = "case: A\n_x: 1\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"pin\"}\n---\n_y: 1\n";
        let loaded = cases::of_bytes("a.yaml", text.as_bytes(), &ReadOptions::default());
        let complaints = all(loaded);
        let report = Report { files: 1, cases: 2, complaints, strict: true };
        let names: Vec<&str> = report.complaints.iter().map(|it| it.name).collect();
        insta::assert_snapshot!(names.join(" "), @"nothing-expected unknown-extension unanswered unknown-method unknown-extension unnamed empty-case");
        insta::assert_snapshot!(report.text().lines().last().expect("a line"), @"2 cases in 1 file: 5 warnings and 2 notes");
        let json = report.json();
        assert_eq!(
            json.at("/complaints/1/name").and_then(Value::as_str),
            Some("unknown-extension")
        );
        assert_eq!(json.get("exitCode").and_then(Value::as_i64), Some(1));
    }
}
