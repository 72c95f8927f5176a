//! The official checks `wire-schema-valid` and `wire-schema-harness-error`: every message has its shape.
//!
//! Each scenario gets the first of them, whichever the official suite makes it for; the second only where a message of
//! ours was wrong. In profile `official` the official schema is the law, and what the specification's text allows is
//! marked as known to be false. A peer that said nothing is never told that all it said is right.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::check::{
    Blame, Check, Finding, Origin, SCHEMA_HARNESS_ERROR, SCHEMA_VALID, Severity, ShapeJudgement,
    Status,
};
use crate::expect::words;
use crate::json::{Object, Value};
use crate::scenario::{Profile, Scenario};
use crate::trace::{Seq, Trace, What};

/// The requirements of the envelope that the schema of a message makes, too.
const OF_THE_ENVELOPE: [&str; 12] = [
    "base.result-type-present",
    "jsonrpc.batch-not-sent",
    "jsonrpc.error-code-integer",
    "jsonrpc.error-shape",
    "jsonrpc.params-object",
    "jsonrpc.request-id-not-null",
    "jsonrpc.request-id-type",
    "jsonrpc.request-method-string",
    "jsonrpc.response-not-both",
    "jsonrpc.response-result-or-error",
    "jsonrpc.result-object",
    "jsonrpc.version-member",
];

/// How many findings are told in words; the details have more.
const TOLD: usize = 50;

/// How many messages that are wrong the details show.
const DETAILED: usize = 1000;

/// The longest message that is shown whole in the details.
const SHOWN: usize = 64 * 1024;

/// What was said in a scenario, and what was found wrong with it.
pub(super) struct Said<'a> {
    pub(super) trace: &'a Trace,
    /// By the rules of the envelope.
    pub(super) judged: &'a [Finding],
    /// By the shapes.
    pub(super) shapes: &'a ShapeJudgement,
}

/// The checks of the shapes of everything that was said in a scenario.
pub(super) fn schema_valid(scenario: &Scenario, profile: Profile, said: &Said<'_>) -> Vec<Check> {
    let origin = if scenario.is_validated_officially() { Origin::Official } else { Origin::Own };
    let mut checks = vec![of_peer(origin, profile, said)];
    checks.extend(of_harness(origin, scenario, said));
    checks
}

fn of_peer(origin: Origin, profile: Profile, said: &Said<'_>) -> Check {
    let envelope = said.judged.iter().filter(is_of_the_schema);
    let violations: Vec<&Finding> = envelope.chain(&said.shapes.findings).collect();
    let mut row = match violations.iter().max_by_key(|finding| finding.severity) {
        Some(gravest) => Check {
            message: Some(together(violations.iter().copied())),
            details: Some(details(&violations, said)),
            known_false: known_false(profile, &violations),
            requirements: requirements(&violations),
            ..Check::from_finding(SCHEMA_VALID, origin, Finding::clone(gravest))
        },
        None if said.shapes.said == 0 => Check {
            message: Some("the peer said nothing that could be judged".to_owned()),
            ..Check::new(SCHEMA_VALID, origin, Status::Skipped)
        },
        None => Check {
            details: Some(details(&[], said)),
            ..Check::new(SCHEMA_VALID, origin, Status::Success)
        },
    };
    row.name = "WireSchemaValid".to_owned();
    row.description =
        "Everything that the peer sent has the shape that the schema gives it".to_owned();
    row
}

fn of_harness(origin: Origin, scenario: &Scenario, said: &Said<'_>) -> Option<Check> {
    let violations: Vec<&Finding> = said.shapes.harness.iter().collect();
    let first = Finding::clone(violations.first()?);
    let (who, first) = match scenario.verbatim {
        true => ("the test", Finding { blame: Blame::Test, ..first }),
        false => ("mcp-test itself", first),
    };
    Some(Check {
        name: "WireSchemaHarnessError".to_owned(),
        description: format!("Everything that {who} sent has the shape that the schema gives it"),
        message: Some(together(violations.iter().copied())),
        details: Some(details(&violations, said)),
        ..Check::from_finding(SCHEMA_HARNESS_ERROR, origin, first)
    })
}

fn is_of_the_schema(finding: &&Finding) -> bool {
    let says_so = finding.requirements.iter().any(|id| OF_THE_ENVELOPE.contains(id));
    finding.severity == Severity::Must && says_so
}

