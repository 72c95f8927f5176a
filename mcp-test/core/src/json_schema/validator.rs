//! A compiled schema, and validation of values by it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{Draft, FancyRegex, PatternOptions, ValidationError, ValidationOptions};

use super::bounds::{self, Analysis};
use super::mismatch::{Failure, failures_of, is_undecided, mismatches_of, pointer_of};
use super::node::AsWritten;
use super::reference::reference_error;
use super::{Aborted, Bound, CompileError, Formats, Limits, meter};
use crate::expect::{Mismatch, words};
use crate::json::{Pointer, Value};

/// The maximum number of mismatches of one value.
const MAX_MISMATCHES: usize = 32;

/// Describing mismatches may take this fraction of the steps of a validation.
const EXPLAINING: u64 = 4;

/// The sizes of compiled patterns, in bytes, that are tried before the limit.
const PATTERN_SIZES: [usize; 2] = [4 << 10, 64 << 10];

/// The formats that the library would assert by itself.
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

/// The longest text for a pattern that backtracks: the effort may be quadratic in its length.
const LONGEST_WITH_BACKTRACKING: usize = 1 << 10;

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
    /// The maximum length of a text, if there are patterns.
    text: Option<usize>,
}

impl Validator {
    /// Compiles a schema of any dialect from draft 4 to 2020-12, which is the default without `$schema`.
    ///
    /// `format`, `contentEncoding` and `contentMediaType` are annotations, whatever the dialect.
    ///
    /// # Errors
    /// Fails if it is not a valid JSON Schema, has an unsupported dialect or a reference that cannot be resolved, or exceeds
    /// `limits`.
    pub fn compile(schema: &Value, limits: &Limits) -> Result<Self, CompileError> {
        let schema = schema.to_serde();
        let analysis = bounds::check(&schema, limits)?;
        Self::build(&schema, analysis, limits, &options(&Formats::none()))
    }

    /// Compiles a schema that is known to be within the limits.
    pub(super) fn build(
        schema: &serde_json::Value,
        analysis: Analysis,
        limits: &Limits,
        options: &Options<'_>,
    ) -> Result<Self, CompileError> {
        let most = limits.pattern_program;
        // The smaller the patterns are, the longer the texts that can be matched within the limit. Without patterns one
        // attempt is enough, because only their size differs between attempts.
        let smaller = PATTERN_SIZES.into_iter().filter(|it| *it < most && analysis.patterns > 0);
        let attempt = |program| {
            compile(schema, analysis, options, limits, program).map(|compiled| (compiled, program))
        };
        let (compiled, program) = smaller
            .map(attempt)
            .find(|tried| !matches!(tried, Err(CompileError::LimitExceeded { .. })))
            .unwrap_or_else(|| attempt(most))?;
        let longest = if analysis.backtracks { LONGEST_WITH_BACKTRACKING } else { usize::MAX };
        let text = (analysis.patterns > 0)
            // The work of a text is its length times the size of all patterns, solved here for the length.
            .then(|| longest.min(limits.pattern_work / program.max(1) / analysis.patterns));
        Ok(Self { inner: Arc::new(Inner { compiled, limits: limits.clone(), text }) })
    }

    /// Whether the value is valid.
    ///
    /// # Errors
    /// Fails if validation exceeds the limits.
    pub fn is_valid(&self, value: &Value) -> Result<bool, Aborted> {
        let valid = self.run(1, |compiled| compiled.is_valid(value))?;
        if valid || self.inner.text.is_none() {
            return Ok(valid);
        }
        // The library also reports a value as invalid if it stopped matching a pattern; only the errors show the reason.
        let undecided = |error: ValidationError<'_>| is_undecided(&error);
        match self.run(EXPLAINING, |compiled| compiled.validate(value).map_err(undecided)) {
            Ok(Err(undecided)) if undecided => {
                Err(Aborted::Backtracking(self.inner.limits.backtracking))
            }
            Ok(_) => Ok(false),
            Err(aborted) => Err(aborted),
        }
    }

    /// The mismatches of the value, at most 32; none if it is valid.
    ///
    /// # Errors
    /// Fails if validation exceeds the limits. If only describing the mismatches does, the description is general.
    pub fn mismatches(&self, value: &Value) -> Result<Vec<Mismatch>, Aborted> {
        let failures = self.failures(value)?;
        Ok(failures.into_iter().map(|failure| failure.mismatch).collect())
    }

