//! The subschemas of a document, and which of them each applies to its own value.
//!
//! The library's own resolver follows references, so that they lead where its compiler would go.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jsonschema::Draft;
use referencing::{Resolver, SPECIFICATIONS};
use serde_json::{Map, Value};

use super::dialect::dialect;
use super::external_uris::ExternalUris;
use crate::expect::words;
use crate::json::Pointer;
use crate::json_schema::reference::reference_error;
use crate::json_schema::{Bound, CompileError, Limits};

/// All subschemas of a document.
#[derive(Default)]
pub(super) struct SchemaGraph<'a> {
    pub(super) schemas: Vec<Subschema<'a>>,
    /// The different patterns.
    pub(super) patterns: HashSet<&'a str>,
    /// The possible targets of dynamic references, by name.
    pub(super) dynamic: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl SchemaGraph<'_> {
    /// Whether a pattern has lookarounds or backreferences.
    pub(super) fn backtracks(&self) -> bool {
        // `(?<` also begins a named group, which does no harm: the only effect is a lower limit on texts.
        let looks_around =
            |pattern: &str| ["(?=", "(?!", "(?<", "\\k"].iter().any(|it| pattern.contains(it));
        let refers_back =
            |pattern: &str| (1..=9).any(|group| pattern.contains(&format!("\\{group}")));
        self.patterns.iter().any(|pattern| looks_around(pattern) || refers_back(pattern))
    }
}

/// A subschema.
pub(super) struct Subschema<'a> {
    pub(super) contents: &'a Value,
    /// The indices of the schemas that it applies to its own value.
    pub(super) applies: Vec<usize>,
    /// The name in its dynamic reference.
    pub(super) dynamic_ref: Option<&'a str>,
    /// Whether it evaluates again what its applied schemas have evaluated.
    pub(super) is_reevaluating: bool,
}

/// A refused subschema, and why; the caller locates it for [`CompileError::at`].
pub(super) type Rejection<'a> = (&'a Value, CompileError);

/// How a keyword contains schemas: as its value, in an array, or in a map.
#[derive(Clone, Copy)]
enum Position {
    Schema,
    Array,
    Map,
}

/// The keywords whose schemas apply to the same value.
const SAME_VALUE: [(&str, Position); 9] = [
    ("not", Position::Schema),
    ("if", Position::Schema),
    ("then", Position::Schema),
    ("else", Position::Schema),
    ("allOf", Position::Array),
    ("anyOf", Position::Array),
    ("oneOf", Position::Array),
    ("dependentSchemas", Position::Map),
    // Its values may also be arrays of names, which `schemas_at` skips.
    ("dependencies", Position::Map),
];

/// The keywords whose schemas apply to parts of the value.
const INSIDE: [(&str, Position); 11] = [
    ("properties", Position::Map),
    ("patternProperties", Position::Map),
    ("additionalProperties", Position::Schema),
    ("propertyNames", Position::Schema),
    ("prefixItems", Position::Array),
    // Up to 2019-09 `items` may be an array of schemas.
    ("items", Position::Array),
    ("items", Position::Schema),
    ("additionalItems", Position::Schema),
    ("contains", Position::Schema),
    ("unevaluatedItems", Position::Schema),
    ("unevaluatedProperties", Position::Schema),
];

/// The keywords whose schemas apply only where they are referred to.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The name that connects `$recursiveRef` and `$recursiveAnchor`, the 2019-09 form of dynamic references.
const RECURSIVE: &str = "$recursiveAnchor";

/// Finds all subschemas of a document; `resolver` follows its references.
pub(super) fn build<'a>(
    document: &'a Value,
    draft: Draft,
    resolver: &Resolver<'a>,
    external: &'a ExternalUris,
    limits: &'a Limits,
) -> Result<SchemaGraph<'a>, Rejection<'a>> {
    let mut builder = Builder::new(external, limits);
    // A work list instead of recursion: references make the graph deeper than the nesting of the document.
    builder.index_of(document, draft, resolver);
    while let Some((index, draft, resolver)) = builder.left.pop() {
        builder.schema(index, draft, &resolver)?;
    }
    Ok(builder.graph)
}