/// Why all that is wrong is wrong by the official schema alone, if that is so.
fn known_false(profile: Profile, violations: &[&Finding]) -> Option<String> {
    let allowed = |finding: &&Finding| finding.shape.as_ref().and_then(|shape| shape.allowed);
    let reasons: Option<Vec<&str>> = violations.iter().map(allowed).collect();
    let first = *reasons?.first()?;
    (profile == Profile::Official).then(|| first.to_owned())
}

/// All requirements that are broken, each once.
fn requirements(findings: &[&Finding]) -> Vec<&'static str> {
    let mut ids = Vec::new();
    for id in findings.iter().flat_map(|finding| &finding.requirements) {
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
    ids
}

/// What several findings say, one after the other; of many, the gravest.
pub(super) fn together<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let mut findings: Vec<&Finding> = findings.into_iter().collect();
    let more = findings.len().saturating_sub(TOLD);
    if more > 0 {
        findings.sort_by_key(|finding| Reverse(finding.severity));
    }
    let mut texts: Vec<String> = findings.iter().take(TOLD).map(ToString::to_string).collect();
    if more > 0 {
        texts.push(format!("and {}", words::count(more, "more finding")));
    }
    texts.join("\n\n")
}

/// The details in the official form: one item for each message that is wrong, and how many more there are.
fn details(findings: &[&Finding], said: &Said<'_>) -> Value {
    let mut places: BTreeMap<Seq, usize> = BTreeMap::new();
    let mut wrong: Vec<(Object, Vec<Value>)> = Vec::new();
    for finding in findings {
        let Some(at) = finding.evidence.last().copied() else { continue };
        let next = places.len();
        let place = *places.entry(at).or_insert(next);
        if place == wrong.len() && place < DETAILED {
            wrong.push((message(finding, at, said.trace), Vec::new()));
        }
        if let Some((_, errors)) = wrong.get_mut(place) {
            errors.push(finding.to_string().into());
        }
    }
    let more = places.len() - wrong.len();
    let violations = wrong.into_iter().map(|(mut item, errors)| {
        item.insert("errors", Value::Array(errors));
        Value::Object(item)
    });
    let mut details = Object::new();
    if !findings.is_empty() {
        details.push("violations", Value::Array(violations.collect()));
    }
    if more > 0 {
        details.push("moreViolations", more);
    }
    details.push("messagesValidated", said.shapes.judged);
    details.into()
}

