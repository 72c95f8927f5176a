//! Our shapes and the official schemas agree on every instance: without exception if the schemas are the authority, and except
//! for the listed disagreements if the text is.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use insta::assert_snapshot;
use mcp_test::json;
use mcp_test::spec::schema::{Authority, DISAGREEMENTS, Definition, Schemas};
use mcp_test::spec::{Revision, Revisions};
use serde_json::Value;

use crate::document::Document;
use crate::instances::Instances;
use crate::mutants::mutant;
use crate::random::{self, Random};
use crate::shrink::shrink;
use crate::values;

/// The minimum number of instances for each revision.
const MIN_INSTANCES: usize = 24_000;

/// The maximum number of instances of a definition among which one has to show a disagreement.
const MAX_INSTANCES_TO_DISAGREE: usize = 20_000;

/// The minimum number of accepted instances, and of rejected ones, for each definition.
const MIN_PER_VERDICT: usize = 10;

/// The validators of one definition, which are compared.
struct Validators {
    official: jsonschema::Validator,
    ours: Definition,
    /// Our exported JSON Schema.
    exported: jsonschema::Validator,
}

impl Validators {
    /// The validators for each definition of the official schema.
    fn of(official: &Document, authority: Authority) -> BTreeMap<&str, Self> {
        let exported = Document::ours(official.revision, authority);
        let validators = |name: &str| Self {
            official: official.validator(name),
            ours: Schemas::ours()
                .definition(name, official.revision, authority)
                .unwrap_or_else(|| panic!("no shape {name} at {}", official.revision)),
            exported: exported.validator(name),
        };
        official.definitions.keys().map(|name| (name.as_str(), validators(name))).collect()
    }

    /// Whether our shape accepts an instance; an error if our validators contradict each other.
    fn ours(&self, instance: &Value) -> Result<bool, String> {
        let value = json::Value::from(instance);
        let violations = self.ours.violations(&value);
        let accepted = self.ours.is_valid(&value);
        if accepted != violations.is_empty() {
            return Err(format!("{} it, with the violations {violations:?}", verb(accepted)));
        }
        if accepted != self.exported.is_valid(instance) {
            return Err(format!("{} it, but the exported schema does not", verb(accepted)));
        }
        for violation in &violations {
            let exists = |pointer: &json::Pointer| value.at(pointer.as_str()).is_some();
            let parent = violation.pointer.split_last().map(|(parent, _)| parent);
            if !exists(&violation.pointer) && !parent.is_some_and(|parent| exists(&parent)) {
                return Err(format!(
                    "reports a violation at a place that does not exist: {violation}"
                ));
            }
        }
        Ok(accepted)
    }

    /// Whether the official schema and ours agree on an instance.
    fn agree(&self, instance: &Value) -> bool {
        self.ours(instance) == Ok(self.official.is_valid(instance))
    }
}

fn verb(accepted: bool) -> &'static str {
    if accepted { "accepts" } else { "rejects" }
}

/// The numbers of instances of a definition that the official schema accepts and rejects.
#[derive(Default)]
struct Tally {
    accepted: usize,
    rejected: usize,
}

/// An endless iterator of instances for a definition: first a value of each kind, then generated instances, three mutants of
/// each, and instances of other definitions.
fn instances<'a>(document: &'a Document, name: &'a str) -> impl Iterator<Item = Value> + 'a {
    let names: Vec<&str> = document.definitions.keys().map(String::as_str).collect();
    let purpose = format!("{} {name}", document.revision);
    let mut random = Random::new(random::seed(), &purpose);
    let mut generator = Instances::new(document, random.clone());
    let rounds = iter::repeat_with(move || {
        let instance = generator.instance(name);
        let other = generator.instance(random.pick::<&str>(&names));
        let [one, two, three] = [(); 3].map(|()| mutant(&instance, &mut random));
        [instance, one, two, three, other]
    });
    values::kinds().into_iter().chain(rounds.flatten())
}

