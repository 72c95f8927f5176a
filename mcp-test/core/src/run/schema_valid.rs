//! The official checks `wire-schema-valid` and `wire-schema-harness-error`: every message has its shape.
//!
//! Every scenario has the first of them, also where the official suite does not make it; the second exists only if a message
//! of ours was invalid. In profile `official` the official schema decides, and failures that the text of the specification
//! allows are marked. If the peer sent nothing, the check is skipped.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::check::{
    Blame, Check, Finding, Judgement, Origin, SCHEMA_HARNESS_ERROR, SCHEMA_VALID, Severity,
    ShapeJudgement, Status,
};
use crate::expect::words;
use crate::json::{Object, Value};
use crate::scenario::{Kind, Profile, Scenario};
use crate::spec::Requirement;
use crate::trace::{EventKind, Seq, Trace};

/// The requirements on the envelope that the schema of a message contains, too.
pub(super) const OF_THE_ENVELOPE: [&Requirement; 12] = [
    Requirement::BASE_RESULT_TYPE_PRESENT,
    Requirement::JSONRPC_BATCH_NOT_SENT,
    Requirement::JSONRPC_ERROR_CODE_INTEGER,
    Requirement::JSONRPC_ERROR_SHAPE,
    Requirement::JSONRPC_PARAMS_OBJECT,
    Requirement::JSONRPC_REQUEST_ID_NOT_NULL,
    Requirement::JSONRPC_REQUEST_ID_TYPE,
    Requirement::JSONRPC_REQUEST_METHOD_STRING,
    Requirement::JSONRPC_RESPONSE_NOT_BOTH,
    Requirement::JSONRPC_RESPONSE_RESULT_OR_ERROR,
    Requirement::JSONRPC_RESULT_OBJECT,
    Requirement::JSONRPC_VERSION_MEMBER,
];

/// How many findings the message contains: it is one text in a report, and the details have more.
const IN_MESSAGE: usize = 50;

/// How many invalid messages the details show, so that a peer cannot make `checks.json` arbitrarily large.
const DETAILED: usize = 1000;

/// The longest message that the details show.
const SHOWN: usize = 64 * 1024;

/// The checks of the shapes of all messages of a scenario.
pub(super) fn schema_valid(
    scenario: &Scenario,
    profile: Profile,
    trace: &Trace,
    judgement: &Judgement,
) -> Vec<Check> {
    let origin = if scenario.is_validated_officially() { Origin::Official } else { Origin::Own };
    let mut peer_check = peer_check(origin, profile, trace, judgement);
    peer_check.tested.clone_from(&judgement.shapes.demanded);
    let mut checks = vec![peer_check];
    checks.extend(harness_check(origin, scenario, trace, &judgement.shapes));
    checks
}

fn peer_check(origin: Origin, profile: Profile, trace: &Trace, judgement: &Judgement) -> Check {
    let shapes = &judgement.shapes;
    // The shapes leave out what the envelope rules report, but the official schema contains it.
    let envelopes = judgement.envelopes.iter().filter(is_of_the_schema);
    let violations: Vec<&Finding> = envelopes.chain(&shapes.findings).collect();
    let row = match violations.iter().max_by_key(|finding| finding.severity) {
        Some(most_severe) => Check {
            message: Some(joined_texts(violations.iter().copied())),
            others: others(violations.iter().copied(), most_severe),
            details: Some(details(&violations, trace, shapes)),
            known_false: known_false(profile, &violations),
            requirements: requirements(violations.iter().copied()),
            ..Check::from_finding(SCHEMA_VALID, origin, Finding::clone(most_severe))
        },
        None if shapes.from_peer == 0 => Check {
            message: Some("the peer sent nothing that could be validated".to_owned()),
            ..Check::new(SCHEMA_VALID, origin, Status::Skipped)
        },
        None => Check {
            details: Some(details(&[], trace, shapes)),
            ..Check::new(SCHEMA_VALID, origin, Status::Success)
        },
    };
    row.described(
        "WireSchemaValid",
        "Everything that the peer sent has the shape that the schema gives it",
    )
}

fn harness_check(
    origin: Origin,
    scenario: &Scenario,
    trace: &Trace,
    shapes: &ShapeJudgement,
) -> Option<Check> {
    let violations: Vec<&Finding> = shapes.harness.iter().collect();
    let first = Finding::clone(violations.first()?);
    let (who, first) = match scenario.kind != Kind::BuiltIn {
        true => ("the test", Finding { blame: Blame::Test, ..first }),
        false => ("mcp-test itself", first),
    };
    Some(Check {
        name: "WireSchemaHarnessError".to_owned(),
        description: format!("Everything that {who} sent has the shape that the schema gives it"),
        message: Some(joined_texts(violations.iter().copied())),
        details: Some(details(&violations, trace, shapes)),
        ..Check::from_finding(SCHEMA_HARNESS_ERROR, origin, first)
    })
}

