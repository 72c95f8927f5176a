//! Every shape can reject values: the snapshot has, for each, an instance that it accepts, small changes that it rejects, and the
//! violations that it reports.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::iter;

use insta::assert_snapshot;
use mcp_test::json;
use mcp_test::spec::schema::{Authority, Definition, Schemas};
use mcp_test::spec::{Revision, Revisions};
use serde_json::{Map, Value, json};

use crate::document::Document;
use crate::instances::Instances;
use crate::random::Random;
use crate::shrink::shrink;
use crate::values;

/// The shapes that accept every JSON value.
const ACCEPT_EVERYTHING: [&str; 1] = ["JSONValue"];

/// Members that all messages have. They are changed last, because changes to other members are more interesting.
const COMMON_MEMBERS: [&str; 3] = ["_meta", "id", "jsonrpc"];

/// An instance that a shape accepts, and small changes that it rejects.
struct Proof {
    revision: Revision,
    accepted: Value,
    rejected: Vec<Rejected>,
}

/// A changed instance that a shape rejects, and the violations.
struct Rejected {
    changed: Value,
    violations: String,
}

#[test]
fn every_shape_rejects_something() {
    // A shape with the same proof at several revisions is listed once.
    let mut proofs: BTreeMap<(String, Vec<String>), (Proof, Revisions)> = BTreeMap::new();
    let mut accept_everything = BTreeSet::new();
    for revision in Revision::ALL {
        let document = Document::ours(revision, Authority::Text);
        for name in document.definitions.keys() {
            let shape = Schemas::ours().definition(name, revision, Authority::Text);
            let shape = shape.unwrap_or_else(|| panic!("{name} is exported, but not found"));
            let proof = Proof::of(&document, name, &shape);
            if proof.rejected.is_empty() {
                accept_everything.insert(name.clone());
                continue;
            }
            let violations =
                proof.rejected.iter().map(|change| change.violations.clone()).collect();
            let entry = proofs.entry((name.clone(), violations));
            let (_, revisions) = entry.or_insert((proof, Revisions::none()));
            *revisions = revisions.union(Revisions::only(revision));
        }
    }
    assert!(accept_everything.iter().eq(ACCEPT_EVERYTHING), "{accept_everything:?}");

    let mut proofs: Vec<_> = proofs.into_iter().collect();
    proofs.sort_by_key(|((name, _), (proof, _))| (name.clone(), proof.revision));
    let mut text = String::new();
    for ((name, _), (Proof { accepted, rejected, .. }, revisions)) in &proofs {
        let _ = writeln!(text, "{name} @{revisions}\n  {accepted}");
        for Rejected { changed, violations } in rejected {
            let _ = writeln!(text, "- {changed}\n    {violations}");
        }
    }
    assert_snapshot!(text);
}

impl Proof {
    fn of(document: &Document, name: &str, shape: &Definition) -> Self {
        let accepts = |instance: &Value| shape.is_valid(&json::Value::from(instance));
        // A fixed seed, because these instances are in a snapshot.
        let mut instances = Instances::new(document, Random::new(0, name));
        let mut instances = iter::repeat_with(|| instances.instance(name)).take(1_000);
        let instance = instances.find(|instance| accepts(instance));
        let instance = instance.unwrap_or_else(|| panic!("{name} accepts nothing"));
        let accepted = shrink(instance, accepts);
        let changes = changes(&document.definitions[name], &accepted);
        let rejected = changes.into_iter().filter_map(|changes| {
            let changed = changes.into_iter().find(|changed| !accepts(changed))?;
            let violations = shape.violations(&json::Value::from(&changed));
            let violations = violations.iter().map(ToString::to_string).collect::<Vec<_>>();
            Some(Rejected { changed, violations: violations.join("\n    ") })
        });
        Self { revision: document.revision, rejected: rejected.collect(), accepted }
    }
}

/// Changes of an instance, grouped: a member removed, a member of another type, or another value.
fn changes(schema: &Value, instance: &Value) -> Vec<Vec<Value>> {
    let no_members = Map::new();
    let members = instance.as_object().unwrap_or(&no_members);
    let mut names: Vec<&String> = members.keys().collect();
    names.extend(schema["properties"].as_object().into_iter().flat_map(Map::keys));
    names.sort_by_key(|name| COMMON_MEMBERS.contains(&name.as_str()));
    if names.is_empty() {
        return vec![values::kinds().into()];
    }
    let with = |name: &str, value: Option<Value>| {
        let mut members = members.clone();
        match value {
            Some(value) => members.insert(name.to_owned(), value),
            None => members.remove(name),
        };
        Value::Object(members)
    };
    let others = [json!("wrong"), json!(0), json!([])];
    let without = names.iter().map(|name| with(name, None)).collect();
    let other = names.iter().flat_map(|name| {
        let with = &with;
        others.clone().map(|other| with(name, Some(other)))
    });
    vec![without, other.collect()]
}
