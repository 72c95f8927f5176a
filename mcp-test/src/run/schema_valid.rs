//! The official checks `wire-schema-valid` and `wire-schema-harness-error`: every message has its shape.
//!
//! Each scenario gets the first of them, whichever the official suite makes it for; the second only where a message of
//! ours was wrong. In profile `official` the official schema is the law, and what the specification's text allows is
//! marked as known to be false. A peer that said nothing is never told that all it said is right.

use crate::check::{
    Check, Finding, Origin, SCHEMA_HARNESS_ERROR, SCHEMA_VALID, Severity, ShapeJudgement, Status,
};
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
    checks.extend(of_harness(origin, said));
    checks
}

fn of_peer(origin: Origin, profile: Profile, said: &Said<'_>) -> Check {
    let envelope = said.judged.iter().filter(is_of_the_schema);
    let violations: Vec<&Finding> = envelope.chain(&said.shapes.findings).collect();
    let mut row = match violations.iter().max_by_key(|finding| finding.severity) {
        Some(gravest) => Check {
            message: Some(together(&violations)),
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

fn of_harness(origin: Origin, said: &Said<'_>) -> Option<Check> {
    let violations: Vec<&Finding> = said.shapes.harness.iter().collect();
    let first = Finding::clone(violations.first()?);
    Some(Check {
        name: "WireSchemaHarnessError".to_owned(),
        description: "Everything that mcp-test itself sent has the shape that the schema gives it"
            .to_owned(),
        message: Some(together(&violations)),
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

fn together(findings: &[&Finding]) -> String {
    let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
    texts.join("\n\n")
}

/// The details in the official form: one item for each message that is wrong.
fn details(findings: &[&Finding], said: &Said<'_>) -> Value {
    let mut wrong: Vec<(Seq, Object, Vec<Value>)> = Vec::new();
    for finding in findings {
        let Some(at) = finding.evidence.last().copied() else { continue };
        let error = Value::from(finding.to_string());
        match wrong.iter_mut().find(|(seq, ..)| *seq == at) {
            Some((_, _, errors)) => errors.push(error),
            None => wrong.push((at, message(finding, at, said.trace), vec![error])),
        }
    }
    let violations = wrong.into_iter().map(|(_, mut item, errors)| {
        item.insert("errors", Value::Array(errors));
        Value::Object(item)
    });
    let mut details = Object::new();
    if !findings.is_empty() {
        details.push("violations", Value::Array(violations.collect()));
    }
    details.push("messagesValidated", said.shapes.judged);
    details.into()
}

/// A message that is wrong: whose it is, of which revision, and what it says.
fn message(finding: &Finding, at: Seq, trace: &Trace) -> Object {
    let mut item = Object::new();
    let event = trace.events_at(&[at]).next().cloned();
    if let Some(event) = &event {
        item.push("origin", event.party.as_str());
    }
    if let Some(shape) = &finding.shape {
        item.push("specVersion", shape.revision.as_str());
    }
    item.push("context", finding.headline.as_str());
    if let Some(What::Message { text, reading }) = event.map(|event| event.what)
        && let Some(value) = reading.value().filter(|_| text.len() <= SHOWN)
    {
        item.push("message", value.clone());
    }
    item
}
