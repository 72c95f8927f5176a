//! The messages that were left out of a recording, with reasons, rendered as comments.

/// The items that were left out of a conversation: the item, the reason, and how many times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LeftOut(Vec<(String, String, usize)>);

/// How many different items the comments list.
const LISTED: usize = 8;

impl LeftOut {
    /// Adds an item with its reason.
    pub(super) fn add_reason(&mut self, what: &str, why: &str) {
        match self.0.iter_mut().find(|(known, reason, _)| known == what && reason == why) {
            Some((_, _, times)) => *times += 1,
            None => self.0.push((what.to_owned(), why.to_owned(), 1)),
        }
    }

    /// Adds the items of another conversation.
    pub(super) fn add(&mut self, other: &Self) {
        for (what, why, times) in &other.0 {
            (0..*times).for_each(|_| self.add_reason(what, why));
        }
    }

    /// Whether nothing was left out.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A line for each item.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(what, why, times): &(String, String, usize)| match times {
            1 => format!("Left out: {what}; {why}."),
            times => format!("Left out, {times} times: {what}; {why}."),
        };
        let mut lines: Vec<String> = self.0.iter().take(LISTED).map(line).collect();
        if let more @ 1.. = self.0.len().saturating_sub(LISTED) {
            lines.push(format!("Left out: {more} more."));
        }
        lines
    }
}
