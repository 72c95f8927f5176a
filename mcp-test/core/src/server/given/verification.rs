//! Verification: findings about rules that did not match as many messages as expected.

use super::Rule;
use super::registry::{LogEntry, MountedRule, RegistryState, RuleRegistry};
use super::times::in_words;
use crate::check::Finding;
use crate::expect::words;

/// How many methods a finding lists.
const LISTED: usize = 6;

impl RuleRegistry {
    /// A finding for each rule that matched more or fewer messages than expected, in the order of mounting.
    pub(in crate::server) fn verify(&self) -> Vec<Finding> {
        self.read(|state| {
            let rules = state.rules.iter().enumerate();
            rules.filter_map(|(number, mounted)| unmet(state, number, mounted)).collect()
        })
    }

    /// The finding for one rule, if there is one.
    pub(super) fn finding(&self, number: usize) -> Option<Finding> {
        self.read(|state| unmet(state, number, state.rules.get(number)?))
    }
}

fn unmet(state: &RegistryState, number: usize, mounted: &MountedRule) -> Option<Finding> {
    // A rule that was unmounted has been verified by its guard.
    let MountedRule { rule, calls, is_unmounted: false } = mounted else { return None };
    let expected = rule.expected.filter(|expected| !expected.contains(*calls))?;
    let got = if expected.needs_more_than(*calls) {
        format!("{}; {}", in_words(*calls), received_instead(state, number, rule))
    } else {
        in_words(*calls)
    };
    let finding = Finding::peer(format!("the rule `{}` is not met", rule.name()))
        .expected(format!("a message {}, {expected}", rule.describe()))
        .got(got);
    let warnings = rule.warnings();
    Some(if warnings.is_empty() { finding } else { finding.hint(warnings.join("; ")) })
}

/// What was received instead of the messages that a rule expected.
fn received_instead(state: &RegistryState, number: usize, rule: &Rule) -> String {
    let others: Vec<&LogEntry> =
        state.entries.iter().filter(|entry| !entry.matched.contains(&number)).collect();
    let nearest = others
        .iter()
        .map(|entry| (rule.check(&entry.message), *entry))
        // `max_by_key` returns the last of several, which is the latest message.
        .max_by_key(|((met, _), _)| *met);
    match nearest {
        None => "nothing else came".to_owned(),
        // A message that meets no condition is not near; the methods received say more.
        Some(((0, _), _)) => format!("what came is {}", kinds(&others)),
        Some(((_, unmet), nearest)) if unmet.is_empty() => {
            format!("{} {}", describe(nearest), why_not_counted(state, number, rule, nearest))
        }
        Some(((_, unmet), nearest)) => format!("nearest came {} {unmet}", describe(nearest)),
    }
}

/// Why a message was not counted that meets every condition, to follow its kind.
fn why_not_counted(state: &RegistryState, number: usize, rule: &Rule, entry: &LogEntry) -> String {
    // The rules that match are counted up to the one that responds, the last one first.
    let answering = entry.matched.last().and_then(|number| state.rules.get(*number));
    match (answering.filter(|it| it.rule.response.is_some()), rule.most) {
        (Some(other), _) if entry.matched.iter().all(|it| *it > number) => {
            format!("was answered by the rule `{}`, which was mounted later", other.rule.name())
        }
        (_, Some(most)) => {
            format!("came when the rule had answered as often as `up_to_n_times({most})` allows")
        }
        (_, None) => "came before the rule was mounted, or the protocol refuses it".to_owned(),
    }
}

/// The kinds of received messages, each once, in order of first arrival.
fn kinds(entries: &[&LogEntry]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for kind in entries.iter().map(|entry| describe(entry)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.len() > LISTED {
        let more = kinds.len() - LISTED;
        kinds.truncate(LISTED);
        kinds.push(format!("{more} more"));
    }
    words::list(kinds, "and")
}

fn describe(entry: &LogEntry) -> String {
    match entry.message.method() {
        Some(method) => format!("`{method}`"),
        None => entry.message.message.kind().to_owned(),
    }
}
