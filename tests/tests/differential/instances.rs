//! Makes instances of a definition, by walking its schema.
//!
//! Most of them are valid. What is not, where branches of an `allOf` get into each other's way or where it gets too deep, is
//! no mistake: whoever asks has both sides judge each instance anyway.

use serde_json::{Map, Value, json};

use crate::document::Document;
use crate::random::Random;
use crate::words;

/// How deep references go before only what has to be there is written.
const DEPTH: usize = 6;

/// Where it ends even for what has to be there.
const BOTTOM: usize = 24;

/// How many values an instance has before only what has to be there is written.
const SIZE: usize = 40;

/// A maker of instances.
pub(crate) struct Instances<'a> {
    document: &'a Document,
    random: Random,
    /// How many values the instance may still have.
    left: usize,
}

impl<'a> Instances<'a> {
    pub(crate) fn new(document: &'a Document, random: Random) -> Self {
        Self { document, random, left: 0 }
    }

    /// An instance of a definition.
    pub(crate) fn of(&mut self, name: &str) -> Value {
        self.left = SIZE;
        self.value(&self.document.definitions[name], 0)
    }

    fn value(&mut self, schema: &'a Value, depth: usize) -> Value {
        self.left = self.left.saturating_sub(1);
        if depth > BOTTOM {
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

    /// Whether there is still room for what need not be there.
    fn is_roomy(&self, depth: usize) -> bool {
        depth <= DEPTH && self.left > 0
    }

    /// A branch; where it gets deep, one that goes no deeper.
    fn branch(&mut self, branches: &'a [Value], depth: usize) -> &'a Value {
        let shallow = || branches.iter().find(|branch| branch.get("$ref").is_none());
        match (self.is_roomy(depth), shallow()) {
            (false, Some(branch)) => branch,
            _ => self.random.pick(branches),
        }
    }

    /// An instance of each part, laid upon each other: the later part says it more exactly.
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
            if required(name) || self.is_roomy(depth) && self.random.once_in(2) {
                members.insert(name.clone(), self.value(schema, depth + 1));
            }
        }
        let rest = &schema["additionalProperties"];
        let often =
            if rest.is_object() && rest.get("type").or(rest.get("$ref")).is_some() { 2 } else { 6 };
        while *rest != false && self.is_roomy(depth) && self.random.once_in(often) {
            let name = *self.random.pick(&words::EXTRA);
            if schema["properties"].get(name).is_none() {
                members.insert(name.to_owned(), self.value(rest, depth + 1));
            }
        }
        Value::Object(members)
    }

    fn array(&mut self, schema: &'a Value, depth: usize) -> Value {
        let mut items = Vec::new();
        while items.len() < 3 && self.is_roomy(depth) && !self.random.once_in(3) {
            items.push(self.value(&schema["items"], depth + 1));
        }
        if let Some(most) = schema["maxItems"].as_u64()
            && self.random.once_in(8)
        {
            let item = self.value(&schema["items"], BOTTOM);
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            items.resize(most + self.random.below(3) - 1, item);
        }
        Value::Array(items)
    }

    fn string(&mut self, schema: &Value) -> Value {
        let right = schema["format"].as_str().and_then(words::right);
        let strings = right.unwrap_or(&words::STRINGS);
        json!(self.random.pick(strings))
    }

    fn number(&mut self, schema: &Value, whole: bool) -> Value {
        let bound = |name: &str, otherwise: f64| schema[name].as_f64().unwrap_or(otherwise);
        let (least, most) = (bound("minimum", f64::MIN), bound("maximum", f64::MAX));
        let numbers = words::numbers();
        let fits = |number: &Value| {
            number.as_f64().is_some_and(|number| {
                (least..=most).contains(&number) && (!whole || number.fract() == 0.0)
            })
        };
        let fitting: Vec<_> = numbers.into_iter().filter(fits).collect();
        self.random.pick(&fitting).clone()
    }

    fn anything(&mut self) -> Value {
        self.random.pick(&words::kinds()).clone()
    }
}
