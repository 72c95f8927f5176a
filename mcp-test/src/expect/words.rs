//! The words that failures are made of, so that all of them speak alike.

use std::any::Any;
use std::borrow::Cow;

use crate::json::Value;

/// How many characters of a value a message shows.
pub const SHOWN: usize = 120;

/// A value cut short for a message, or `nothing`.
#[must_use]
pub fn got(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| value.short(SHOWN))
}

/// What a value is, to be read after "which", if its text does not say so already.
///
/// ```
/// use mcp_test::{expect::words, json::Value};
///
/// assert_eq!(words::which(&7.into()).as_deref(), Some("is a number"));
/// assert_eq!(words::which(&Value::Null), None);
/// ```
#[must_use]
pub fn which(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if text.is_empty() => Some("is an empty string".to_owned()),
        Value::Array(items) if items.is_empty() => Some("is an empty array".to_owned()),
        Value::Object(object) if object.is_empty() => Some("is an empty object".to_owned()),
        other => Some(format!("is {}", other.kind())),
    }
}

/// Things in a row, with a word before the last: `a, b or c`.
///
/// ```
/// use mcp_test::expect::words;
///
/// assert_eq!(words::list(["tools", "prompts", "tasks"], "or"), "tools, prompts or tasks");
/// assert_eq!(words::list(["tools"], "or"), "tools");
/// ```
pub fn list<T: ToString>(things: impl IntoIterator<Item = T>, word: &str) -> String {
    let things: Vec<String> = things.into_iter().map(|thing| thing.to_string()).collect();
    match things.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
    }
}

/// A number of things: `1 item`, `2 items`, for nouns with a plain plural.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// The beginning of some bytes in quotes, so that it can be read in a sentence.
///
/// ```
/// use mcp_test::expect::words;
///
/// assert_eq!(words::quoted(b"Server \"x\" started\n"), r#""Server \"x\" started\n""#);
/// ```
#[must_use]
pub fn quoted(bytes: &[u8]) -> String {
    const BYTES: usize = 80;
    let text = String::from_utf8_lossy(&bytes[..cut(bytes, BYTES)]);
    let more = if bytes.len() > BYTES { "…" } else { "" };
    format!("{text:?}{more}")
}

/// The end of the first `most` bytes, before the character that would be cut in two.
fn cut(bytes: &[u8], most: usize) -> usize {
    if bytes.len() <= most {
        return bytes.len();
    }
    // A character of UTF-8 has at most three bytes after its first.
    let begins = |&at: &usize| bytes[at] & 0xC0 != 0x80;
    (most.saturating_sub(3)..=most).rev().find(begins).unwrap_or(most)
}

/// A text that may be long, up to so many characters as fit on two lines; without what would move the cursor or change
/// colours, but for the ends of its lines.
#[must_use]
pub fn begun(text: &str) -> Cow<'_, str> {
    const CHARACTERS: usize = 160;
    let garbles = |c: char| c.is_control() && c != '\t' && c != '\n';
    let begun: Cow<'_, str> = match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    };
    if begun.contains(garbles) { begun.replace(garbles, "·").into() } else { begun }
}

/// A line of somebody else's output, without what would move the cursor or change colours.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '·' } else { c }).collect()
}

/// What a panic says, where it says it in words.
///
/// ```
/// use mcp_test::expect::words;
///
/// let panic = std::panic::catch_unwind(|| panic!("no tools")).unwrap_err();
/// assert_eq!(words::panic_text(&*panic), "no tools");
/// ```
#[must_use]
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => panic.downcast_ref::<&str>().copied().unwrap_or("a panic without words"),
    }
}

/// The candidate that `name` was probably meant to be, if one is near enough to say so.
///
/// ```
/// use mcp_test::expect::words;
///
/// assert_eq!(words::closest("tols-list", ["tools-list", "ping"]), Some("tools-list"));
/// assert_eq!(words::closest("logging", ["tools-list", "ping"]), None);
/// ```
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let most = name.len().div_ceil(3);
    candidates
        .into_iter()
        .map(|candidate| (edits(&name, &candidate.to_lowercase()), candidate))
        .filter(|(edits, _)| *edits <= most)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be put in, taken out or replaced to make one text of the other.
fn edits(from: &[char], to: &str) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (index, wanted) in to.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, char) in from.iter().enumerate() {
            let replaced = diagonal + usize::from(*char != wanted);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[from.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        let distance = |from: &str, to: &str| edits(&from.chars().collect::<Vec<_>>(), to);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn suggests_the_nearest_whatever_its_case() {
        assert_eq!(closest("Ping", ["pong", "ping"]), Some("ping"));
        assert_eq!(closest("", ["a"]), None);
        assert_eq!(closest("x", []), None);
    }

    #[test]
    fn quotes_the_beginning_and_whole_characters() {
        assert_eq!(quoted(b"a\xffb"), "\"a\u{fffd}b\"");
        let long = format!("{}ä", "x".repeat(79));
        assert_eq!(quoted(long.as_bytes()), format!("\"{}\"…", "x".repeat(79)));
        assert_eq!(quoted(&[0x80; 90]).matches('\u{fffd}').count(), 80);
    }

    #[test]
    fn what_others_say_is_shown_without_its_effects() {
        assert_eq!(printable("a\tb\u{1b}[2J\r"), "a\tb·[2J·");
    }

    #[test]
    fn a_panic_says_what_it_was_given() {
        assert_eq!(panic_text(&"static"), "static");
        assert_eq!(panic_text(&"owned".to_owned()), "owned");
        assert_eq!(panic_text(&5), "a panic without words");
    }

    #[test]
    fn cuts_long_values() {
        let long = Value::from("x".repeat(1000));
        assert_eq!(got(Some(&long)).chars().count(), SHOWN);
        assert_eq!(got(None), "nothing");
        assert_eq!(list::<&str>([], "and"), "nothing");
        assert_eq!(count(1, "item") + ", " + &count(0, "item"), "1 item, 0 items");
    }
}