    /// The mismatches of the value, with the keywords that are violated.
    #[doc(hidden)]
    pub fn failures(&self, value: &Value) -> Result<Vec<Failure>, Aborted> {
        if self.is_valid(value)? {
            return Ok(Vec::new());
        }
        let all = self.run(EXPLAINING, |compiled| {
            let mut failures: Vec<Failure> = Vec::new();
            for failure in compiled.iter_errors(value).flat_map(|error| failures_of(&error, value))
            {
                // Stopped early, because each further error costs steps.
                if failures.len() == MAX_MISMATCHES {
                    break;
                }
                if failures.iter().all(|before| before.mismatch != failure.mismatch) {
                    failures.push(failure);
                }
            }
            failures
        });
        // There may be as many errors as values times schemas; the first one is cheaper.
        let first = || {
            let first = self.run(EXPLAINING, |compiled| compiled.validate(value).err());
            first.ok().flatten().map(|error| failures_of(&error, value))
        };
        let general = || {
            let mismatch = Mismatch::because("what the schema allows", value, None);
            vec![Failure { keyword: "$ref".to_owned(), mismatch, causes: Vec::new() }]
        };
        let all = all.ok().filter(|all| !all.is_empty());
        Ok(all.or_else(first).unwrap_or_else(general))
    }

    /// Validates with a fraction of the steps.
    fn run<T>(&self, divisor: u64, validate: impl FnOnce(&Compiled) -> T) -> Result<T, Aborted> {
        let Inner { compiled, limits, text } = &*self.inner;
        let steps = limits.steps / divisor;
        meter::run(limits, steps, *text, || validate(compiled))
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("limits", &self.inner.limits).finish_non_exhaustive()
    }
}

/// Compiles a schema whose patterns compile to at most `program` bytes each.
fn compile(
    schema: &serde_json::Value,
    analysis: Analysis,
    options: &Options<'_>,
    limits: &Limits,
    program: usize,
) -> Result<Compiled, CompileError> {
    let options = options.clone().with_pattern_options(patterns(limits, program));
    // A peer's schema must not stop the run, even if it triggers a bug of the library.
    match catch_unwind(AssertUnwindSafe(|| options.build(schema))) {
        Ok(Ok(compiled)) => Ok(compiled),
        Ok(Err(error)) => Err(compile_error(&error, schema, analysis, limits)),
        Err(_) => {
            let reason = "the JSON Schema library panicked".to_owned();
            Err(CompileError::Unusable { pointer: Pointer::root(), reason })
        }
    }
}

/// How patterns are compiled and matched.
fn patterns(limits: &Limits, program: usize) -> PatternOptions<FancyRegex> {
    PatternOptions::fancy_regex()
        .backtrack_limit(limits.backtracking)
        .size_limit(program)
        .dfa_size_limit(limits.pattern_program)
}

/// How schemas are compiled: nothing is fetched, and only these formats are asserted.
pub(super) fn options<'a>(formats: &Formats) -> Options<'a> {
    let mut options = jsonschema::options_for::<AsWritten>()
        .offline()
        .with_base_uri(bounds::BASE)
        .should_validate_formats(formats.names().next().is_some())
        .without_content_encoding_support("base64")
        .without_content_media_type_support("application/json");
    // Registered formats replace the library's own, which would be asserted otherwise.
    for name in KNOWN_TO_THE_LIBRARY {
        options = options.with_format(name, |_: &str| true);
    }
    for (name, is_valid) in formats.iter() {
        options = options.with_format(name, move |text: &str| is_valid(text));
    }
    options
}

/// Why the library cannot compile a schema.
fn compile_error(
    error: &ValidationError<'_>,
    schema: &serde_json::Value,
    analysis: Analysis,
    limits: &Limits,
) -> CompileError {
    let pointer = pointer_of(error);
    let cut = |text: &str| words::excerpt(text).into_owned();
    match error.kind() {
        Kind::Referencing(error) => reference_error(error, pointer),
        // A pattern with a valid syntax can only be refused because of its size.
        Kind::Format { format } if format == "regex" && is_pattern(error.instance()) => {
            CompileError::LimitExceeded {
                pointer,
                bound: Bound::PatternProgram(limits.pattern_program),
            }
        }
        Kind::Custom { message, .. } => CompileError::Unusable { pointer, reason: cut(message) },
        _ => {
            let schema = Value::from(schema);
            let first = mismatches_of(error, &schema).into_iter().next();
            let Mismatch { pointer, expected, got, .. } =
                first.unwrap_or_else(|| Mismatch::absent("a schema"));
            CompileError::Invalid { pointer, dialect: dialect_words(analysis.draft), expected, got }
        }
    }
}

/// Whether a text is a regular expression by the grammar that JSON Schema prescribes.
fn is_pattern(text: &serde_json::Value) -> bool {
    static GRAMMAR: OnceLock<Option<jsonschema::Validator>> = OnceLock::new();
    let grammar = GRAMMAR.get_or_init(|| {
        let options = jsonschema::options().offline().should_validate_formats(true);
        options.build(&serde_json::json!({"format": "regex"})).ok()
    });
    grammar.as_ref().is_none_or(|grammar| grammar.is_valid(text))
}

/// The name of a dialect.
fn dialect_words(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "JSON Schema draft 4",
        Draft::Draft6 => "JSON Schema draft 6",
        Draft::Draft7 => "JSON Schema draft 7",
        Draft::Draft201909 => "JSON Schema 2019-09",
        _ => "JSON Schema 2020-12",
    }
}
