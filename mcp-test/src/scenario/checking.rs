//! Making a check: from what a peer said to one row of the report.

use crate::check::{Check, Collector, Finding, Origin, Severity, Status};
use crate::client::Reply;
use crate::expect::{Matcher, Mismatch};
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::Seq;

use super::{CheckSpec, Profile, Scenario};

/// What a check can be made on: a reply, or a value taken out of one.
pub trait Subject {
    /// The value that is looked at.
    ///
    /// # Errors
    ///
    /// If there is none, because the peer answered with an error.
    fn value(&self) -> Result<&Value, Finding>;

    /// The finding that follows from a mismatch.
    fn finding(&self, mismatch: &Mismatch) -> Finding;
}

impl Subject for Reply {
    fn value(&self) -> Result<&Value, Finding> {
        self.result()
    }

    fn finding(&self, mismatch: &Mismatch) -> Finding {
        let headline = format!("the result of `{}` is not as it should be", self.method());
        Finding::mismatch(headline, mismatch).evidence_all(self.evidence())
    }
}

impl Subject for Value {
    fn value(&self) -> Result<&Value, Finding> {
        Ok(self)
    }

    fn finding(&self, mismatch: &Mismatch) -> Finding {
        Finding::mismatch("what the peer said is not what is demanded", mismatch)
    }
}

/// A value taken out of a message, with the way back to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<'a> {
    what: String,
    value: &'a Value,
    evidence: Option<Seq>,
}

impl<'a> Part<'a> {
    /// A value, what it is, and the event that holds it.
    #[must_use]
    pub fn new(what: impl Into<String>, value: &'a Value, evidence: Option<Seq>) -> Self {
        Self { what: what.into(), value, evidence }
    }
}

impl Subject for Part<'_> {
    fn value(&self) -> Result<&Value, Finding> {
        Ok(self.value)
    }

    fn finding(&self, mismatch: &Mismatch) -> Finding {
        Finding::mismatch(format!("{} is not as it should be", self.what), mismatch)
            .evidence_all(self.evidence)
    }
}

/// A check in the making; it enters the report when it is dropped, if anything was asked of it.
pub struct CheckBuilder<'a> {
    collector: &'a mut Collector,
    profile: Profile,
    spec: Option<&'static CheckSpec>,
    row: Check,
    cites: Cites,
    asked: bool,
}

/// What the demands of a check stand for.
#[derive(Debug, Clone, Copy)]
enum Cites {
    /// All that the check stands for.
    All,
    /// One requirement.
    One(&'static str),
    /// The contract of a fixture.
    Fixture,
    /// What a client is to do.
    Task,
}

/// The hint of a finding that breaks no requirement but the contract of a fixture.
pub(crate) const FIXTURE: &str =
    "the official suite and this scenario know a fixture of this name by what it says";

/// The hint of a finding that breaks no requirement but the task of a scenario for clients.
pub(crate) const TASK: &str =
    "a client knows by the id of the scenario what it is to do there; officially that is all";

impl<'a> CheckBuilder<'a> {
    pub(super) fn new(
        collector: &'a mut Collector,
        profile: Profile,
        id: &str,
        spec: Option<&'static CheckSpec>,
    ) -> Self {
        let row = spec.map_or_else(
            || Check::new(id, Origin::Own, Status::Success),
            |spec| spec.row(Status::Success),
        );
        Self { collector, profile, spec, row, cites: Cites::All, asked: false }
    }

    /// A check of a scenario, which has to be one that it declares.
    pub(super) fn of(
        scenario: &'static Scenario,
        collector: &'a mut Collector,
        (profile, revision): (Profile, Revision),
        id: &str,
    ) -> Self {
        let spec = scenario.check(id).filter(|spec| spec.revisions.contains(revision));
        let check = Self::new(collector, profile, id, spec);
        if spec.is_some() {
            return check;
        }
        let scenario = scenario.id;
        let wrong = format!("the scenario `{scenario}` declares no check `{id}` at {revision}");
        check.fail(Finding::harness(wrong))
    }

    /// The demands that follow stand for this requirement.
    pub fn requires(mut self, requirement: &'static str) -> Self {
        self.cites = Cites::One(requirement);
        self
    }

