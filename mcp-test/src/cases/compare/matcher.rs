//! What a matcher asks of the value at one place, and the words for it.

use regex::{Regex, RegexBuilder};

use super::super::{JsonType, Matcher};
use super::pattern::Pattern;
use crate::expect::words;
use crate::json::Value;

/// How large an expression may get when it is compiled.
const REGEX_BYTES: usize = 256 << 10;
/// How long a text an expression is tried on.
const TEXT_BYTES: usize = 1 << 20;

/// Compiles an expression of `_match`, within the bounds that hold for it.
///
/// The time that it takes grows with the length of the text, never faster.
///
/// # Errors
/// What is wrong with the expression, in words.
pub fn regex(expression: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(expression)
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .nest_limit(50)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            format!("compiled, it is larger than {} KiB", REGEX_BYTES >> 10)
        }
        // Its own drawing of the place has several lines; the last one says what is wrong.
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
    })
}

/// Why a value is not what a matcher asks for, to be read after "which".
pub(super) struct Refused(pub(super) Option<String>);

/// Holds the value at a place against its matcher.
pub(super) fn check(pattern: &Pattern<'_>, got: &Value) -> Result<(), Refused> {
    let is = |holds: bool| if holds { Ok(()) } else { Err(Refused(words::which(got))) };
    match pattern.matcher {
        Matcher::Any
        | Matcher::Ignored
        | Matcher::Exact
        | Matcher::Contains
        | Matcher::Unordered => Ok(()),
        Matcher::Type(wanted) => is(is_of(got, *wanted)),
        Matcher::OneOf(values) if values.contains(got) => Ok(()),
        // What kind it is says nothing, where the kind is right.
        Matcher::OneOf(values) if values.iter().any(|value| value.kind() == got.kind()) => {
            Err(Refused(None))
        }
        Matcher::OneOf(_) => is(false),
        Matcher::Approximate { number, within } => match got.as_number() {
            None => is(false),
            Some(got) => near(got.as_f64(), *number, *within),
        },
        Matcher::Regex(expression) => {
            let Some(text) = got.as_str() else {
                return is(false);
            };
            match pattern.regex.get_or_init(|| regex(expression)) {
                Err(_) => Err(Refused(None)),
                Ok(_) if text.len() > TEXT_BYTES => Err(Refused(Some(format!(
                    "is longer than {} MiB, too long to look through",
                    TEXT_BYTES >> 20
                )))),
                Ok(regex) if regex.is_match(text) => Ok(()),
                Ok(_) => Err(Refused(None)),
            }
        }
    }
}

fn is_of(value: &Value, wanted: JsonType) -> bool {
    match wanted {
        JsonType::String => value.is_string(),
        JsonType::Number => value.is_number(),
        JsonType::Integer => value.is_integer(),
        JsonType::Boolean => value.is_bool(),
        JsonType::Object => value.is_object(),
        JsonType::Array => value.is_array(),
        JsonType::Null => value.is_null(),
    }
}

fn near(got: Option<f64>, number: f64, within: f64) -> Result<(), Refused> {
    let Some(got) = got else {
        return Err(Refused(Some("is beyond the numbers that can be compared".to_owned())));
    };
    let away = (got - number).abs();
    // Decimal fractions are not exact: 1.25 is within 0.01 of 1.24.
    let rounding = 4.0 * f64::EPSILON * got.abs().max(number.abs());
    let most = within + rounding;
    if away <= most && most.is_finite() { Ok(()) } else { Err(Refused(None)) }
}

/// What a matcher asks for, to be read after "is".
pub(super) fn describe(pattern: &Pattern<'_>) -> String {
    match pattern.matcher {
        Matcher::Type(wanted) => type_name(*wanted).to_owned(),
        Matcher::Regex(expression) => match pattern.regex.get_or_init(|| regex(expression)) {
            Ok(_) => format!("a text in which /{expression}/ is found"),
            Err(why) => {
                format!("a text in which /{expression}/ is found, which is no expression: {why}")
            }
        },
        Matcher::OneOf(values) => {
            words::list(values.iter().map(|value| value.short(words::SHOWN)), "or")
        }
        Matcher::Approximate { number, within } => format!("{number}, give or take {within}"),
        Matcher::Any
        | Matcher::Ignored
        | Matcher::Exact
        | Matcher::Contains
        | Matcher::Unordered => "anything".to_owned(),
    }
}

const fn type_name(wanted: JsonType) -> &'static str {
    match wanted {
        JsonType::String => "a string",
        JsonType::Number => "a number",
        JsonType::Integer => "an integer",
        JsonType::Boolean => "a boolean",
        JsonType::Object => "an object",
        JsonType::Array => "an array",
        JsonType::Null => "null",
    }
}
