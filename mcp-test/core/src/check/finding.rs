//! A finding: what is wrong, who is to blame, and what shows it.

use std::fmt;

use super::cited::Cited;
use super::{Cause, Fate, Sdk, Shape};
use crate::expect::{Mismatch, words};
use crate::json::Pointer;
use crate::spec::{Requirement, Revision};
use crate::trace::Seq;

/// Who a finding counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Blame {
    /// The implementation under test broke the protocol.
    Peer,
    /// The test asked for something impossible, or ignored what it got.
    Test,
    /// mcp-test itself is at fault.
    Harness,
    /// The machine: a program that is not found, a port that is taken, a file that cannot be read.
    Environment,
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Peer => "peer",
            Self::Test => "test",
            Self::Harness => "harness",
            Self::Environment => "environment",
        })
    }
}

/// How severe a finding is: the level of the requirement that it breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// A SHOULD is not followed: a WARNING.
    Should,
    /// A MUST is broken: a FAILURE.
    Must,
}

/// The source of the demand that was not met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Demand {
    /// That of the specification.
    #[default]
    Specification,
    /// That of a fixture, which the official suite and a scenario know by its name.
    Fixture,
    /// That of the task which a client has in a scenario.
    Task,
    /// That of a golden snapshot, whose difference shows the conversation.
    Snapshot,
}

/// Something that is wrong, with blame and evidence.
///
/// A finding is an error, so `?` may end a scenario on it; it is then reported as what it is.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::check::Finding;
/// use mcp_test::spec::Requirement;
///
/// let finding = Finding::peer("`ping` was not answered")
///     .expected("a response with id 2")
///     .got("nothing, until the deadline of 5 s")
///     .requires(Requirement::PING_RESPONDS_PROMPTLY);
/// assert_eq!(
///     finding.to_string(),
///     "`ping` was not answered\n  expected a response with id 2\n  got nothing, until the deadline of 5 s"
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Who it counts against.
    pub blame: Blame,
    /// The level of the requirement.
    pub severity: Severity,
    /// The source of the demand that was not met.
    pub demand: Demand,
    /// What is wrong, in one sentence.
    pub headline: String,
    /// What would be right; to be read after "expected".
    pub expected: Option<String>,
    /// What was received instead; to be read after "got".
    pub got: Option<String>,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
    /// The place in a message that it is about, from the root of the message or of its payload.
    pub pointer: Option<Box<Pointer>>,
    /// The method of the message that did not come.
    pub awaited: Option<Box<str>>,
    /// What shows it in the text that the test is made from: its lines, with marks below them.
    pub excerpt: Option<String>,
    /// The message shape that something does not have, for findings about the form of a message.
    pub shape: Option<Box<Shape>>,
    /// The SDK that has sent what is wrong, where it is recognised; `None` says nothing.
    pub sdk: Option<Sdk>,
    /// The requirements that are broken.
    pub requirements: Vec<&'static Requirement>,
    /// The events of the trace that show it.
    pub evidence: Vec<Seq>,
    /// What it is traced back to, where its requirements and texts do not identify the problem.
    pub cause: Option<Box<Cause>>,
    /// Whether one reply is wrong whatever was sent on its connection before.
    pub(crate) in_any_state: bool,
    /// Whether only the bad exit of a client shows it, which may have another reason.
    pub(crate) shown_by_exit: bool,
    /// Whether it depends on a time that was shorter than usual, so that it shows nothing by itself.
    pub(crate) in_shortened_time: bool,
    /// The end of the scenario has cut the wait for the reply that is missing.
    pub(crate) in_cut_time: bool,
}

impl Finding {
    /// A finding against `blame`, at MUST level.
    #[must_use]
    pub fn new(blame: Blame, headline: impl Into<String>) -> Self {
        Self {
            blame,
            severity: Severity::Must,
            demand: Demand::Specification,
            headline: words::into_inert(headline),
            expected: None,
            got: None,
            hint: None,
            pointer: None,
            awaited: None,
            excerpt: None,
            shape: None,
            sdk: None,
            requirements: Vec::new(),
            evidence: Vec::new(),
            cause: None,
            in_any_state: false,
            shown_by_exit: false,
            in_shortened_time: false,
            in_cut_time: false,
        }
    }

