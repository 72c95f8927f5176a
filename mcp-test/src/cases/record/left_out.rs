//! What a recording does not have, and why, in words for a comment.

/// What was left out of one conversation, each thing with its reason once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LeftOut(Vec<(String, String, usize)>);

/// How many different things a comment tells.
const TOLD: usize = 8;

impl LeftOut {
    /// Something was left out for this reason.
    pub(super) fn because(&mut self, what: &str, why: &str) {
        match self.0.iter_mut().find(|(known, reason, _)| known == what && reason == why) {
            Some((_, _, times)) => *times += 1,
            None => self.0.push((what.to_owned(), why.to_owned(), 1)),
        }
    }

    /// Adds what was left out elsewhere.
    pub(super) fn add(&mut self, other: &Self) {
        for (what, why, times) in &other.0 {
            (0..*times).for_each(|_| self.because(what, why));
        }
    }

    /// Whether nothing was.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In words, a line for each thing.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(what, why, times): &(String, String, usize)| match times {
            1 => format!("Left out: {what}; {why}."),
            times => format!("Left out, {times} times: {what}; {why}."),
        };
        let mut lines: Vec<String> = self.0.iter().take(TOLD).map(line).collect();
        if let more @ 1.. = self.0.len().saturating_sub(TOLD) {
            lines.push(format!("Left out: {more} more."));
        }
        lines
    }
}
