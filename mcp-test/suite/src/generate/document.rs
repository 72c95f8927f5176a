//! The schemas inside a schema, by their location, and what they refer to.

use std::collections::HashMap;

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Pointer, Value};

use super::GenerateError;

/// The index of a schema in [`SchemaDocument`].
pub(super) type NodeId = usize;

/// A schema and all schemas inside it.
#[derive(Debug)]
pub(super) struct SchemaDocument {
    nodes: Vec<SchemaNode>,
    by_pointer: HashMap<String, NodeId>,
    /// Up to draft 7, keywords beside `$ref` are ignored.
    pub(super) ref_stands_alone: bool,
}

/// One schema.
#[derive(Debug)]
pub(super) struct SchemaNode {
    pub(super) pointer: Pointer,
    pub(super) schema: Value,
    /// The schema that `$ref` or a similar keyword names.
    pub(super) target: Option<NodeId>,
    /// The location of the innermost schema around it with an `$id`, from which its references are resolved.
    base: Pointer,
}

/// Keywords with a schema, with a list of them, and with an object of them. Those that have several forms are in several lists.
const SINGLE: [&str; 12] = [
    "items",
    "additionalItems",
    "additionalProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAPS: [&str; 6] =
    ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];

impl SchemaDocument {
    /// Finds all schemas; the schema is known to be within the limits of [`json_schema`](mcp_test_core::json_schema).
    pub(super) fn read(schema: &Value) -> Result<Self, GenerateError> {
        let dialect = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let ref_stands_alone =
            ["draft-04", "draft-06", "draft-07"].iter().any(|it| dialect.contains(it));
        let mut this = Self { nodes: Vec::new(), by_pointer: HashMap::new(), ref_stands_alone };
        this.add(Pointer::root(), schema, Pointer::root());
        let mut next = 0;
        // References may lead to where no keyword leads; what is found there may refer further.
        while next < this.nodes.len() {
            this.nodes[next].target = this.target_of(next, schema)?;
            next += 1;
        }
        Ok(this)
    }

    pub(super) fn node(&self, id: NodeId) -> &SchemaNode {
        // Ids come from this document only.
        &self.nodes[id]
    }

    /// The schema at a keyword of another one, or further inside of it.
    pub(super) fn child(&self, id: NodeId, steps: &[&str]) -> Option<NodeId> {
        let pointer = steps.iter().fold(self.node(id).pointer.clone(), |at, step| at.member(step));
        self.by_pointer.get(pointer.as_str()).copied()
    }

    /// The schemas in a list at a keyword.
    pub(super) fn children(&self, id: NodeId, keyword: &str) -> Vec<NodeId> {
        let many =
            self.node(id).schema.get(keyword).and_then(Value::as_array).map_or(0, <[_]>::len);
        let at = |index: usize| self.child(id, &[keyword, &index.to_string()]);
        (0..many).filter_map(at).collect()
    }

    /// Adds the schema at `pointer` and those inside it.
    fn add(&mut self, pointer: Pointer, schema: &Value, base: Pointer) {
        // A work list instead of recursion, like everywhere where a schema of a peer is walked through.
        let mut left = vec![(pointer, schema, base)];
        while let Some((pointer, schema, base)) = left.pop() {
            let is_schema = schema.is_object() || schema.is_bool();
            if !is_schema || self.by_pointer.contains_key(pointer.as_str()) {
                continue;
            }
            let base = if schema.get("$id").is_some() { pointer.clone() } else { base };
            if let Some(members) = schema.as_object() {
                inside(members, &pointer, |at, inner| left.push((at, inner, base.clone())));
            }
            self.by_pointer.insert(pointer.as_str().to_owned(), self.nodes.len());
            self.nodes.push(SchemaNode { pointer, schema: schema.clone(), target: None, base });
        }
    }

    fn target_of(&mut self, id: NodeId, root: &Value) -> Result<Option<NodeId>, GenerateError> {
        let node = &self.nodes[id];
        let keyword = ["$ref", "$dynamicRef", "$recursiveRef"]
            .into_iter()
            .find_map(|keyword| Some((keyword, node.schema.get(keyword)?.as_str()?.to_owned())));
        let Some((keyword, reference)) = keyword else { return Ok(None) };
        let unknown = || GenerateError::Reference {
            pointer: self.nodes[id].pointer.clone().member(keyword),
            reference: words::excerpt(&reference).into_owned(),
        };
        let pointer = self.resolve(&reference, &node.base).ok_or_else(unknown)?;
        if !self.by_pointer.contains_key(pointer.as_str()) {
            let target = root.at(pointer.as_str()).ok_or_else(unknown)?.clone();
            self.add(pointer.clone(), &target, self.nodes[id].base.clone());
        }
        let target = self.by_pointer.get(pointer.as_str()).copied();
        Ok(Some(target.ok_or(GenerateError::Unsatisfiable { pointer })?))
    }

    /// The location that a reference names, from a schema whose references are relative to `base`.
    fn resolve(&self, reference: &str, base: &Pointer) -> Option<Pointer> {
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = if resource.is_empty() { base.clone() } else { self.resource(resource)? };
        let fragment = percent_decoded(fragment)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(base.join(&Pointer::parse(&fragment)?));
        }
        let is_anchor = |node: &&SchemaNode| {
            let named = |keyword| node.schema.get(keyword).and_then(Value::as_str);
            node.base == base
                && (named("$anchor") == Some(&fragment)
                    || named("$dynamicAnchor") == Some(&fragment)
                    || named("$id").and_then(|id| id.strip_prefix('#')) == Some(&fragment))
        };
        self.nodes.iter().find(is_anchor).map(|node| node.pointer.clone())
    }

    /// The location of the schema with this `$id`, written in full or relative to that of the document.
    fn resource(&self, name: &str) -> Option<Pointer> {
        let id = |node: &SchemaNode| {
            let id =
                node.schema.get("$id").and_then(Value::as_str)?.trim_end_matches('#').to_owned();
            Some(id)
        };
        let exact = self.nodes.iter().find(|node| id(node).as_deref() == Some(name));
        let relative = || {
            let last = |id: &str| id.rsplit('/').next().map(str::to_owned);
            self.nodes.iter().find(|node| id(node).is_some_and(|id| last(&id) == last(name)))
        };
        exact.or_else(relative).map(|node| node.pointer.clone())
    }
}

/// Calls `each` with the schemas of the keywords of a schema.
fn inside<'a>(members: &'a Object, pointer: &Pointer, mut each: impl FnMut(Pointer, &'a Value)) {
    for (keyword, value) in members.iter() {
        let at = || pointer.clone().member(keyword);
        if SINGLE.contains(&keyword) {
            each(at(), value);
        }
        if LISTS.contains(&keyword) {
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                each(at().index(index), item);
            }
        }
        if MAPS.contains(&keyword) {
            for (name, schema) in value.as_object().into_iter().flat_map(Object::iter) {
                each(at().member(name), schema);
            }
        }
    }
}

/// The fragment of a URI, with its escapes resolved.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let hex = str::from_utf8(after.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        rest = after.get(2..)?;
    }
    String::from_utf8(bytes).ok()
}
