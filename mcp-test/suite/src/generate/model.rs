//! What a schema allows, worked out on demand: the shapes of a value, and a small value for each.
//!
//! Schemas may refer to themselves. Values are therefore looked for by increasing depth, and each result is kept, so that the effort
//! grows with the schemas times the depth and not with the number of paths through them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::json_schema::{Limits, Validator};
use serde_json::json;

use super::GenerateError;
use super::document::{NodeId, SchemaDocument};
use super::expand;
use super::leaf::{MAX_DEPTH, Sized};
use super::pattern::Pattern;
use super::shape::{Kinds, Shape};

/// Schemas that apply to one value.
pub(super) type Schemas = Arc<[NodeId]>;

/// Which of the allowed values to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Preference {
    /// The smallest.
    Smallest,
    /// One that is not special: texts are not empty, and what has examples is one of them.
    Typical,
}

/// The most results that are kept. A schema that needs more has no further values.
const MAX_RESULTS: usize = 50_000;

/// How large the shapes are together that are kept, in parts.
const MAX_KEPT: usize = 1 << 18;

/// How many alternatives, members and items one phase may work out.
const MAX_STEPS: usize = 1 << 16;

/// The most schemas that are compiled by themselves.
const MAX_LOCAL: usize = 64;

/// A schema, with what has been worked out so far.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) document: SchemaDocument,
    pub(super) validator: Validator,
    /// The whole schema, under the `$id` by which the schemas for single locations refer to it.
    bundled: serde_json::Value,
    limits: Limits,
    results: Mutex<Results>,
    /// How many steps the current phase may still take.
    steps: AtomicUsize,
}

type Patterns = Arc<[(Arc<Pattern>, NodeId)]>;

#[derive(Debug, Default)]
struct Results {
    shapes: HashMap<Schemas, Arc<[Shape]>>,
    kept: usize,
    values: HashMap<(Schemas, Preference, usize), Option<Sized>>,
    patterns: HashMap<String, Arc<Pattern>>,
    local: HashMap<NodeId, Option<Validator>>,
    problem: Option<GenerateError>,
}

impl Model {
    pub(super) fn compile(schema: &Value, limits: &Limits) -> Result<Self, GenerateError> {
        let validator = Validator::compile(schema, limits)?;
        let document = SchemaDocument::read(schema)?;
        let (bundled, limits) = (schema.to_serde(), limits.clone());
        let (results, steps) = (Mutex::default(), AtomicUsize::new(MAX_STEPS));
        Ok(Self { document, validator, bundled, limits, results, steps })
    }

    fn results(&self) -> MutexGuard<'_, Results> {
        // A panic elsewhere leaves complete results.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allows the steps of one more phase.
    pub(super) fn begin_phase(&self) {
        self.steps.store(MAX_STEPS, Ordering::Relaxed);
    }

    fn is_exhausted(&self) -> bool {
        self.steps.load(Ordering::Relaxed) == 0
    }

    /// Takes steps; `None` if there are not as many left.
    pub(super) fn spend(&self, steps: usize) -> Option<()> {
        let less = |left: usize| left.checked_sub(steps);
        let is_enough = self.steps.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        if !is_enough {
            self.steps.store(0, Ordering::Relaxed);
            self.note(GenerateError::Effort { most: MAX_STEPS });
        }
        is_enough.then_some(())
    }

    /// The alternatives that schemas allow for one value together.
    pub(super) fn shapes(&self, schemas: &Schemas) -> Arc<[Shape]> {
        if let Some(shapes) = self.results().shapes.get(schemas) {
            return Arc::clone(shapes);
        }
        if self.is_exhausted() {
            return Arc::default();
        }
        let shapes: Arc<[Shape]> = expand::shapes(&self.document, schemas).into();
        let weight = shapes.iter().map(Shape::weight).sum::<usize>();
        // What there is may be used, also if it took the last steps.
        let _ = self.spend(weight / 4);
        let mut results = self.results();
        results.kept += weight;
        if results.kept > MAX_KEPT {
            results.shapes.clear();
            results.kept = 0;
        }
        results.shapes.insert(Arc::clone(schemas), Arc::clone(&shapes));
        shapes
    }

    /// The compiled patterns of a shape.
    pub(super) fn patterns(&self, shape: &Shape) -> Patterns {
        shape.patterns.iter().map(|(text, node)| (self.pattern(text), *node)).collect()
    }

    pub(super) fn pattern(&self, text: &str) -> Arc<Pattern> {
        if let Some(pattern) = self.results().patterns.get(text) {
            return Arc::clone(pattern);
        }
        let pattern = Arc::new(Pattern::compile(text, &self.limits));
        self.results().patterns.insert(text.to_owned(), Arc::clone(&pattern));
        pattern
    }

    /// Notes why something cannot be generated; the reason that explains most is kept.
    pub(super) fn note(&self, problem: GenerateError) {
        let mut results = self.results();
        if results.problem.as_ref().is_none_or(|before| before.rank() < problem.rank()) {
            results.problem = Some(problem);
        }
    }

