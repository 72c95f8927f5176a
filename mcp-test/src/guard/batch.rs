//! A batch of which some messages are refused: what is left of it, as its author wrote it, and the answers to the rest.

use std::ops::Range;

use bytes::{Bytes, BytesMut};
use mcp_test_core::json::Value;

use super::refusal::Refusal;

/// One message of a batch.
#[derive(Debug)]
pub(super) struct Item {
    /// Its range in the text.
    pub(super) place: Range<usize>,
    pub(super) refusal: Option<Refusal>,
}

/// What is left of a batch; `None` if that is nothing.
pub(super) fn rest(text: &[u8], items: &[Item]) -> Option<Bytes> {
    let mut passing = items.iter().filter(|item| item.refusal.is_none()).peekable();
    passing.peek()?;
    Some(array(passing.map(|item| &text[item.place.clone()])))
}

/// What was refused.
pub(super) fn refusals(items: &[Item]) -> impl Iterator<Item = &Refusal> {
    items.iter().filter_map(|item| item.refusal.as_ref())
}

/// The answers to what was refused, as one batch; `None` if nothing of it is answered.
pub(super) fn answers(items: &[Item]) -> Option<Value> {
    let answers: Vec<Value> = refusals(items).filter_map(Refusal::answer).collect();
    (!answers.is_empty()).then_some(answers.into())
}

/// The ranges of the items of an array in its text, without the space around them.
///
/// The text must have been parsed as a JSON array before; for any other text the ranges mean nothing.
pub(super) fn items(text: &[u8]) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    // Scanned, because what passes has to keep its spelling, which parsed values do not have.
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut start = 0;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            b',' if depth == 1 => {
                items.push(trimmed(text, start..at));
                start = at + 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    items.push(trimmed(text, start..at));
                }
            }
            _ => {}
        }
    }
    // An empty array ends in an item without text.
    items.retain(|item| !item.is_empty());
    items
}

/// An array of these items.
pub(super) fn array<'a>(items: impl IntoIterator<Item = &'a [u8]>) -> Bytes {
    let mut text = BytesMut::from(&b"["[..]);
    for item in items {
        // Only behind the opening bracket there is no comma.
        if text.len() > 1 {
            text.extend_from_slice(b",");
        }
        text.extend_from_slice(item);
    }
    text.extend_from_slice(b"]");
    text.freeze()
}

fn trimmed(text: &[u8], place: Range<usize>) -> Range<usize> {
    let item = &text[place.clone()];
    let end = place.start + item.trim_ascii_end().len();
    end - item.trim_ascii().len()..end
}

#[cfg(test)]
mod tests {
    use mcp_test_core::json::arbitrary;
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        items(text.as_bytes()).into_iter().map(|item| &text[item]).collect()
    }

    #[test]
    fn items_are_cut_at_commas_of_the_outer_array_only() {
        let text = r#" [ {"a":[1,2],"b":"],\"[,"} ,	[] , "x,]\\" ,7 ] "#;
        assert_eq!(texts(text), [r#"{"a":[1,2],"b":"],\"[,"}"#, "[]", r#""x,]\\""#, "7"]);
        assert_eq!(texts("[]"), [""; 0]);
        assert_eq!(texts(" [ ] "), [""; 0]);
    }

    #[test]
    fn what_is_cut_is_put_together_again() {
        assert_eq!(array([&b"1"[..], b"{}"]), "[1,{}]");
        assert_eq!(array([]), "[]");
    }

    proptest! {
        #[test]
        fn each_item_is_the_text_of_its_value(values in prop::collection::vec(arbitrary::value(), 0..5)) {
            let text = Value::from(values.clone()).to_string();
            let read = |place: Range<usize>| Value::parse(&text.as_bytes()[place]).unwrap().value;
            prop_assert_eq!(items(text.as_bytes()).into_iter().map(read).collect::<Vec<_>>(), values);
        }
    }
}
