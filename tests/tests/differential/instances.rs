//! Generates instances of a definition from its schema.
//!
//! Most of them are valid. Some are not, because parts of an `allOf` conflict or because the depth is limited. That does not
//! matter: every instance is validated by all validators, and only has to have the same result.

use serde_json::{Map, Value, json};

use crate::document::Document;
use crate::random::Random;
use crate::values;

/// The depth after which only required members are generated.
const OPTIONAL_DEPTH: usize = 6;

/// The depth after which not even required members are generated, so that recursive definitions end.
const MAX_DEPTH: usize = 24;

/// The number of values after which only required members are generated.
const SIZE: usize = 40;

/// A generator of instances.
pub(crate) struct Instances<'a> {
    document: &'a Document,
    random: Random,
    /// The number of values that the instance may still have.
    left: usize,
}

impl<'a> Instances<'a> {
    pub(crate) fn new(document: &'a Document, random: Random) -> Self {
        Self { document, random, left: 0 }
    }

    /// An instance of a definition.
    pub(crate) fn instance(&mut self, name: &str) -> Value {
        self.left = SIZE;
        self.value(&self.document.definitions[name], 0)
    }

    fn value(&mut self, schema: &'a Value, depth: usize) -> Value {
        self.left = self.left.saturating_sub(1);
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap_or_default();
            return self.value(&self.document.definitions[name], depth + 1);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return self.random.pick(values).clone();
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            let branch = self.branch(branches, depth);
            return self.value(branch, depth);
        }
        if let Some(parts) = schema["allOf"].as_array() {
            return self.all(parts, depth);
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => self.random.pick(kinds).as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("object") => self.object(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("string") => self.string(schema),
            Some(kind @ ("integer" | "number")) => self.number(schema, kind == "integer"),
            Some("boolean") => json!(self.random.once_in(2)),
            Some("null") => Value::Null,
            _ => self.anything(),
        }
    }

    /// Whether optional members may still be generated.
    fn may_add_optional(&self, depth: usize) -> bool {
        depth <= OPTIONAL_DEPTH && self.left > 0
    }

    /// A branch; where nothing optional may be added, one without a reference if there is one.
    fn branch(&mut self, branches: &'a [Value], depth: usize) -> &'a Value {
        let shallow = || branches.iter().find(|branch| branch.get("$ref").is_none());
        match (self.may_add_optional(depth), shallow()) {
            (false, Some(branch)) => branch,
            _ => self.random.pick(branches),
        }
    }

    /// Merges an instance of each part; later parts are more specific.
    fn all(&mut self, parts: &'a [Value], depth: usize) -> Value {
        let mut whole = Map::new();
        for part in parts {
            match self.value(part, depth) {
                Value::Object(members) => whole.extend(members),
                other => return other,
            }
        }
        Value::Object(whole)
    }

    fn object(&mut self, schema: &'a Value, depth: usize) -> Value {
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|own| own == name))
        };
        let mut members = Map::new();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if required(name) || self.may_add_optional(depth) && self.random.once_in(2) {
                members.insert(name.clone(), self.value(schema, depth + 1));
            }
        }
        let rest = &schema["additionalProperties"];
        let one_in =
            if rest.is_object() && rest.get("type").or(rest.get("$ref")).is_some() { 2 } else { 6 };
        while *rest != false && self.may_add_optional(depth) && self.random.once_in(one_in) {
            let name = *self.random.pick(&values::EXTRA);
            if schema["properties"].get(name).is_none() {
                members.insert(name.to_owned(), self.value(rest, depth + 1));
            }
        }
        Value::Object(members)
    }

    fn array(&mut self, schema: &'a Value, depth: usize) -> Value {
        let mut items = Vec::new();
        while items.len() < 3 && self.may_add_optional(depth) && !self.random.once_in(3) {
            items.push(self.value(&schema["items"], depth + 1));
        }
        if let Some(most) = schema["maxItems"].as_u64()
            && self.random.once_in(8)
        {
            let item = self.value(&schema["items"], MAX_DEPTH);
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            // One less, exactly as many, or one more.
            items.resize(most + self.random.below(3) - 1, item);
        }
        Value::Array(items)
    }

    fn string(&mut self, schema: &Value) -> Value {
        let valid = schema["format"].as_str().and_then(values::valid);
        let strings = valid.unwrap_or(&values::STRINGS);
        json!(self.random.pick(strings))
    }

    fn number(&mut self, schema: &Value, whole: bool) -> Value {
        let bound = |name: &str, otherwise: f64| schema[name].as_f64().unwrap_or(otherwise);
        let (least, most) = (bound("minimum", f64::MIN), bound("maximum", f64::MAX));
        let numbers = values::numbers();
        let fits = |number: &Value| {
            number.as_f64().is_some_and(|number| {
                (least..=most).contains(&number) && (!whole || number.fract() == 0.0)
            })
        };
        let fitting: Vec<_> = numbers.into_iter().filter(fits).collect();
        self.random.pick(&fitting).clone()
    }

    fn anything(&mut self) -> Value {
        self.random.pick(&values::kinds()).clone()
    }
}
