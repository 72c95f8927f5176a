//! Translates errors of the JSON Schema library to mismatches.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};

use crate::expect::{Mismatch, words};
use crate::json::{Pointer, Value};

/// The maximum number of things that a mismatch lists.
const NAMED: usize = 6;

/// The maximum number of alternatives that are explained.
const EXPLAINED: usize = 6;

/// A mismatch, and the keyword of the schema that is violated.
#[derive(Debug)]
pub struct Failure {
    #[doc(hidden)]
    pub keyword: String,
    #[doc(hidden)]
    pub mismatch: Mismatch,
    /// Why the value fits no alternative of `anyOf` or `oneOf`: the first failure of each.
    pub(crate) causes: Vec<Failure>,
}

/// The failures that an error describes.
pub(super) fn failures_of(error: &ValidationError<'_>, value: &Value) -> Vec<Failure> {
    let failure = |error: &ValidationError<'_>, mismatch| Failure {
        keyword: error.kind().keyword().to_owned(),
        mismatch,
        causes: Vec::new(),
    };
    let mut failures: Vec<Failure> =
        mismatches_of(error, value).into_iter().map(|it| failure(error, it)).collect();
    if let (
        Kind::AnyOf { context } | Kind::OneOfNotValid { context },
        Some(first),
        // If every alternative has a short phrase, the mismatch already lists them all.
        None,
    ) = (error.kind(), failures.first_mut(), alternatives(error))
    {
        let firsts = context.iter().filter_map(|errors| errors.first()).take(EXPLAINED);
        let causes = firsts.flat_map(|error| {
            let mismatch = mismatches_of(error, value).into_iter().next();
            mismatch.map(|mismatch| failure(error, mismatch))
        });
        first.causes = causes.collect();
    }
    failures
}

/// Whether the library reached no verdict, because it stopped matching a pattern.
pub(super) fn is_undecided(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. })
}

/// The mismatches that an error describes.
pub(super) fn mismatches_of(error: &ValidationError<'_>, value: &Value) -> Vec<Mismatch> {
    let pointer = pointer_of(error);
    let found = value.at(pointer.as_str());
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![Mismatch::absent("present").within(pointer.member(name))]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let absent = |name: &String| {
                let pointer = pointer.clone().member(name);
                let mismatch = mismatch("absent".to_owned(), value.at(pointer.as_str()));
                // The presence of the member is wrong, not the kind of its value.
                Mismatch { which: None, ..mismatch.within(pointer) }
            };
            unexpected.iter().take(NAMED).map(absent).collect()
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            vec![none_of(error, context, value)]
        }
        Kind::PropertyNames { error } => {
            // The error is about a name, to which no pointer leads; the mismatch is located at the object.
            let name = Value::from(serde_json::Value::clone(error.instance()));
            let expected = expected(error).unwrap_or_else(|| "allowed by the schema".to_owned());
            vec![Mismatch {
                which: Some(format!("has a member named {}", words::got(Some(&name)))),
                ..mismatch(format!("an object whose member names are each {expected}"), found)
                    .within(pointer)
            }]
        }
        _ => {
            let expected = expected(error).unwrap_or_else(|| keyword_words(error));
            let which = found.and_then(|found| which(error, found));
            vec![Mismatch { which, ..mismatch(expected, found).within(pointer) }]
        }
    }
}

/// The location of an error in the value.
pub(super) fn pointer_of(error: &ValidationError<'_>) -> Pointer {
    Pointer::parse(error.instance_path().as_str()).unwrap_or_default()
}

fn mismatch(expected: String, found: Option<&Value>) -> Mismatch {
    match found {
        Some(value) => Mismatch::new(expected, value),
        None => Mismatch::absent(expected),
    }
}

/// The mismatch of a value that none of several schemas allows: what each of them expects, or the mismatch of the only one
/// that allows its kind.
fn none_of(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    value: &Value,
) -> Mismatch {
    let pointer = pointer_of(error);
    let found = value.at(pointer.as_str());
    if let Some(alternatives) = alternatives(error) {
        return mismatch(words::list(alternatives, "or"), found).within(pointer);
    }
    // A branch whose errors are all inside the value allows its kind, and is probably the one that was meant.
    let inside = |errors: &&Vec<ValidationError<'static>>| {
        let inside = |error| pointer_of(error) != pointer || is_about_members(error);
        !errors.is_empty() && errors.iter().all(inside)
    };
    let mut close = branches.iter().filter(inside);
    if let (Some(only), None) = (close.next(), close.next())
        && let Some(first) =
            only.first().and_then(|error| mismatches_of(error, value).into_iter().next())
    {
        return first;
    }
    let expected = format!("what one of {} allows", words::count(branches.len(), "schema"));
    let which = Some("none of them allows".to_owned());
    Mismatch { which, ..mismatch(expected, found).within(pointer) }
}

fn is_about_members(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), Kind::Required { .. } | Kind::AdditionalProperties { .. })
}