struct Builder<'a> {
    graph: SchemaGraph<'a>,
    /// The index of each subschema, by its address.
    indices: HashMap<usize, usize>,
    /// The subschemas whose keywords have not been read yet.
    left: Vec<(usize, Draft, Resolver<'a>)>,
    /// The URIs of resources with an `$id`.
    resources: HashSet<String>,
    external: &'a ExternalUris,
    limits: &'a Limits,
}

impl<'a> Builder<'a> {
    fn new(external: &'a ExternalUris, limits: &'a Limits) -> Self {
        let (graph, indices, left) = (SchemaGraph::default(), HashMap::new(), Vec::new());
        Self { graph, indices, left, resources: HashSet::new(), external, limits }
    }

    /// The index of a subschema, which is added if it is new. The dialect refuses values that are not schemas later.
    fn index_of(&mut self, contents: &'a Value, draft: Draft, resolver: &Resolver<'a>) -> usize {
        let next = self.graph.schemas.len();
        // By address, because equal schemas may occur at several locations.
        let index = *self.indices.entry(std::ptr::from_ref(contents).addr()).or_insert(next);
        if index == next {
            let (applies, dynamic_ref, is_reevaluating) = (Vec::new(), None, false);
            self.graph.schemas.push(Subschema { contents, applies, dynamic_ref, is_reevaluating });
            self.left.push((index, draft, resolver.clone()));
        }
        index
    }

    /// Reads the keywords of a subschema.
    fn schema(
        &mut self,
        index: usize,
        draft: Draft,
        resolver: &Resolver<'a>,
    ) -> Result<(), Rejection<'a>> {
        let contents = self.graph.schemas[index].contents;
        let Value::Object(members) = contents else { return Ok(()) };
        let draft = match members.get("$schema") {
            None => draft,
            Some(_) => dialect(contents).map_err(|error| (contents, error))?,
        };
        let resolver = resolver
            .in_subresource(draft.create_resource_ref(contents))
            .map_err(|error| (contents, reference_error(&error, Pointer::root())))?;
        self.count_resource(contents, resolver.base_uri().as_str())?;
        for schema in DEFINITIONS.iter().flat_map(|it| schemas_at(members, it, Position::Map)) {
            self.index_of(schema, draft, &resolver);
        }
        let mut applies = self.references(contents, members, draft, &resolver)?;
        // Up to draft 7, keywords beside `$ref` are ignored.
        let ignores_others = members.contains_key("$ref") && draft <= Draft::Draft7;
        if !ignores_others {
            let same_value = subschemas(members, draft, &SAME_VALUE);
            applies.extend(same_value.map(|schema| self.index_of(schema, draft, &resolver)));
            for schema in subschemas(members, draft, &INSIDE) {
                self.index_of(schema, draft, &resolver);
            }
            self.patterns(contents, members)?;
        }
        self.graph.schemas[index].applies = applies;
        self.record_dynamic(index, members);
        Ok(())
    }

    /// Counts the resource that a schema belongs to.
    fn count_resource(&mut self, contents: &'a Value, uri: &str) -> Result<(), Rejection<'a>> {
        // The schemas of the dialects are built into the library, and are not resources of the document.
        if !SPECIFICATIONS.contains_resource(uri) {
            self.resources.insert(uri.to_owned());
        }
        if self.resources.len() > self.limits.resources {
            return Err(limit_exceeded(contents, "", Bound::Resources(self.limits.resources)));
        }
        Ok(())
    }

    /// Records the keywords whose effect depends on other schemas: dynamic references, their targets, and reevaluation.
    fn record_dynamic(&mut self, index: usize, members: &'a Map<String, Value>) {
        let schema = &mut self.graph.schemas[index];
        schema.is_reevaluating = members.contains_key("unevaluatedProperties")
            || members.contains_key("unevaluatedItems");
        schema.dynamic_ref = match members.get("$dynamicRef").and_then(Value::as_str) {
            Some(reference) => reference.rsplit_once('#').map(|(_, name)| name),
            // `$recursiveRef` has only one possible value, `#`, so it needs no name.
            None => members.get("$recursiveRef").map(|_| RECURSIVE),
        };
        if let Some(name) = members.get("$dynamicAnchor").and_then(Value::as_str) {
            self.graph.dynamic.entry(name).or_default().insert(index);
        }
        if members.get(RECURSIVE) == Some(&Value::Bool(true)) {
            self.graph.dynamic.entry(RECURSIVE).or_default().insert(index);
        }
    }

    /// The indices of the schemas that a schema refers to.
    fn references(
        &mut self,
        contents: &'a Value,
        members: &'a Map<String, Value>,
        draft: Draft,
        resolver: &Resolver<'a>,
    ) -> Result<Vec<usize>, Rejection<'a>> {
        let mut found = Vec::new();
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = members.get(keyword).and_then(Value::as_str) else { continue };
            // In a dialect without the keyword it is an annotation, which refers to nothing.
            if keyword != "$ref" && !draft.is_known_keyword(keyword) {
                continue;
            }
            let pointer = Pointer::root().member(keyword);
            let external = || CompileError::External {
                pointer: pointer.clone(),
                reference: words::excerpt(reference).into_owned(),
            };
            let refused = |error: referencing::Error| {
                // The library reports the resolved target; the reference as written is easier to find.
                let error = match reference_error(&error, pointer.clone()) {
                    CompileError::Dangling { pointer, .. } => CompileError::Dangling {
                        pointer,
                        reference: words::excerpt(reference).into_owned(),
                    },
                    other => other,
                };
                (contents, error)
            };
            let resource = reference.rsplit_once('#').map_or(reference, |(resource, _)| resource);
            if !resource.is_empty() {
                let base = resolver.base_uri();
                let uri = resolver.resolve_uri(&base.borrow(), resource).map_err(refused)?;
                // The resolver got `true` for an external resource, so that the lookup would succeed.
                if self.external.contains(uri.as_str()) {
                    return Err((contents, external()));
                }
            }
            let (target, resolver, draft) =
                resolver.lookup(reference).map_err(refused)?.into_inner();
            found.push(self.index_of(target, draft, &resolver));
        }
        Ok(found)
    }

    /// Collects the patterns of a schema within the limits.
    fn patterns(
        &mut self,
        contents: &'a Value,
        members: &'a Map<String, Value>,
    ) -> Result<(), Rejection<'a>> {
        let pattern = members.get("pattern").and_then(Value::as_str).map(|text| ("pattern", text));
        let names = members.get("patternProperties").and_then(Value::as_object);
        let names =
            names.into_iter().flatten().map(|(name, _)| ("patternProperties", name.as_str()));
        for (keyword, pattern) in pattern.into_iter().chain(names) {
            self.graph.patterns.insert(pattern);
            if pattern.len() > self.limits.pattern {
                return Err(limit_exceeded(contents, keyword, Bound::Pattern(self.limits.pattern)));
            }
            if self.graph.patterns.len() > self.limits.patterns {
                return Err(limit_exceeded(
                    contents,
                    keyword,
                    Bound::Patterns(self.limits.patterns),
                ));
            }
        }
        Ok(())
    }
}

