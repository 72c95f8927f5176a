//! A schema, compiled, and what it says of a value.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{
    Draft, FancyRegex, PatternOptions, ReferencingError, ValidationError, ValidationOptions,
};

use super::bounds::{self, Facts};
use super::mismatch::{is_undecided, pointer_of, told as told_of};
use super::node::AsWritten;
use super::{Bound, CompileError, Formats, Limits, Unfinished, meter};
use crate::expect::{Mismatch, words};
use crate::json::{Pointer, Value};

/// How many mismatches are told of one value.
const MOST: usize = 32;

/// Finding words for what is wrong may take this part of the steps that finding it may take.
const EXPLAINING: u64 = 4;

/// Patterns are small, middling, or as large as they may be: in bytes, when compiled.
const PROGRAMS: [usize; 2] = [4 << 10, 64 << 10];

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

/// The longest text in which a pattern may go back: each place in it may be the beginning of all the rest.
const LONGEST_GONE_BACK_IN: usize = 1 << 10;

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
    /// How long a text may be, if there are patterns.
    text: Option<usize>,
}

impl Validator {
    /// Compiles a schema of any dialect from draft 4 to 2020-12, which is also meant where `$schema` says nothing.
    ///
    /// `format`, `contentEncoding` and `contentMediaType` are annotations, whatever the dialect.
    ///
    /// # Errors
    /// When it is no valid JSON Schema, of an unknown dialect, refers to what is not in it, or is beyond `limits`.
    pub fn compile(schema: &Value, limits: &Limits) -> Result<Self, CompileError> {
        let schema = schema.to_serde();
        let facts = bounds::check(&schema, limits)?;
        Self::build(&schema, facts, limits, &options(&Formats::none()))
    }

    /// Compiles what is known to be within the limits.
    pub(super) fn build(
        schema: &serde_json::Value,
        facts: Facts,
        limits: &Limits,
        options: &Options<'_>,
    ) -> Result<Self, CompileError> {
        let most = limits.pattern_program;
        let (compiled, program) = match facts.patterns {
            0 => (compile(schema, facts, options, limits, most)?, most),
            // The smaller the patterns turn out to be, the longer the texts that can be held against them.
            _ => {
                let smaller = PROGRAMS.into_iter().filter(|program| *program < most);
                let mut tried = smaller.map(|it| (compile(schema, facts, options, limits, it), it));
                match tried.find(|(tried, _)| !matches!(tried, Err(CompileError::Bounded { .. }))) {
                    Some((tried, program)) => (tried?, program),
                    None => (compile(schema, facts, options, limits, most)?, most),
                }
            }
        };
        let longest = if facts.goes_back { LONGEST_GONE_BACK_IN } else { usize::MAX };
        let room = |patterns| longest.min(limits.pattern_work / program.max(1) / patterns);
        let text = (facts.patterns > 0).then(|| room(facts.patterns));
        Ok(Self { inner: Arc::new(Inner { compiled, limits: limits.clone(), text }) })
    }

    /// Whether the value conforms.
    ///
    /// # Errors
    /// When finding out takes more than the limits allow.
    pub fn is_valid(&self, value: &Value) -> Result<bool, Unfinished> {
        let valid = self.run(1, |compiled| compiled.is_valid(value))?;
        if valid || self.inner.text.is_none() {
            return Ok(valid);
        }
        // A pattern that was given up makes the value invalid, too; only the errors tell which it was.
        let undecided = |error: ValidationError<'_>| is_undecided(&error);
        match self.run(EXPLAINING, |compiled| compiled.validate(value).map_err(undecided)) {
            Ok(Err(undecided)) if undecided => {
                Err(Unfinished::Backtracking(self.inner.limits.backtracking))
            }
            Ok(_) => Ok(false),
            Err(unfinished) => Err(unfinished),
        }
    }

