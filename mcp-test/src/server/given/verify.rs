//! Verification: the rules that were not called as often as expected, and what came nearest.

use super::{
    Rule,
    book::{Book, Entry, Mounted, Pages},
    times::in_words,
};
use crate::{check::Finding, expect::words};

/// How many methods a finding lists.
const LISTED: usize = 6;

impl Book {
    /// A finding for each rule that was called more or less often than expected, in the order of their mounting.
    pub(in crate::server) fn verify(&self) -> Vec<Finding> {
        self.read(|pages| {
            let rules = pages.rules.iter().enumerate();
            rules.filter_map(|(number, mounted)| unmet(pages, number, mounted)).collect()
        })
    }

    /// The finding for one rule, if there is any.
    pub(super) fn verdict(&self, number: usize) -> Option<Finding> {
        self.read(|pages| unmet(pages, number, pages.rules.get(number)?))
    }
}

fn unmet(pages: &Pages, number: usize, mounted: &Mounted) -> Option<Finding> {
    let Mounted { rule, calls, is_over: false } = mounted else { return None };
    let expected = rule.expected.filter(|expected| !expected.contain(*calls))?;
    let got = if expected.want_more_than(*calls) {
        format!("{}; {}", in_words(*calls), instead(pages, number, rule))
    } else {
        in_words(*calls)
    };
    let finding = Finding::peer(format!("the rule `{}` is not met", rule.name()))
        .expected(format!("a message {}, {expected}", rule.wanted()))
        .got(got);
    let doubts = rule.doubts();
    Some(if doubts.is_empty() { finding } else { finding.hint(doubts.join("; ")) })
}

/// What came instead of the messages that a rule wanted.
fn instead(pages: &Pages, number: usize, rule: &Rule) -> String {
    let others: Vec<&Entry> =
        pages.entries.iter().filter(|entry| !entry.called.contains(&number)).collect();
    let nearest = others
        .iter()
        .map(|entry| (rule.held_against(&entry.message), *entry))
        .max_by_key(|((met, _), _)| *met);
    match nearest {
        None => "nothing else came".to_owned(),
        Some(((0, _), _)) => format!("what came is {}", kinds(&others)),
        Some(((_, unmet), nearest)) if unmet.is_empty() => {
            format!("{} came when another rule answered, or too late", called(nearest))
        }
        Some(((_, unmet), nearest)) => format!("nearest came {} {unmet}", called(nearest)),
    }
}

/// The kinds of messages that came, each once, in the order of their first.
fn kinds(entries: &[&Entry]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for kind in entries.iter().map(|entry| called(entry)) {
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

fn called(entry: &Entry) -> String {
    match entry.message.method() {
        Some(method) => format!("`{method}`"),
        None => entry.message.message.kind().to_owned(),
    }
}