    /// A finding against the implementation under test.
    #[must_use]
    pub fn peer(headline: impl Into<String>) -> Self {
        Self::new(Blame::Peer, headline)
    }

    /// A finding against the author of the test.
    #[must_use]
    pub fn test(headline: impl Into<String>) -> Self {
        Self::new(Blame::Test, headline)
    }

    /// A finding against mcp-test itself.
    #[must_use]
    pub fn harness(headline: impl Into<String>) -> Self {
        Self::new(Blame::Harness, headline)
    }

    /// A finding against the machine that the test runs on.
    #[must_use]
    pub fn environment(headline: impl Into<String>) -> Self {
        Self::new(Blame::Environment, headline)
    }

    /// A peer finding from a value that a matcher refused.
    #[must_use]
    pub fn mismatch(headline: impl Into<String>, mismatch: &Mismatch) -> Self {
        let at = mismatch.pointer.to_string();
        let subject = if at.is_empty() { "the value".to_owned() } else { format!("`{at}`") };
        let got = match &mismatch.which {
            Some(which) => format!("{}, which {which}", mismatch.got),
            None => mismatch.got.clone(),
        };
        let pointer = Some(&mismatch.pointer).filter(|it| !it.is_root()).cloned().map(Box::new);
        let finding = Self { pointer, ..Self::peer(headline) };
        finding.expected(format!("{subject} is {}", mismatch.expected)).got(got)
    }

    /// The place in a message that it is about.
    pub(crate) fn place(&self) -> Option<&Pointer> {
        self.pointer.as_deref().or_else(|| self.shape.as_ref().map(|shape| &shape.pointer))
    }

    /// Names the method of the message that did not come.
    pub(crate) fn awaited(mut self, method: &str) -> Self {
        self.awaited = Some(method.into());
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(words::into_inert(expected));
        self
    }

    /// Sets what was received instead.
    #[must_use]
    pub fn got(mut self, got: impl Into<String>) -> Self {
        self.got = Some(words::into_inert(got));
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(words::into_inert(hint));
        self
    }

    /// Adds a line to the hint.
    #[doc(hidden)]
    pub fn add_hint(&mut self, more: &str) {
        match &mut self.hint {
            Some(hint) => hint.extend(["\n", &words::into_inert(more)]),
            None => self.hint = Some(words::into_inert(more)),
        }
    }

    /// Shows the lines of the text that the test is made from.
    #[must_use]
    pub fn excerpt(mut self, excerpt: impl Into<String>) -> Self {
        self.excerpt = Some(words::into_inert(excerpt));
        self
    }

