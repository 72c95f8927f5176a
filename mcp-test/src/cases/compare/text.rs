//! Bounded diffs of long strings, and of values that fill more than one line.

use mcp_test_core::expect::words;
use mcp_test_core::json::Value;
use mcp_test_core::trace::SecretTexts;

/// A string of at most this length is shown in full.
const SHORT: usize = 60;
/// The number of characters shown before the first difference.
const BEFORE: usize = 20;
/// The largest width of a line.
const WIDTH: usize = 120;
/// The largest number of lines per side.
const LINES: usize = 12;
/// A value with longer JSON is shown truncated on one line.
const PRETTY: usize = 1_000;

/// The description of two strings that differ.
pub(super) struct TextDifference {
    pub(super) expected: String,
    pub(super) got: String,
    pub(super) which: String,
    pub(super) lines: Vec<String>,
}

/// Describes where two long strings differ; `None` if they are short, or differ only in secrets.
pub(super) fn compare(expected: &str, got: &str, secrets: &SecretTexts) -> Option<TextDifference> {
    let is_long = |text: &str| text.contains('\n') || text.chars().nth(SHORT).is_some();
    if !is_long(expected) && !is_long(got) {
        return None;
    }
    // Masked before they are compared: the place of a difference inside a secret would reveal a part of it.
    let (expected, got) = (secrets.mask(expected), secrets.mask(got));
    let same = expected.chars().zip(got.chars()).take_while(|(a, b)| a == b).count();
    let before: String = expected.chars().take(same).collect();
    if before.len() == expected.len() && before.len() == got.len() {
        return None;
    }
    let (line, column) = place(&before);
    let is_multiline = expected.contains('\n') || got.contains('\n');
    let which = match is_multiline {
        true => format!("first differs at character {column} of line {line}"),
        false => format!("first differs at character {}", same + 1),
    };
    let lines = if is_multiline { by_line(&expected, &got) } else { Vec::new() };
    Some(TextDifference {
        expected: around(&expected, same),
        got: around(&got, same),
        which,
        lines,
    })
}

/// The line and column after a string, both counted from one.
fn place(before: &str) -> (usize, usize) {
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (line, before[start..].chars().count() + 1)
}

/// The part of a string around a character, in quotes.
fn around(text: &str, at: usize) -> String {
    let start = at.saturating_sub(BEFORE);
    let part: String = text.chars().skip(start).take(SHORT + BEFORE).collect();
    let more = text.chars().nth(start + SHORT + BEFORE).is_some();
    let (left, right) = (if start > 0 { "…" } else { "" }, if more { "…" } else { "" });
    format!("{left}{}{right}", Value::from(part))
}

/// A line diff without the common lines at the beginning and end.
fn by_line(expected: &str, got: &str) -> Vec<String> {
    // `split` instead of `lines`: a missing line break at the end is a difference.
    let split = |text: &str| -> Vec<String> { text.split('\n').map(ToOwned::to_owned).collect() };
    let (wanted, actual) = (split(expected), split(got));
    let start = wanted.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let (wanted, actual) = (&wanted[start..], &actual[start..]);
    let end = wanted.iter().rev().zip(actual.iter().rev()).take_while(|(a, b)| a == b).count();
    let (wanted, tail) = wanted.split_at(wanted.len() - end);
    let actual = &actual[..actual.len() - end];
    let before = expected.split('\n').take(start).last();
    // One line of context on either side, as in a unified diff.
    let mut lines: Vec<String> = before.map(|line| shown(' ', line)).into_iter().collect();
    for (sign, of) in [('-', wanted), ('+', actual)] {
        lines.extend(of.iter().take(LINES).map(|line| shown(sign, line)));
        if of.len() > LINES {
            lines.push(format!("{sign} … {} more", words::count(of.len() - LINES, "line")));
        }
    }
    lines.extend(tail.first().map(|line| shown(' ', line)));
    lines
}

fn shown(sign: char, line: &str) -> String {
    // Escaped before it is measured: what is shown has to fit.
    let line = words::printable(line);
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{sign} {}…", &line[..end]),
        None => format!("{sign} {line}").trim_end().to_owned(),
    }
}

/// A value on several lines, each with the sign; empty if it fits on one line.
pub(super) fn lines(sign: char, value: &Value, secrets: &SecretTexts) -> Vec<String> {
    let compact = secrets.short(value, PRETTY);
    let length = compact.chars().count();
    if length <= words::SHOWN || !(value.is_array() || value.is_object()) {
        return Vec::new();
    }
    if length >= PRETTY {
        return vec![shown(sign, &compact)];
    }
    let pretty = secrets.mask(&value.pretty());
    let mut lines: Vec<String> =
        pretty.lines().take(LINES * 2).map(|line| shown(sign, line)).collect();
    let more = pretty.lines().count().saturating_sub(LINES * 2);
    if more > 0 {
        lines.push(format!("{sign} … {} more", words::count(more, "line")));
    }
    lines
}
