//! Our shapes and the official schemas say the same of every instance: read by the authority of the schemas without
//! exception, read by the text but for what is listed as a disagreement.

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
use crate::words;

/// How many instances are judged for each revision, at least.
const INSTANCES: usize = 24_000;

/// How many instances of a definition are looked through at most for one that shows a disagreement.
const SHOWING: usize = 20_000;

/// How many instances of each definition are accepted, and how many refused, at least.
const EACH: usize = 10;

/// The two sides that judge a definition.
struct Sides {
    official: jsonschema::Validator,
    ours: Definition,
    /// Our schema as others would use it, from what we export.
    exported: jsonschema::Validator,
}

impl Sides {
    /// The sides for each definition of the official schema.
    fn of(official: &Document, authority: Authority) -> BTreeMap<&str, Self> {
        let exported = Document::ours(official.revision, authority);
        let sides = |name: &str| Self {
            official: official.judge(name),
            ours: Schemas::ours()
                .definition(name, official.revision, authority)
                .unwrap_or_else(|| panic!("no shape {name} at {}", official.revision)),
            exported: exported.judge(name),
        };
        official.definitions.keys().map(|name| (name.as_str(), sides(name))).collect()
    }

    /// What our side says of an instance; an error where it contradicts itself.
    fn ours(&self, instance: &Value) -> Result<bool, String> {
        let value = json::Value::from(instance);
        let violations = self.ours.violations(&value);
        let accepted = self.ours.is_valid(&value);
        if accepted != violations.is_empty() {
            return Err(format!("{} it, with the violations {violations:?}", verb(accepted)));
        }
        if accepted != self.exported.is_valid(instance) {
            return Err(format!("{} it, what is exported does not", verb(accepted)));
        }
        for violation in &violations {
            let there = |pointer: &json::Pointer| value.at(pointer.as_str()).is_some();
            let parent = violation.pointer.split_last().map(|(parent, _)| parent);
            if !there(&violation.pointer) && !parent.is_some_and(|parent| there(&parent)) {
                return Err(format!("points nowhere: {violation}"));
            }
        }
        Ok(accepted)
    }

    /// Whether the official schema and ours say the same of an instance.
    fn agree(&self, instance: &Value) -> bool {
        self.ours(instance) == Ok(self.official.is_valid(instance))
    }
}

fn verb(accepted: bool) -> &'static str {
    if accepted { "accepts" } else { "refuses" }
}

/// How many instances of a definition the official schema accepts and refuses.
#[derive(Default)]
struct Tally {
    accepted: usize,
    refused: usize,
}

/// Instances for a definition without end: a value of each kind first, then generated ones, three mutants of each, and
/// instances of other definitions.
fn instances<'a>(document: &'a Document, name: &'a str) -> impl Iterator<Item = Value> + 'a {
    let names: Vec<&str> = document.definitions.keys().map(String::as_str).collect();
    let purpose = format!("{} {name}", document.revision);
    let mut random = Random::new(random::seed(), &purpose);
    let mut generator = Instances::new(document, random.clone());
    let rounds = iter::repeat_with(move || {
        let instance = generator.of(name);
        let other = generator.of(random.pick::<&str>(&names));
        let [one, two, three] = [(); 3].map(|()| mutant(&instance, &mut random));
        [instance, one, two, three, other]
    });
    words::kinds().into_iter().chain(rounds.flatten())
}

/// The first instance of each definition that shows a difference, made small; and what was judged.
fn differences(
    official: &Document,
    sides: &BTreeMap<&str, Sides>,
) -> (BTreeMap<String, Value>, BTreeMap<String, Tally>) {
    let (mut found, mut tallies) = (BTreeMap::new(), BTreeMap::new());
    let each = INSTANCES.div_ceil(sides.len());
    for (&name, sides) in sides {
        let mut tally = Tally::default();
        for instance in instances(official, name).take(each) {
            if sides.official.is_valid(&instance) {
                tally.accepted += 1;
            } else {
                tally.refused += 1;
            }
            if sides.ours(&instance).is_err() {
                let small = shrink(instance, |instance| sides.ours(instance).is_err());
                panic!("{}{}", told(official.revision, name, sides, &small), with_seed());
            }
            if !found.contains_key(name) && !sides.agree(&instance) {
                let small = shrink(instance, |instance| !sides.agree(instance));
                found.insert(name.to_owned(), small);
            }
        }
        tallies.insert(name.to_owned(), tally);
    }
    (found, tallies)
}