    /// Names the message shape that something does not have.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = Some(Box::new(shape));
        self
    }

    /// Replaces the headline.
    #[doc(hidden)]
    #[must_use]
    pub fn headed(mut self, headline: impl Into<String>) -> Self {
        self.headline = headline.into();
        self
    }

    /// Replaces the requirements that are broken.
    #[doc(hidden)]
    #[must_use]
    pub fn requiring(mut self, requirements: Vec<&'static Requirement>) -> Self {
        self.requirements = requirements;
        self
    }

    /// Names the SDK that has sent what is wrong, if it is recognised.
    #[must_use]
    pub fn sdk(mut self, sdk: Option<Sdk>) -> Self {
        self.sdk = sdk;
        self
    }

    /// Names a requirement that is broken.
    #[must_use]
    pub fn requires(mut self, requirement: &'static Requirement) -> Self {
        if !self.requirements.contains(&requirement) {
            self.requirements.push(requirement);
        }
        self
    }

    /// Names a requirement of all peers that is broken: at its level, and with it as the cause, unless another one is known.
    #[must_use]
    pub(super) fn breaking(self, requirement: &'static Requirement) -> Self {
        let finding = self.traced_to(requirement).requires(requirement);
        if requirement.level.is_must() { finding } else { finding.should() }
    }

    /// The same for what is wrong at each revision: a WARNING at those where the requirement does not apply.
    #[must_use]
    pub(super) fn breaking_everywhere(
        self,
        requirement: &'static Requirement,
        revision: Revision,
    ) -> Self {
        match requirement.applies_at(revision) {
            true => self.breaking(requirement),
            false => self.traced_to(requirement).elsewhere(requirement, revision),
        }
    }

    fn traced_to(mut self, requirement: &'static Requirement) -> Self {
        self.cause.get_or_insert_with(|| Box::new(Cause::for_requirement(requirement)));
        self
    }

    /// Names what else the judge of a conversation finds broken.
    #[must_use]
    pub(super) fn also(self, rule: Cited) -> Self {
        self.requires(rule.0)
    }

    /// Lowers the finding to a WARNING, since what it breaks is required at other revisions only.
    fn elsewhere(self, requirement: &Requirement, revision: Revision) -> Self {
        let revisions = requirement.revisions;
        self.should().hint(format!(
            "MCP {revision} does not require it; `{requirement}` applies to {revisions}"
        ))
    }

    /// Points at an event of the trace.
    #[must_use]
    pub fn evidence(mut self, event: Seq) -> Self {
        self.evidence.push(event);
        self
    }

    /// Points at several events of the trace.
    #[must_use]
    pub fn evidence_all(mut self, events: impl IntoIterator<Item = Seq>) -> Self {
        self.evidence.extend(events);
        self
    }

    /// Traces the finding back to a cause.
    #[must_use]
    pub fn caused_by(mut self, cause: Cause) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }

    /// Says that one reply is wrong whatever was sent on its connection before.
    #[doc(hidden)]
    pub fn in_any_state(mut self) -> Self {
        self.in_any_state = true;
        self
    }

    /// Says that only the bad exit of a client shows it: a client that has done everything, and then fails, looks the same.
    #[doc(hidden)]
    pub fn shown_by_exit(mut self) -> Self {
        self.shown_by_exit = true;
        self
    }

    /// Whether it says that a request was given up on which the server was working.
    #[doc(hidden)]
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        matches!(self.cause.as_deref(), Some(Cause::Request { fate: Fate::GivenUp, .. }))
    }

    /// Lowers the finding to SHOULD level: a WARNING.
    #[must_use]
    pub fn should(mut self) -> Self {
        self.severity = Severity::Should;
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline)?;
        let rows = [("expected", &self.expected), ("got", &self.got), ("hint:", &self.hint)];
        for (word, text) in rows {
            if let Some(text) = text {
                // Further lines are indented below the first, so that they do not look like rows.
                write!(f, "\n  {word} {}", text.replace('\n', "\n    "))?;
            }
        }
        // An empty line gets no indentation, which would be trailing blanks.
        self.excerpt.iter().flat_map(|text| text.lines()).try_for_each(|line| {
            if line.is_empty() { f.write_str("\n") } else { write!(f, "\n  {line}") }
        })
    }
}

impl std::error::Error for Finding {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_reads_as_a_sentence() {
        let mismatch = Mismatch {
            pointer: Pointer::root().member("tools").index(0).member("name"),
            expected: "a non-empty string".to_owned(),
            got: "7".to_owned(),
            which: Some("is a number".to_owned()),
        };
        insta::assert_snapshot!(Finding::mismatch("the tool list is malformed", &mismatch).hint("name the tool"), @r"
        the tool list is malformed
          expected `/tools/0/name` is a non-empty string
          got 7, which is a number
          hint: name the tool
        ");
    }

    #[test]
    fn an_excerpt_stands_below_with_its_marks_in_place() {
        let finding = Finding::peer("what came is not `out`")
            .hint("look")
            .excerpt(" --> a.yaml:1:6\n  |\n1 | out: 3\n  |      ^ got 4\n\n- 3");
        insta::assert_snapshot!(finding, @r"
        what came is not `out`
          hint: look
           --> a.yaml:1:6
            |
          1 | out: 3
            |      ^ got 4

          - 3
        ");
    }

    #[test]
    fn a_requirement_is_named_once() {
        let (a, b) = (Requirement::PING_RESULT_EMPTY, Requirement::JSONRPC_ERROR_SHAPE);
        let finding = Finding::peer("x").requires(a).requires(b).requires(a).should();
        assert_eq!(finding.requirements, [a, b]);
        assert_eq!(finding.severity, Severity::Should);
    }
}
