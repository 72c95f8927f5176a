//! The generator: what each of its phases makes.

use std::sync::Arc;

use mcp_test_core::json::Value;
use mcp_test_core::json_schema::Limits;
use proptest::strategy::{BoxedStrategy, Strategy as _};

use super::GenerateError;
use super::classifier::Classifier;
use super::coverage::Coverage;
use super::sample::{Class, Sample};
use super::sample_set::Samples;
use super::shape::Kinds;
use super::strategy::ValidValues;
use super::variant::Variant;
use super::violations::Violations;

/// Generates arguments for a tool from its `inputSchema`: a JSON Schema of any dialect from draft 4 to 2020-12.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test_suite::generate::Generator;
/// use mcp_test_core::json_schema::Limits;
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
/// # Ok::<(), mcp_test_suite::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Generator {
    classifier: Arc<Classifier>,
}

impl Generator {
    /// Compiles a schema. Whatever it allows, only objects are generated, since the arguments of a tool are one.
    ///
    /// # Errors
    /// Fails if the schema cannot be used or exceeds a limit, if it requires more than is generated, or if no valid value is found.
    pub fn new(schema: &Value, limits: &Limits) -> Result<Self, GenerateError> {
        let classifier = Classifier::compile(schema, limits)?;
        Ok(Self { classifier: Arc::new(classifier) })
    }

    /// Valid values that the schema states itself: its `examples`, `default` and `const`, and objects composed of those that the
    /// members state.
    #[must_use]
    pub fn stated(&self) -> Vec<Sample> {
        let mut samples = Samples::new(&self.classifier);
        samples.add_valid(self.classifier.model.stated_values(&self.classifier.root));
        samples.samples
    }

    /// Valid values: the smallest one, and each keyword at its boundaries.
    #[must_use]
    pub fn coverage(&self) -> Vec<Sample> {
        let classifier = &*self.classifier;
        let mut samples = Samples::new(classifier);
        let smallest = classifier.smallest.clone();
        samples.add_valid([Variant::at(
            &classifier.model,
            smallest,
            ("type", 0),
            "is as small as possible",
        )]);
        samples
            .add_valid(Coverage::new(&classifier.model).variants(&classifier.root, Kinds::OBJECT));
        samples.samples
    }

    /// Values that each violate one keyword at one location, and those that only lack a stated `format`.
    #[must_use]
    pub fn invalid(&self) -> Vec<Sample> {
        let classifier = &*self.classifier;
        let mut samples = Samples::new(classifier);
        samples.add_invalid(Violations::new(&classifier.model).variants(&classifier.root));
        samples.samples
    }

    /// Random valid values. Whoever runs the strategy chooses the seed.
    ///
    /// A value that is not valid is drawn again; after 64 in a row the strategy gives up, as proptest provides for.
    pub fn strategy(&self) -> BoxedStrategy<Value> {
        ValidValues::new(Arc::clone(&self.classifier)).boxed()
    }

    /// Smaller values of the same class, the smallest first: for shrinking by repeating a call. None is as large as `value`, so
    /// that repeated shrinking ends.
    pub fn smaller<'a>(
        &'a self,
        value: &Value,
        class: &Class,
    ) -> impl Iterator<Item = Value> + use<'a> {
        let same_class = self.classifier.class_filter(value, class);
        self.classifier
            .smaller_candidates(value, class)
            .into_iter()
            .filter(move |it| same_class(it))
    }
}
