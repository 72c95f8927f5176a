//! Objects: their required members, and which schemas apply to a member.

use std::collections::{HashMap, HashSet};

use mcp_test_core::json::{Object, Value};

use super::GenerateError;
use super::document::NodeId;
use super::leaf::{MAX_PARTS, Sized};
use super::model::{Model, Preference, Schemas};
use super::shape::Shape;

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
                let lengths =
                    [least.max(1).min(most.unwrap_or(usize::MAX)), least.saturating_add(3)];
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
        let (members, known) = (Vec::new(), HashSet::new());
        let mut builder =
            ObjectBuilder { model: self, shape, preference, depth, members, known, size: 2 };
        for (name, value) in given {
            builder.insert(name, Sized { value: value.clone(), size: approximate_size(value) });
        }
        let given = given.iter().map(|(name, _)| name.as_str());
        let mut names: Vec<&str> =
            given.chain(shape.required.iter().map(|(name, _)| name.as_str())).collect();
        // Those that are added come last.
        names.reverse();
        while let Some(name) = names.pop() {
            if !builder.known.contains(name) {
                builder.add(name)?;
            }
            // Members may require further ones.
            let triggered = shape.dependencies.iter().filter(|it| it.trigger == name);
            let required = triggered.flat_map(|it| it.names.iter().map(String::as_str));
            names.extend(required.filter(|it| !builder.known.contains(*it)));
        }
        self.fill(&mut builder)?;
        // In the order of the schema, which is what people expect to read.
        let order: HashMap<&str, usize> =
            shape.member_names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let mut members = builder.members;
        members.sort_by_key(|(name, _)| order.get(name.as_str()).copied().unwrap_or(usize::MAX));
        self.sized_within(shape, Value::Object(members.into()), builder.size)
    }

    /// Adds members until there are as many as required.
    fn fill(&self, builder: &mut ObjectBuilder<'_>) -> Option<()> {
        let shape = builder.shape;
        let Some((least, node)) = shape.least("minProperties") else { return Some(()) };
        let pointer = || self.pointer(node, "minProperties");
        if least > MAX_PARTS {
            let (part, required, most) = ("member", least, MAX_PARTS);
            self.note(GenerateError::TooLarge { pointer: pointer(), part, required, most });
            return None;
        }
        let further = self.further_names(shape).into_iter().map(|(name, _)| name);
        let counted = (0..least).map(|number| format!("extra{number}"));
        for name in shape.member_names.iter().cloned().chain(further).chain(counted) {
            if builder.members.len() >= least {
                return Some(());
            }
            // Members that are not allowed are not reported.
            let is_allowed = || !self.shapes(&self.member_schemas(shape, &name)).is_empty();
            if !builder.known.contains(&name) && is_allowed() {
                // Another name may do.
                let _ = builder.add(&name);
            }
        }
        let is_enough = builder.members.len() >= least;
        if !is_enough {
            self.note(GenerateError::Unsatisfiable { pointer: pointer() });
        }
        is_enough.then_some(())
    }
}

/// The members of an object so far.
struct ObjectBuilder<'a> {
    model: &'a Model,
    shape: &'a Shape,
    preference: Preference,
    depth: usize,
    members: Vec<(String, Value)>,
    known: HashSet<String>,
    size: usize,
}

impl ObjectBuilder<'_> {
    fn insert(&mut self, name: &str, member: Sized) {
        self.size = self.size.saturating_add(name.len() + 4).saturating_add(member.size);
        self.known.insert(name.to_owned());
        self.members.push((name.to_owned(), member.value));
    }

    /// Adds a member; `None` if it has no value.
    fn add(&mut self, name: &str) -> Option<()> {
        if self.shape.forbidden.iter().any(|forbidden| forbidden == name) {
            return None;
        }
        let model = self.model;
        model.spend(1)?;
        let schemas = model.member_schemas(self.shape, name);
        let depth = self.depth.checked_sub(1)?;
        let mut member = model.value(&schemas, self.preference, depth)?;
        let avoided = self.shape.avoided.iter().find(|(avoided, _)| avoided == name);
        if let Some((_, node)) =
            avoided.filter(|(_, node)| model.accepts_by(&[*node], &member.value))
        {
            let mut others = model.distinct(&schemas, depth).into_iter().take(MAX_PARTS);
            member = others.find(|it| !model.accepts_by(&[*node], &it.value)).unwrap_or(member);
        }
        self.insert(name, member);
        Some(())
    }
}

/// The size of a value whose parts are not looked into: it is only ever a sample, which is bounded already.
fn approximate_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        _ => 8,
    }
}
