//! The characters that are escaped because people see the text as well.

use std::fmt::{self, Write};

/// Whether a character controls a terminal, is invisible, breaks the line, changes the direction of the text around it, or cannot
/// be part of XML.
#[doc(hidden)]
pub fn is_deceptive(char: char) -> bool {
    let hides_or_turns = matches!(char,
        // Soft hyphen, direction marks, zero-width characters, separators.
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        // Byte order mark, interlinear annotations, what XML excludes, tags.
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}');
    hides_or_turns || char.is_control()
}

/// How many of these bytes, from the first one on, are printable ASCII that needs no escape in JSON.
pub(super) fn plain_prefix(bytes: &[u8]) -> usize {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    bytes.iter().position(|byte| !is_plain(*byte)).unwrap_or(bytes.len())
}

/// Writes a character as JSON escapes it: as one or two units of UTF-16.
pub(super) fn escape(char: char, out: &mut impl Write) -> fmt::Result {
    char.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))
}