    /// Where and how the value does not conform, at most 32 places; none if it does.
    ///
    /// # Errors
    /// When finding out whether it does takes more than the limits allow. Where only the words for it take more, they
    /// are few.
    pub fn mismatches(&self, value: &Value) -> Result<Vec<Mismatch>, Unfinished> {
        if self.is_valid(value)? {
            return Ok(Vec::new());
        }
        let all = self.run(EXPLAINING, |compiled| {
            let mut told = Vec::new();
            for mismatch in compiled.iter_errors(value).flat_map(|error| told_of(&error, value)) {
                if told.len() == MOST {
                    break;
                }
                if !told.contains(&mismatch) {
                    told.push(mismatch);
                }
            }
            told
        });
        // There may be as many errors as values, and as many reasons for each as there are schemas.
        let first = || {
            let first = self.run(EXPLAINING, |compiled| compiled.validate(value).err());
            first.ok().flatten().map(|error| told_of(&error, value))
        };
        let general = || vec![Mismatch::because("what the schema allows", value, None)];
        let told = all.ok().filter(|all| !all.is_empty());
        Ok(told.or_else(first).unwrap_or_else(general))
    }

    /// Judges with a part of the steps.
    fn run<T>(&self, part: u64, judge: impl FnOnce(&Compiled) -> T) -> Result<T, Unfinished> {
        let Inner { compiled, limits, text } = &*self.inner;
        let steps = limits.steps / part;
        meter::run(limits, steps, *text, || judge(compiled))
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("limits", &self.inner.limits).finish_non_exhaustive()
    }
}

/// Compiles a schema of which no pattern becomes larger than `program` bytes.
fn compile(
    schema: &serde_json::Value,
    facts: Facts,
    options: &Options<'_>,
    limits: &Limits,
    program: usize,
) -> Result<Compiled, CompileError> {
    let options = options.clone().with_pattern_options(patterns(limits, program));
    match catch_unwind(AssertUnwindSafe(|| options.build(schema))) {
        Ok(Ok(compiled)) => Ok(compiled),
        Ok(Err(error)) => Err(refused(&error, schema, facts, limits)),
        Err(_) => {
            let reason = "the library that compiles schemas broke down".to_owned();
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

/// How schemas are compiled: with nothing fetched, and with these formats only.
pub(super) fn options<'a>(formats: &Formats) -> Options<'a> {
    let mut options = jsonschema::options_for::<AsWritten>()
        .offline()
        .with_base_uri(bounds::BASE)
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
fn refused(
    error: &ValidationError<'_>,
    schema: &serde_json::Value,
    facts: Facts,
    limits: &Limits,
) -> CompileError {
    let pointer = pointer_of(error);
    let cut = |text: &str| words::begun(text).into_owned();
    match error.kind() {
        Kind::Referencing(error) => refused_reference(error, pointer),
        // Patterns are compiled by another engine than the one that knows the grammar.
        Kind::Format { format } if format == "regex" && is_pattern(error.instance()) => {
            CompileError::Bounded { pointer, bound: Bound::PatternProgram(limits.pattern_program) }
        }
        Kind::Custom { message, .. } => CompileError::Unusable { pointer, reason: cut(message) },
        _ => {
            let schema = Value::from(schema);
            let first = told_of(error, &schema).into_iter().next();
            let Mismatch { pointer, expected, got, .. } =
                first.unwrap_or_else(|| Mismatch::absent("a schema"));
            CompileError::Invalid { pointer, dialect: dialect_words(facts.draft), expected, got }
        }
    }
}

/// Why the library cannot follow a reference.
pub(super) fn refused_reference(error: &ReferencingError, pointer: Pointer) -> CompileError {
    let cut = |text: &str| words::begun(text).into_owned();
    match error {
        ReferencingError::UnknownSpecification { specification } => {
            CompileError::UnknownDialect { pointer, name: cut(specification) }
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

/// Whether a text is a pattern by the grammar that JSON Schema names.
fn is_pattern(text: &serde_json::Value) -> bool {
    static GRAMMAR: OnceLock<Option<jsonschema::Validator>> = OnceLock::new();
    let grammar = GRAMMAR.get_or_init(|| {
        let options = jsonschema::options().offline().should_validate_formats(true);
        options.build(&serde_json::json!({"format": "regex"})).ok()
    });
    grammar.as_ref().is_none_or(|grammar| grammar.is_valid(text))
}

/// What a dialect is called.
fn dialect_words(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "JSON Schema draft 4",
        Draft::Draft6 => "JSON Schema draft 6",
        Draft::Draft7 => "JSON Schema draft 7",
        Draft::Draft201909 => "JSON Schema 2019-09",
        _ => "JSON Schema 2020-12",
    }
}
