//! Building blocks of failure messages, so that all messages are worded alike.

use std::any::Any;
use std::borrow::Cow;

use crate::json::{Value, is_deceptive};

/// The maximum number of characters of a name in a message, or of anything else without a blank: more than an ordinary URL has.
pub const NAME: usize = 400;

/// The maximum number of characters of a value in a message: about a line and a half of a terminal.
pub const SHOWN: usize = 120;

/// A value, truncated for a message; `nothing` if there is none.
#[must_use]
pub fn got(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| value.short(SHOWN))
}

/// The kind of a value, to be read after "which", if its text does not show it already.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
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

/// Joins things with commas, and with a word before the last: `a, b or c`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
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

/// The texts of all things with this separator between them.
#[must_use]
pub fn joined<T: ToString>(things: impl IntoIterator<Item = T>, separator: &str) -> String {
    things.into_iter().map(|thing| thing.to_string()).collect::<Vec<_>>().join(separator)
}

/// A number and its noun: `1 item`, `2 items`; the plural is formed with `s`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A method in backticks. What is sent in place of a request is described in words, which stay as they are.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::expect::words;
///
/// assert_eq!(words::method("tools/list"), "`tools/list`");
/// assert_eq!(words::method("an invalid message"), "an invalid message");
/// ```
#[must_use]
pub fn method(name: &str) -> Cow<'_, str> {
    if name.contains(' ') { name.into() } else { format!("`{name}`").into() }
}

/// The beginning of some bytes, in quotes and escaped; `…` shows that there are more.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::expect::words;
///
/// assert_eq!(words::quoted(b"Server \"x\" started\n"), r#""Server \"x\" started\n""#);
/// ```
#[must_use]
pub fn quoted(bytes: &[u8]) -> String {
    const BYTES: usize = 80;
    let text = String::from_utf8_lossy(&bytes[..floor_char_boundary(bytes, BYTES)]);
    let more = if bytes.len() > BYTES { "…" } else { "" };
    format!("{text:?}{more}")
}

/// The length of the longest prefix of at most `most` bytes that does not end within a character.
pub(crate) fn floor_char_boundary(bytes: &[u8], most: usize) -> usize {
    if bytes.len() <= most {
        return bytes.len();
    }
    // A UTF-8 character has at most three continuation bytes, which start with the bits 10.
    // Bytes that are not UTF-8 at all may have no start in reach; they are cut at `most`.
    let starts = |&at: &usize| bytes[at] & 0xC0 != 0x80;
    (most.saturating_sub(3)..=most).rev().find(starts).unwrap_or(most)
}

/// The beginning of a text, up to about two lines of a terminal, with every character replaced that [`inert`] replaces.
#[must_use]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    inert_start(text, 160)
}

/// As [`inert`], for a text that is kept and shown, perhaps often: cut, also within it, where a peer made it very long.
#[must_use]
pub fn into_inert(text: impl Into<String>) -> String {
    const TEXT: usize = 10_000;
    let text = text.into();
    if text.split_whitespace().any(|word| word.chars().nth(NAME).is_some()) {
        let words = text.split_inclusive(char::is_whitespace).map(|word| {
            let blank = &word[word.trim_end().len()..];
            format!("{}{blank}", cut(word.trim_end(), NAME))
        });
        return inert_start(&words.collect::<String>(), TEXT).into_owned();
    }
    match inert_start(&text, TEXT) {
        Cow::Owned(start) => start,
        Cow::Borrowed(_) => text,
    }
}

fn inert_start(text: &str, most: usize) -> Cow<'_, str> {
    let start = cut(text, most);
    // The text may come from the peer: an escape sequence could move the cursor or hide other output.
    if start.contains(is_active) { inert(&start).into() } else { start }
}

/// The beginning of a text that has more characters than `most`, and how many are missing: `abc… +1,997`.
#[must_use]
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => {
            let missing = text[end..].chars().count();
            format!("{}… +{}", &text[..end], grouped(missing)).into()
        }
    }
}

/// A number with its digits in groups of three.
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A line of untrusted output: [`inert`], and without line breaks.
#[must_use]
pub fn printable(text: &str) -> String {
    text.replace(|c| is_active(c) || c == '\n', "·")
}

/// A name of a peer or a file on one line, cut if it is long.
#[must_use]
pub fn name(text: &str) -> String {
    printable(&cut(text, NAME))
}

/// A text of several lines for people, with every character replaced that controls a terminal, hides or reverses text, or
/// cannot be part of XML.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::expect::words;
///
/// assert_eq!(words::inert("a\u{1b}[31m\n\tb\u{202e}\u{ffff}"), "a·[31m\n\tb··");
/// ```
#[must_use]
pub fn inert(text: &str) -> String {
    text.replace(is_active, "·")
}

/// As [`inert`], but keeps the colours that mcp-test itself uses.
#[cfg(feature = "suite")]
#[must_use]
pub fn inert_but_colours(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return text.into();
    }
    let mut pieces = text.split('\u{1b}');
    let mut shown = inert(pieces.next().unwrap_or_default());
    for piece in pieces {
        shown.push(if is_colour(piece) { '\u{1b}' } else { '·' });
        shown.push_str(&inert(piece));
    }
    shown.into()
}

