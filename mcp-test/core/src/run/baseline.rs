//! Baselines: the expected failures, and how a run compares with them.
//!
//! The file format is that of the official suite: a YAML mapping with the lists `server` and `client`, whose entries
//! are `scenario` or `scenario:check`.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use super::common_checks::COMMON;
use super::error::did_you_mean;
use super::{BaselineError, Results};
use crate::check::Status;
use crate::expect::words::{self, closest};
use crate::files;
use crate::scenario::{Profile, Scenario, Shared, TestedSide};
use crate::yaml::{self, Kind, Limits, Member, Node, ProblemKind};

/// A line number, and what is wrong there.
type Problem = (usize, String);

/// One entry: a scenario that may fail, or one check of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its section.
    pub tested_side: TestedSide,
    /// The scenario.
    pub scenario: String,
    /// The check, if only that one may fail.
    pub check: Option<String>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.check {
            Some(check) => write!(f, "{}:{check}", self.scenario),
            None => f.write_str(&self.scenario),
        }
    }
}

/// A file with the expected failures.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::run::Baseline;
/// use mcp_test::scenario::TestedSide;
///
/// let baseline = Baseline::parse("known.yml", "server:\n  - ping\n  - tools-list:tools-name-format\n")?;
/// assert!(baseline.expects(TestedSide::Server, "ping", "ping"));
/// assert!(!baseline.expects(TestedSide::Server, "tools-list", "tools-list"));
/// # Ok::<(), mcp_test::run::BaselineError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    file: String,
    entries: Vec<Entry>,
    /// Sections that a baseline does not have, each with its line.
    unknown_sections: Vec<(usize, String)>,
}

/// How a run compares with a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Entries that failed, as expected.
    pub expected: Vec<String>,
    /// Entries that passed, and should be removed.
    pub stale: Vec<String>,
    /// Failures without an entry.
    pub unexpected: Vec<String>,
}

impl Comparison {
    /// Whether the failure of a check is expected.
    #[must_use]
    pub fn expects(&self, scenario: &str, check: &str) -> bool {
        self.expected.iter().any(|entry| match entry.strip_prefix(scenario) {
            Some("") => true,
            Some(rest) => rest.strip_prefix(':') == Some(check),
            None => false,
        })
    }

    /// Whether every failure was expected, and every expected failure failed.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.stale.is_empty() && self.unexpected.is_empty()
    }
}

