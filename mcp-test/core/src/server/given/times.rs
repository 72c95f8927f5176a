//! [`Times`]: an expected number of messages.

use std::fmt;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeToInclusive};

/// A number of times: `2`, `1..`, `..=3`, `1..=2`, `0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    least: u64,
    most: Option<u64>,
}

impl Times {
    /// Whether a number of times is expected.
    #[must_use]
    pub fn contains(self, times: u64) -> bool {
        times >= self.least && self.most.is_none_or(|most| times <= most)
    }

    pub(super) fn needs_more_than(self, times: u64) -> bool {
        times < self.least
    }
}

impl From<u64> for Times {
    fn from(times: u64) -> Self {
        Self { least: times, most: Some(times) }
    }
}

impl From<Range<u64>> for Times {
    fn from(times: Range<u64>) -> Self {
        Self { least: times.start, most: Some(times.end.saturating_sub(1)) }
    }
}

impl From<RangeInclusive<u64>> for Times {
    fn from(times: RangeInclusive<u64>) -> Self {
        Self { least: *times.start(), most: Some(*times.end()) }
    }
}

impl From<RangeFrom<u64>> for Times {
    fn from(times: RangeFrom<u64>) -> Self {
        Self { least: times.start, most: None }
    }
}

impl From<RangeToInclusive<u64>> for Times {
    fn from(times: RangeToInclusive<u64>) -> Self {
        Self { least: 0, most: Some(times.end) }
    }
}

impl From<RangeFull> for Times {
    fn from(_: RangeFull) -> Self {
        Self { least: 0, most: None }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (_, Some(0)) => f.write_str("never"),
            (least, Some(most)) if least == most => f.write_str(&in_words(least)),
            (0, None) => f.write_str("any number of times"),
            (least, None) => write!(f, "at least {}", in_words(least)),
            (0, Some(most)) => write!(f, "at most {}", in_words(most)),
            (least, Some(most)) => write!(f, "{least} to {most} times"),
        }
    }
}

/// A number of times in words.
pub(super) fn in_words(times: u64) -> String {
    match times {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_described_and_respected() {
        let described = [
            Times::from(0),
            Times::from(1),
            Times::from(1..),
            Times::from(2..4),
            Times::from(1..=2),
            Times::from(..=3),
            Times::from(..),
        ]
        .map(|times| {
            let expected = (0..5).filter(|count| times.contains(*count));
            format!("{times}: {expected:?}", expected = expected.collect::<Vec<_>>())
        });
        insta::assert_snapshot!(described.join("\n"), @"
        never: [0]
        once: [1]
        at least once: [1, 2, 3, 4]
        2 to 3 times: [2, 3]
        1 to 2 times: [1, 2]
        at most 3 times: [0, 1, 2, 3]
        any number of times: [0, 1, 2, 3, 4]
        ");
    }
}
