//! The rules for single files.

use crate::source::{Source, Token, Violation};

/// A file without tests has fewer lines than this.
const MAX_LINES: usize = 500;

/// A file of tests has fewer lines than this.
const MAX_LINES_OF_TESTS: usize = 800;

pub(crate) fn begins_with_docs(file: &Source) -> Vec<Violation> {
    let first = file.text().lines().next().unwrap_or_default();
    if first.strip_prefix("//!").is_some_and(|docs| !docs.trim().is_empty()) {
        return Vec::new();
    }
    vec![file.violation(
        1,
        format!("begins with `{first}`"),
        "begin with `//!` and what the file is for",
    )]
}

pub(crate) fn is_short(file: &Source) -> Vec<Violation> {
    let limit = if file.is_tests() { MAX_LINES_OF_TESTS } else { MAX_LINES };
    let lines = file.text().lines().count();
    if lines < limit {
        return Vec::new();
    }
    vec![file.violation(
        lines,
        format!("has {lines} lines"),
        format!("fewer than {limit}, so split it by nouns"),
    )]
}

/// Functions that wait, whatever their path.
const WAITS: [&str; 5] = ["sleep", "sleep_ms", "sleep_until", "park_timeout", "interval"];

/// Functions that wait if they are those of `tokio::time`; other items have these names, too.
const TOKIO_WAITS: [&str; 3] = ["timeout", "timeout_at", "interval_at"];

/// A server of a user, whose clock the tests pause.
const WITH_PAUSED_CLOCK: &str = "examples/tests/cookbook.rs";

pub(crate) fn takes_time_from_clock(file: &Source) -> Vec<Violation> {
    let is_clock = file.module().is_some_and(|module| module.first() == Some(&"clock"));
    if is_clock || file.path() == WITH_PAUSED_CLOCK {
        return Vec::new();
    }
    let tokens = file.tokens();
    let mut violations = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let name = token.text.as_str();
        let called = tokens.get(at + 1).is_some_and(|next| next.text == "(");
        // As `tokio::time::timeout` or `time::timeout`.
        let of_time = at >= 2 && tokens[at - 1].text == "::" && tokens[at - 2].text == "time";
        let what = if matches!(name, "Instant" | "SystemTime") {
            format!("`{name}`")
        } else if called && (WAITS.contains(&name) || of_time && TOKIO_WAITS.contains(&name)) {
            format!("`{name}(…)`")
        } else {
            continue;
        };
        let right =
            "what `clock` offers for it: `Stopwatch`, `Deadline`, `within`, `quiet` or `utc_now`";
        violations.push(file.violation(token.line, format!("uses {what}"), right));
    }
    violations
}

/// The modules that may read the environment: those that read the settings of users, and `process`, which looks up programs in
/// `PATH`.
const READERS: [&str; 3] = ["cli", "harness", "process"];

pub(crate) fn reads_environment_where_allowed(file: &Source) -> Vec<Violation> {
    let Some(module) = file.module() else { return Vec::new() };
    if module.first().is_some_and(|name| READERS.contains(name)) || file.is_tests() {
        return Vec::new();
    }
    let readers = ["var", "var_os", "vars", "vars_os", "args", "args_os"];
    let mut violations = Vec::new();
    for path in file.tokens().windows(3) {
        if path[0].text == "env" && path[1].text == "::" && readers.contains(&path[2].text.as_str())
        {
            let wrong = format!("reads the environment with `env::{}`", path[2].text);
            let right = "read it in `cli` or `harness`, and pass the value on";
            violations.push(file.violation(path[2].line, wrong, right));
        }
    }
    violations
}

pub(crate) fn leaves_nothing_to_do(file: &Source) -> Vec<Violation> {
    let unfinished =
        |pair: &&[Token]| matches!(pair[0].text.as_str(), "todo" | "dbg") && pair[1].text == "!";
    let found = file.tokens().windows(2).filter(unfinished);
    found
        .map(|pair| {
            file.violation(pair[0].line, format!("has `{}!`", pair[0].text), "the finished code")
        })
        .collect()
}

pub(crate) fn has_a_meaningful_name(file: &Source) -> Vec<Violation> {
    let parts = file.path().split(['/', '.']);
    let mut empty = parts.filter(|part| {
        matches!(*part, "util" | "utils" | "helper" | "helpers" | "common" | "misc" | "shared")
    });
    let violation = empty.next().map(|name| {
        file.violation(1, format!("is named `{name}`"), "a noun that says what it holds")
    });
    violation.into_iter().collect()
}

/// Imports are in three groups with a blank line between them: the standard library, other crates, and this crate. Each path is
/// imported by one `use` with one list of names, without `super::super`.
pub(crate) fn imports_in_one_style(file: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    let tokens = file.tokens();
    for (at, token) in tokens.iter().enumerate() {
        let text = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text.as_str());
        // Only in the library: the code that macros expand to cannot name the user's module by a path from `crate`.
        let is_library = file.package().is_some();
        if is_library && token.text == "super" && text(1) == "::" && text(2) == "super" {
            violations.push(file.violation(
                token.line,
                "goes up with `super::super`",
                "a path from `crate`",
            ));
        }
        if token.text == "use" && text(1) != "<" && is_nested(&tokens[at..]) {
            let right = "one `use` for each path, with one list of names";
            violations.push(file.violation(token.line, "imports by a nested list", right));
        }
    }
    violations.extend(mixed_groups(file));
    violations
}

/// Whether a `use` has paths, not only names, in its braces.
fn is_nested(tokens: &[Token]) -> bool {
    let import = tokens.iter().take_while(|token| token.text != ";");
    let mut names = import.skip_while(|token| token.text != "{");
    names.any(|token| token.text == "::")
}

/// Finds imports at the top of a file that are in the wrong group, or not separated from the previous group.
fn mixed_groups(file: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut last: Option<(usize, usize)> = None;
    let mut ends = 0;
    for (number, line) in file.text().lines().enumerate() {
        let Some(path) = line.strip_prefix("use ") else {
            if line.starts_with('}') && last.is_some() {
                ends = number;
            }
            continue;
        };
        let group = match path.split("::").next().unwrap_or_default().trim_end_matches(';') {
            "std" | "core" | "alloc" => 0,
            "crate" | "super" | "self" => 2,
            _ => 1,
        };
        if let Some((before, at)) = last {
            let adjacent = number == at.max(ends) + 1;
            if group < before || group > before && adjacent {
                let right = "`std`, other crates, then `crate`, `super` and `self`, with a blank line between";
                violations.push(file.violation(
                    number + 1,
                    "is in the wrong group of imports",
                    right,
                ));
            }
        }
        last = Some((group, number));
    }
    violations
}