/// A paragraph for an instance that shows a difference.
fn told(revision: Revision, name: &str, sides: &Sides, instance: &Value) -> String {
    let official = verb(sides.official.is_valid(instance));
    let ours = sides
        .ours(instance)
        .map_or_else(|contradiction| contradiction, |ours| verb(ours).to_owned() + " it");
    format!("{revision} {name}: {instance}\n  the official schema {official} it\n  ours {ours}\n")
}

/// How a failure ends, so that it can be repeated.
fn with_seed() -> String {
    format!("with {}={}", random::VARIABLE, random::seed())
}

/// Read as the official schema has it, ours is the official schema.
fn agrees_by_schema(revision: Revision) {
    let Some(official) = Document::official(revision) else { return };
    let sides = Sides::of(&official, Authority::Schema);
    let (found, tallies) = differences(&official, &sides);
    let told = found.iter().map(|(name, value)| told(revision, name, &sides[name.as_str()], value));
    let told: String = told.collect();
    assert!(found.is_empty(), "{told}{} definitions differ {}", found.len(), with_seed());

    let judged: usize = tallies.values().map(|tally| tally.accepted + tally.refused).sum();
    assert!(judged >= INSTANCES, "only {judged} instances");
    for (name, Tally { accepted, refused }) in tallies {
        let enough = accepted >= EACH && refused >= EACH;
        assert!(enough, "{name}: {accepted} accepted, {refused} refused {}", with_seed());
    }
}

/// Read by the text, ours differs where a disagreement is listed, and each that is listed is seen.
fn agrees_by_text(revision: Revision) {
    let Some(official) = Document::official(revision) else { return };
    let sides = Sides::of(&official, Authority::Text);
    let (found, _) = differences(&official, &sides);
    let by_text = Document::ours(revision, Authority::Text);
    let by_schema = Document::ours(revision, Authority::Schema);

    let apart = apart(&by_text, &by_schema);
    for (name, instance) in &found {
        let mut reached = BTreeSet::new();
        by_text.reach(name, &mut reached);
        let told = told(revision, name, &sides[name.as_str()], instance);
        assert!(!reached.is_disjoint(&apart), "{told}This is not listed {}", with_seed());
    }

    for listed in DISAGREEMENTS.iter().filter(|listed| listed.revisions.contains(revision)) {
        assert!(
            apart.contains(listed.definition),
            "{} at {revision} makes no difference",
            listed.id
        );
        // With this one definition by the text, and all others as the official schema has them.
        let mixed = by_schema.with(listed.definition, &by_text);
        let shown = official.definitions.keys().any(|name| {
            let mut reached = BTreeSet::new();
            mixed.reach(name, &mut reached);
            let judge = reached.contains(listed.definition).then(|| mixed.judge(name));
            let theirs = &sides[name.as_str()].official;
            judge.is_some_and(|judge| {
                instances(&official, name)
                    .take(SHOWING)
                    .any(|instance| judge.is_valid(&instance) != theirs.is_valid(&instance))
            })
        });
        assert!(shown, "nothing shows {} at {revision} {}", listed.id, with_seed());
    }
}

/// The definitions of which the documents say different things.
fn apart<'a>(one: &'a Document, other: &Document) -> BTreeSet<&'a str> {
    let differ = |(name, schema): &(&String, &Value)| other.definitions.get(*name) != Some(schema);
    one.definitions.iter().filter(differ).map(|(name, _)| name.as_str()).collect()
}

/// All that is touched by a disagreement.
#[test]
fn the_definitions_that_follow_the_text() {
    let mut touched: BTreeMap<String, Revisions> = BTreeMap::new();
    for revision in Revision::ALL {
        let by_text = Document::ours(revision, Authority::Text);
        for name in apart(&by_text, &Document::ours(revision, Authority::Schema)) {
            let revisions = touched.entry(name.to_owned()).or_default();
            *revisions = revisions.union(Revisions::only(revision));
        }
    }
    let lines = touched.iter().map(|(name, revisions)| format!("{name} @{revisions}\n"));
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
            fn agrees_by_schema() {
                super::agrees_by_schema(Revision::$revision);
            }

            #[test]
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

/// No revision is forgotten above.
#[test]
fn five_revisions_are_compared() {
    assert_eq!(Revision::ALL.len(), 5);
}