/// What an error expects, as alternatives to be read after "is"; `None` if there are too many, or no words for them.
fn alternatives(error: &ValidationError<'_>) -> Option<Vec<String>> {
    let all = match error.kind() {
        Kind::Type { kind: TypeKind::Multiple(kinds) } => {
            kinds.iter().map(|kind| type_words(kind).to_owned()).collect()
        }
        Kind::Enum { options } if options.as_array()?.len() <= 2 * NAMED => {
            options.as_array()?.iter().map(shown).collect()
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let mut all = Vec::new();
            for errors in context {
                // A branch with several errors, or with one inside the value, has no short phrase.
                let [only] = errors.as_slice() else { return None };
                if only.instance_path() != error.instance_path() {
                    return None;
                }
                for alternative in alternatives(only)? {
                    if !all.contains(&alternative) {
                        all.push(alternative);
                    }
                }
            }
            all
        }
        _ => vec![only_alternative(error)?],
    };
    (1..=2 * NAMED).contains(&all.len()).then_some(all)
}

/// What an error of a common keyword expects, to be read after "is".
fn expected(error: &ValidationError<'_>) -> Option<String> {
    alternatives(error).map(|all| words::list(all, "or")).or_else(|| only_alternative(error))
}

fn only_alternative(error: &ValidationError<'_>) -> Option<String> {
    Some(match error.kind() {
        Kind::Type { kind: TypeKind::Single(kind) } => type_words(*kind).to_owned(),
        Kind::Constant { expected_value } => shown(expected_value),
        Kind::Enum { options } => {
            let options = options.as_array()?;
            let some = options.iter().take(NAMED).map(shown).collect::<Vec<_>>().join(", ");
            format!("one of {}: {some}, …", words::count(options.len(), "value"))
        }
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {} long", count(*limit, "character")),
        Kind::MaxLength { limit } => format!("at most {} long", count(*limit, "character")),
        Kind::MinItems { limit } => format!("an array of at least {}", count(*limit, "item")),
        Kind::MaxItems { limit } => format!("an array of at most {}", count(*limit, "item")),
        Kind::AdditionalItems { limit } => {
            format!("an array of at most {}", words::count(*limit, "item"))
        }
        Kind::MinProperties { limit } => {
            format!("an object of at least {}", count(*limit, "member"))
        }
        Kind::MaxProperties { limit } => {
            format!("an object of at most {}", count(*limit, "member"))
        }
        Kind::UniqueItems => "an array without equal items".to_owned(),
        Kind::Contains => "an array with an item that `contains` allows".to_owned(),
        Kind::Pattern { pattern } => format!("text that matches `{}`", words::excerpt(pattern)),
        Kind::Format { format } => format_words(format),
        // No value is valid under the schema `false`.
        Kind::FalseSchema => "absent".to_owned(),
        Kind::Not { schema } => match schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
            Some(excluded) => format!("not {}", shown(excluded)),
            None => "not what `not` describes".to_owned(),
        },
        Kind::OneOfMultipleValid { context } => {
            format!("what exactly one of {} allows", words::count(context.len(), "schema"))
        }
        _ => return None,
    })
}

/// What is wrong with the value, unless the expectation shows it already.
fn which(error: &ValidationError<'_>, found: &Value) -> Option<String> {
    let has = |number, noun| Some(format!("has {}", words::count(number, noun)));
    match (error.kind(), found) {
        (Kind::MinLength { .. } | Kind::MaxLength { .. }, Value::String(text)) => {
            has(text.chars().count(), "character")
        }
        (
            Kind::MinItems { .. } | Kind::MaxItems { .. } | Kind::AdditionalItems { .. },
            Value::Array(items),
        ) => has(items.len(), "item"),
        (Kind::MinProperties { .. } | Kind::MaxProperties { .. }, Value::Object(object)) => {
            has(object.effective().len(), "member")
        }
        (Kind::OneOfMultipleValid { .. }, _) => Some("more than one of them allows".to_owned()),
        (Kind::Constant { expected_value }, _) => unless_alike(found, [&**expected_value]),
        (Kind::Enum { options }, _) => {
            unless_alike(found, options.as_array().into_iter().flatten())
        }
        (Kind::Type { .. }, _) => words::which(found),
        _ => None,
    }
}

/// The kind of the value, unless one of the options has the same kind.
fn unless_alike<'a>(
    value: &Value,
    options: impl IntoIterator<Item = &'a serde_json::Value>,
) -> Option<String> {
    let alike = options.into_iter().any(|option| Value::from(option).kind() == value.kind());
    if alike { None } else { words::which(value) }
}

/// The expectation for a keyword that has no phrase in [`expected`].
fn keyword_words(error: &ValidationError<'_>) -> String {
    format!("what `{}` of the schema allows", error.kind().keyword())
}

fn type_words(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

fn format_words(format: &str) -> String {
    match format {
        "regex" => "a regular expression of ECMA-262".to_owned(),
        "uri" => "a URI".to_owned(),
        "uri-reference" => "a URI or a relative reference".to_owned(),
        "uri-template" => "a URI template".to_owned(),
        // The name that OpenAPI has for Base64, which the official schemas of MCP use.
        "byte" => "base64".to_owned(),
        other => format!("text of the format {}", shown(&other.into())),
    }
}

fn shown(value: &serde_json::Value) -> String {
    words::got(Some(&value.into()))
}

fn count(number: u64, noun: &str) -> String {
    words::count(usize::try_from(number).unwrap_or(usize::MAX), noun)
}