    /// The demands that follow are those of a fixture that is known by its name, not of the specification.
    pub fn by_fixture(mut self) -> Self {
        self.cites = Cites::Fixture;
        self
    }

    /// The demands that follow are those of the task that a client has, not of the specification.
    pub fn by_task(mut self) -> Self {
        self.cites = Cites::Task;
        self
    }

    /// Demands something of a reply; a mismatch is a FAILURE.
    pub fn expect(self, subject: &impl Subject, matcher: impl Matcher) -> Self {
        let outcome = self.compare(subject, &matcher);
        self.judge(outcome)
    }

    /// Advises something; a mismatch is a WARNING.
    pub fn should(self, subject: &impl Subject, matcher: impl Matcher) -> Self {
        let outcome = self.compare(subject, &matcher);
        self.judge(outcome.map_err(Finding::should))
    }

    /// Demands what only the official suite demands, not the specification; `why` says what the specification says.
    ///
    /// A mismatch, as an error reply, is a FAILURE that is marked as false where the official rules hold, and nothing
    /// elsewhere: whether there may be an error at all is for the other demands to say.
    pub fn officially(self, subject: &impl Subject, matcher: impl Matcher, why: &str) -> Self {
        let outcome = self.compare(subject, &matcher);
        self.officially_judge(outcome, why)
    }

    /// As [`CheckBuilder::officially`], with what was found out by other means than a matcher.
    pub fn officially_judge(mut self, outcome: Result<(), Finding>, why: &str) -> Self {
        self.asked = true;
        let Err(finding) = outcome else {
            return self;
        };
        if self.profile == Profile::Official && self.row.status != Status::Failure {
            self = self.fail(finding);
            self.row.known_false = Some(why.to_owned());
            if let Some(finding) = &mut self.row.finding {
                finding.requirements.clear();
            }
        }
        self
    }

    /// Demands what the official suite demands and the specification only advises; `why` says so.
    ///
    /// A mismatch is a FAILURE that is marked where the official rules hold, and a WARNING elsewhere.
    pub fn officially_must(self, subject: &impl Subject, matcher: impl Matcher, why: &str) -> Self {
        let outcome = self.compare(subject, &matcher);
        self.officially_must_judge(outcome, why)
    }

    /// As [`CheckBuilder::officially_must`], with what was found out by other means than a matcher.
    pub fn officially_must_judge(mut self, outcome: Result<(), Finding>, why: &str) -> Self {
        let Err(finding) = outcome else {
            return self.pass();
        };
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

    /// Takes over what was found out by other means than a matcher.
    pub fn judge(self, outcome: Result<(), Finding>) -> Self {
        match outcome {
            Ok(()) => self.pass(),
            Err(finding) => self.fail(finding),
        }
    }

    /// Nothing is wrong.
    pub fn pass(mut self) -> Self {
        self.asked = true;
        self
    }

    /// Something is wrong: FAILURE or WARNING, by the severity of the finding. The gravest finding stays, of several
    /// equally grave ones the first.
    pub fn fail(mut self, mut finding: Finding) -> Self {
        self.asked = true;
        if finding.requirements.is_empty() {
            match self.cites {
                Cites::All => finding.requirements.clone_from(&self.row.requirements),
                Cites::One(requirement) => finding.requirements.push(requirement),
                Cites::Fixture => finding.hint = finding.hint.or_else(|| Some(FIXTURE.to_owned())),
                Cites::Task => finding.hint = Some(TASK.to_owned()),
            }
        }
        let status = match (finding.severity, self.spec) {
            (Severity::Must, Some(spec)) if !spec.fails && spec.warns => Status::Warning,
            (Severity::Must, _) => Status::Failure,
            (Severity::Should, _) => Status::Warning,
        };
        if status > self.row.status {
            self.row.status = status;
            self.row.message = Some(finding.to_string());
            self.row.known_false = None;
            self.row.finding = Some(finding);
        }
        self
    }

    /// The prerequisite is missing, which the official suite reports as a failure of its own kind.
    pub fn untestable(mut self, finding: Finding) -> Self {
        self = self.fail(finding);
        if let Some(message) = self.row.message.take() {
            self.row.message = Some(format!("Not testable: {message}"));
        }
        self.row.untestable = true;
        self
    }

    /// What the check is about is not there: not testable by the official rules and by the strict ones, else SKIPPED.
    pub fn missing(self, finding: Finding) -> Self {
        match self.profile {
            Profile::Adaptive => self.skip(finding.headline),
            Profile::Official | Profile::Strict => self.untestable(finding),
        }
    }

    /// Names the row, of a check that is made several times.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.row.name = name.into();
        self
    }

