//! Damage to the bytes of a message's text.

use bytes::Bytes;

use super::change::Damage;

/// How deep a nesting is that no reader has to follow; it still fits into a small message.
const DEPTH: usize = 10_000;

/// The beginning of one more member.
const MEMBER: &[u8] = b",\"x-fault\":";

/// A text with some damage.
pub(super) fn damaged(text: &[u8], damage: Damage) -> Bytes {
    match damage {
        Damage::Truncated => Bytes::copy_from_slice(&text[..half(text)]),
        Damage::ByteOrderMark => [b"\xef\xbb\xbf", text].concat().into(),
        Damage::Nul => [b"\0\0", text].concat().into(),
        Damage::InvalidUtf8 => with_member(text, b"\"\xff\""),
        Damage::Deep => {
            let nested = [vec![b'['; DEPTH], vec![b']'; DEPTH]].concat();
            with_member(text, &nested)
        }
    }
}

/// A text that a member makes so many bytes longer; a member needs a few.
pub(super) fn padded(text: &[u8], bytes: usize) -> Bytes {
    let padding = bytes.saturating_sub(MEMBER.len() + b"\"\"".len());
    with_member(text, &[b"\"", vec![b'x'; padding].as_slice(), b"\""].concat())
}

/// The middle of a text, not inside of a character: what is cut off shall be broken JSON, not broken UTF-8.
pub(super) fn half(text: &[u8]) -> usize {
    let mut middle = text.len() / 2;
    while middle > 0 && text[middle] & 0xC0 == 0x80 {
        middle -= 1;
    }
    middle
}

/// The object with one more member; what is no object stays as it is.
fn with_member(text: &[u8], value: &[u8]) -> Bytes {
    let Some(body) = text.strip_suffix(b"}") else {
        return Bytes::copy_from_slice(text);
    };
    let member = if body == b"{" { &MEMBER[1..] } else { MEMBER };
    [body, member, value, b"}"].concat().into()
}
