//! Resolves scalars by the core schema of YAML 1.2.

use super::{Kind, Style};
use crate::json::Number;

/// Resolves a plain scalar without a tag.
pub(super) fn plain(text: &str) -> Kind {
    // The first byte excludes most strings without trying each spelling.
    match text.as_bytes().first() {
        None => return Kind::Null,
        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => {
            if let Some(number) = number(text) {
                return Kind::Number(number);
            }
        }
        Some(b'~' | b'n' | b'N') if is_null(text) => return Kind::Null,
        Some(b't' | b'T' | b'f' | b'F') => {
            if let Some(boolean) = boolean(text) {
                return Kind::Bool(boolean);
            }
        }
        Some(_) => {}
    }
    Kind::String(text.to_owned())
}

/// Whether the text is a spelling of null.
pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Whether the text is a YAML number that JSON does not have.
pub(super) fn is_beyond_json(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// Parses a boolean.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Parses a number; keeps the spelling where it is valid JSON.
pub(super) fn number(text: &str) -> Option<Number> {
    if let Some(number) = Number::parse(text) {
        return Some(number);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return integer(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return integer(digits, 8);
    }
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at(at),
        None => (unsigned, ""),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if before.is_empty() && after.is_empty() {
        return None;
    }
    // YAML allows leading zeros, JSON does not; in YAML 1.2 they do not make a number octal.
    let before = before.trim_start_matches('0');
    let before = if before.is_empty() { "0" } else { before };
    let point = if after.is_empty() { "" } else { "." };
    // The JSON grammar decides whether the rest is a number.
    Number::parse(&format!("{sign}{before}{point}{after}{exponent}"))
}

fn integer(digits: &str, radix: u32) -> Option<Number> {
    // `from_str_radix` accepts a sign, YAML does not.
    if !digits.starts_with(|first: char| first.is_digit(radix)) {
        return None;
    }
    u128::from_str_radix(digits, radix).ok().and_then(|integer| Number::parse(&integer.to_string()))
}

/// Characters that only double quotes can represent, or that are invisible.
pub(super) fn is_special(char: char) -> bool {
    char.is_control() || matches!(char, '\u{feff}' | '\u{2028}' | '\u{2029}')
}

/// Whether a scalar is spelled as the writer would spell it. The writer escapes special characters, which a text may also
/// contain as they are.
pub(super) fn is_spelled(kind: &Kind, style: Style, spelled: &str) -> bool {
    match (kind, style) {
        (Kind::Null, Style::Plain) => spelled == "null",
        (Kind::Bool(boolean), Style::Plain) => spelled == if *boolean { "true" } else { "false" },
        (Kind::Number(number), Style::Plain) => spelled == number.as_str(),
        (Kind::String(text), Style::Plain) => spelled == text && !text.contains(is_special),
        (Kind::String(text), Style::Single) => {
            let quotes = text.bytes().filter(|byte| *byte == b'\'').count();
            spelled.len() == text.len() + quotes + 2 && !text.contains(is_special)
        }
        (Kind::String(text), Style::Double) => {
            spelled.len() == text.len() + 2 && !spelled.contains('\\') && !text.contains(is_special)
        }
        (Kind::String(_), Style::Literal) => true,
        _ => false,
    }
}
