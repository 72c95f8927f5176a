//! Random valid values as a strategy of proptest.
//!
//! The strategy draws all randomness from the runner, so that a seed repeats its values, and shrinks by values that stay valid.
//! A tree of proptest's own strategies could not be built for schemas that refer to themselves or have many alternatives.

use std::sync::Arc;

use mcp_test_core::json::Value;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::{Reason, TestRunner};

use super::classifier::Classifier;
use super::random::RandomValue;
use super::sample::Class;

/// How many random values are rejected before the strategy gives up on one.
const MAX_REJECTED: usize = 64;

/// Random valid values.
#[derive(Debug)]
pub(super) struct ValidValues {
    classifier: Arc<Classifier>,
}

impl ValidValues {
    pub(super) fn new(classifier: Arc<Classifier>) -> Self {
        Self { classifier }
    }
}

impl Strategy for ValidValues {
    type Tree = ValidValueTree;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        self.classifier.model.begin_phase();
        for _ in 0..MAX_REJECTED {
            let random =
                RandomValue::new(&self.classifier.model, runner.rng()).of(&self.classifier.root);
            if let Some(value) = random.filter(|value| self.classifier.is_valid_sample(value)) {
                let classifier = Arc::clone(&self.classifier);
                return Ok(ValidValueTree {
                    classifier,
                    failing: value.clone(),
                    value,
                    smaller: Vec::new().into_iter(),
                });
            }
        }
        let reason =
            format!("none of {MAX_REJECTED} random values in a row was valid by the schema");
        Err(Reason::from(reason))
    }
}

/// A random value that shrinks.
#[derive(Debug)]
pub(super) struct ValidValueTree {
    classifier: Arc<Classifier>,
    value: Value,
    /// The smallest value that is known to fail.
    failing: Value,
    /// What has not been tried of the values that are smaller than that.
    smaller: std::vec::IntoIter<Value>,
}

impl ValidValueTree {
    fn next(&mut self) -> bool {
        let same_class = self.classifier.class_filter(&self.failing, &Class::Valid);
        let next = self.smaller.find(|candidate| same_class(candidate));
        drop(same_class);
        let found = next.is_some();
        self.value = next.unwrap_or_else(|| self.failing.clone());
        found
    }
}

impl ValueTree for ValidValueTree {
    type Value = Value;

    fn current(&self) -> Value {
        self.value.clone()
    }

    fn simplify(&mut self) -> bool {
        self.failing = self.value.clone();
        self.smaller = self.classifier.smaller_candidates(&self.failing, &Class::Valid).into_iter();
        self.next()
    }

    fn complicate(&mut self) -> bool {
        self.next()
    }
}