    /// Only something to know: INFO.
    pub fn info(self, message: impl Into<String>) -> Self {
        self.remark(Status::Info, message.into())
    }

    /// The check does not apply: SKIPPED.
    pub fn skip(self, reason: impl Into<String>) -> Self {
        self.remark(Status::Skipped, reason.into())
    }

    /// Adds facts about the outcome.
    pub fn details(mut self, details: impl Into<Value>) -> Self {
        self.row.details = Some(details.into());
        self
    }

    /// A refusal stands for the first requirement of the check, a mismatch for what its demand stands for.
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
        self.asked = true;
        if !self.row.status.is_failing() {
            self.row.status = status;
            self.row.message = Some(message);
        }
        self
    }
}

impl Drop for CheckBuilder<'_> {
    fn drop(&mut self) {
        if self.asked {
            let gone = Check::new("", self.row.origin, Status::Info);
            self.collector.push(std::mem::replace(&mut self.row, gone));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::{equals, integer};

    const NAMES: CheckSpec = CheckSpec::official("names", "Names", "names are good", &[]).warns();
    const SIZE: CheckSpec = CheckSpec::own("size", "Size", "the size is stated")
        .requires(&["resources.definition.size-raw-bytes"]);

    fn made(
        profile: Profile,
        spec: &'static CheckSpec,
        ask: impl FnOnce(CheckBuilder<'_>) -> CheckBuilder<'_>,
    ) -> Check {
        let mut collector = Collector::new();
        drop(ask(CheckBuilder::new(&mut collector, profile, spec.id, Some(spec))));
        collector.into_checks().pop().expect("one check")
    }

    #[test]
    fn the_gravest_and_first_finding_stays() {
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
        assert_eq!(finding.requirements, ["resources.definition.size-raw-bytes"]);
    }

    #[test]
    fn a_finding_names_the_requirement_of_its_demand() {
        const TEXT: CheckSpec = CheckSpec::own("text", "Text", "the text is right")
            .requires(&["tools.content.text", "schema.tool"]);
        let cited = |ask: fn(CheckBuilder<'_>) -> CheckBuilder<'_>| {
            made(Profile::Official, &TEXT, ask).finding.expect("a finding")
        };
        let all = cited(|check| check.expect(&Value::from(1), equals(2)));
        assert_eq!(all.requirements, ["tools.content.text", "schema.tool"]);
        let one = cited(|check| check.requires("schema.tool").expect(&Value::from(1), equals(2)));
        assert_eq!(one.requirements, ["schema.tool"]);
        let fixture = cited(|check| check.by_fixture().expect(&Value::from(1), equals(2)));
        assert!(fixture.requirements.is_empty() && fixture.hint.is_some(), "{fixture:?}");
        let official =
            cited(|check| check.officially(&Value::from(1), equals(2), "it is optional"));
        assert!(official.requirements.is_empty(), "{official:?}");
    }

    #[test]
    fn a_check_that_only_warns_never_fails() {
        let check =
            made(Profile::Official, &NAMES, |check| check.expect(&Value::from("a b"), integer()));
        assert_eq!(check.status, Status::Warning);
    }

    #[test]
    fn what_only_the_official_suite_demands_is_raised_there_alone_and_marked() {
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
    fn a_check_of_which_nothing_is_asked_is_not_made() {
        let mut collector = Collector::new();
        drop(CheckBuilder::new(&mut collector, Profile::Strict, "size", Some(&SIZE)));
        assert!(collector.checks().is_empty());
    }

    #[test]
    fn a_missing_prerequisite_is_said_in_the_official_words() {
        let check = made(Profile::Official, &NAMES, |check| {
            check.untestable(Finding::peer("the list changed"))
        });
        assert_eq!(check.message.as_deref(), Some("Not testable: the list changed"));
        assert!(check.untestable);
    }
}