/// A message that is wrong: whose it is, of which revision, and what it says.
fn message(finding: &Finding, at: Seq, trace: &Trace) -> Object {
    let mut item = Object::new();
    let event = trace.event(at);
    if let Some(event) = event {
        item.push("origin", event.party.as_str());
    }
    if let Some(shape) = &finding.shape {
        item.push("specVersion", shape.revision.as_str());
    }
    item.push("context", finding.headline.as_str());
    if let Some(What::Message { text, reading }) = event.map(|event| &event.what)
        && let Some(value) = reading.value().filter(|_| text.len() <= SHOWN)
    {
        item.push("message", value.clone());
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Shape;
    use crate::json::Pointer;
    use crate::scenario::Leg;
    use crate::scenarios;
    use crate::spec::{Revision, requirement};
    use crate::trace::{Party, Reading, Recorder};

    fn check(
        judged: &[Finding],
        shapes: &ShapeJudgement,
        trace: &Trace,
        profile: Profile,
    ) -> Check {
        let scenario = scenarios::find(Leg::Server, "tools-list").expect("a built-in scenario");
        let said = Said { trace, judged, shapes };
        schema_valid(scenario, profile, &said).remove(0)
    }

    fn judgement(findings: Vec<Finding>) -> ShapeJudgement {
        let mut shapes = ShapeJudgement::default();
        (shapes.findings, shapes.judged, shapes.said) = (findings, 2, 1);
        shapes
    }

    fn wrong(allowed: Option<&'static str>) -> Finding {
        let pointer = Pointer::root().member("result").member("tools");
        let mut shape = Shape::new("ListToolsResult", Revision::V2025_11_25, pointer, "");
        shape.allowed = allowed;
        Finding::peer("a wrong shape").shape(shape)
    }

    #[test]
    fn the_list_names_requirements_that_exist() {
        for id in OF_THE_ENVELOPE {
            assert_eq!(requirement::find(id).map(|found| found.id), Some(id));
        }
        assert!(OF_THE_ENVELOPE.is_sorted());
    }

    #[test]
    fn of_silence_nothing_is_said_and_of_the_envelope_what_the_schema_demands_too() {
        let status = |judged: &[Finding], shapes| {
            check(judged, &shapes, &Trace::default(), Profile::Adaptive).status
        };
        assert_eq!(status(&[], ShapeJudgement::default()), Status::Skipped);
        assert_eq!(status(&[], judgement(Vec::new())), Status::Success);
        let version = || Finding::peer("no version").requires("jsonrpc.version-member");
        assert_eq!(status(&[version()], judgement(Vec::new())), Status::Failure);
        assert_eq!(status(&[version().should()], judgement(Vec::new())), Status::Success);
        let twice = Finding::peer("twice").requires("jsonrpc.single-response");
        assert_eq!(status(&[twice], judgement(Vec::new())), Status::Success);
    }

    #[test]
    fn what_the_text_allows_is_known_to_be_false_unless_something_else_is_wrong() {
        let known_false = |findings, profile| {
            let check = check(&[], &judgement(findings), &Trace::default(), profile);
            assert_eq!(check.status, Status::Failure);
            check.known_false
        };
        let allowed = || wrong(Some("numbers may have fractions"));
        let why = Some("numbers may have fractions".to_owned());
        assert_eq!(known_false(vec![allowed()], Profile::Official), why);
        assert_eq!(known_false(vec![allowed(), wrong(None)], Profile::Official), None);
    }

    #[test]
    fn of_our_messages_those_are_the_tests_that_a_user_has_written() {
        let built_in = scenarios::find(Leg::Client, "initialize").expect("a built-in scenario");
        let mut shapes = ShapeJudgement::default();
        shapes.harness.push(Finding::harness("a wrong shape"));
        let blame = |scenario: &Scenario| {
            let said = Said { trace: &Trace::default(), judged: &[], shapes: &shapes };
            let checks = schema_valid(scenario, Profile::Adaptive, &said);
            checks[1].finding.as_ref().map(|finding| finding.blame)
        };
        assert_eq!(blame(built_in), Some(Blame::Harness));
        let of_user = Scenario { verbatim: true, ..built_in.clone() };
        assert_eq!(blame(&of_user), Some(Blame::Test));
    }

    #[test]
    fn of_many_findings_the_gravest_are_told_in_words() {
        let mut findings = vec![Finding::peer("a banner").should(); TOLD + 1];
        findings.push(Finding::peer("a wrong shape"));
        let told = together(&findings);
        assert!(told.starts_with("a wrong shape\n\na banner\n\n"), "{told}");
        assert!(told.ends_with("\n\nand 2 more findings"), "{told}");
    }

    #[test]
    fn the_details_tell_of_each_message_that_is_wrong() {
        let recorder = Recorder::new();
        let said = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":7}}"#;
        let seq =
            recorder.record(recorder.open("duplex"), Party::Server, Reading::message(said.into()));
        let findings = vec![wrong(None).evidence(seq), wrong(None).got("7").evidence(seq)];
        let check = check(&[], &judgement(findings), &recorder.trace(), Profile::Strict);
        insta::assert_snapshot!(check.details.expect("details").pretty());
    }
    #[test]
    fn the_details_show_so_many_messages_and_count_the_rest() {
        let recorder = Recorder::new();
        let on = recorder.open("duplex");
        let said = || Reading::message(r#"{"jsonrpc":"2.0","method":7}"#.into());
        let findings: Vec<Finding> = (0..DETAILED + 2)
            .map(|_| wrong(None).evidence(recorder.record(on, Party::Server, said())))
            .collect();
        let again = findings.iter().cloned().chain([findings[0].clone()]).collect();
        let check = check(&[], &judgement(again), &recorder.trace(), Profile::Strict);
        let details = check.details.expect("details");
        let shown = details.get("violations").and_then(Value::as_array).expect("violations");
        assert_eq!(shown.len(), DETAILED);
        let errors = |place: usize| shown[place].get("errors").and_then(Value::as_array);
        assert_eq!(errors(0).map(<[_]>::len), Some(2));
        assert_eq!(errors(DETAILED - 1).map(<[_]>::len), Some(1));
        assert_eq!(details.get("moreViolations"), Some(&2.into()));
    }
}