fn is_of_the_schema(finding: &&Finding) -> bool {
    let says_so = finding.requirements.iter().any(|it| OF_THE_ENVELOPE.contains(it));
    finding.severity == Severity::Must && says_so
}

/// Why the specification allows all violations of the official schema, if it does.
fn known_false(profile: Profile, violations: &[&Finding]) -> Option<String> {
    let allowed = |finding: &&Finding| finding.shape.as_ref().and_then(|shape| shape.allowed);
    // One violation that the specification does not allow makes the failure a real one.
    let reasons: Option<Vec<&str>> = violations.iter().map(allowed).collect();
    let first = *reasons?.first()?;
    (profile == Profile::Official).then(|| first.to_owned())
}

/// All broken requirements, each once, in the order of the findings.
pub(super) fn requirements<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
) -> Vec<&'static Requirement> {
    let mut broken = Vec::new();
    for requirement in findings.into_iter().flat_map(|finding| &finding.requirements) {
        if !broken.contains(requirement) {
            broken.push(*requirement);
        }
    }
    broken
}

/// All findings but one of them.
pub(super) fn others<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    first: &Finding,
) -> Vec<Finding> {
    findings.into_iter().filter(|other| !std::ptr::eq(*other, first)).cloned().collect()
}

/// The texts of several findings; of many, the most severe.
pub(super) fn joined_texts<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let mut findings: Vec<&Finding> = findings.into_iter().collect();
    let more = findings.len().saturating_sub(IN_MESSAGE);
    if more > 0 {
        // A flood of warnings must not hide a failure.
        findings.sort_by_key(|finding| Reverse(finding.severity));
    }
    let mut texts: Vec<String> =
        findings.iter().take(IN_MESSAGE).map(ToString::to_string).collect();
    if more > 0 {
        texts.push(format!("and {}", words::count(more, "more finding")));
    }
    texts.join("\n\n")
}

/// The details in the official form: an item for each invalid message, and the number of those not shown.
fn details(findings: &[&Finding], trace: &Trace, shapes: &ShapeJudgement) -> Value {
    let mut places: BTreeMap<Seq, usize> = BTreeMap::new();
    let mut wrong: Vec<(Object, Vec<Value>)> = Vec::new();
    for finding in findings {
        // The last event is the message itself; before it may be the request that it answers.
        let Some(at) = finding.evidence.last().copied() else { continue };
        let next = places.len();
        let place = *places.entry(at).or_insert(next);
        if place == wrong.len() && place < DETAILED {
            wrong.push((message(finding, at, trace), Vec::new()));
        }
        if let Some((_, errors)) = wrong.get_mut(place) {
            errors.push(finding.to_string().into());
        }
    }
    let more = places.len() - wrong.len();
    let violations = wrong.into_iter().map(|(mut item, errors)| {
        item.insert("errors", errors);
        Value::Object(item)
    });
    let mut details = Object::new();
    if !findings.is_empty() {
        details.push("violations", Value::Array(violations.collect()));
    }
    if more > 0 {
        details.push("moreViolations", more);
    }
    details.push("messagesValidated", shapes.judged);
    details.into()
}

