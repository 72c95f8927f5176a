//! `mcp-test cases lint`: errors in files of cases, and likely mistakes.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use mcp_test::cases::{self, Cases, Diagnostic, LINTS, Level, Loaded, ReadOptions};
use mcp_test_core::expect::words::{self, count};
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::ExitCode;
use mcp_test_core::yaml::Limits;

use super::args::LintArgs;
use crate::common_args::Format;
use crate::error::CliError;
use crate::output;

/// The version of `schemas/lint.schema.json`.
const SCHEMA_VERSION: u64 = 1;

/// The name of standard input.
pub(super) const STDIN: &str = "<stdin>";

/// Prints the diagnostics; returns the exit code.
pub(super) fn lint(args: &LintArgs) -> Result<u8, CliError> {
    if args.list {
        output::print(&list())?;
        return Ok(ExitCode::Passed.number());
    }
    // A misspelled name would silently allow nothing.
    args.allow.iter().try_for_each(|name| check_known(name))?;
    let options = ReadOptions::default().strict(args.strict);
    let loaded = match is_stdin(&args.files) {
        true => cases::load_bytes(STDIN, &stdin()?, &options),
        false => cases::load_files(&args.files, &options).map_err(CliError::Cases)?,
    };
    let (files, known) = (loaded.files, loaded.cases.iter().count());
    let mut diagnostics = all(loaded);
    // An error cannot be allowed: the file cannot be used.
    let is_allowed = |it: &Diagnostic| args.allow.iter().any(|name| *name == it.name);
    diagnostics.retain(|it| it.level == Level::Error || !is_allowed(it));
    let report = Report { files, cases: known, diagnostics, strict: args.strict };
    match args.format {
        Format::Human => output::print_styled(&report.text())?,
        Format::Json => output::print(&(report.json().pretty() + "\n"))?,
    }
    Ok(report.exit().number())
}

/// Reads standard input; stops one byte beyond the limit, so that the YAML reader reports the size.
pub(super) fn stdin() -> Result<Vec<u8>, CliError> {
    let most = u64::try_from(Limits::default().bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(most).read_to_end(&mut bytes);
    read.map_err(CliError::unreadable(Path::new("standard input")))?;
    Ok(bytes)
}

/// Whether the only file is `-`.
pub(super) fn is_stdin(files: &[PathBuf]) -> bool {
    matches!(files, [only] if only.as_os_str() == "-")
}

/// The diagnostics of reading, and those of linting the files without errors.
fn all(loaded: Loaded) -> Vec<Diagnostic> {
    let Loaded { cases, mut diagnostics, .. } = loaded;
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error);
    let broken: BTreeSet<String> = errors.map(|diagnostic| diagnostic.file.clone()).collect();
    // Linting a file that was only read in part would report false problems.
    let whole = cases.files.into_iter().filter(|file| !broken.contains(&file.path));
    diagnostics.extend(cases::lint(&Cases { files: whole.collect() }));
    // In the order of the files, as given: their names need not be sorted.
    let mut order: HashMap<String, usize> = HashMap::new();
    for diagnostic in &diagnostics {
        let next = order.len();
        order.entry(diagnostic.file.clone()).or_insert(next);
    }
    diagnostics
        .sort_by_key(|diagnostic| (order.get(&diagnostic.file).copied(), diagnostic.span.start));
    diagnostics
}

fn check_known(name: &str) -> Result<(), CliError> {
    let names = || LINTS.iter().map(|lint| lint.name);
    if names().any(|known| known == name) {
        return Ok(());
    }
    let suggestion = words::closest(name, names()).map(str::to_owned);
    Err(CliError::UnknownLint { name: name.to_owned(), suggestion })
}

/// The result of linting.
struct Report {
    files: usize,
    cases: usize,
    diagnostics: Vec<Diagnostic>,
    strict: bool,
}

impl Report {
    fn count_at(&self, level: Level) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.level == level).count()
    }

    fn exit(&self) -> ExitCode {
        let fails = if self.strict { Level::Warning } else { Level::Error };
        match self.diagnostics.iter().any(|diagnostic| diagnostic.level >= fails) {
            true => ExitCode::Failed,
            false => ExitCode::Passed,
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for diagnostic in &self.diagnostics {
            text.push_str(&diagnostic.render(true));
            text.push_str("\n\n");
        }
        let levels = [Level::Error, Level::Warning, Level::Note];
        let found = levels.map(|level| (self.count_at(level), level));
        let found = found.into_iter().filter(|(times, _)| *times > 0);
        let found: Vec<String> = found.map(|(times, level)| count(times, level.as_str())).collect();
        let what = match found.as_slice() {
            [] => "no problems".to_owned(),
            found => words::list(found, "and"),
        };
        let (cases, files) = (count(self.cases, "case"), count(self.files, "file"));
        text.push_str(&format!("{cases} in {files}: {what}\n"));
        text
    }

    fn json(&self) -> Value {
        let mut object = Object::new();
        object.push("schemaVersion", SCHEMA_VERSION);
        object.push("files", self.files);
        object.push("cases", self.cases);
        object.push("errors", self.count_at(Level::Error));
        object.push("warnings", self.count_at(Level::Warning));
        object.push("notes", self.count_at(Level::Note));
        // The name is a part of the output format, which programs rely on.
        object.push(
            "complaints",
            self.diagnostics.iter().map(Diagnostic::to_value).collect::<Value>(),
        );
        object.push("exitCode", i64::from(self.exit().number()));
        object.into()
    }
}

/// The list of all diagnostics.
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
    fn warnings_fail_only_with_strict() {
        let directory = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text);
        write("good.yaml", "case: A\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\nout: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}\n").expect("a file");
        write("odd.yaml", "case: A\n").expect("a file");
        write("bad.yaml", "cse: A\n").expect("a file");
        let exit = |args: &LintArgs| lint(args).expect("an exit code");
        let strict = |files: &[&str]| LintArgs { strict: true, ..args(directory.path(), files) };
        assert_eq!(exit(&args(directory.path(), &["good.yaml", "odd.yaml"])), 0);
        assert_eq!(exit(&strict(&["good.yaml"])), 0);
        assert_eq!(exit(&strict(&["good.yaml", "odd.yaml"])), 1);
        let allow = vec!["empty-case".to_owned()];
        assert_eq!(exit(&LintArgs { allow, ..strict(&["odd.yaml"]) }), 0);
        assert_eq!(exit(&args(directory.path(), &["good.yaml", "bad.yaml"])), 1);
        let allow = vec!["unknown-key".to_owned()];
        assert_eq!(exit(&LintArgs { allow, ..args(directory.path(), &["bad.yaml"]) }), 1);
        let absent = lint(&args(directory.path(), &["no.yaml"])).expect_err("a missing file");
        assert_eq!(absent.exit().number(), 2);
        let allow = vec!["empty-cas".to_owned()];
        let unknown = lint(&LintArgs { allow, ..args(directory.path(), &["odd.yaml"]) });
        insta::assert_snapshot!(unknown.expect_err("an unknown name"), @"--allow: no error, warning or note named `empty-cas`; did you mean `empty-case`?");
    }

    #[test]
    fn diagnostics_are_in_file_order_and_counted() {
        let text = "case: A\n_x: 1\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"pin\"}\n---\n_y: 1\n";
        let loaded = cases::load_bytes("a.yaml", text.as_bytes(), &ReadOptions::default());
        let diagnostics = all(loaded);
        let report = Report { files: 1, cases: 2, diagnostics, strict: true };
        let names: Vec<&str> = report.diagnostics.iter().map(|it| it.name).collect();
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
