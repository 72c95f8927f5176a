//! A schema, compiled, and what it says of a value.

use std::fmt;
use std::sync::Arc;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{PatternOptions, ReferencingError, ValidationError, ValidationOptions};

use super::node::AsWritten;
use super::{CompileError, Formats, Limits, Unfinished, meter, mismatch};
use crate::expect::{Mismatch, words};
use crate::json::{Pointer, Value};

/// How many mismatches are told of one value.
const MOST: usize = 32;

/// What reading one text costs beyond a step where patterns may be held against it.
const TEXT_COST: u64 = 64;

/// The formats that the library knows of itself.
const KNOWN_TO_THE_LIBRARY: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

pub(super) type Options<'a> = ValidationOptions<'a, Arc<dyn jsonschema::Retrieve>, AsWritten>;
type Compiled = jsonschema::Validator<AsWritten>;

/// A compiled schema.
///
/// Clones share what was compiled.
#[derive(Clone)]
pub struct Validator {
    inner: Arc<Inner>,
}

struct Inner {
    compiled: Compiled,
    limits: Limits,
    has_patterns: bool,
}

impl Validator {
    /// Compiles a schema of any dialect from draft 4 to 2020-12, which is also meant where `$schema` says nothing.
    ///
    /// `format`, `contentEncoding` and `contentMediaType` are annotations, whatever the dialect.
    ///
    /// # Errors
    /// When it is no valid JSON Schema, of an unknown dialect, refers to what is not in it, or is beyond `limits`.
    pub fn compile(schema: &Value, limits: &Limits) -> Result<Self, CompileError> {
        Self::build(&schema.to_serde(), limits, &options(limits, &Formats::none()))
    }

    /// Compiles what is known to be within the limits.
    pub(super) fn build(
        schema: &serde_json::Value,
        limits: &Limits,
        options: &Options<'_>,
    ) -> Result<Self, CompileError> {
        let compiled = options.build(schema).map_err(|error| refused(&error, schema))?;
        let inner = Inner { compiled, limits: limits.clone(), has_patterns: true };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Whether the value conforms.
    ///
    /// # Errors
    /// When finding out takes more than the limits allow.
    pub fn is_valid(&self, value: &Value) -> Result<bool, Unfinished> {
        let valid = self.run(|compiled| compiled.is_valid(value))?;
        if valid || !self.inner.has_patterns {
            return Ok(valid);
        }
        // A pattern that was given up makes the value invalid, too; only the errors tell which it was.
        self.first(value).map(|first| first.is_empty())
    }

    /// Where and how the value does not conform, at most 32 places; none if it does.
    ///
    /// # Errors
    /// When finding out takes more than the limits allow.
    pub fn mismatches(&self, value: &Value) -> Result<Vec<Mismatch>, Unfinished> {
        if self.run(|compiled| compiled.is_valid(value))? {
            return Ok(Vec::new());
        }
        let all = self.run(|compiled| {
            let mut all = Vec::new();
            for error in compiled.iter_errors(value) {
                if mismatch::is_undecided(&error) {
                    return None;
                }
                if all.len() < MOST {
                    all.extend(mismatch::told(&error, value));
                }
            }
            all.truncate(MOST);
            Some(all)
        });
        match all {
            Ok(Some(all)) => Ok(all),
            Ok(None) => Err(Unfinished::Backtracking(self.inner.limits.backtracking)),
            // There may be as many errors as values; one is enough.
            Err(_) => self.first(value),
        }
    }

    /// The first mismatch, if there is any.
    fn first(&self, value: &Value) -> Result<Vec<Mismatch>, Unfinished> {
        let first = self.run(|compiled| match compiled.validate(value) {
            Ok(()) => Some(Vec::new()),
            Err(error) if mismatch::is_undecided(&error) => None,
            Err(error) => Some(mismatch::told(&error, value)),
        })?;
        first.ok_or(Unfinished::Backtracking(self.inner.limits.backtracking))
    }

    fn run<T>(&self, judge: impl FnOnce(&Compiled) -> T) -> Result<T, Unfinished> {
        let text = if self.inner.has_patterns { TEXT_COST } else { 0 };
        meter::run(&self.inner.limits, text, || judge(&self.inner.compiled))
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("limits", &self.inner.limits).finish_non_exhaustive()
    }
}

/// How schemas are compiled: with nothing fetched, and with these formats only.
pub(super) fn options<'a>(limits: &Limits, formats: &Formats) -> Options<'a> {
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(limits.backtracking)
        .size_limit(limits.pattern_program)
        .dfa_size_limit(limits.pattern_program);
    let mut options = jsonschema::options_for::<AsWritten>()
        .offline()
        .with_pattern_options(patterns)
        .should_validate_formats(formats.names().next().is_some())
        .without_content_encoding_support("base64")
        .without_content_media_type_support("application/json");
    for name in KNOWN_TO_THE_LIBRARY {
        options = options.with_format(name, |_: &str| true);
    }
    for (name, holds) in formats.iter() {
        options = options.with_format(name, move |text: &str| holds(text));
    }
    options
}

/// Why the library refuses a schema.
fn refused(error: &ValidationError<'_>, schema: &serde_json::Value) -> CompileError {
    let pointer = mismatch::pointer_of(error);
    let cut = |text: &str| words::begun(text).into_owned();
    match error.kind() {
        Kind::Referencing(error) => refused_reference(error, pointer),
        Kind::Custom { message, .. } => CompileError::Unusable { pointer, reason: cut(message) },
        _ => {
            let schema = Value::from(schema);
            let first = mismatch::told(error, &schema).into_iter().next();
            let Mismatch { pointer, expected, got, .. } =
                first.unwrap_or_else(|| Mismatch::absent("a schema"));
            CompileError::Invalid { pointer, dialect: dialect_of(&schema), expected, got }
        }
    }
}

/// Why the library cannot follow a reference.
pub(super) fn refused_reference(error: &ReferencingError, pointer: Pointer) -> CompileError {
    let cut = |text: &str| words::begun(text).into_owned();
    match error {
        ReferencingError::UnknownSpecification { specification } => {
            CompileError::UnknownDialect { name: cut(specification) }
        }
        ReferencingError::Unretrievable { uri, .. } => {
            CompileError::Elsewhere { pointer, reference: cut(uri) }
        }
        ReferencingError::PointerToNowhere { pointer: reference } => {
            CompileError::Dangling { pointer, reference: cut(reference) }
        }
        ReferencingError::NoSuchAnchor { anchor } => {
            CompileError::Dangling { pointer, reference: cut(anchor) }
        }
        other => CompileError::Unusable { pointer, reason: cut(&other.to_string()) },
    }
}

/// What the dialect of a schema is called.
fn dialect_of(schema: &Value) -> &'static str {
    use jsonschema::Draft;
    match Draft::default().detect(&schema.to_serde()) {
        Draft::Draft4 => "JSON Schema draft 4",
        Draft::Draft6 => "JSON Schema draft 6",
        Draft::Draft7 => "JSON Schema draft 7",
        Draft::Draft201909 => "JSON Schema 2019-09",
        _ => "JSON Schema 2020-12",
    }
}
