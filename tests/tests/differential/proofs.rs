//! Each shape can say no, and says it well: an instance that it accepts, and small changes that it refuses, with its words.

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
use crate::words;

/// The shapes that any JSON value has.
const EXCLUDE_NOTHING: [&str; 1] = ["JSONValue"];

/// Members that all messages have; others say more of a shape.
const OF_ALL_MESSAGES: [&str; 3] = ["_meta", "id", "jsonrpc"];

/// What a shape accepts, and small changes that it refuses.
struct Proof {
    revision: Revision,
    accepted: Value,
    refused: Vec<Refused>,
}

/// A change that a shape refuses, and what it says then.
struct Refused {
    changed: Value,
    words: String,
}

#[test]
fn each_shape_that_excludes_something_is_seen_to_refuse_it() {
    // A shape that says the same at several revisions is told once, with the instances of the first.
    let mut proofs: BTreeMap<(String, Vec<String>), (Proof, Revisions)> = BTreeMap::new();
    let mut exclude_nothing = BTreeSet::new();
    for revision in Revision::ALL {
        let document = Document::ours(revision, Authority::Text);
        for name in document.definitions.keys() {
            let shape = Schemas::ours().definition(name, revision, Authority::Text);
            let shape = shape.unwrap_or_else(|| panic!("{name} is exported, and unknown"));
            let proof = Proof::of(&document, name, &shape);
            if proof.refused.is_empty() {
                exclude_nothing.insert(name.clone());
                continue;
            }
            let said = proof.refused.iter().map(|refused| refused.words.clone()).collect();
            let told = proofs.entry((name.clone(), said));
            let (_, revisions) = told.or_insert((proof, Revisions::none()));
            *revisions = revisions.union(Revisions::only(revision));
        }
    }
    assert!(exclude_nothing.iter().eq(EXCLUDE_NOTHING), "{exclude_nothing:?}");

    let mut proofs: Vec<_> = proofs.into_iter().collect();
    proofs.sort_by_key(|((name, _), (proof, _))| (name.clone(), proof.revision));
    let mut text = String::new();
    for ((name, _), (Proof { accepted, refused, .. }, revisions)) in &proofs {
        let _ = writeln!(text, "{name} @{revisions}\n  {accepted}");
        for Refused { changed, words } in refused {
            let _ = writeln!(text, "- {changed}\n    {words}");
        }
    }
    assert_snapshot!(text);
}

impl Proof {
    fn of(document: &Document, name: &str, shape: &Definition) -> Self {
        let accepts = |instance: &Value| shape.is_valid(&json::Value::from(instance));
        // The seed of a run is for finding what nobody thought of; these instances are to stay the same.
        let mut instances = Instances::new(document, Random::new(0, name));
        let mut instances = iter::repeat_with(|| instances.of(name)).take(1_000);
        let instance = instances.find(|instance| accepts(instance));
        let instance = instance.unwrap_or_else(|| panic!("{name} accepts nothing"));
        let accepted = shrink(instance, accepts);
        let changes = changes(&document.definitions[name], &accepted);
        let first_refused = changes.into_iter().filter_map(|changes| {
            let changed = changes.into_iter().find(|changed| !accepts(changed))?;
            let violations = shape.violations(&json::Value::from(&changed));
            let words = violations.iter().map(ToString::to_string).collect::<Vec<_>>();
            Some(Refused { changed, words: words.join("\n    ") })
        });
        Self { revision: document.revision, refused: first_refused.collect(), accepted }
    }
}

/// Ways to change an instance, of several kinds: a member removed, a member of another type; or another value altogether.
fn changes(schema: &Value, instance: &Value) -> Vec<Vec<Value>> {
    let no_members = Map::new();
    let members = instance.as_object().unwrap_or(&no_members);
    let mut names: Vec<&String> = members.keys().collect();
    names.extend(schema["properties"].as_object().into_iter().flat_map(Map::keys));
    names.sort_by_key(|name| OF_ALL_MESSAGES.contains(&name.as_str()));
    if names.is_empty() {
        return vec![words::kinds().into()];
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