/// How many warnings about unknown names are shown.
const WARNINGS: usize = 20;

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or as [`Baseline::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, BaselineError> {
        let path = path.as_ref();
        let text = files::read_text(path, files::CONFIGURATION)
            .map_err(|source| BaselineError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Parses the text of a file, which messages call `file`.
    ///
    /// # Errors
    ///
    /// If the text is not valid YAML, or not a baseline; the error names the line.
    pub fn parse(file: &str, text: &str) -> Result<Self, BaselineError> {
        let mut baseline =
            Self { file: file.to_owned(), entries: Vec::new(), unknown_sections: Vec::new() };
        match baseline.parse_sections(text) {
            Ok(()) => Ok(baseline),
            Err((line, problem)) => {
                Err(BaselineError::Invalid { file: baseline.file, line, problem })
            }
        }
    }

    /// The entries, in the order of the file.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether the failure of this check is expected.
    #[must_use]
    pub fn expects(&self, tested_side: TestedSide, scenario: &str, check: &str) -> bool {
        self.of(tested_side, scenario)
            .any(|entry| entry.check.as_deref().is_none_or(|it| it == check))
    }

    /// Looks for unknown sections, and for entries of `tested_side` that name none of these scenarios or of their checks: warnings in
    /// profile `official`, errors in others.
    ///
    /// # Errors
    ///
    /// The first such section or entry, unless the profile is `official`.
    pub fn vet(
        &self,
        scenarios: &[Shared<Scenario>],
        tested_side: TestedSide,
        profile: Profile,
    ) -> Result<Vec<String>, BaselineError> {
        let sections = self.unknown_sections.iter().map(|(line, name)| (*line, no_section(name)));
        let entries = self.entries.iter().filter(|entry| entry.tested_side == tested_side);
        let unknown = entries.filter_map(|entry| Some((entry.line, unknown(entry, scenarios)?)));
        let (file, mut problems) = (&self.file, sections.chain(unknown));
        if profile != Profile::Official {
            return problems.next().map_or(Ok(Vec::new()), |(line, problem)| {
                Err(BaselineError::Invalid { file: file.clone(), line, problem })
            });
        }
        let warning = |(line, problem)| format!("{file}:{line}: {problem}");
        let mut warnings: Vec<String> = problems.by_ref().take(WARNINGS).map(warning).collect();
        warnings.extend(problems.next().map(|(line, _)| {
            format!(
                "{file}:{line}: this entry is unknown too, and others may be: only the first {WARNINGS} are listed"
            )
        }));
        Ok(warnings)
    }

    /// Compares the results of a run with the entries; entries of scenarios that were not run are ignored.
    #[must_use]
    pub fn compare(&self, results: &Results) -> Comparison {
        let mut comparison = Comparison::default();
        for scenario in results.scenarios() {
            let entries: Vec<&Entry> = self.of(scenario.tested_side, &scenario.id).collect();
            for entry in &entries {
                let status = match &entry.check {
                    Some(check) => scenario.status(check),
                    None => scenario.worst(),
                };
                match status {
                    Some(Status::Failure | Status::Warning) => {
                        comparison.expected.push(entry.to_string());
                    }
                    // A scenario run that could not be run may have failed, so that the entry is not known to be stale.
                    Some(Status::Success) if !scenario.partial => {
                        comparison.stale.push(entry.to_string());
                    }
                    // A check that was skipped or not made says nothing about its entry.
                    Some(Status::Success | Status::Skipped | Status::Info) | None => {}
                }
            }
            // Without an entry, one line for the scenario says enough; otherwise each check that the entries lack.
            if entries.is_empty() && scenario.failing().next().is_some() {
                comparison.unexpected.push(scenario.id.to_owned());
            } else if !entries.is_empty() {
                let unlisted = scenario
                    .failing()
                    .filter(|check| !self.expects(scenario.tested_side, &scenario.id, check))
                    .map(|check| format!("{}:{check}", scenario.id));
                comparison.unexpected.extend(unlisted);
            }
        }
        comparison
    }

    /// The text of a file that expects exactly the failures of a run, check by check, and keeps the entries of `previous` for
    /// scenarios that were not run.
    #[must_use]
    pub fn text(results: &Results, previous: Option<&Self>) -> String {
        let mut text = String::from("# Known failures: `scenario`, or `scenario:check`.\n");
        let kept = previous.map(|baseline| baseline.entries.as_slice()).unwrap_or_default();
        for tested_side in [TestedSide::Server, TestedSide::Client] {
            let was_run = |id: &str| {
                // What was run only in part keeps its entries: a check may still fail in the other scenario runs.
                results.get(tested_side, id).is_some_and(|it| !it.partial)
            };
            let kept = kept
                .iter()
                .filter(|entry| entry.tested_side == tested_side && !was_run(&entry.scenario));
            let kept: Vec<&Entry> = kept.collect();
            let mut lines: Vec<String> = kept.iter().map(ToString::to_string).collect();
            for scenario in results.scenarios().filter(|it| it.tested_side == tested_side) {
                let is_kept = |check: &&str| {
                    let names =
                        |entry: &&Entry| entry.check.as_deref().is_none_or(|it| it == *check);
                    kept.iter().filter(|entry| entry.scenario == scenario.id).any(names)
                };
                let new = scenario.failing().filter(|check| !is_kept(check));
                lines.extend(new.map(|check| format!("{}:{check}", scenario.id)));
            }
            if !lines.is_empty() {
                text.push_str(&format!("{tested_side}:\n"));
                text.extend(lines.iter().map(|line| format!("  - {line}\n")));
            }
        }
        text
    }

    fn of(&self, tested_side: TestedSide, scenario: &str) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(move |entry| entry.tested_side == tested_side && entry.scenario == scenario)
    }
}

/// What an entry names that is unknown, if anything.
fn unknown(entry: &Entry, scenarios: &[Shared<Scenario>]) -> Option<String> {
    let known = scenarios.iter().filter(|scenario| scenario.tested_side == entry.tested_side);
    let Some(scenario) = known.clone().find(|scenario| scenario.id == entry.scenario) else {
        let suggestion = closest(&entry.scenario, known.map(|scenario| &*scenario.id));
        return Some(format!(
            "there is no scenario `{}`{}",
            words::name(&entry.scenario),
            did_you_mean(suggestion)
        ));
    };
    let check = entry.check.as_deref()?;
    if check == scenario.id || scenario.check(check).is_some() || common().any(|id| id == check) {
        return None;
    }
    let suggestion = closest(check, known_checks(scenario));
    let (id, check) = (words::name(&scenario.id), words::name(check));
    Some(format!("`{id}` has no check `{check}`{}", did_you_mean(suggestion)))
}

fn known_checks(scenario: &Scenario) -> impl Iterator<Item = &str> {
    scenario.checks.iter().map(|check| check.id.as_ref()).chain(common())
}

fn common<'a>() -> impl Iterator<Item = &'a str> {
    COMMON.into_iter().map(|(id, _)| id)
}

impl Baseline {
    fn parse_sections(&mut self, text: &str) -> Result<(), Problem> {
        let sections = match document(text)? {
            None => return Ok(()),
            Some(Node { kind: Kind::Mapping(sections), .. }) => sections,
            Some(other) => {
                let problem = format!(
                    "expected a mapping with the lists `server` and `client`, got {}",
                    other.kind.name()
                );
                return Err((other.span.line, problem));
            }
        };
        let mut known = Known::default();
        for Member { key, value } in sections {
            let name = word(&key).unwrap_or_else(|| key.kind.name().to_owned());
            let Some(tested_side) = [TestedSide::Server, TestedSide::Client]
                .into_iter()
                .find(|tested_side| tested_side.as_str() == name)
            else {
                // `vet` decides by the profile whether that is an error: the official suite ignores them.
                self.unknown_sections.push((key.span.line, name));
                continue;
            };
            match &value.kind {
                // A section whose entries were all removed.
                Kind::Null => {}
                Kind::List(items) => {
                    for item in items {
                        let entry = entry(tested_side, item)?;
                        if known.is_new(&entry)? {
                            self.entries.push(entry);
                        }
                    }
                }
                other => {
                    let problem = format!("`{tested_side}` must be a list, got {}", other.name());
                    return Err((value.span.line, problem));
                }
            }
        }
        Ok(())
    }
}

/// The entries so far: for each scenario its checks, with their lines; `None` is the scenario as a whole.
#[derive(Default)]
struct Known(HashMap<(TestedSide, String), HashMap<Option<String>, usize>>);

impl Known {
    /// Whether an entry is not among those so far; adds it.
    fn is_new(&mut self, entry: &Entry) -> Result<bool, Problem> {
        let checks = self.0.entry((entry.tested_side, entry.scenario.clone())).or_default();
        // The entry for the whole scenario would make those for its checks meaningless.
        let other = match &entry.check {
            Some(_) => checks.get(&None).copied(),
            None => checks.iter().filter_map(|(check, line)| check.as_ref().map(|_| *line)).min(),
        };
        if let Some(other) = other {
            let problem = format!(
                "`{}` is listed as a whole and by check; the other entry is on line {other}",
                words::name(&entry.scenario)
            );
            return Err((entry.line, problem));
        }
        let is_new = !checks.contains_key(&entry.check);
        checks.entry(entry.check.clone()).or_insert(entry.line);
        Ok(is_new)
    }
}

/// The document of a baseline, unless it is empty.
fn document(text: &str) -> Result<Option<Node>, Problem> {
    let problem = |problem: yaml::Problem| (problem.span.line, problem.message);
    let mut documents = yaml::read(text, &Limits::default()).documents.into_iter();
    let Some(document) = documents.next() else { return Ok(None) };
    let document = document.map_err(|broken| problem(broken.problem))?;
    if let Some(second) = documents.next() {
        let line = second.map_or_else(|broken| broken.span.line, |second| second.span.line);
        return Err((line, "a second document begins here".to_owned()));
    }
    // Of duplicate sections, one would silently hide the entries of the other.
    let mut problems = document.problems.into_iter();
    match problems.find(|problem| problem.kind == ProblemKind::Duplicate) {
        Some(duplicate) => Err(problem(duplicate)),
        None => Ok(Some(document.root).filter(|root| root.kind != Kind::Null)),
    }
}

/// The text of a scalar other than `null`.
fn word(node: &Node) -> Option<String> {
    match node.kind {
        // A name such as `true` or `2025` is still a name.
        Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => Some(node.name().trim().to_owned()),
        Kind::Null | Kind::List(_) | Kind::Mapping(_) => None,
    }
}

fn no_section(name: &str) -> String {
    let suggestion = did_you_mean(closest(
        name,
        [TestedSide::Server, TestedSide::Client].map(TestedSide::as_str),
    ));
    let rest = if suggestion.is_empty() { "; a baseline has `server` and `client`" } else { "" };
    format!("there is no section `{}`{suggestion}{rest}", words::name(name))
}

fn entry(tested_side: TestedSide, item: &Node) -> Result<Entry, Problem> {
    let line = item.span.line;
    let text = word(item).unwrap_or_default();
    if text.is_empty() {
        let problem = match &item.kind {
            // `scenario: check` is a mapping in YAML.
            Kind::Mapping(_) => {
                "an entry is a mapping; write `scenario:check`, without a space after the colon"
            }
            Kind::List(_) => "an entry is a list; write `scenario` or `scenario:check`",
            _ => "an entry is empty",
        };
        return Err((line, problem.to_owned()));
    }
    let (scenario, check) = match colon(&text) {
        None => (text.as_str(), None),
        Some(at) => (text[..at].trim(), Some(text[at + 1..].trim())),
    };
    if scenario.is_empty() {
        return Err((line, format!("`{}` has no scenario before the colon", words::name(&text))));
    }
    if check.is_some_and(str::is_empty) {
        return Err((line, format!("`{}` has no check after the colon", words::name(&text))));
    }
    Ok(Entry { tested_side, scenario: scenario.to_owned(), check: check.map(str::to_owned), line })
}

/// The colon between scenario and check; two in a row are part of a scenario's id, as in `calculator::adds`.
fn colon(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find(':').map(|at| from + at) {
        if !text[at + 1..].starts_with(':') {
            return Some(at);
        }
        from = at + 2;
    }
    None
}

#[cfg(test)]
mod tests;
