//! Making a check: from a message of the peer to a row of the report.

use super::{CheckSpec, Declared, Profile, Subject};
use crate::check::{Check, Collector, Demand, Finding, Origin, Severity, Status};
use crate::client::Fixtures;
use crate::expect::{Matcher, words};
use crate::json::Value;
use crate::spec::{Requirement, Revision};

/// A check that is being made; it enters the report when it is dropped, if it has a verdict.
pub struct CheckBuilder<'a> {
    collector: &'a mut Collector,
    profile: Profile,
    spec: Option<&'a CheckSpec>,
    row: Check,
    /// Where the requirements of the check count; all, if it is not known.
    revision: Option<Revision>,
    cites: Cites,
    /// What takes the place of fixtures in the scenario, in words.
    replacements: Option<String>,
    has_verdict: bool,
}

/// What a mismatch breaks.
#[derive(Debug, Clone, Copy)]
enum Cites {
    /// All requirements of the check.
    All,
    /// One requirement.
    One(&'static Requirement),
    /// What the fixture with the official name returns.
    Fixture,
    /// What everything returns that takes the place of the fixture.
    AnyFixture,
    /// The task of a client.
    Task,
}

/// The hint of a finding that breaks the contract of a fixture.
const FIXTURE: &str =
    "the official suite and this scenario expect this behavior of a fixture with this name";

/// The hint of a finding that breaks the task of a scenario for clients.
const TASK: &str = "the id of the scenario tells the client what to do; the official suite has no other description";

/// Makes the finding one about the task of a client.
pub(super) fn about_task(finding: Finding) -> Finding {
    Finding { demand: Demand::Task, ..finding }
        .hint(TASK)
        .requires(Requirement::MCP_TEST_CLIENT_DOES_TASK)
}

impl<'a> CheckBuilder<'a> {
    pub(super) fn new(
        collector: &'a mut Collector,
        profile: Profile,
        id: &str,
        spec: Option<&'a CheckSpec>,
    ) -> Self {
        let row = spec.map_or_else(
            // Only a test function declares no checks; what a built-in scenario does not declare is a finding of `of`.
            || Check::new(id, Origin::User, Status::Success),
            |spec| spec.row(Status::Success),
        );
        let (cites, replacements) = (Cites::All, None);
        let revision = None;
        Self { collector, profile, spec, row, revision, cites, replacements, has_verdict: false }
    }

    /// A check of a scenario, which must declare it.
    pub(super) fn of(
        scenario: &'a Declared,
        collector: &'a mut Collector,
        (profile, revision): (Profile, Revision),
        id: &str,
    ) -> Self {
        let spec = scenario.check_at(id, revision);
        let mut check = Self::new(collector, profile, id, spec);
        check.revision = Some(revision);
        if spec.is_some() {
            return check;
        }
        // A finding instead of a panic, which would take the other checks of the run with it.
        let scenario = &scenario.id;
        let wrong = format!("the scenario `{scenario}` declares no check `{id}` at {revision}");
        check.fail(Finding::harness(wrong))
    }

    /// Says what takes the place of fixtures in the scenario.
    pub(super) fn replacing(mut self, fixtures: &Fixtures) -> Self {
        self.replacements = fixtures.summary();
        self
    }

    /// Makes what follows stand for this requirement.
    pub fn requires(mut self, requirement: &'static Requirement) -> Self {
        self.cites = Cites::One(requirement);
        self
    }

    /// Makes what follows part of the contract of a fixture with a known name, not of the specification.
    ///
    /// What the user names instead of the fixture need not return the same: a check of our own is SKIPPED if it does not.
    pub fn by_fixture(mut self) -> Self {
        self.cites = Cites::Fixture;
        self
    }

    /// As [`CheckBuilder::by_fixture`], for what also holds for anything that the user names instead of the fixture.
    pub fn by_any_fixture(mut self) -> Self {
        self.cites = Cites::AnyFixture;
        self
    }

    /// Makes what follows part of the task of a client, not of the specification.
    pub fn by_task(mut self) -> Self {
        self.cites = Cites::Task;
        self
    }

    /// Requires a match; a mismatch is a FAILURE.
    pub fn expect(self, subject: &impl Subject, matcher: impl Matcher) -> Self {
        let outcome = self.compare(subject, &matcher);
        self.judge(outcome)
    }

