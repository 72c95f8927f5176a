//! Checks a value against a matcher, and describes matchers.

use mcp_test_core::expect::words;
use mcp_test_core::json::Value;

use super::pattern::Pattern;
use crate::cases::format::expression::compile_regex;
use crate::cases::{JsonType, Matcher};

/// The longest string that an expression is tried on.
// A search takes time linear in the text, but the peer chooses its length.
const TEXT_BYTES: usize = 1 << 20;

/// A value that does not satisfy a matcher; the explanation follows "which".
pub(super) struct Mismatch(pub(super) Option<String>);

/// Checks a value against a matcher.
pub(super) fn check(pattern: &Pattern<'_>, got: &Value) -> Result<(), Mismatch> {
    let is = |holds: bool| if holds { Ok(()) } else { Err(Mismatch(words::which(got))) };
    match pattern.matcher {
        // The modes do not get here: `deciding` omits them.
        Matcher::Any
        | Matcher::Ignored
        | Matcher::Exact
        | Matcher::Contains
        | Matcher::Unordered => Ok(()),
        Matcher::Type(wanted) => is(is_of(got, *wanted)),
        Matcher::OneOf(values) if values.contains(got) => Ok(()),
        // Naming the kind of value explains nothing if the kind is right.
        Matcher::OneOf(values) if values.iter().any(|value| value.kind() == got.kind()) => {
            Err(Mismatch(None))
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
            match pattern.regex.get_or_init(|| compile_regex(expression)) {
                // `describe` says what is wrong with it. A rule made in code was not checked when a file was read.
                Err(_) => Err(Mismatch(None)),
                Ok(_) if text.len() > TEXT_BYTES => Err(Mismatch(Some(format!(
                    "is longer than {} MiB, the limit for expressions",
                    TEXT_BYTES >> 20
                )))),
                Ok(regex) if regex.is_match(text) => Ok(()),
                Ok(_) => Err(Mismatch(None)),
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

fn near(got: Option<f64>, number: f64, within: f64) -> Result<(), Mismatch> {
    let Some(got) = got else {
        return Err(Mismatch(Some("is too large to be compared".to_owned())));
    };
    let away = (got - number).abs();
    // Decimal fractions are inexact in binary: 1.25 must be within 0.01 of 1.24.
    let rounding = 4.0 * f64::EPSILON * got.abs().max(number.abs());
    let most = within + rounding;
    // With an infinite distance every number would be near.
    if away <= most && most.is_finite() { Ok(()) } else { Err(Mismatch(None)) }
}

/// Describes a matcher, to follow "is".
pub(super) fn describe(pattern: &Pattern<'_>) -> String {
    match pattern.matcher {
        Matcher::Type(wanted) => type_name(*wanted).to_owned(),
        Matcher::Regex(expression) => match pattern.regex.get_or_init(|| compile_regex(expression))
        {
            Ok(_) => format!("a string that matches /{expression}/"),
            Err(why) => {
                let matches = format!("a string that matches /{expression}/");
                format!("{matches}, which is not a valid expression: {why}")
            }
        },
        Matcher::OneOf(values) => {
            words::list(values.iter().map(|value| value.short(words::SHOWN)), "or")
        }
        Matcher::Approximate { number, within } => format!("{number} ± {within}"),
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