/// Whether this follows an escape character to select a colour, bold, faint, italic or underlined text, or to reset that; one
/// code at a time, as the libraries do that write for us.
#[cfg(feature = "suite")]
fn is_colour(piece: &str) -> bool {
    let code = piece.strip_prefix('[').and_then(|piece| piece.split_once('m'));
    let code = code.and_then(|(code, _)| code.parse::<u8>().ok());
    // Neither concealed nor blinking text, and no background.
    matches!(code, Some(0..=4 | 31..=37 | 90..=97))
}

/// Whether a character of a text of several lines does not show as itself.
fn is_active(c: char) -> bool {
    is_deceptive(c) && !matches!(c, '\t' | '\n')
}

/// The message of a panic.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::expect::words;
///
/// let panic = std::panic::catch_unwind(|| panic!("no tools")).unwrap_err();
/// assert_eq!(words::panic_text(&*panic), "no tools");
/// ```
#[must_use]
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    // `panic!` with arguments carries a `String`, with a literal a `&str`.
    match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => panic.downcast_ref::<&str>().copied().unwrap_or("a panic without a message"),
    }
}

/// The candidate closest to `name`, ignoring case, unless it differs in more than a third of the characters of `name`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::expect::words;
///
/// assert_eq!(words::closest("tols-list", ["tools-list", "ping"]), Some("tools-list"));
/// assert_eq!(words::closest("logging", ["tools-list", "ping"]), None);
/// ```
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    // A third allows a typo in a short name without suggesting unrelated ones.
    let length = name.chars().count();
    let third = length.div_ceil(3);
    // Any two dates have more than half of their characters in common.
    let most = if name.starts_with("20") { third.min(2) } else { third };
    candidates
        .into_iter()
        // At least as many edits as the lengths differ: a name of a megabyte is not compared with anything.
        .filter(|candidate| length.abs_diff(candidate.chars().count()) <= most)
        .map(|candidate| (strsim::levenshtein(&name, &candidate.to_lowercase()), candidate))
        .filter(|(edits, _)| *edits <= most)
        // Of several equally close candidates, the first.
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "suite")]
    #[test]
    fn only_our_colours_reach_a_terminal() {
        let styled = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m a\u{1b}]0;x\u{7}\u{1b}[2J\u{1b}[8mb\r\u{202e}c\u{1b}";
        assert_eq!(
            inert_but_colours(styled),
            "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m a·]0;x··[2J·[8mb··c·"
        );
        assert_eq!(inert_but_colours("a\n\tb"), "a\n\tb");
    }

    #[test]
    fn what_deceives_is_replaced_in_a_line_and_in_an_excerpt() {
        assert_eq!(printable("a\tb\n\u{202e}\u{61c}\u{2066}c"), "a\tb····c");
        assert_eq!(excerpt("a\n\u{202e}\u{9b}b"), "a\n··b");
    }

    #[test]
    fn a_text_that_is_kept_has_an_end() {
        assert_eq!(into_inert("a\u{1b}b"), "a·b");
        let name = "é".repeat(1_000_000);
        let kept = into_inert(format!("`{name}` and `{name}`\nare\u{1b}"));
        let cut = format!("`{}… +999,602", "é".repeat(399));
        assert_eq!(kept, format!("{cut} and {cut}\nare·"));
        let kept = into_inert("é ".repeat(1_000_000));
        assert_eq!(kept, format!("{}… +1,990,000", "é ".repeat(5_000)));
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn suggests_the_closest_and_ignores_case() {
        assert_eq!(closest("Ping", ["pong", "ping"]), Some("ping"));
        assert_eq!(closest("", ["a"]), None);
        assert_eq!(closest("x", []), None);
    }

    #[test]
    fn quotes_whole_characters() {
        assert_eq!(quoted(b"a\xffb"), "\"a\u{fffd}b\"");
        let long = format!("{}ä", "x".repeat(79));
        assert_eq!(quoted(long.as_bytes()), format!("\"{}\"…", "x".repeat(79)));
        assert_eq!(quoted(&[0x80; 90]).matches('\u{fffd}').count(), 80);
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("a\tb\u{1b}[2J\r"), "a\tb·[2J·");
    }

    #[test]
    fn the_message_of_a_panic_is_found() {
        assert_eq!(panic_text(&"static"), "static");
        assert_eq!(panic_text(&"owned".to_owned()), "owned");
        assert_eq!(panic_text(&5), "a panic without a message");
    }

    #[test]
    fn long_values_are_truncated() {
        let long = Value::from("x".repeat(1000));
        assert_eq!(got(Some(&long)).chars().count(), SHOWN);
        assert_eq!(got(None), "nothing");
        assert_eq!(list::<&str>([], "and"), "nothing");
        assert_eq!(count(1, "item") + ", " + &count(0, "item"), "1 item, 0 items");
    }
}