/// The first instance of each definition on which the validators differ, shrunk; and the numbers of instances.
fn differences(
    official: &Document,
    validators: &BTreeMap<&str, Validators>,
) -> (BTreeMap<String, Value>, BTreeMap<String, Tally>) {
    let (mut found, mut tallies) = (BTreeMap::new(), BTreeMap::new());
    let each = MIN_INSTANCES.div_ceil(validators.len());
    for (&name, validators) in validators {
        let mut tally = Tally::default();
        for instance in instances(official, name).take(each) {
            if validators.official.is_valid(&instance) {
                tally.accepted += 1;
            } else {
                tally.rejected += 1;
            }
            if validators.ours(&instance).is_err() {
                let small = shrink(instance, |instance| validators.ours(instance).is_err());
                panic!("{}{}", describe(official.revision, name, validators, &small), with_seed());
            }
            if !found.contains_key(name) && !validators.agree(&instance) {
                let small = shrink(instance, |instance| !validators.agree(instance));
                found.insert(name.to_owned(), small);
            }
        }
        tallies.insert(name.to_owned(), tally);
    }
    (found, tallies)
}

/// Describes an instance on which the validators differ.
fn describe(revision: Revision, name: &str, validators: &Validators, instance: &Value) -> String {
    let official = verb(validators.official.is_valid(instance));
    let ours = validators
        .ours(instance)
        .map_or_else(|contradiction| contradiction, |ours| verb(ours).to_owned() + " it");
    format!("{revision} {name}: {instance}\n  the official schema {official} it\n  ours {ours}\n")
}

/// The end of a failure message, with which the run can be repeated.
fn with_seed() -> String {
    format!("with {}={}", random::VARIABLE, random::seed())
}

/// With the schemas as authority, our shapes do not differ from the official schema.
fn agrees_by_schema(revision: Revision) {
    let official = Document::official(revision);
    let validators = Validators::of(&official, Authority::Schema);
    let (found, tallies) = differences(&official, &validators);
    let report = found
        .iter()
        .map(|(name, value)| describe(revision, name, &validators[name.as_str()], value));
    let report: String = report.collect();
    assert!(found.is_empty(), "{report}{} definitions differ {}", found.len(), with_seed());

    let tested: usize = tallies.values().map(|tally| tally.accepted + tally.rejected).sum();
    assert!(tested >= MIN_INSTANCES, "only {tested} instances");
    for (name, Tally { accepted, rejected }) in tallies {
        let enough = accepted >= MIN_PER_VERDICT && rejected >= MIN_PER_VERDICT;
        assert!(enough, "{name}: {accepted} accepted, {rejected} rejected {}", with_seed());
    }
}

/// With the text as authority, our shapes differ only by listed disagreements, and each of these is observed.
fn agrees_by_text(revision: Revision) {
    let official = Document::official(revision);
    let validators = Validators::of(&official, Authority::Text);
    let (found, _) = differences(&official, &validators);
    let by_text = Document::ours(revision, Authority::Text);
    let by_schema = Document::ours(revision, Authority::Schema);

    let differing = differing(&by_text, &by_schema);
    for (name, instance) in &found {
        let mut reached = BTreeSet::new();
        by_text.collect_references(name, &mut reached);
        let report = describe(revision, name, &validators[name.as_str()], instance);
        assert!(
            !reached.is_disjoint(&differing),
            "{report}this disagreement is not listed {}",
            with_seed()
        );
    }

    for listed in DISAGREEMENTS.iter().filter(|listed| listed.revisions.contains(revision)) {
        assert!(
            differing.contains(listed.definition),
            "{} at {revision} does not change its definition",
            listed.id
        );
        // Replaces only this definition with ours, so that no other disagreement interferes.
        let mixed = by_schema.with(listed.definition, &by_text);
        let shown = official.definitions.keys().any(|name| {
            let mut reached = BTreeSet::new();
            mixed.collect_references(name, &mut reached);
            let validator = reached.contains(listed.definition).then(|| mixed.validator(name));
            let theirs = &validators[name.as_str()].official;
            validator.is_some_and(|validator| {
                instances(&official, name)
                    .take(MAX_INSTANCES_TO_DISAGREE)
                    .any(|instance| validator.is_valid(&instance) != theirs.is_valid(&instance))
            })
        });
        assert!(shown, "no instance shows {} at {revision} {}", listed.id, with_seed());
    }
}

