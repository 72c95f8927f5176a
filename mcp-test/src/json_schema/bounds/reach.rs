//! Which schemas a document consists of, and which of them each applies to its own value.
//!
//! References are followed by the library's own resolver, so that they lead where its compiler would go.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jsonschema::Draft;
use referencing::{Resolver, SPECIFICATIONS};
use serde_json::{Map, Value};

use super::{Unknown, dialect};
use crate::expect::words;
use crate::json::Pointer;
use crate::json_schema::validator::refused_reference;
use crate::json_schema::{Bound, CompileError, Limits};

/// All schemas of a document.
#[derive(Default)]
pub(super) struct Reached<'a> {
    pub(super) schemas: Vec<Schema<'a>>,
    /// The patterns that may be held against texts.
    pub(super) patterns: HashSet<&'a str>,
    /// Which schemas a dynamic reference to a name may lead to.
    pub(super) dynamic: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl Reached<'_> {
    /// Whether a pattern looks around, or back at what it has matched.
    pub(super) fn goes_back(&self) -> bool {
        let looks =
            |pattern: &str| ["(?=", "(?!", "(?<", "\\k"].iter().any(|it| pattern.contains(it));
        let back = |pattern: &str| (1..=9).any(|group| pattern.contains(&format!("\\{group}")));
        self.patterns.iter().any(|pattern| looks(pattern) || back(pattern))
    }
}

/// One of them.
pub(super) struct Schema<'a> {
    pub(super) contents: &'a Value,
    /// The schemas that it applies to its own value, by their number.
    pub(super) applies: Vec<usize>,
    /// The name that a dynamic reference in it looks for.
    pub(super) seeks: Option<&'a str>,
    /// It looks again at what the schemas it applies have looked at.
    pub(super) looks_again: bool,
}

/// What is wrong, and with which schema; where that stands is found out by [`CompileError::at`].
pub(super) type Refused<'a> = (&'a Value, CompileError);

/// What stands under a keyword: a schema, several in an array, several by name.
#[derive(Clone, Copy)]
enum Under {
    One,
    Items,
    Members,
}

/// The keywords whose schemas are applied to the same value.
const SAME_VALUE: [(&str, Under); 9] = [
    ("not", Under::One),
    ("if", Under::One),
    ("then", Under::One),
    ("else", Under::One),
    ("allOf", Under::Items),
    ("anyOf", Under::Items),
    ("oneOf", Under::Items),
    ("dependentSchemas", Under::Members),
    ("dependencies", Under::Members),
];

/// The keywords whose schemas are applied to what is in the value.
const INSIDE: [(&str, Under); 11] = [
    ("properties", Under::Members),
    ("patternProperties", Under::Members),
    ("additionalProperties", Under::One),
    ("propertyNames", Under::One),
    ("prefixItems", Under::Items),
    ("items", Under::Items),
    ("items", Under::One),
    ("additionalItems", Under::One),
    ("contains", Under::One),
    ("unevaluatedItems", Under::One),
    ("unevaluatedProperties", Under::One),
];

/// The keywords whose schemas are applied where something refers to them.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The name under which `$recursiveRef` and `$recursiveAnchor` find each other.
const RECURSIVE: &str = "$recursiveAnchor";

/// Finds all schemas of a document, whose references `resolver` follows.
pub(super) fn from<'a>(
    document: &'a Value,
    draft: Draft,
    resolver: &Resolver<'a>,
    unknown: &'a Unknown,
    limits: &'a Limits,
) -> Result<Reached<'a>, Refused<'a>> {
    let mut walk = Walk::new(unknown, limits);
    walk.number(document, draft, resolver);
    while let Some((number, draft, resolver)) = walk.left.pop() {
        walk.schema(number, draft, &resolver)?;
    }
    Ok(walk.reached)
}

struct Walk<'a> {
    reached: Reached<'a>,
    /// The number of each schema, by its address.
    numbers: HashMap<usize, usize>,
    /// Whose keywords have not been read yet.
    left: Vec<(usize, Draft, Resolver<'a>)>,
    /// The URIs that schemas give themselves.
    resources: HashSet<String>,
    unknown: &'a Unknown,
    limits: &'a Limits,
}

impl<'a> Walk<'a> {
    fn new(unknown: &'a Unknown, limits: &'a Limits) -> Self {
        let (reached, numbers, left) = (Reached::default(), HashMap::new(), Vec::new());
        Self { reached, numbers, left, resources: HashSet::new(), unknown, limits }
    }

    /// The number of a schema; what is none will be refused by its dialect.
    fn number(&mut self, contents: &'a Value, draft: Draft, resolver: &Resolver<'a>) -> usize {
        let next = self.reached.schemas.len();
        let number = *self.numbers.entry(std::ptr::from_ref(contents).addr()).or_insert(next);
        if number == next {
            let (applies, seeks, looks_again) = (Vec::new(), None, false);
            self.reached.schemas.push(Schema { contents, applies, seeks, looks_again });
            self.left.push((number, draft, resolver.clone()));
        }
        number
    }

