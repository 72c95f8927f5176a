//! Which class a value is of, by the validator and by what a client may send.

use mcp_test_core::json::{Number, Object, Pointer, Value};
use mcp_test_core::json_schema::{Aborted, Failure, Limits};
use mcp_test_core::spec::{ParamHeader, param_headers};

use super::GenerateError;
use super::coverage::Coverage;
use super::leaf::MAX_DEPTH;
use super::model::{Model, Preference, Schemas};
use super::numbers;
use super::sample::Class;
use super::shape::Kinds;
use super::smaller;

/// A compiled schema, which classifies values. The generator shares it with its strategies.
#[derive(Debug)]
pub(super) struct Classifier {
    pub(super) model: Model,
    pub(super) root: Schemas,
    /// The smallest valid value.
    pub(super) smallest: Value,
    /// The arguments that a client mirrors into headers.
    headers: Vec<ParamHeader>,
    /// The numbers that the schema states as bounds.
    bounds: Vec<Number>,
}

impl Classifier {
    pub(super) fn compile(schema: &Value, limits: &Limits) -> Result<Self, GenerateError> {
        let schema = for_objects(schema);
        let model = Model::compile(&schema, limits)?;
        // An invalid annotation makes the tool unusable over HTTP, where its headers are; elsewhere it means nothing.
        let headers = param_headers(&schema).unwrap_or_default();
        let bounds = bounds_of(&schema);
        let mut this = Self { model, root: [0].into(), smallest: Value::Null, headers, bounds };
        this.smallest = this.find_smallest()?;
        Ok(this)
    }

    fn find_smallest(&self) -> Result<Value, GenerateError> {
        let small = [Preference::Smallest, Preference::Typical].into_iter();
        let small =
            small.filter_map(|preference| self.model.value(&self.root, preference, MAX_DEPTH));
        let mut aborted = None;
        let shapes = self.model.shapes(&self.root);
        // Other alternatives, where the keywords of one exclude each other in a way that only the validator sees.
        let other = shapes.iter().take(64).flat_map(|shape| {
            self.model.candidates(shape, Preference::Smallest, MAX_DEPTH).into_iter()
        });
        let varied = || Coverage::new(&self.model).variants(&self.root, Kinds::OBJECT).into_iter();
        let varied = std::iter::once_with(varied).flatten().map(|variant| variant.value);
        for value in small.chain(other).map(|it| it.value).chain(varied).take(1000) {
            match self.model.validator.is_valid(&value) {
                Ok(true) if value.is_object() && self.is_sendable(&value) => return Ok(value),
                Ok(_) => {}
                // Others will take as long.
                Err(error) => {
                    aborted = Some(error);
                    break;
                }
            }
        }
        let unsatisfiable = || GenerateError::Unsatisfiable { pointer: Pointer::root() };
        let undecided = aborted.map(|error: Aborted| GenerateError::Undecided(error));
        Err(undecided.or_else(|| self.model.problem()).unwrap_or_else(unsatisfiable))
    }

    /// Whether a client may send the value: an integer that is mirrored into a header is in the range of JavaScript, as
    /// `tools.x-mcp-header.integer-safe-range` requires. Texts of any kind can be mirrored.
    pub(super) fn is_sendable(&self, value: &Value) -> bool {
        let mirrored = self.headers.iter().filter_map(|header| value.at(&header.pointer));
        mirrored.into_iter().all(|value| !numbers::is_unsafe_integer(value))
    }

    pub(super) fn is_valid_sample(&self, value: &Value) -> bool {
        value.is_object()
            && self.is_sendable(value)
            && self.model.validator.is_valid(value) == Ok(true)
    }

    /// The only failure of a value; `None` if there is none or several.
    pub(super) fn only_failure(&self, value: &Value) -> Option<Failure> {
        let mut failures = self.model.validator.failures(value).ok()?.into_iter();
        failures.next().filter(|_| failures.next().is_none())
    }

    /// Whether a value is of the same class as `original`.
    pub(super) fn class_filter<'a>(
        &'a self,
        original: &Value,
        class: &Class,
    ) -> Box<dyn Fn(&Value) -> bool + 'a> {
        match class.clone() {
            Class::Valid => Box::new(|value| self.is_valid_sample(value)),
            Class::Invalid { keyword, instance } => Box::new(move |value| {
                let is_same = |failure: &Failure| {
                    is_named(&keyword, &failure.keyword)
                        && is_similar(&failure.mismatch.pointer, &instance)
                };
                value.is_object()
                    && self.is_sendable(value)
                    && self.only_failure(value).as_ref().is_some_and(is_same)
            }),
            Class::FormatOnly { instance } => {
                let text = original.at(instance.as_str()).cloned();
                Box::new(move |value| {
                    self.is_valid_sample(value) && value.at(instance.as_str()) == text.as_ref()
                })
            }
        }
    }

    /// Smaller values of any class.
    pub(super) fn smaller_candidates(&self, value: &Value, class: &Class) -> Vec<Value> {
        let candidates = smaller::candidates(value, &self.bounds);
        let is_smaller = smaller::size_key(&self.smallest) < smaller::size_key(value);
        let smallest = (class.is_valid() && is_smaller).then(|| self.smallest.clone());
        smallest.into_iter().chain(candidates).collect()
    }
}

/// Whether the validator means a keyword of the schema by the name that it gives to a failure.
pub(super) fn is_named(keyword: &str, reported: &str) -> bool {
    let others: &[&str] = match keyword {
        "dependentRequired" | "dependencies" => &["required", "dependentRequired", "dependencies"],
        "items" | "additionalItems" => &["additionalItems", "falseSchema"],
        "additionalProperties" => &["falseSchema"],
        _ => &[],
    };
    keyword == reported || others.contains(&reported)
}

/// Whether two locations are the same but for the indices of items.
fn is_similar(one: &Pointer, other: &Pointer) -> bool {
    let is_index =
        |token: &str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    let tokens = |pointer: &Pointer| {
        pointer
            .tokens()
            .map(|it| if is_index(&it) { "0".to_owned() } else { it })
            .collect::<Vec<_>>()
    };
    tokens(one) == tokens(other)
}

/// The schema, without the types other than objects.
fn for_objects(schema: &Value) -> Value {
    let mut object = match schema {
        Value::Bool(true) => Object::new(),
        Value::Object(members) => members.clone(),
        other => return other.clone(),
    };
    let allows_objects = match object.get("type") {
        None => true,
        Some(Value::Array(types)) => types.contains(&"object".into()),
        Some(_) => false,
    };
    if allows_objects {
        object.insert("type", "object");
    }
    Value::Object(object)
}

/// The numbers that the schema states for numbers, at most 32.
fn bounds_of(schema: &Value) -> Vec<Number> {
    let mut found = Vec::new();
    let mut left = vec![schema];
    while let Some(value) = left.pop() {
        if let Value::Object(members) = value {
            let bounds =
                ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
            found.extend(bounds.iter().filter_map(|it| members.get(it)?.as_number().cloned()));
            left.extend(members.iter().map(|(_, value)| value));
        }
        left.extend(value.as_array().unwrap_or_default());
    }
    found.truncate(32);
    found
}