    /// Recommends a match; a mismatch is a WARNING.
    pub fn should(self, subject: &impl Subject, matcher: impl Matcher) -> Self {
        let outcome = self.compare(subject, &matcher);
        self.judge(outcome.map_err(Finding::should))
    }

    /// Requires what only the official suite requires; `why` says what the specification allows.
    ///
    /// In profile `official`, a mismatch or an error reply is a FAILURE marked as a false one. In other profiles it is ignored,
    /// also an error reply: other requirements of the check decide whether there may be one.
    pub fn officially(self, subject: &impl Subject, matcher: impl Matcher, why: &str) -> Self {
        let outcome = self.compare(subject, &matcher);
        self.officially_judge(outcome, why)
    }

    /// As [`CheckBuilder::officially`], with a result that comes from no matcher.
    pub fn officially_judge(mut self, outcome: Result<(), Finding>, why: &str) -> Self {
        self.has_verdict = true;
        let Err(finding) = outcome else {
            return self;
        };
        // A real failure is worse than a false one, and keeps its row.
        if self.profile == Profile::Official && self.row.status != Status::Failure {
            self = self.fail(finding);
            self.row.known_false = Some(why.to_owned());
            // `fail` cites the requirements of the check, but the specification allows what was found.
            if let Some(finding) = &mut self.row.finding {
                finding.requirements.clear();
            }
        }
        self
    }

    /// Requires what the official suite requires and the specification only recommends; `why` says so.
    ///
    /// A mismatch is a marked FAILURE in profile `official`, and a WARNING in other profiles.
    pub fn officially_must(self, subject: &impl Subject, matcher: impl Matcher, why: &str) -> Self {
        let outcome = self.compare(subject, &matcher);
        self.officially_must_judge(outcome, why)
    }

    /// As [`CheckBuilder::officially_must`], with a result that comes from no matcher.
    pub fn officially_must_judge(mut self, outcome: Result<(), Finding>, why: &str) -> Self {
        let Err(finding) = outcome else {
            return self.pass();
        };
        // The requirements stay, unlike those of `officially_judge`: a SHOULD is violated.
        if self.profile != Profile::Official {
            return self.fail(finding.should());
        }
        let failed_before = self.row.status == Status::Failure;
        self = self.fail(finding);
        if !failed_before {
            self.row.known_false = Some(why.to_owned());
        }
        self
    }

    /// Passes or fails with a result that comes from no matcher.
    pub fn judge(self, outcome: Result<(), Finding>) -> Self {
        match outcome {
            Ok(()) => self.pass(),
            Err(finding) => self.fail(finding),
        }
    }

    /// Passes, unless something else has failed.
    pub fn pass(mut self) -> Self {
        self.has_verdict = true;
        match self.cites {
            Cites::All => self.row.tested.extend(self.row.requirements.iter().copied()),
            Cites::One(requirement) => drop(self.row.tested.insert(requirement)),
            Cites::Fixture | Cites::AnyFixture | Cites::Task => {}
        }
        self
    }

    /// Fails with a finding: FAILURE or WARNING, by its severity. The most severe finding stays; of equally severe ones, the
    /// first.
    pub fn fail(mut self, mut finding: Finding) -> Self {
        self.has_verdict = true;
        // What the transport or the client found cites its own requirements, which are more precise.
        if finding.requirements.is_empty() {
            match self.cites {
                Cites::Fixture if self.row.origin == Origin::Own && self.replacements.is_some() => {
                    return self.skip_replaced(&finding);
                }
                Cites::All => finding.requirements = self.requirements(),
                Cites::One(requirement) => finding.requirements.push(requirement),
                Cites::Fixture | Cites::AnyFixture => {
                    finding.demand = Demand::Fixture;
                    finding.hint = finding.hint.or_else(|| Some(FIXTURE.to_owned()));
                }
                Cites::Task => finding = about_task(finding),
            }
        }
        if finding.demand == Demand::Task && self.profile == Profile::Adaptive {
            return self.skip(format!("the client does something else: {}", finding.headline));
        }
        let status = match (finding.severity, self.spec) {
            // A check that is declared as a warning never fails.
            (Severity::Must, Some(spec)) if !spec.fails && spec.warns => Status::Warning,
            (Severity::Must, _) => Status::Failure,
            (Severity::Should, _) => Status::Warning,
        };
        // Statuses are ordered by severity; of equal ones the first stays, since later findings may follow from it.
        if status > self.row.status {
            self.row.status = status;
            self.row.message = Some(finding.to_string());
            self.row.known_false = None;
            self.row.finding = Some(finding);
        }
        self
    }

