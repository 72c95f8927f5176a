//! The generator: makes variants, keeps those that the validator classifies as intended, and merges equal ones.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use proptest::strategy::{BoxedStrategy, Strategy as _};

use super::GenerateError;
use super::coverage::Coverage;
use super::leaf::MAX_DEPTH;
use super::model::{Model, Preference, Schemas};
use super::numbers;
use super::sample::{Class, Exercised, Sample};
use super::shape::Kinds;
use super::smaller;
use super::strategy::ValidValues;
use super::variant::Variant;
use super::violations::Violations;
use crate::clock::Deadline;
use crate::json::{Number, Object, Pointer, Value};
use crate::json_schema::{Aborted, Failure, Limits};
use crate::spec::{ParamHeader, param_headers};

/// How long the samples of one phase may take. The number of variants bounds ordinary schemas long before that; this is for those
/// that are slow to validate.
const MAX_TIME: Duration = Duration::from_secs(2);

/// How many bytes of JSON the samples of one phase have at most, roughly.
const MAX_TOTAL: usize = 16 << 20;

/// Generates arguments for a tool from its `inputSchema`: a JSON Schema of any dialect from draft 4 to 2020-12.
///
/// ```
/// use mcp_test::generate::Generator;
/// use mcp_test::json_schema::Limits;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "required": ["name"],
///     "properties": {"name": {"type": "string", "minLength": 1}, "limit": {"type": "integer", "maximum": 10}},
/// });
/// let generator = Generator::new(&schema.into(), &Limits::default())?;
///
/// let valid = generator.coverage();
/// assert_eq!(valid[0].value, json!({"name": "a"}));
/// assert!(valid.iter().any(|sample| sample.value == json!({"name": "a", "limit": 10})));
///
/// let invalid = generator.invalid();
/// let empty = invalid.iter().find(|sample| sample.value == json!({"name": ""})).expect("it is too short");
/// assert_eq!(empty.exercised[0].description, "`name` is shorter than allowed, 0 characters");
/// # Ok::<(), mcp_test::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Generator {
    inner: Arc<Inner>,
}

/// What the generator shares with its strategies.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) model: Model,
    pub(super) root: Schemas,
    /// The smallest valid value.
    smallest: Value,
    /// The arguments that a client mirrors into headers.
    headers: Vec<ParamHeader>,
    /// The numbers that the schema states as bounds.
    bounds: Vec<Number>,
}

impl Generator {
    /// Compiles a schema. Whatever it allows, only objects are generated, since the arguments of a tool are one.
    ///
    /// # Errors
    /// Fails if the schema cannot be used or exceeds a limit, if it requires more than is generated, or if no valid value is found.
    pub fn new(schema: &Value, limits: &Limits) -> Result<Self, GenerateError> {
        let schema = for_objects(schema);
        let model = Model::compile(&schema, limits)?;
        // An invalid annotation makes the tool unusable over HTTP, where its headers are; elsewhere it means nothing.
        let headers = param_headers(&schema).unwrap_or_default();
        let bounds = bounds_of(&schema);
        let mut inner = Inner { model, root: [0].into(), smallest: Value::Null, headers, bounds };
        inner.smallest = inner.find_smallest()?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Valid values that the schema states itself: its `examples`, `default` and `const`, and objects composed of those that the
    /// members state.
    #[must_use]
    pub fn stated(&self) -> Vec<Sample> {
        let mut samples = Samples::new(&self.inner);
        samples.add_valid(self.inner.model.stated_values(&self.inner.root));
        samples.samples
    }

    /// Valid values: the smallest one, and each keyword at its boundaries.
    #[must_use]
    pub fn coverage(&self) -> Vec<Sample> {
        let inner = &*self.inner;
        let mut samples = Samples::new(inner);
        let smallest = inner.smallest.clone();
        samples.add_valid([Variant::at(
            &inner.model,
            smallest,
            ("type", 0),
            "is as small as possible",
        )]);
        samples.add_valid(Coverage::new(&inner.model).variants(&inner.root, Kinds::OBJECT));
        samples.samples
    }

    /// Values that each violate one keyword at one location, and those that only lack a stated `format`.
    #[must_use]
    pub fn invalid(&self) -> Vec<Sample> {
        let inner = &*self.inner;
        let mut samples = Samples::new(inner);
        samples.add_invalid(Violations::new(&inner.model).variants(&inner.root));
        samples.samples
    }

    /// Random valid values. Whoever runs the strategy chooses the seed.
    ///
    /// A value that is not valid is drawn again; after 64 in a row the strategy gives up, as proptest provides for.
    #[must_use]
    pub fn strategy(&self) -> BoxedStrategy<Value> {
        ValidValues::new(Arc::clone(&self.inner)).boxed()
    }

    /// Smaller values of the same class, the smallest first: for shrinking by repeating a call. None is as large as `value`, so
    /// that repeated shrinking ends.
    pub fn smaller<'a>(
        &'a self,
        value: &Value,
        class: &Class,
    ) -> impl Iterator<Item = Value> + use<'a> {
        let same_class = self.inner.class_filter(value, class);
        self.inner.smaller_candidates(value, class).into_iter().filter(move |it| same_class(it))
    }
}