    fn schema(
        &mut self,
        number: usize,
        draft: Draft,
        resolver: &Resolver<'a>,
    ) -> Result<(), Refused<'a>> {
        let contents = self.reached.schemas[number].contents;
        let Value::Object(members) = contents else { return Ok(()) };
        let draft = match members.get("$schema") {
            None => draft,
            Some(_) => dialect(contents).map_err(|name| {
                let pointer = Pointer::root().member("$schema");
                (contents, CompileError::UnknownDialect { pointer, name })
            })?,
        };
        let resolver = resolver
            .in_subresource(draft.create_resource_ref(contents))
            .map_err(|error| (contents, refused_reference(&error, Pointer::root())))?;
        let resource = resolver.base_uri();
        if !SPECIFICATIONS.contains_resource(resource.as_str()) {
            self.resources.insert(resource.as_str().to_owned());
        }
        if self.resources.len() > self.limits.resources {
            return Err(beyond(contents, "", Bound::Resources(self.limits.resources)));
        }
        for keyword in DEFINITIONS {
            for schema in schemas_under(members, keyword, Under::Members) {
                self.number(schema, draft, &resolver);
            }
        }
        let mut applies = self.references(contents, members, draft, &resolver)?;
        // Beside `$ref` nothing else counts in the older dialects.
        let alone = members.contains_key("$ref") && draft <= Draft::Draft7;
        if !alone {
            for (keyword, under) in SAME_VALUE.into_iter().filter(|it| draft.is_known_keyword(it.0))
            {
                for schema in schemas_under(members, keyword, under) {
                    applies.push(self.number(schema, draft, &resolver));
                }
            }
            for (keyword, under) in INSIDE.into_iter().filter(|it| draft.is_known_keyword(it.0)) {
                for schema in schemas_under(members, keyword, under) {
                    self.number(schema, draft, &resolver);
                }
            }
            self.patterns(contents, members)?;
        }
        let schema = &mut self.reached.schemas[number];
        schema.applies = applies;
        schema.looks_again = members.contains_key("unevaluatedProperties")
            || members.contains_key("unevaluatedItems");
        schema.seeks = match members.get("$dynamicRef").and_then(Value::as_str) {
            Some(reference) => reference.rsplit_once('#').map(|(_, name)| name),
            None => members.get("$recursiveRef").map(|_| RECURSIVE),
        };
        if let Some(name) = members.get("$dynamicAnchor").and_then(Value::as_str) {
            self.reached.dynamic.entry(name).or_default().insert(number);
        }
        if members.get(RECURSIVE) == Some(&Value::Bool(true)) {
            self.reached.dynamic.entry(RECURSIVE).or_default().insert(number);
        }
        Ok(())
    }

    /// The schemas that a schema refers to.
    fn references(
        &mut self,
        contents: &'a Value,
        members: &'a Map<String, Value>,
        draft: Draft,
        resolver: &Resolver<'a>,
    ) -> Result<Vec<usize>, Refused<'a>> {
        let mut found = Vec::new();
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = members.get(keyword).and_then(Value::as_str) else { continue };
            if keyword != "$ref" && !draft.is_known_keyword(keyword) {
                continue;
            }
            let pointer = Pointer::root().member(keyword);
            let elsewhere = || CompileError::Elsewhere {
                pointer: pointer.clone(),
                reference: words::begun(reference).into_owned(),
            };
            let refused = |error: referencing::Error| {
                let error = match refused_reference(&error, pointer.clone()) {
                    CompileError::Dangling { pointer, .. } => CompileError::Dangling {
                        pointer,
                        reference: words::begun(reference).into_owned(),
                    },
                    other => other,
                };
                (contents, error)
            };
            let resource = reference.rsplit_once('#').map_or(reference, |(resource, _)| resource);
            if !resource.is_empty() {
                let base = resolver.base_uri();
                let uri = resolver.resolve_uri(&base.borrow(), resource).map_err(refused)?;
                if self.unknown.contains(uri.as_str()) {
                    return Err((contents, elsewhere()));
                }
            }
            let (target, resolver, draft) =
                resolver.lookup(reference).map_err(refused)?.into_inner();
            found.push(self.number(target, draft, &resolver));
        }
        Ok(found)
    }

    fn patterns(
        &mut self,
        contents: &'a Value,
        members: &'a Map<String, Value>,
    ) -> Result<(), Refused<'a>> {
        let pattern = members.get("pattern").and_then(Value::as_str).map(|text| ("pattern", text));
        let names = members.get("patternProperties").and_then(Value::as_object);
        let names =
            names.into_iter().flatten().map(|(name, _)| ("patternProperties", name.as_str()));
        for (keyword, pattern) in pattern.into_iter().chain(names) {
            self.reached.patterns.insert(pattern);
            if pattern.len() > self.limits.pattern {
                return Err(beyond(contents, keyword, Bound::Pattern(self.limits.pattern)));
            }
            if self.reached.patterns.len() > self.limits.patterns {
                return Err(beyond(contents, keyword, Bound::Patterns(self.limits.patterns)));
            }
        }
        Ok(())
    }
}

fn beyond<'a>(contents: &'a Value, keyword: &str, bound: Bound) -> Refused<'a> {
    let root = Pointer::root();
    let pointer = if keyword.is_empty() { root } else { root.member(keyword) };
    (contents, CompileError::Bounded { pointer, bound })
}

/// The schemas under a keyword: objects and booleans.
fn schemas_under<'a>(
    members: &'a Map<String, Value>,
    keyword: &str,
    under: Under,
) -> impl Iterator<Item = &'a Value> {
    let value = members.get(keyword);
    let one = value.filter(|_| matches!(under, Under::One));
    let items = value.and_then(Value::as_array).filter(|_| matches!(under, Under::Items));
    let named = value.and_then(Value::as_object).filter(|_| matches!(under, Under::Members));
    let all = one.into_iter().chain(items.into_iter().flatten());
    let all = all.chain(named.into_iter().flat_map(Map::values));
    all.filter(|schema| schema.is_object() || schema.is_boolean())
}