    /// The requirements of the check that its revision has.
    fn requirements(&self) -> Vec<&'static Requirement> {
        let all = &self.row.requirements;
        let is_of_revision = |requirement: &&'static Requirement| {
            self.revision.is_none_or(|revision| requirement.applies_at(revision))
        };
        let found: Vec<_> = all.iter().copied().filter(is_of_revision).collect();
        if found.is_empty() { all.clone() } else { found }
    }

    /// Skips a check of what only the fixture with the official name returns.
    fn skip_replaced(self, finding: &Finding) -> Self {
        // The first difference stays.
        if self.row.status == Status::Skipped {
            return self;
        }
        let mut reason = self.replacements.clone().unwrap_or_default();
        reason.push_str(&format!(", and differs from it: {}", finding.headline));
        for (word, text) in [("expected", &finding.expected), ("got", &finding.got)] {
            reason.extend(text.iter().map(|text| format!("; {word} {text}")));
        }
        self.skip(reason)
    }

    /// Fails because a prerequisite is missing, which the official suite marks as `Not testable`.
    pub fn untestable(mut self, finding: Finding) -> Self {
        self = self.fail(finding);
        // The prefix is the official one, literally: reports of both suites can be searched for it.
        if let Some(message) = self.row.message.take() {
            self.row.message = Some(format!("Not testable: {message}"));
        }
        self.row.untestable = true;
        self
    }

    /// Reports that the subject of the check is missing: SKIPPED in profile `adaptive`, `Not testable` in others.
    pub fn missing(self, finding: Finding) -> Self {
        match self.profile {
            Profile::Adaptive => self.skip(finding.headline),
            Profile::Official | Profile::Strict => self.untestable(finding),
        }
    }

    /// Names the row of a check that is made several times.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.row.name = name.into();
        self
    }

    /// Reports a fact: INFO.
    pub fn info(self, message: impl Into<String>) -> Self {
        self.remark(Status::Info, message.into())
    }

    /// Reports that the check does not apply: SKIPPED.
    pub fn skip(self, reason: impl Into<String>) -> Self {
        self.remark(Status::Skipped, reason.into())
    }

    /// Adds details about the result.
    pub fn details(mut self, details: impl Into<Value>) -> Self {
        self.row.details = Some(details.into());
        self
    }

    /// Compares the subject with the matcher.
    ///
    /// An error reply instead of a result breaks only the first requirement of the check: it says nothing about the rest.
    fn compare(&self, subject: &impl Subject, matcher: &impl Matcher) -> Result<(), Finding> {
        let value = subject.value().map_err(|mut finding| {
            if finding.requirements.is_empty() {
                finding.requirements.extend(self.row.requirements.first().copied());
            }
            finding
        })?;
        matcher.check(value).map_err(|mismatch| subject.finding(&mismatch))
    }

    fn remark(mut self, status: Status, message: String) -> Self {
        self.has_verdict = true;
        // A remark never hides a failure.
        if !self.row.status.is_failing() {
            self.row.status = status;
            self.row.message = Some(words::into_inert(message));
        }
        self
    }
}

