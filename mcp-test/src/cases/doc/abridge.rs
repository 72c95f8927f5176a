//! Truncates values and texts from cases, and escapes characters that would deceive a reader.
//!
//! What is left out is counted and has a checksum, so that a page changes whenever a case does.

use std::fmt::Write as _;

use mcp_test_core::expect::words::grouped;
use mcp_test_core::json::{Object, Value, is_deceptive};
use mcp_test_core::trace::render::layout::checksum;

/// The maximum length of a string in JSON that is shown in full, in characters.
const STRING: usize = 600;
/// The same for strings without a space, such as images: nobody reads those.
const DATA: usize = 160;
/// The maximum number of items or members of one container.
const MEMBERS: usize = 60;
/// The maximum number of values of one message.
const VALUES: usize = 600;
/// The maximum depth of a value.
const LEVELS: usize = 16;
/// The maximum length of prose, in characters.
const PROSE: usize = 4_000;
/// The maximum length of a name.
const NAME: usize = 160;
/// The width of JSON on a page.
const WIDTH: usize = 100;

/// A value on several lines.
pub(super) fn json(value: &Value) -> String {
    let mut left = VALUES;
    abridged(value, 0, &mut left).pretty_within(WIDTH)
}

/// A value on one line.
pub(super) fn json_line(value: &Value) -> String {
    value.short(NAME)
}

/// Text of several lines.
pub(super) fn prose(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    visible(&cut(&text, PROSE, PROSE), |c| c == '\n' || c == '\t')
}

/// Text of one line.
pub(super) fn name(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible(&cut(&line, NAME, NAME), |_| false)
}

/// Code on one line, with all of its spaces.
pub(super) fn code(text: &str) -> String {
    visible(&cut(text, NAME, NAME), |_| false)
}

/// The value without what is too long, too deep or too much.
fn abridged(value: &Value, level: usize, left: &mut usize) -> Value {
    // Shared by the whole message, because wide containers inside one another multiply.
    *left = left.saturating_sub(1);
    match value {
        Value::String(text) => {
            let longest = if text.contains(' ') { STRING } else { DATA };
            cut(text, longest, longest / 4).into()
        }
        Value::Array(items) if !items.is_empty() => {
            let shown = shown(items.len(), level, *left);
            let mut array: Vec<Value> = Vec::with_capacity(shown + 1);
            array.extend(items[..shown].iter().map(|item| abridged(item, level + 1, left)));
            if shown < items.len() {
                let rest: Value = items[shown..].iter().cloned().collect();
                array.push(more(items.len() - shown, "item", &rest.to_string()).into());
            }
            array.into()
        }
        Value::Object(object) if !object.is_empty() => {
            let shown = shown(object.len(), level, *left);
            let mut cut_object = Object::new();
            let mut rest = String::new();
            for (index, (member, value)) in object.iter().enumerate() {
                if index < shown {
                    cut_object.push(cut(member, NAME, NAME), abridged(value, level + 1, left));
                } else {
                    let _ = write!(rest, "{member}:{value},");
                }
            }
            if !rest.is_empty() {
                cut_object.push("…", more(object.len() - shown, "member", &rest));
            }
            cut_object.into()
        }
        other => other.clone(),
    }
}

/// How many parts of a container are shown; `left` is what remains of [`VALUES`].
fn shown(parts: usize, level: usize, left: usize) -> usize {
    if level >= LEVELS { 0 } else { parts.min(MEMBERS).min(left) }
}

/// The text, or its beginning if it is longer than `longest` characters.
fn cut(text: &str, longest: usize, kept: usize) -> String {
    // Does not count all characters of a long text.
    if text.chars().nth(longest).is_none() {
        return text.to_owned();
    }
    let head: String = text.chars().take(kept).collect();
    let left = text.chars().count() - kept;
    format!("{head}{}", more(left, "character", text))
}

/// A remark on what was left out.
fn more(number: usize, what: &str, of: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("… ({} more {what}{plural}, checksum {:08x})", grouped(number), checksum(of))
}

/// Text with the characters escaped that would make it seem what it is not ("Trojan Source", CVE-2021-42574).
fn visible(text: &str, may_stay: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_deceptive(c) && !may_stay(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_cut_and_what_is_cut_is_counted() {
        let value = Value::from(json!({
            "blob": "A".repeat(5_000),
            "many": (0..1_000).collect::<Vec<_>>(),
        }));
        let text = json(&value);
        assert!(text.contains("… (4,960 more characters, checksum "), "{text}");
        assert!(text.contains("… (940 more items, checksum "), "{text}");
        let one = json(&vec![0; MEMBERS + 1].into_iter().map(Value::from).collect());
        assert!(one.contains("… (1 more item, checksum "), "{one}");
        assert!(text.len() < 2_000, "{text}");
    }

    #[test]
    fn what_is_cut_still_changes_the_page() {
        let of = |end: &str| json(&Value::from(format!("{}{end}", "A".repeat(5_000))));
        assert_ne!(of("b"), of("c"));
        assert_eq!(of("b"), of("b"));
    }

    #[test]
    fn a_value_as_deep_and_broad_as_can_be_is_bounded() {
        let mut deep = Value::from(1);
        for _ in 0..100 {
            deep = vec![deep.clone(), deep.clone().short(20).into(), Value::from("x")].into();
        }
        let broad: Value = (0..200).map(|_| deep.clone()).collect();
        assert!(json(&broad).len() < 60_000, "{}", json(&broad).len());
    }

    #[test]
    fn what_deceives_is_seen() {
        assert_eq!(name("a\u{202e}b\u{1b}[31m\n c"), "a\\u{202e}b\\u{1b}[31m c");
        assert_eq!(prose("a\r\n\u{feff}b\u{0}"), "a\n\\u{feff}b\\u{0}");
        assert_eq!(json(&Value::from("a\u{202e}")), "\"a\\u202e\"");
    }
}