fn limit_exceeded<'a>(contents: &'a Value, keyword: &str, bound: Bound) -> Rejection<'a> {
    let root = Pointer::root();
    let pointer = if keyword.is_empty() { root } else { root.member(keyword) };
    (contents, CompileError::LimitExceeded { pointer, bound })
}

/// The schemas of those of some keywords that the dialect has.
fn subschemas<'a>(
    members: &'a Map<String, Value>,
    draft: Draft,
    keywords: &'static [(&'static str, Position)],
) -> impl Iterator<Item = &'a Value> {
    let known = keywords.iter().filter(move |(keyword, _)| draft.is_known_keyword(keyword));
    known.flat_map(|(keyword, position)| schemas_at(members, keyword, *position))
}

/// The schemas of a keyword: objects and booleans.
fn schemas_at<'a>(
    members: &'a Map<String, Value>,
    keyword: &str,
    position: Position,
) -> impl Iterator<Item = &'a Value> {
    let value = members.get(keyword);
    let one = value.filter(|_| matches!(position, Position::Schema));
    let items = value.and_then(Value::as_array).filter(|_| matches!(position, Position::Array));
    let named = value.and_then(Value::as_object).filter(|_| matches!(position, Position::Map));
    let all = one.into_iter().chain(items.into_iter().flatten());
    let all = all.chain(named.into_iter().flat_map(Map::values));
    all.filter(|schema| schema.is_object() || schema.is_boolean())
}