impl Drop for CheckBuilder<'_> {
    fn drop(&mut self) {
        // Begun but not concluded: such a check must not appear as passed.
        if self.has_verdict {
            // Swapped, since `drop` cannot move out of `self`.
            let gone = Check::new("", self.row.origin, Status::Info);
            self.collector.push(std::mem::replace(&mut self.row, gone));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::{equals, integer};

    static NAMES: CheckSpec =
        crate::check!("names", "names are good").official(&[]).only_warns("names are free");
    static SIZE: CheckSpec =
        crate::check!("size", "the size is stated", [RESOURCES_DEFINITION_SIZE_RAW_BYTES]);

    fn made(
        profile: Profile,
        spec: &'static CheckSpec,
        ask: impl FnOnce(CheckBuilder<'_>) -> CheckBuilder<'_>,
    ) -> Check {
        let mut collector = Collector::new();
        drop(ask(CheckBuilder::new(&mut collector, profile, &spec.id, Some(spec))));
        collector.into_checks().pop().expect("one check")
    }

    #[test]
    fn the_first_of_the_most_severe_findings_stays() {
        let value = Value::from(7);
        let check = made(Profile::Strict, &SIZE, |check| {
            check
                .should(&value, equals(1))
                .expect(&value, integer())
                .expect(&value, equals(2))
                .expect(&value, equals(3))
        });
        assert_eq!(check.status, Status::Failure);
        let finding = check.finding.expect("a finding");
        assert!(finding.expected.as_deref().is_some_and(|text| text.contains('2')), "{finding}");
        assert_eq!(finding.requirements, [Requirement::RESOURCES_DEFINITION_SIZE_RAW_BYTES]);
    }

    #[test]
    fn a_finding_cites_what_the_mismatch_breaks() {
        static TEXT: CheckSpec =
            crate::check!("text", "the text is right", [TOOLS_CONTENT_TEXT, SCHEMA_TOOL]);
        let cited = |ask: fn(CheckBuilder<'_>) -> CheckBuilder<'_>| {
            made(Profile::Official, &TEXT, ask).finding.expect("a finding")
        };
        let all = cited(|check| check.expect(&Value::from(1), equals(2)));
        assert_eq!(all.requirements, [Requirement::TOOLS_CONTENT_TEXT, Requirement::SCHEMA_TOOL]);
        let one = cited(|check| {
            check.requires(Requirement::SCHEMA_TOOL).expect(&Value::from(1), equals(2))
        });
        assert_eq!(one.requirements, [Requirement::SCHEMA_TOOL]);
        let fixture = cited(|check| check.by_fixture().expect(&Value::from(1), equals(2)));
        assert!(fixture.requirements.is_empty() && fixture.hint.is_some(), "{fixture:?}");
        let official =
            cited(|check| check.officially(&Value::from(1), equals(2), "it is optional"));
        assert!(official.requirements.is_empty(), "{official:?}");
    }

    #[test]
    fn only_our_checks_of_content_are_skipped_if_the_fixture_is_replaced() {
        let mut own = Fixtures::new();
        own.replace("test_simple_text", "mine", None);
        let status = |spec, is_any: bool| {
            let check = made(Profile::Strict, spec, |check| {
                let check = check.replacing(&own);
                let check = if is_any { check.by_any_fixture() } else { check.by_fixture() };
                check.expect(&Value::from(1), equals(2))
            });
            check.status
        };
        assert_eq!(status(&SIZE, false), Status::Skipped);
        assert_eq!(status(&SIZE, true), Status::Failure);
        assert_eq!(status(&NAMES, false), Status::Warning);
    }

    #[test]
    fn a_check_that_only_warns_never_fails() {
        let check =
            made(Profile::Official, &NAMES, |check| check.expect(&Value::from("a b"), integer()));
        assert_eq!(check.status, Status::Warning);
    }

    #[test]
    fn official_requirements_fail_marked_and_only_in_the_official_profile() {
        let ask = |profile| {
            made(profile, &SIZE, |check| {
                check.expect(&Value::from(1), integer()).officially(
                    &Value::from(1),
                    equals(2),
                    "any size is allowed",
                )
            })
        };
        let official = ask(Profile::Official);
        assert_eq!(official.status, Status::Failure);
        assert_eq!(official.known_false.as_deref(), Some("any size is allowed"));
        assert_eq!(ask(Profile::Adaptive).status, Status::Success);
        assert_eq!(ask(Profile::Strict).status, Status::Success);
    }

    #[test]
    fn a_check_without_a_verdict_is_not_made() {
        let mut collector = Collector::new();
        drop(CheckBuilder::new(&mut collector, Profile::Strict, "size", Some(&SIZE)));
        assert!(collector.checks().is_empty());
    }

    #[test]
    fn a_missing_prerequisite_has_the_official_wording() {
        let check = made(Profile::Official, &NAMES, |check| {
            check.untestable(Finding::peer("the list changed"))
        });
        assert_eq!(check.message.as_deref(), Some("Not testable: the list changed"));
        assert!(check.untestable);
    }
}
