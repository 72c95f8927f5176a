//! The samples of one phase: variants of the intended class, equal ones merged.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use mcp_test_core::clock::ProcessorStopwatch;
use mcp_test_core::json::{Pointer, Value};

use super::classifier::{Classifier, is_named};
use super::sample::{Class, Exercised, Sample};
use super::variant::Variant;

/// How much processor time the samples of one phase may take. Other bounds, which do not depend on the machine, apply long before that; this is for
/// schemas that are slow to validate.
const MAX_TIME: Duration = Duration::from_secs(5);

/// How many bytes of JSON are validated in one phase, roughly.
const MAX_TOTAL: usize = 4 << 20;

/// The samples of one phase.
pub(super) struct Samples<'a> {
    classifier: &'a Classifier,
    pub(super) samples: Vec<Sample>,
    /// The index of the sample with a value, by its text.
    by_text: HashMap<String, usize>,
    exercised: HashSet<Exercised>,
    bytes: usize,
    watch: ProcessorStopwatch,
}

impl<'a> Samples<'a> {
    pub(super) fn new(classifier: &'a Classifier) -> Self {
        classifier.model.begin_phase();
        let (by_text, exercised) = (HashMap::new(), HashSet::new());
        Self {
            classifier,
            samples: Vec::new(),
            by_text,
            exercised,
            bytes: 0,
            watch: ProcessorStopwatch::start(),
        }
    }

    pub(super) fn add_valid(&mut self, variants: impl IntoIterator<Item = Variant>) {
        for variant in variants {
            let exercised = variant.exercised.described();
            if self.is_full() {
                break;
            }
            if self.exercised.contains(&exercised) {
                continue;
            }
            let text = variant.value.to_string();
            self.bytes += text.len();
            match self.by_text.get(&text) {
                Some(index) => {
                    self.exercised.insert(exercised.clone());
                    self.samples[*index].exercised.push(exercised);
                }
                None if self.classifier.is_valid_sample(&variant.value) => {
                    self.add(text, variant.value, Class::Valid, exercised);
                }
                None => {}
            }
        }
    }

    pub(super) fn add_invalid(&mut self, variants: impl IntoIterator<Item = Variant>) {
        for variant in variants {
            if self.is_full() {
                break;
            }
            let Variant { value, mut exercised, is_format } = variant;
            let text = value.to_string();
            self.bytes += text.len();
            if self.by_text.contains_key(&text)
                || !value.is_object()
                || !self.classifier.is_sendable(&value)
            {
                continue;
            }
            let instance = exercised.instance.clone();
            if is_format {
                if self.classifier.is_valid_sample(&value) {
                    self.add(text, value, Class::FormatOnly { instance }, exercised.described());
                }
                continue;
            }
            let Some(failure) = self.classifier.only_failure(&value) else { continue };
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
        self.bytes > MAX_TOTAL || self.watch.elapsed() > MAX_TIME
    }

    fn add(&mut self, text: String, value: Value, class: Class, exercised: Exercised) {
        self.exercised.insert(exercised.clone());
        self.by_text.insert(text, self.samples.len());
        self.samples.push(Sample { value, class, exercised: vec![exercised] });
    }
}

/// Whether a location is that of another one or inside it.
fn contains(outer: &Pointer, inner: &Pointer) -> bool {
    let rest = inner.as_str().strip_prefix(outer.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