/// An invalid message: its sender, its revision, and its text.
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
    if let Some(EventKind::Message { text, parsed }) = event.map(|event| &event.kind)
        && let Some(value) = parsed.value().filter(|_| text.len() <= SHOWN)
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
    use crate::scenario::{Body, Shared, TestedSide};
    use crate::spec::Revision;
    use crate::trace::{Party, Recorder};

    fn check(
        envelopes: &[Finding],
        shapes: &ShapeJudgement,
        trace: &Trace,
        profile: Profile,
    ) -> Check {
        let judgement = judgement(envelopes, shapes);
        schema_valid(&scenario(Kind::BuiltIn), profile, trace, &judgement).remove(0)
    }

    fn scenario(kind: Kind) -> Scenario {
        let body = Body::Server(Shared::Static(&|_| Box::pin(async { Ok(()) })));
        Scenario::dynamic(kind, TestedSide::Server, "tools-list", body)
    }

    fn judgement(envelopes: &[Finding], shapes: &ShapeJudgement) -> Judgement {
        let mut judgement = Judgement::default();
        (judgement.envelopes, judgement.shapes) = (envelopes.to_vec(), shapes.clone());
        judgement
    }

    fn shapes(findings: Vec<Finding>) -> ShapeJudgement {
        let mut shapes = ShapeJudgement::default();
        (shapes.findings, shapes.judged, shapes.from_peer) = (findings, 2, 1);
        shapes
    }

    fn wrong(allowed: Option<&'static str>) -> Finding {
        let pointer = Pointer::root().member("result").member("tools");
        let mut shape = Shape::new("ListToolsResult", Revision::V2025_11_25, pointer, "");
        shape.allowed = allowed;
        Finding::peer("a wrong shape").shape(shape)
    }

    #[test]
    fn silence_is_skipped_and_envelope_findings_of_the_schema_count() {
        let status = |envelopes: &[Finding], shapes| {
            check(envelopes, &shapes, &Trace::default(), Profile::Adaptive).status
        };
        assert_eq!(status(&[], ShapeJudgement::default()), Status::Skipped);
        assert_eq!(status(&[], shapes(Vec::new())), Status::Success);
        let version = || Finding::peer("no version").requires(Requirement::JSONRPC_VERSION_MEMBER);
        assert_eq!(status(&[version()], shapes(Vec::new())), Status::Failure);
        assert_eq!(status(&[version().should()], shapes(Vec::new())), Status::Success);
        let twice = Finding::peer("twice").requires(Requirement::JSONRPC_SINGLE_RESPONSE);
        assert_eq!(status(&[twice], shapes(Vec::new())), Status::Success);
    }

    #[test]
    fn failures_that_the_text_allows_are_marked_unless_something_else_fails() {
        let known_false = |findings, profile| {
            let check = check(&[], &shapes(findings), &Trace::default(), profile);
            assert_eq!(check.status, Status::Failure);
            check.known_false
        };
        let allowed = || wrong(Some("numbers may have fractions"));
        let why = Some("numbers may have fractions".to_owned());
        assert_eq!(known_false(vec![allowed()], Profile::Official), why);
        assert_eq!(known_false(vec![allowed(), wrong(None)], Profile::Official), None);
    }

    #[test]
    fn the_test_is_to_blame_for_messages_that_a_user_has_written() {
        let mut shapes = ShapeJudgement::default();
        shapes.harness.push(Finding::harness("a wrong shape"));
        let blame = |scenario: &Scenario| {
            let judgement = judgement(&[], &shapes);
            let checks = schema_valid(scenario, Profile::Adaptive, &Trace::default(), &judgement);
            checks[1].finding.as_ref().map(|finding| finding.blame)
        };
        assert_eq!(blame(&scenario(Kind::BuiltIn)), Some(Blame::Harness));
        assert_eq!(blame(&scenario(Kind::Case)), Some(Blame::Test));
    }

    #[test]
    fn the_message_has_the_most_severe_of_many_findings() {
        let mut findings = vec![Finding::peer("a banner").should(); IN_MESSAGE + 1];
        findings.push(Finding::peer("a wrong shape"));
        let text = joined_texts(&findings);
        assert!(text.starts_with("a wrong shape\n\na banner\n\n"), "{text}");
        assert!(text.ends_with("\n\nand 2 more findings"), "{text}");
    }

    #[test]
    fn the_details_list_each_invalid_message() {
        let recorder = Recorder::new();
        let reply = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":7}}"#;
        let seq = recorder.record(
            recorder.open("duplex"),
            Party::Server,
            EventKind::message(reply.into()),
        );
        let findings = vec![wrong(None).evidence(seq), wrong(None).got("7").evidence(seq)];
        let check = check(&[], &shapes(findings), &recorder.trace(), Profile::Strict);
        insta::assert_snapshot!(check.details.expect("details").pretty());
    }

    #[test]
    fn the_details_are_limited_and_count_the_rest() {
        let recorder = Recorder::new();
        let on = recorder.open("duplex");
        let invalid = || EventKind::message(r#"{"jsonrpc":"2.0","method":7}"#.into());
        let findings: Vec<Finding> = (0..DETAILED + 2)
            .map(|_| wrong(None).evidence(recorder.record(on, Party::Server, invalid())))
            .collect();
        let again = findings.iter().cloned().chain([findings[0].clone()]).collect();
        let check = check(&[], &shapes(again), &recorder.trace(), Profile::Strict);
        let details = check.details.expect("details");
        let shown = details.get("violations").and_then(Value::as_array).expect("violations");
        assert_eq!(shown.len(), DETAILED);
        let errors = |place: usize| shown[place].get("errors").and_then(Value::as_array);
        assert_eq!(errors(0).map(<[_]>::len), Some(2));
        assert_eq!(errors(DETAILED - 1).map(<[_]>::len), Some(1));
        assert_eq!(details.get("moreViolations"), Some(&2.into()));
    }
}
