//! Where two long texts differ, and values that fill more than a line; all of it within bounds.

use crate::expect::words;
use crate::json::Value;
use crate::trace::SecretTexts;

/// A text that is not longer is shown as it is.
const SHORT: usize = 60;
/// How much is shown before the first difference.
const BEFORE: usize = 20;
/// How long a line may be.
const WIDTH: usize = 120;
/// How many lines of one side are shown.
const LINES: usize = 12;
/// A value that is longer as JSON is shown on one line, cut short.
const PRETTY: usize = 1_000;

/// Two texts that differ, in words.
pub(super) struct Apart {
    pub(super) expected: String,
    pub(super) got: String,
    pub(super) which: String,
    pub(super) lines: Vec<String>,
}

/// Tells two texts apart that are too long to see it; `None` if they are short, or if they differ in secrets only.
pub(super) fn apart(expected: &str, got: &str, secrets: &SecretTexts) -> Option<Apart> {
    let is_long = |text: &str| text.contains('\n') || text.chars().nth(SHORT).is_some();
    if !is_long(expected) && !is_long(got) {
        return None;
    }
    let (expected, got) = (secrets.mask(expected), secrets.mask(got));
    let same = expected.chars().zip(got.chars()).take_while(|(a, b)| a == b).count();
    let before: String = expected.chars().take(same).collect();
    if before.len() == expected.len() && before.len() == got.len() {
        return None;
    }
    let (line, column) = place(&before);
    let is_multiline = expected.contains('\n') || got.contains('\n');
    let which = match is_multiline {
        true => format!("differs from character {column} of line {line} on"),
        false => format!("differs from character {} on", same + 1),
    };
    let lines = if is_multiline { by_line(&expected, &got) } else { Vec::new() };
    Some(Apart { expected: around(&expected, same), got: around(&got, same), which, lines })
}

/// The line and the character in it that come after a text, both counted from one.
fn place(before: &str) -> (usize, usize) {
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (line, before[start..].chars().count() + 1)
}

/// The part of a text that begins a little before a character, in quotes.
fn around(text: &str, at: usize) -> String {
    let start = at.saturating_sub(BEFORE);
    let part: String = text.chars().skip(start).take(SHORT + BEFORE).collect();
    let more = text.chars().nth(start + SHORT + BEFORE).is_some();
    let (left, right) = (if start > 0 { "…" } else { "" }, if more { "…" } else { "" });
    format!("{left}{}{right}", Value::from(part))
}

/// Line by line, but for the lines that are the same at the beginning and at the end.
fn by_line(expected: &str, got: &str) -> Vec<String> {
    // An end without a line break is a difference too.
    let split = |text: &str| -> Vec<String> { text.split('\n').map(ToOwned::to_owned).collect() };
    let (wanted, said) = (split(expected), split(got));
    let start = wanted.iter().zip(&said).take_while(|(a, b)| a == b).count();
    let (wanted, said) = (&wanted[start..], &said[start..]);
    let end = wanted.iter().rev().zip(said.iter().rev()).take_while(|(a, b)| a == b).count();
    let (wanted, tail) = wanted.split_at(wanted.len() - end);
    let said = &said[..said.len() - end];
    let before = expected.split('\n').take(start).last();
    let mut lines: Vec<String> = before.map(|line| shown(' ', line)).into_iter().collect();
    for (sign, of) in [('-', wanted), ('+', said)] {
        lines.extend(of.iter().take(LINES).map(|line| shown(sign, line)));
        if of.len() > LINES {
            lines.push(format!("{sign} … {} more", words::count(of.len() - LINES, "line")));
        }
    }
    lines.extend(tail.first().map(|line| shown(' ', line)));
    lines
}

fn shown(sign: char, line: &str) -> String {
    let line = words::printable(line);
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{sign} {}…", &line[..end]),
        None => format!("{sign} {line}").trim_end().to_owned(),
    }
}

/// A value over several lines, each after the sign; none if it fits on one line of words.
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