    pub(super) fn problem(&self) -> Option<GenerateError> {
        self.results().problem.clone()
    }

    pub(super) fn pointer(&self, node: NodeId, keyword: &str) -> Pointer {
        self.document.node(node).pointer.clone().member(keyword)
    }

    /// A value of at most this depth, of the least depth that is possible.
    pub(super) fn value(
        &self,
        schemas: &Schemas,
        preference: Preference,
        depth: usize,
    ) -> Option<Sized> {
        // Known values, too: what is made of them would only be made in part.
        if self.is_exhausted() {
            return None;
        }
        (1..=depth.min(MAX_DEPTH)).find_map(|depth| self.value_within(schemas, preference, depth))
    }

    fn value_within(
        &self,
        schemas: &Schemas,
        preference: Preference,
        depth: usize,
    ) -> Option<Sized> {
        let key = (Arc::clone(schemas), preference, depth);
        if let Some(known) = self.results().values.get(&key) {
            return known.clone();
        }
        // Before the search: without its results, it would take exponentially long.
        if self.results().values.len() >= MAX_RESULTS {
            return None;
        }
        let found = self.find_value(schemas, preference, depth);
        // Another phase may find what is not found for lack of steps.
        if found.is_none() && self.is_exhausted() {
            return None;
        }
        self.results().values.insert(key, found.clone());
        found
    }

    fn find_value(&self, schemas: &Schemas, preference: Preference, depth: usize) -> Option<Sized> {
        let shapes = self.shapes(schemas);
        self.spend(shapes.len())?;
        if shapes.is_empty() {
            let node = schemas.first().copied().unwrap_or_default();
            let pointer = self.document.node(node).pointer.clone();
            self.note(GenerateError::Unsatisfiable { pointer });
        }
        let of_shape = |shape: &Shape| {
            let candidates = self.candidates(shape, preference, depth);
            candidates.into_iter().find(|it| self.accepts(schemas, shape, &it.value))
        };
        let found = match preference {
            Preference::Smallest => shapes.iter().filter_map(of_shape).min_by_key(|it| it.size),
            Preference::Typical => {
                let is_null = |shape: &&Shape| shape.kinds == Kinds::NULL;
                let first = shapes.iter().filter(|shape| !is_null(shape)).find_map(of_shape);
                let found = first.or_else(|| shapes.iter().filter(is_null).find_map(of_shape));
                found.or_else(|| self.value_within(schemas, Preference::Smallest, depth))
            }
        };
        // Values with parts may be impossible only because of a part, or at this depth.
        let has_parts =
            |shape: &Shape| shape.kinds.has(Kinds::ARRAY) || shape.kinds.has(Kinds::OBJECT);
        if let (None, Some(shape)) = (&found, shapes.iter().find(|shape| !has_parts(shape))) {
            let pointer = self.document.node(shape.node()).pointer.clone();
            self.note(GenerateError::Unsatisfiable { pointer });
        }
        found
    }

    /// Whether the schemas accept a value, as far as its shape does not decide that already.
    pub(super) fn accepts(&self, schemas: &[NodeId], shape: &Shape, value: &Value) -> bool {
        !shape.is_partial || self.accepts_by(schemas, value)
    }

    /// Whether each schema accepts a value; those that cannot be compiled by themselves are taken to.
    pub(super) fn accepts_by(&self, schemas: &[NodeId], value: &Value) -> bool {
        let accepts = |node: &NodeId| {
            let validator = self.local(*node);
            validator.is_none_or(|validator| validator.is_valid(value) == Ok(true))
        };
        schemas.iter().all(accepts)
    }

    /// The validator of a schema inside the document.
    fn local(&self, node: NodeId) -> Option<Validator> {
        let mut results = self.results();
        if let Some(known) = results.local.get(&node) {
            return known.clone();
        }
        if results.local.len() >= MAX_LOCAL {
            return None;
        }
        let compiled = self.compile_local(node);
        results.local.insert(node, compiled.clone());
        compiled
    }

    fn compile_local(&self, node: NodeId) -> Option<Validator> {
        let pointer = &self.document.node(node).pointer;
        if pointer.is_root() {
            return Some(self.validator.clone());
        }
        // As a resource of its own, so that its references resolve as before.
        let mut whole = self.bundled.clone();
        let members = whole.as_object_mut()?;
        let id = members
            .entry("$id")
            .or_insert_with(|| json!("urn:mcp-test:generate"))
            .as_str()?
            .to_owned();
        let dialect = members.get("$schema").cloned();
        let fragment = pointer.as_str().replace('%', "%25");
        let mut schema =
            json!({"$ref": format!("{id}#{fragment}"), "definitions": {"whole": whole}});
        if let Some(dialect) = dialect {
            schema["$schema"] = dialect;
        }
        Validator::compile(&schema.into(), &self.limits).ok()
    }
}