/// The definitions that differ between the documents.
fn differing<'a>(one: &'a Document, other: &Document) -> BTreeSet<&'a str> {
    let differ = |(name, schema): &(&String, &Value)| other.definitions.get(*name) != Some(schema);
    one.definitions.iter().filter(differ).map(|(name, _)| name.as_str()).collect()
}

/// All definitions that a disagreement affects, so that a change is seen in review.
#[test]
fn definitions_affected_by_disagreements() {
    let mut affected: BTreeMap<String, Revisions> = BTreeMap::new();
    for revision in Revision::ALL {
        let by_text = Document::ours(revision, Authority::Text);
        for name in differing(&by_text, &Document::ours(revision, Authority::Schema)) {
            let revisions = affected.entry(name.to_owned()).or_default();
            *revisions = revisions.union(Revisions::only(revision));
        }
    }
    let lines = affected.iter().map(|(name, revisions)| format!("{name} @{revisions}\n"));
    assert_snapshot!(lines.collect::<String>(), @"
    AudioContent @2025-03-26..
    BlobResourceContents @2024-11-05..
    CallToolRequestParams @2024-11-05..2025-06-18
    CancelledNotificationParams @2024-11-05..2025-11-25
    CompleteRequestParams @2024-11-05..2025-06-18
    CompleteResult @2024-11-05..2025-11-25
    CreateMessageRequestParams @2024-11-05..2025-06-18
    ElicitRequestFormParams @2025-06-18
    ElicitResult @2025-06-18..
    GetPromptRequestParams @2024-11-05..2025-06-18
    HeaderMismatchError @2026-07-28
    ImageContent @2024-11-05..
    InitializeRequestParams @2024-11-05..2025-06-18
    InputRequiredResult @2026-07-28
    JSONRPCErrorResponse @2024-11-05..
    JSONRPCNotification @2025-11-25..
    JSONRPCRequest @2025-11-25..
    JSONValue @2026-07-28
    LoggingMessageNotificationParams @2024-11-05..2025-06-18
    MissingRequiredClientCapabilityError @2026-07-28
    Notification @2025-11-25..
    PaginatedRequestParams @2024-11-05..2025-06-18
    ProgressNotificationParams @2024-11-05..2025-06-18
    ReadResourceRequestParams @2024-11-05..2025-06-18
    Request @2025-11-25..
    ResourceRequestParams @2024-11-05..2025-06-18
    ResourceUpdatedNotificationParams @2024-11-05..2025-06-18
    SetLevelRequestParams @2024-11-05..2025-06-18
    SubscriptionsAcknowledgedNotificationParams @2026-07-28
    URLElicitationRequiredError @2025-11-25
    UnsupportedProtocolVersionError @2026-07-28
    ");
}

macro_rules! revisions {
    ($($name:ident: $revision:ident,)*) => {$(
        mod $name {
            use super::*;

            #[test]
            #[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
            fn agrees_by_schema() {
                super::agrees_by_schema(Revision::$revision);
            }

            #[test]
            #[ignore = "needs the official schemas, in MCP_TEST_OFFICIAL_SCHEMAS"]
            fn agrees_by_text() {
                super::agrees_by_text(Revision::$revision);
            }
        }
    )*};
}

revisions! {
    at_2024_11_05: V2024_11_05,
    at_2025_03_26: V2025_03_26,
    at_2025_06_18: V2025_06_18,
    at_2025_11_25: V2025_11_25,
    at_2026_07_28: V2026_07_28,
}

#[test]
fn all_revisions_are_compared() {
    assert_eq!(Revision::ALL.len(), 5);
}
