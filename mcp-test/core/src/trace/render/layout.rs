//! JSON for people: short on a line, or in full over as many lines as it takes.

use std::borrow::Cow;
use std::fmt::Write;
use std::time::Duration;

use crate::clock;
use crate::expect::words::grouped;
use crate::json::Value;

/// The least that is worth showing of a value.
const LEAST: usize = 12;
/// The longest name of a member that is shown in full where its value is cut.
const NAME: usize = 60;

/// The value in about so many characters. Every member and item gets its share; what is left out is counted.
pub(super) fn short(value: &Value, budget: usize) -> String {
    let mut out = String::new();
    write_short(value, budget, &mut out);
    out
}

fn write_short(value: &Value, budget: usize, out: &mut String) {
    // One character more than the budget shows whether the value is longer, without writing all of it.
    let whole = value.short(budget.max(LEAST) + 1);
    if whole.chars().count() <= budget.max(LEAST) {
        out.push_str(&whole);
        return;
    }
    match value {
        Value::String(text) => {
            // The quotes, the ellipsis and the count of what is left out need their share of the budget.
            let head = prefix_of_escaped_length(text, budget.max(LEAST).saturating_sub(6));
            let left = text.chars().count().saturating_sub(head.chars().count());
            let head = Value::from(head).to_string();
            // The closing quote comes behind the ellipsis.
            let _ = write!(out, "{}…\" +{}", &head[..head.len() - 1], grouped(left));
        }
        Value::Array(items) => {
            let write = |item: &&Value, share, out: &mut String| write_short(item, share, out);
            share(('[', ']'), &items.iter().collect::<Vec<_>>(), budget, out, write);
        }
        Value::Object(object) => {
            let write = |(name, member): &(&str, &Value), share: usize, out: &mut String| {
                let name = short(&Value::from(*name), NAME);
                let _ = write!(out, "{name}:");
                write_short(member, share.saturating_sub(name.chars().count() + 1), out);
            };
            share(('{', '}'), &object.iter().collect::<Vec<_>>(), budget, out, write);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&whole),
    }
}

/// The longest prefix that has at most so many characters in JSON, where one character may need six.
fn prefix_of_escaped_length(text: &str, most: usize) -> String {
    let escaped_length = |char: char| Value::from(char.to_string()).to_string().chars().count() - 2;
    let fits = |used: &mut usize, char: char| {
        *used += escaped_length(char);
        (*used <= most).then_some(char)
    };
    text.chars().scan(0, fits).collect()
}

/// Writes as many parts as are worth showing. The small ones are whole, the big ones share what room is left.
fn share<T>(
    (open, close): (char, char),
    parts: &[T],
    budget: usize,
    out: &mut String,
    write: impl Fn(&T, usize, &mut String),
) {
    let whole = |part: &T| {
        let mut text = String::new();
        write(part, budget, &mut text);
        text.chars().count() + 1
    };
    // The brackets, and what the count of the parts left out may need.
    let mut spent = 2 + LEAST;
    let mut by_length = Vec::new();
    // No further than parts are shown: a peer may send hundreds of thousands.
    for part in parts {
        let length = whole(part);
        spent += length.min(LEAST * 2);
        if spent > budget && !by_length.is_empty() {
            break;
        }
        by_length.push(length);
    }
    let shown = by_length.len();
    // Shortest first: what a short part leaves of its share is divided among the longer ones, so that `most` ends up
    // as what each of those may take.
    by_length.sort_unstable();
    let mut left = budget.saturating_sub(2);
    let mut most = 0;
    for (index, length) in by_length.iter().enumerate() {
        most = left / (shown - index);
        left -= most.min(*length);
    }
    out.push(open);
    for (index, part) in parts.iter().enumerate().take(shown) {
        if index > 0 {
            out.push(',');
        }
        write(part, most.saturating_sub(1).max(LEAST), out);
    }
    if shown < parts.len() {
        let _ = write!(out, ",… {} more", grouped(parts.len() - shown));
    }
    out.push(close);
}

/// The value in full: on the rest of this line if it fits, else over several lines, whatever fits on one of them.
pub(super) fn full(value: &Value, room: usize, indent: usize, width: usize) -> Vec<String> {
    let line = value.inline();
    if line.chars().count() <= room {
        return vec![line];
    }
    let margin = " ".repeat(indent);
    let text = value.pretty_within(width.saturating_sub(indent));
    let lines = text.split('\n').map(|line| format!("{margin}{line}"));
    std::iter::once(String::new()).chain(lines).collect()
}

/// Cuts strings, names and numbers longer than this, such as images.
pub(super) fn without_long_strings(value: &Value, longest: usize) -> Value {
    match value {
        Value::String(text) => without_end(text, longest).into_owned().into(),
        // A number of so many digits is as good as a text.
        Value::Number(number) if number.as_str().len() > longest => {
            without_end(number.as_str(), longest).into_owned().into()
        }
        Value::Array(items) => {
            items.iter().map(|item| without_long_strings(item, longest)).collect()
        }
        Value::Object(object) => {
            let mut cut = crate::json::Object::default();
            for (name, member) in object.iter() {
                cut.push(without_end(name, longest), without_long_strings(member, longest));
            }
            cut.into()
        }
        other => other.clone(),
    }
}

