//! How a cell ended: what is wrong, if anything, and what belongs to the telling of it.

use std::any::Any;
use std::error::Error;
use std::time::Duration;

use super::Unplayable;
use crate::check::Finding;
use crate::process::Exit;
use crate::scenario::BoxError;
use crate::spec::Revision;
use crate::trace::Trace;
use crate::transport::{CarrierKind, Target};

/// How a cell ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// Nothing is wrong.
    Passed,
    /// The scenario skipped itself, for this reason.
    Skipped(String),
    /// The server does not speak the revision of the cell, and need not.
    Unspoken(String),
    /// Something is wrong; at least one thing.
    Failed(Vec<Problem>),
}

/// One thing that is wrong.
#[derive(Debug)]
pub(super) enum Problem {
    /// A finding, whoever is to blame.
    Finding(Finding),
    /// Another error, with its causes.
    Error(Vec<String>),
    /// A panic, for example of an assertion.
    Panic(Box<dyn Any + Send>),
    /// The scenario was not over in time.
    TimedOut(Duration),
    /// The thread did not even notice that the time was over.
    Blocked,
    /// It could not be played at all.
    Unplayable(String),
}

impl From<BoxError> for Problem {
    /// A finding that an error was made from counts as the finding.
    fn from(error: BoxError) -> Self {
        let error = match error.downcast::<Finding>() {
            Ok(finding) => return Self::Finding(*finding),
            Err(error) => error,
        };
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        Self::Error(
            std::iter::once(error.to_string()).chain(causes.map(ToString::to_string)).collect(),
        )
    }
}

/// What came of a cell.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) ending: Ending,
    /// Where it was played, once that was known.
    pub(super) place: Option<(Revision, CarrierKind)>,
    /// The name of the target, once it was made.
    pub(super) target: String,
    /// Everything that was said.
    pub(super) trace: Trace,
    /// The last lines that the program behind a URL wrote on stderr.
    pub(super) stderr: Vec<String>,
    /// How the program behind a URL exited, if it did before it was ended.
    pub(super) exit: Option<Exit>,
    /// What the server should do otherwise; told only when something is wrong.
    pub(super) remarks: Vec<Finding>,
    /// What the test itself sent otherwise than the specification has it, perhaps on purpose; told as the remarks are.
    pub(super) ventured: Vec<Finding>,
    /// The panics that were held back.
    pub(super) panics: Vec<String>,
}

impl Played {
    pub(super) fn ended(ending: Ending) -> Self {
        Self {
            ending,
            place: None,
            target: String::new(),
            trace: Trace::default(),
            stderr: Vec::new(),
            exit: None,
            remarks: Vec::new(),
            ventured: Vec::new(),
            panics: Vec::new(),
        }
    }

    pub(super) fn failed(problem: Problem) -> Self {
        Self::ended(Ending::Failed(vec![problem]))
    }

    pub(super) fn unplayable(why: &Unplayable) -> Self {
        let source = why.source().map(|source| format!(": {source}")).unwrap_or_default();
        Self::failed(Problem::Unplayable(format!("{why}{source}")))
    }

    pub(super) fn blocked(trace: Trace) -> Self {
        Self { trace, ..Self::failed(Problem::Blocked) }
    }

    pub(super) fn of(mut self, target: &Target) -> Self {
        self.target = target.label();
        self
    }

    /// Adds something that is wrong.
    pub(super) fn add(&mut self, problem: Problem) {
        match &mut self.ending {
            Ending::Failed(problems) => problems.push(problem),
            ending => *ending = Ending::Failed(vec![problem]),
        }
    }

    /// Whether a problem says the same as this finding: about the same events, or in the same words.
    pub(super) fn tells(&self, finding: &Finding) -> bool {
        let Ending::Failed(problems) = &self.ending else { return false };
        problems.iter().any(|problem| match problem {
            // Several things may be wrong with the shape of one message.
            Problem::Finding(told) if told.shape.is_some() && finding.shape.is_some() => {
                told.shape == finding.shape
            }
            Problem::Finding(told) => {
                told.headline == finding.headline
                    || finding.evidence.iter().all(|seq| told.evidence.contains(seq))
            }
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read the settings")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn an_error_is_told_with_its_causes_and_a_finding_as_one() {
        let error: BoxError = Outer(std::io::Error::other("the disk is gone")).into();
        let Problem::Error(chain) = Problem::from(error) else { panic!("expected an error") };
        assert_eq!(chain, ["cannot read the settings", "the disk is gone"]);
        let finding: BoxError = Finding::peer("silence").into();
        assert!(matches!(Problem::from(finding), Problem::Finding(it) if it.headline == "silence"));
    }

    #[test]
    fn what_is_wrong_adds_up() {
        let mut played = Played::ended(Ending::Skipped("no tools".to_owned()));
        played.add(Problem::Finding(Finding::peer("a wrong id")));
        played.add(Problem::TimedOut(Duration::from_secs(1)));
        assert!(matches!(&played.ending, Ending::Failed(problems) if problems.len() == 2));
        assert!(played.tells(&Finding::peer("a wrong id")));
    }
}
