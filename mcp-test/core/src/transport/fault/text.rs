//! Faults in the bytes of a message's text.

use bytes::Bytes;

use super::change::TextFault;

/// Deeper than the limits of common JSON readers, 128 levels in serde_json, and still a message of only 20 kB.
const DEPTH: usize = 10_000;

/// The beginning of the added member.
const MEMBER: &[u8] = b",\"x-fault\":";

/// Breaks a text.
pub(super) fn break_text(text: &[u8], fault: TextFault) -> Bytes {
    match fault {
        TextFault::Truncated => Bytes::copy_from_slice(&text[..middle(text)]),
        TextFault::ByteOrderMark => [b"\xef\xbb\xbf", text].concat().into(),
        TextFault::Nul => [b"\0\0", text].concat().into(),
        TextFault::InvalidUtf8 => with_member(text, b"\"\xff\""),
        TextFault::Deep => {
            let nested = [vec![b'['; DEPTH], vec![b']'; DEPTH]].concat();
            with_member(text, &nested)
        }
    }
}

/// Makes a text this many bytes longer by a member, which needs at least a few bytes.
pub(super) fn pad(text: &[u8], bytes: usize) -> Bytes {
    let padding = bytes.saturating_sub(MEMBER.len() + b"\"\"".len());
    with_member(text, &[b"\"", vec![b'x'; padding].as_slice(), b"\""].concat())
}

/// The middle of a text, but not inside a character: a text cut there is broken JSON, not broken UTF-8.
pub(super) fn middle(text: &[u8]) -> usize {
    let mut middle = text.len() / 2;
    while middle > 0 && text[middle] & 0xC0 == 0x80 {
        middle -= 1;
    }
    middle
}

/// Adds a member to an object; any other text stays as it is.
fn with_member(text: &[u8], value: &[u8]) -> Bytes {
    let Some(body) = text.strip_suffix(b"}") else {
        return Bytes::copy_from_slice(text);
    };
    // An empty object needs no comma.
    let member = if body == b"{" { &MEMBER[1..] } else { MEMBER };
    [body, member, value, b"}"].concat().into()
}
