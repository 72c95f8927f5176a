//! Objects: their required members, and which schemas apply to a member.

use std::collections::HashMap;

use super::GenerateError;
use super::document::NodeId;
use super::leaf::MAX_PARTS;
use super::model::{Model, Preference, Schemas, Sized, sized_within};
use super::shape::Shape;
use crate::json::{Object, Value};

/// Names for members that no keyword names.
const MORE_NAMES: [&str; 4] = ["extra", "x", "a", "A1"];

impl Model {
    /// The schemas for a member of this name.
    pub(super) fn member_schemas(&self, shape: &Shape, name: &str) -> Schemas {
        let mut all = Vec::new();
        for node in &shape.members {
            let before = all.len();
            all.extend(self.document.child(*node, &["properties", name]));
            for pattern in self.name_patterns(*node) {
                if self.pattern(pattern).matches(name) {
                    all.extend(self.document.child(*node, &["patternProperties", pattern]));
                }
            }
            if all.len() == before {
                all.extend(self.document.child(*node, &["additionalProperties"]));
            }
        }
        all.dedup();
        all.into()
    }

    fn name_patterns(&self, node: NodeId) -> impl Iterator<Item = &str> {
        let patterns =
            self.document.node(node).schema.get("patternProperties").and_then(Value::as_object);
        patterns.into_iter().flat_map(Object::keys)
    }

    /// Names for members that the schema does not name, with the pattern that one matches.
    pub(super) fn further_names(&self, shape: &Shape) -> Vec<(String, Option<NodeId>)> {
        let named = &shape.member_names;
        let mut names = Vec::new();
        for node in &shape.members {
            for pattern in self.name_patterns(*node) {
                let pattern_node = self.document.child(*node, &["patternProperties", pattern]);
                let compiled = self.pattern(pattern);
                let (least, most) = compiled.lengths();
                let lengths = [least.max(1).min(most.unwrap_or(usize::MAX)), least + 3];
                let texts = lengths.into_iter().filter(|length| *length <= 64);
                let mut texts = texts.filter_map(|length| compiled.text(length, &mut |_| 0));
                names
                    .extend(texts.find(|it| compiled.matches(it)).map(|name| (name, pattern_node)));
            }
        }
        if !shape.names.is_empty() {
            let schemas: Schemas = shape.names.as_slice().into();
            let by_schema = self.distinct(&schemas, 1).into_iter().take(MAX_PARTS);
            names.extend(by_schema.filter_map(|it| Some((it.value.as_str()?.to_owned(), None))));
        }
        names.extend(MORE_NAMES.into_iter().map(|name| (name.to_owned(), None)));
        names.retain(|(name, _)| {
            !named.contains(name)
                && (shape.names.is_empty() || self.accepts_by(&shape.names, &name.as_str().into()))
        });
        names
    }

    /// An object with the required members and these.
    pub(super) fn object(
        &self,
        shape: &Shape,
        given: &[(String, Value)],
        preference: Preference,
        depth: usize,
    ) -> Option<Sized> {
        let (mut object, mut size) = (Object::new(), 2_usize);
        for (name, value) in given {
            object.insert(name.as_str(), value.clone());
            size = size.saturating_add(name.len() + 4).saturating_add(approximate_size(value));
        }
        let mut names: Vec<String> = shape.required.iter().map(|(name, _)| name.clone()).collect();
        let mut next = 0;
        // Members may require further ones.
        loop {
            let known = names.iter().chain(given.iter().map(|(name, _)| name));
            let is_triggered = |trigger: &String| known.clone().any(|name| name == trigger);
            let more = shape.dependencies.iter().filter(|it| is_triggered(&it.trigger));
            let more: Vec<String> =
                more.flat_map(|it| it.names.clone()).filter(|it| !names.contains(it)).collect();
            names.extend(more);
            let Some(name) = names.get(next).cloned() else { break };
            next += 1;
            if !object.contains(&name) {
                size = self.add_member(shape, &mut object, size, &name, preference, depth)?;
            }
        }
        self.fill(shape, &mut object, &mut size, preference, depth)?;
        // In the order of the schema, which is what people expect to read.
        let order: HashMap<&str, usize> =
            shape.member_names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let mut members: Vec<(String, Value)> = object.into_iter().collect();
        members.sort_by_key(|(name, _)| order.get(name.as_str()).copied().unwrap_or(usize::MAX));
        sized_within(self, shape, Value::Object(members.into()), size)
    }

    /// Adds members until there are as many as required.
    fn fill(
        &self,
        shape: &Shape,
        object: &mut Object,
        size: &mut usize,
        preference: Preference,
        depth: usize,
    ) -> Option<()> {
        let Some((least, node)) = shape.least("minProperties") else { return Some(()) };
        if least > MAX_PARTS {
            let pointer = self.pointer(node, "minProperties");
            self.note(GenerateError::TooLarge {
                pointer,
                part: "member",
                required: least,
                most: MAX_PARTS,
            });
            return None;
        }
        let further = self.further_names(shape).into_iter().map(|(name, _)| name);
        let counted = (0..least).map(|number| format!("extra{number}"));
        for name in shape.member_names.iter().cloned().chain(further).chain(counted) {
            if object.len() >= least {
                break;
            }
            // Members that are not allowed are no reason to report.
            let is_allowed = || !self.shapes(&self.member_schemas(shape, &name)).is_empty();
            if !object.contains(&name) && is_allowed() {
                let added = self.add_member(shape, object, *size, &name, preference, depth);
                *size = added.unwrap_or(*size);
            }
        }
        if object.len() < least {
            self.note(GenerateError::Unsatisfiable {
                pointer: self.pointer(node, "minProperties"),
            });
            return None;
        }
        Some(())
    }

    /// Adds a member, and returns the new size.
    fn add_member(
        &self,
        shape: &Shape,
        object: &mut Object,
        size: usize,
        name: &str,
        preference: Preference,
        depth: usize,
    ) -> Option<usize> {
        if shape.forbidden.iter().any(|forbidden| forbidden == name) {
            return None;
        }
        let schemas = self.member_schemas(shape, name);
        let depth = depth.checked_sub(1)?;
        let mut value = self.value(&schemas, preference, depth)?;
        let avoided = shape.avoided.iter().find(|(avoided, _)| avoided == name);
        if let Some((_, node)) = avoided.filter(|(_, node)| self.accepts_by(&[*node], &value.value))
        {
            let others = self.distinct(&schemas, depth).into_iter().take(MAX_PARTS);
            value = others
                .into_iter()
                .find(|it| !self.accepts_by(&[*node], &it.value))
                .unwrap_or(value);
        }
        object.insert(name, value.value);
        Some(size.saturating_add(name.len() + 4).saturating_add(value.size))
    }
}

/// The size of a value whose parts are not looked into: it is only ever a sample, which is bounded already.
fn approximate_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        _ => 8,
    }
}
