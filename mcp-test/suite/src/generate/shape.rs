//! One alternative of what a schema allows: its keywords, and those of the schemas that apply to the same value, taken together.

use std::sync::Arc;

use mcp_test_core::json::{Number, Value};

use super::document::NodeId;

/// A set of JSON types, with the integers apart from other numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const FRACTION: Self = Self(8);
    pub(super) const NUMBER: Self = Self(12);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ALL: Self = Self(127);
    const NONE: Self = Self(0);

    /// The kind of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_integer() => Self::INTEGER,
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// What the keyword `type` allows.
    pub(super) fn named(keyword: &Value) -> Self {
        let one = |name: &Value| match name.as_str() {
            Some("null") => Self::NULL,
            Some("boolean") => Self::BOOLEAN,
            Some("integer") => Self::INTEGER,
            Some("number") => Self::NUMBER,
            Some("string") => Self::STRING,
            Some("array") => Self::ARRAY,
            Some("object") => Self::OBJECT,
            _ => Self::NONE,
        };
        match keyword.as_array() {
            Some(names) => names.iter().map(one).fold(Self::NONE, |all, kind| Self(all.0 | kind.0)),
            None => one(keyword),
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is more than one type, the numbers counted as one.
    pub(super) fn is_union(self) -> bool {
        let integers_as_numbers = self.0 & !Self::FRACTION.0;
        integers_as_numbers.count_ones()
            + u32::from(self.has(Self::FRACTION) && !self.has(Self::INTEGER))
            > 1
    }
}

/// A keyword with a number, such as `minimum` or `maxItems`.
#[derive(Debug, Clone)]
pub(super) struct Limit {
    pub(super) keyword: &'static str,
    pub(super) node: NodeId,
    pub(super) number: Number,
}

/// A value of `enum` or `const`.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) value: Value,
    pub(super) keyword: &'static str,
    pub(super) node: NodeId,
}

/// Members that have to be present if another one is.
#[derive(Debug, Clone)]
pub(super) struct Dependency {
    pub(super) trigger: String,
    pub(super) names: Vec<String>,
    pub(super) keyword: &'static str,
    pub(super) node: NodeId,
}

/// One alternative of what a schema allows. Each keyword has the schema that it is from.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// All schemas that apply.
    pub(super) nodes: Vec<NodeId>,
    pub(super) kinds: Kinds,
    /// A schema with the keyword `type`.
    pub(super) typed: Option<NodeId>,
    /// The alternatives of `anyOf`, `oneOf` and `if` that this one is made of: the keyword and the alternative.
    pub(super) branches: Vec<(&'static str, NodeId)>,
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) limits: Vec<Limit>,
    pub(super) patterns: Vec<(String, NodeId)>,
    pub(super) formats: Vec<(String, NodeId)>,
    pub(super) required: Vec<(String, NodeId)>,
    pub(super) dependencies: Vec<Dependency>,
    /// The members that keywords name, in the order of the schema.
    pub(super) member_names: Arc<[String]>,
    /// Members that `not` forbids.
    pub(super) forbidden: Vec<String>,
    /// Members whose values should not be as a schema of `if` describes them.
    pub(super) avoided: Vec<(String, NodeId)>,
    /// Schemas with a keyword for members, and with one for items.
    pub(super) members: Vec<NodeId>,
    pub(super) items: Vec<NodeId>,
    pub(super) contains: Vec<NodeId>,
    pub(super) unique: Option<NodeId>,
    pub(super) names: Vec<NodeId>,
    /// Schemas with `not`.
    pub(super) negations: Vec<NodeId>,
    /// Schemas with `unevaluatedProperties` or `unevaluatedItems`.
    pub(super) closed: Vec<(&'static str, NodeId)>,
    /// Whether the keywords here do not decide by themselves that a value is valid, as with `oneOf` and `not`.
    pub(super) is_partial: bool,
}

impl Shape {
    /// What a schema without keywords allows.
    pub(super) fn any() -> Self {
        Self {
            nodes: Vec::new(),
            kinds: Kinds::ALL,
            typed: None,
            branches: Vec::new(),
            choices: None,
            limits: Vec::new(),
            patterns: Vec::new(),
            formats: Vec::new(),
            required: Vec::new(),
            dependencies: Vec::new(),
            member_names: Arc::default(),
            forbidden: Vec::new(),
            avoided: Vec::new(),
            members: Vec::new(),
            items: Vec::new(),
            contains: Vec::new(),
            unique: None,
            names: Vec::new(),
            negations: Vec::new(),
            closed: Vec::new(),
            is_partial: false,
        }
    }

    /// The highest of the lower limits of a count.
    pub(super) fn least(&self, keyword: &str) -> Option<(usize, NodeId)> {
        self.counts(keyword).max_by_key(|(count, _)| *count)
    }

    /// The lowest of the upper limits of a count.
    pub(super) fn most(&self, keyword: &str) -> Option<(usize, NodeId)> {
        self.counts(keyword).min_by_key(|(count, _)| *count)
    }

    fn counts(&self, keyword: &str) -> impl Iterator<Item = (usize, NodeId)> {
        let limits = self.limits.iter().filter(move |limit| limit.keyword == keyword);
        limits.map(|limit| {
            let count = limit.number.as_u64().and_then(|count| usize::try_from(count).ok());
            (count.unwrap_or(usize::MAX), limit.node)
        })
    }

    /// How many parts it has, which is what a copy of it costs.
    pub(super) fn weight(&self) -> usize {
        let choices = self.choices.as_ref().map_or(0, Vec::len);
        1 + choices
            + self.required.len()
            + self.limits.len()
            + self.nodes.len()
            + self.dependencies.len()
    }

    pub(super) fn is_required(&self, name: &str) -> bool {
        self.required.iter().any(|(required, _)| required == name)
    }

    /// The choices that have an allowed type.
    pub(super) fn allowed_choices(&self) -> Option<impl Iterator<Item = &Choice>> {
        let choices = self.choices.as_ref()?;
        Some(choices.iter().filter(|choice| self.kinds.has(Kinds::of(&choice.value))))
    }

    /// The schema to name for what no keyword states.
    pub(super) fn node(&self) -> NodeId {
        self.typed.or_else(|| self.nodes.first().copied()).unwrap_or_default()
    }
}
