//! Shards: parts of a run, for several machines.

use std::fmt;
use std::str::FromStr;

use super::ScenarioRun;

/// One of several parts of a run, such as `1/3`. All parts together have every scenario run exactly once.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::run::Shard;
///
/// let shard: Shard = "2/3".parse()?;
/// assert_eq!(shard.to_string(), "2/3");
/// assert!("4/3".parse::<Shard>().is_err());
/// # Ok::<(), mcp_test::run::ShardError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part it is, from 1.
    number: usize,
    /// How many parts there are.
    of: usize,
}

/// Why a text is not a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// It does not have two numbers.
    #[error("expected I/N, two whole numbers such as `1/3`, the first of three shards")]
    Form,
    /// The part does not exist.
    #[error("expected a shard from 1 to {of} before the slash, got {number}")]
    Number {
        /// The part.
        number: usize,
        /// How many parts there are.
        of: usize,
    },
    /// There are no parts.
    #[error("expected at least 1 shard after the slash, got 0")]
    None,
}

impl Shard {
    /// How many parts the run has.
    #[must_use]
    pub const fn parts(self) -> usize {
        self.of
    }

    /// The scenario runs that belong to this shard, and those that belong to others.
    pub(super) fn split(
        self,
        scenario_runs: Vec<ScenarioRun>,
    ) -> (Vec<ScenarioRun>, Vec<ScenarioRun>) {
        // In turn, since the scenario runs of one scenario, which follow one another, take about the same time.
        let (own, others): (Vec<_>, Vec<_>) = scenario_runs
            .into_iter()
            .enumerate()
            .partition(|(index, _)| index % self.of == self.number - 1);
        let scenario_runs = |numbered: Vec<(usize, ScenarioRun)>| {
            numbered.into_iter().map(|(_, scenario_run)| scenario_run)
        };
        (scenario_runs(own).collect(), scenario_runs(others).collect())
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError::Form)?;
        let parse = |text: &str| text.parse::<usize>().map_err(|_| ShardError::Form);
        let (number, of) = (parse(number)?, parse(of)?);
        match (number, of) {
            (_, 0) => Err(ShardError::None),
            (0, _) => Err(ShardError::Number { number, of }),
            _ if number > of => Err(ShardError::Number { number, of }),
            _ => Ok(Self { number, of }),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_shard_is_refused_with_what_is_right() {
        let refusal = |text: &str| match text.parse::<Shard>() {
            Err(error) => format!("{text}: {error}"),
            Ok(shard) => panic!("{text} is {shard}"),
        };
        let texts = ["1", "a/b", "-1/3", "1/3/5", "0/3", "4/3", "1/0"];
        insta::assert_snapshot!(texts.map(refusal).join("\n"), @"
        1: expected I/N, two whole numbers such as `1/3`, the first of three shards
        a/b: expected I/N, two whole numbers such as `1/3`, the first of three shards
        -1/3: expected I/N, two whole numbers such as `1/3`, the first of three shards
        1/3/5: expected I/N, two whole numbers such as `1/3`, the first of three shards
        0/3: expected a shard from 1 to 3 before the slash, got 0
        4/3: expected a shard from 1 to 3 before the slash, got 4
        1/0: expected at least 1 shard after the slash, got 0
        ");
    }
}
