//! The rules that look at one file at a time.

use crate::source::{Source, Violation, Word};

/// A mechanism has fewer lines than this.
const MECHANISM: usize = 500;

/// A file of tests has fewer lines than this.
const TESTS: usize = 800;

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
    let limit = if file.is_tests() { TESTS } else { MECHANISM };
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

/// Functions that wait by themselves, however they are called.
const WAITS: [&str; 5] = ["sleep", "sleep_ms", "sleep_until", "park_timeout", "interval"];

/// Functions that only wait when they are those of `tokio::time`.
const TOKIO_WAITS: [&str; 3] = ["timeout", "timeout_at", "interval_at"];

pub(crate) fn takes_time_from_clock(file: &Source) -> Vec<Violation> {
    if file.module().is_some_and(|module| module.first() == Some(&"clock")) {
        return Vec::new();
    }
    let words = file.words();
    let mut violations = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let name = word.text.as_str();
        let called = words.get(at + 1).is_some_and(|next| next.text == "(");
        let of_time = at >= 2 && words[at - 1].text == "::" && words[at - 2].text == "time";
        let what = if matches!(name, "Instant" | "SystemTime") {
            format!("`{name}`")
        } else if called && (WAITS.contains(&name) || of_time && TOKIO_WAITS.contains(&name)) {
            format!("`{name}(…)`")
        } else {
            continue;
        };
        let right =
            "what `clock` offers for it: `Stopwatch`, `Deadline`, `within`, `quiet` or `utc_now`";
        violations.push(file.violation(word.line, format!("uses {what}"), right));
    }
    violations
}

/// Where the library may read the environment: where people's settings come in, and where a program is looked up in `PATH`.
const DOORS: [&str; 4] = ["cli", "harness", "bin", "process"];

pub(crate) fn reads_environment_at_doors(file: &Source) -> Vec<Violation> {
    let Some(inner) = file.path().strip_prefix("mcp-test/src/") else {
        return Vec::new();
    };
    let room = inner.split(['/', '.']).next().unwrap_or_default();
    if DOORS.contains(&room) || file.is_tests() {
        return Vec::new();
    }
    let readers = ["var", "var_os", "vars", "vars_os", "args", "args_os"];
    let mut violations = Vec::new();
    for path in file.words().windows(3) {
        if path[0].text == "env" && path[1].text == "::" && readers.contains(&path[2].text.as_str())
        {
            let wrong = format!("reads the environment with `env::{}`", path[2].text);
            let right = "read it in `cli` or `harness`, and hand on what it says";
            violations.push(file.violation(path[2].line, wrong, right));
        }
    }
    violations
}

pub(crate) fn leaves_nothing_to_do(file: &Source) -> Vec<Violation> {
    let unfinished =
        |pair: &&[Word]| matches!(pair[0].text.as_str(), "todo" | "dbg") && pair[1].text == "!";
    let found = file.words().windows(2).filter(unfinished);
    found
        .map(|pair| {
            file.violation(pair[0].line, format!("has `{}!`", pair[0].text), "the finished thing")
        })
        .collect()
}

pub(crate) fn has_a_telling_name(file: &Source) -> Vec<Violation> {
    let parts = file.path().split(['/', '.']);
    let mut empty = parts.filter(|part| {
        matches!(*part, "util" | "utils" | "helper" | "helpers" | "common" | "misc" | "shared")
    });
    let violation = empty.next().map(|name| {
        file.violation(1, format!("is named `{name}`"), "a noun that says what is in it")
    });
    violation.into_iter().collect()
}