impl Inner {
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
    fn is_sendable(&self, value: &Value) -> bool {
        let mirrored = self.headers.iter().filter_map(|header| value.at(&header.pointer));
        mirrored.into_iter().all(|value| !numbers::is_unsafe_integer(value))
    }

    pub(super) fn is_valid_sample(&self, value: &Value) -> bool {
        value.is_object()
            && self.is_sendable(value)
            && self.model.validator.is_valid(value) == Ok(true)
    }

    /// The only failure of a value; `None` if there is none or several.
    fn only_failure(&self, value: &Value) -> Option<Failure> {
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

/// The samples of one phase.
struct Samples<'a> {
    inner: &'a Inner,
    samples: Vec<Sample>,
    /// The index of the sample with a value, by its text.
    by_text: HashMap<String, usize>,
    exercised: HashSet<Exercised>,
    bytes: usize,
    deadline: Deadline,
}

impl<'a> Samples<'a> {
    fn new(inner: &'a Inner) -> Self {
        let (by_text, exercised) = (HashMap::new(), HashSet::new());
        Self {
            inner,
            samples: Vec::new(),
            by_text,
            exercised,
            bytes: 0,
            deadline: Deadline::after(MAX_TIME),
        }
    }

    fn add_valid(&mut self, variants: impl IntoIterator<Item = Variant>) {
        for variant in variants {
            let exercised = variant.exercised.described();
            if self.is_full() {
                break;
            }
            if self.exercised.contains(&exercised) {
                continue;
            }
            let text = variant.value.to_string();
            match self.by_text.get(&text) {
                Some(index) => {
                    self.exercised.insert(exercised.clone());
                    self.samples[*index].exercised.push(exercised);
                }
                None if self.inner.is_valid_sample(&variant.value) => {
                    self.add(text, variant.value, Class::Valid, exercised);
                }
                None => {}
            }
        }
    }

    fn add_invalid(&mut self, variants: impl IntoIterator<Item = Variant>) {
        for variant in variants {
            if self.is_full() {
                break;
            }
            let Variant { value, mut exercised, is_format } = variant;
            let text = value.to_string();
            if self.by_text.contains_key(&text)
                || !value.is_object()
                || !self.inner.is_sendable(&value)
            {
                continue;
            }
            let instance = exercised.instance.clone();
            if is_format {
                if self.inner.is_valid_sample(&value) {
                    self.add(text, value, Class::FormatOnly { instance }, exercised.described());
                }
                continue;
            }
            let Some(failure) = self.inner.only_failure(&value) else { continue };
            let at = &failure.mismatch.pointer;
            // What is wrong with the items may be reported of their array.
            let is_at =
                *at == instance || exercised.keyword.ends_with("tems") && contains(at, &instance);
            if is_named(&exercised.keyword, &failure.keyword) && is_at {
                let keyword = exercised.keyword.clone();
                self.add(
                    text,
                    value,
                    Class::Invalid { keyword, instance: at.clone() },
                    exercised.described(),
                );
            } else if ["anyOf", "oneOf"].contains(&failure.keyword.as_str())
                && (contains(at, &instance) || contains(&instance, at))
            {
                // No alternative allows it any longer, and the validator names only the keyword around them.
                let around = format!("/{}/", failure.keyword);
                let schema =
                    exercised.schema.as_str().rsplit_once(&around).map(|(before, _)| before);
                exercised.schema = schema.and_then(Pointer::parse).unwrap_or(exercised.schema);
                exercised.keyword = failure.keyword.clone();
                let class = Class::Invalid { keyword: failure.keyword, instance: at.clone() };
                self.add(text, value, class, exercised.described());
            }
        }
    }

    fn is_full(&self) -> bool {
        self.bytes > MAX_TOTAL || self.deadline.has_passed()
    }

    fn add(&mut self, text: String, value: Value, class: Class, exercised: Exercised) {
        self.bytes += text.len();
        self.exercised.insert(exercised.clone());
        self.by_text.insert(text, self.samples.len());
        self.samples.push(Sample { value, class, exercised: vec![exercised] });
    }
}

/// Whether the validator means a keyword of the schema by the name that it gives to a failure.
fn is_named(keyword: &str, reported: &str) -> bool {
    let others: &[&str] = match keyword {
        "dependentRequired" | "dependencies" => &["required", "dependentRequired", "dependencies"],
        "items" | "additionalItems" => &["additionalItems", "falseSchema"],
        "additionalProperties" => &["falseSchema"],
        _ => &[],
    };
    keyword == reported || others.contains(&reported)
}

/// Whether a location is that of another one or inside it.
fn contains(outer: &Pointer, inner: &Pointer) -> bool {
    let rest = inner.as_str().strip_prefix(outer.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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