/// A text, or the beginning of one that is longer than this. The checksum makes a change of what was cut a change of the text.
pub(super) fn without_end(text: &str, longest: usize) -> Cow<'_, str> {
    if text.chars().nth(longest).is_none() {
        return text.into();
    }
    let head: String = text.chars().take(longest / 4).collect();
    let left = text.chars().count() - longest / 4;
    format!("{head}… ({} more characters, checksum {:08x})", grouped(left), checksum(text)).into()
}

/// FNV-1a: it need not resist anyone, only tell two versions apart.
pub fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Breaks a text into lines, after a space or a delimiter of JSON where there is one.
pub(super) fn wrapped(text: &str, first: usize, others: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let width = if lines.is_empty() { first } else { others }.max(LEAST);
        let Some((end, _)) = rest.char_indices().nth(width) else {
            lines.push(rest.to_owned());
            return lines;
        };
        // Behind the delimiter, so that no line begins with one.
        let at = rest[..end].rfind([' ', ',', ':', '{', '[']).map_or(end, |at| at + 1);
        // A break near the start would waste the line.
        let at = if at < end / 2 { end } else { at };
        lines.push(rest[..at].trim_end_matches(' ').to_owned());
        rest = &rest[at..];
    }
}

/// When a process got a signal, in words.
pub(super) fn time_of_signal(since_eof: Option<Duration>) -> String {
    match since_eof {
        Some(since) => {
            format!("{} after the end of its standard input", clock::format_duration(since))
        }
        None => "before the end of its standard input".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::json::arbitrary;

    #[test]
    fn a_short_value_shows_something_of_every_part() {
        let tool = |name: &str| json!({"name": name, "description": "what it does ".repeat(9), "inputSchema": {"type": "object"}});
        let list = Value::from(
            json!({"tools": [tool("add"), tool("subtract"), tool("multiply")], "nextCursor": "page-2"}),
        );
        assert_eq!(short(&list, 1000), list.to_string());
        assert_snapshot!(short(&list, 200), @r#"{"nextCursor":"page-2","tools":[{"description":"what it does what it does what …" +86,… 2 more},{"description":"what it does what it does what …" +86,… 2 more},{"description":"what it does what it does what …" +86,… 2 more}]}"#);
        assert_snapshot!(short(&json!((0..100).collect::<Vec<_>>()).into(), 40), @"[0,1,2,3,4,5,6,7,8,9,10,11,… 88 more]");
        assert_snapshot!(short(&json!("é".repeat(2000)).into(), 20), @r#""éééééééééééééé…" +1,986"#);
    }

    #[test]
    fn a_string_that_is_short_until_it_is_escaped_is_cut() {
        let text = r#"Takes {"a": {"b": "c"}} or {"a": ""}"#;
        assert_snapshot!(short(&json!(text).into(), text.chars().count()), @r#""Takes {\"a\": {\"b\": \"c\"}} …" +12"#);
        assert_snapshot!(short(&json!("\u{1}".repeat(12)).into(), 12), @r#""\u0001…" +11"#);
    }

    proptest! {
        #[test]
        fn any_value_is_shown_at_any_width(
            value in arbitrary::value(),
            text in "[\\\\\"\\x00-\\x7fé😀]{0,200}",
            budget in 0_usize..200,
            indent in 0_usize..20,
        ) {
            let shown = short(&Value::from(text.as_str()), budget);
            // The count of what is left out is behind the quotes: it has at most three digits here.
            prop_assert!(shown.chars().count() <= budget.max(LEAST) + 3, "{shown}");
            let value = Value::from(vec![value, text.into()]);
            short(&value, budget);
            full(&value, budget, indent, budget);
            wrapped(&without_long_strings(&value, budget).to_string(), budget, indent);
        }
    }

    #[test]
    fn a_full_value_breaks_where_it_must() {
        let value = json!({"a": 1, "list": ["some text", {"deep": [1, 2, 3]}], "other": {"x": "a longer text here"}, "none": []}).into();
        assert_snapshot!(full(&value, 500, 0, 100).join("\n"), @r#"{"a": 1, "list": ["some text", {"deep": [1, 2, 3]}], "none": [], "other": {"x": "a longer text here"}}"#);
        assert_snapshot!(full(&value, 30, 2, 40).join("\n"), @r#"

        {
          "a": 1,
          "list": [
            "some text",
            {"deep": [1, 2, 3]}
          ],
          "none": [],
          "other": {
            "x": "a longer text here"
          }
        }
        "#);
    }

    #[test]
    fn long_strings_are_cut_with_a_checksum() {
        let cut =
            |text: &str| without_long_strings(&json!({"blob": [text]}).into(), 16).to_string();
        assert_snapshot!(cut("0123456789abcdef"), @r#"{"blob":["0123456789abcdef"]}"#);
        assert_snapshot!(cut(&"0123456789abcdef".repeat(200)), @r#"{"blob":["0123… (3,196 more characters, checksum afa59f05)"]}"#);
        assert_ne!(cut(&"x".repeat(20)), cut(&("x".repeat(19) + "y")));
    }

    #[test]
    fn long_lines_break_after_delimiters_and_spaces() {
        assert_eq!(wrapped("aaaa bbbb,cccccc dddd", 12, 14), ["aaaa bbbb,", "cccccc dddd"]);
        assert_eq!(wrapped(&"é".repeat(30), 12, 20), ["é".repeat(12), "é".repeat(18)]);
    }
}
