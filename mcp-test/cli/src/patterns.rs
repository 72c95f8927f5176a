//! Names and patterns that select scenarios and cases: `ping`, `tools-*`.

use glob::Pattern;
use mcp_test_core::expect::words::closest;
use mcp_test_core::run::UsageError;
use mcp_test_core::scenario::TestedSide;
use mcp_test_suite::scenarios;

use super::common_args::RunOptions;
use super::error::CliError;

/// What separates the words of an id.
const SEPARATORS: [char; 4] = ['-', '_', '/', ':'];

/// A pattern that matches no name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoMatch {
    pub(super) pattern: String,
    /// A similar name or pattern that matches some.
    pub(super) suggestion: Option<String>,
}

impl NoMatch {
    /// The error for an option.
    pub(super) fn of(self, option: &'static str) -> CliError {
        let Self { pattern, suggestion } = self;
        CliError::NoMatch { option, pattern, suggestion }
    }
}

/// Replaces patterns by the names that they match, each once; what is not a pattern is kept, whether or not it is known.
pub(super) fn expand(selected: &[String], known: &[&str]) -> Result<Vec<String>, NoMatch> {
    let mut names: Vec<String> = Vec::new();
    for text in selected {
        let matching = match pattern(text, known) {
            None => vec![text.as_str()],
            Some(pattern) => known.iter().copied().filter(|name| pattern.matches(name)).collect(),
        };
        if matching.is_empty() {
            let suggestion = suggestion(text, known);
            return Err(NoMatch { pattern: text.clone(), suggestion });
        }
        for name in matching {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

/// The pattern; `None` for a plain name. The name of a case may have the characters of a pattern.
fn pattern(text: &str, known: &[&str]) -> Option<Pattern> {
    let is_pattern = text.contains(['*', '?', '[']) && !known.contains(&text);
    is_pattern.then(|| Pattern::new(text).ok()).flatten()
}

fn suggestion(text: &str, known: &[&str]) -> Option<String> {
    let beginnings = known.iter().flat_map(|name| {
        name.match_indices(SEPARATORS).map(|(at, separator)| format!("{}{separator}*", &name[..at]))
    });
    let candidates: Vec<String> =
        known.iter().map(|name| (*name).to_owned()).chain(beginnings).collect();
    closest(text, candidates.iter().map(String::as_str)).map(str::to_owned)
}

/// The ids of the built-in scenarios that test this side.
fn ids(tested_side: TestedSide) -> Vec<&'static str> {
    scenarios::all()
        .filter(|scenario| scenario.tested_side == tested_side)
        .map(|scenario| &*scenario.id)
        .collect()
}

impl RunOptions {
    /// Replaces the patterns of `--scenario` by the ids of built-in scenarios.
    pub(super) fn expand_scenarios(&mut self, tested_side: TestedSide) -> Result<(), CliError> {
        self.scenarios = expand(&self.scenarios, &ids(tested_side)).map_err(|error| {
            let pattern = pattern(&error.pattern, &[]);
            let matches = |side: &TestedSide| {
                let matches = |pattern: &Pattern| ids(*side).iter().any(|id| pattern.matches(id));
                pattern.as_ref().is_some_and(matches)
            };
            match TestedSide::ALL.into_iter().find(matches) {
                Some(tests) => {
                    let source = UsageError::OfOtherSide { id: error.pattern, tested_side, tests };
                    CliError::selection(source, tested_side, None)
                }
                None => error.of("--scenario"),
            }
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["ping", "tools-list", "tools-call", "auth/a", "a*b"];

    fn expanded(selected: &[&str]) -> Result<Vec<String>, NoMatch> {
        let selected: Vec<String> = selected.iter().map(|text| (*text).to_owned()).collect();
        expand(&selected, &KNOWN)
    }

    #[test]
    fn a_pattern_selects_what_it_matches_each_once() {
        let names = |selected: &[&str]| expanded(selected).expect("it matches").join(" ");
        assert_eq!(names(&["tools-*"]), "tools-list tools-call");
        assert_eq!(names(&["tools-call", "*l*", "p?ng"]), "tools-call tools-list ping");
        assert_eq!(names(&["*/*", "[pq]ing"]), "auth/a ping");
        // A name wins over a pattern, and what is not a pattern is left to who knows the names.
        assert_eq!(names(&["a*b", "unknown", "[unclosed"]), "a*b unknown [unclosed");
        assert_eq!(names(&[]), "");
    }

    #[test]
    fn a_pattern_that_matches_nothing_has_a_suggestion() {
        let suggestion = |text: &str| expanded(&[text]).expect_err("no match").suggestion;
        assert_eq!(suggestion("tols-*").as_deref(), Some("tools-*"));
        assert_eq!(suggestion("pung*").as_deref(), Some("ping"));
        assert_eq!(suggestion("entirely-different-*"), None);
    }
}
