//! Newline-delimited framing: cuts a byte stream into lines, whatever its chunks.
//!
//! Lines that are too long or never end are reported here; what a line means is decided elsewhere.

use bytes::{Bytes, BytesMut};

/// How many bytes of a line that is too long are kept for messages.
const HEAD: usize = 1024;

/// A part of a byte stream that is framed by newlines.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineEvent {
    /// A line, without its `\n`; a `\r` before it is kept, which JSON does not mind.
    Line(Bytes),
    /// A line exceeded the limit; the rest of it, up to the next `\n`, is dropped.
    ///
    /// Reported as soon as the limit is exceeded, so that an endless line is reported too.
    TooLong {
        /// How many bytes had been read by then: one more than the limit.
        length_seen: usize,
        /// Its first bytes, at most 1024.
        head: Bytes,
    },
    /// The stream ended within this line.
    Partial(Bytes),
}

/// Cuts a byte stream into lines.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::wire::{LineEvent, LineReader};
///
/// let mut reader = LineReader::new(1024);
/// assert_eq!(reader.push(b"{}\n{"), [LineEvent::Line("{}".into())]);
/// assert_eq!(reader.finish(), Some(LineEvent::Partial("{".into())));
/// ```
#[doc(hidden)]
#[derive(Debug)]
pub struct LineReader {
    limit: usize,
    line: BytesMut,
    dropping: bool,
    is_cut: bool,
}

impl LineReader {
    /// A reader that takes lines of at most `limit` bytes, the `\n` not counted.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, line: BytesMut::new(), dropping: false, is_cut: false }
    }

    /// Takes the next bytes of the stream, and returns what they completed.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<LineEvent> {
        let mut events = Vec::new();
        while let Some(newline) = bytes.iter().position(|&byte| byte == b'\n') {
            events.extend(self.grow(&bytes[..newline]));
            // The newline of a line that was cut before it came ends nothing more.
            let is_rest = std::mem::take(&mut self.is_cut) && self.line.trim_ascii().is_empty();
            if is_rest {
                self.line.clear();
            } else if !self.dropping {
                events.push(LineEvent::Line(self.line.split().freeze()));
            }
            // Whatever was dropped, this newline has ended it.
            self.dropping = false;
            bytes = &bytes[newline + 1..];
        }
        events.extend(self.grow(bytes));
        events
    }

    /// What has arrived of the line that has not ended yet; empty while a line that is too long is dropped.
    #[must_use]
    pub fn unfinished(&self) -> &[u8] {
        &self.line
    }

    /// Ends the stream; returns the line it ended in, if it did not end after a `\n`.
    #[must_use]
    pub fn finish(mut self) -> Option<LineEvent> {
        self.cut()
    }

    /// Ends the current line without its `\n`, for a reader that awaits none any more; what follows is another line.
    #[must_use]
    pub fn cut(&mut self) -> Option<LineEvent> {
        self.is_cut |= !self.line.is_empty();
        // The rest of a line that was too long is not reported again: `line` is empty while it is dropped.
        (!self.line.is_empty()).then(|| LineEvent::Partial(self.line.split().freeze()))
    }

    fn grow(&mut self, bytes: &[u8]) -> Option<LineEvent> {
        if self.dropping {
            return None;
        }
        // Cannot underflow: the line never grows beyond the limit.
        if bytes.len() <= self.limit - self.line.len() {
            self.line.extend_from_slice(bytes);
            return None;
        }
        // Only what the report shows is copied.
        let missing = HEAD.saturating_sub(self.line.len()).min(bytes.len());
        self.line.extend_from_slice(&bytes[..missing]);
        // At most one byte beyond the limit, so that the chunks do not change what is reported.
        self.line.truncate(HEAD.min(self.limit.saturating_add(1)));
        self.dropping = true;
        let head = std::mem::take(&mut self.line).freeze();
        Some(LineEvent::TooLong { length_seen: self.limit.saturating_add(1), head })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::arbitrary;

    fn line(text: &'static str) -> LineEvent {
        LineEvent::Line(Bytes::from_static(text.as_bytes()))
    }

    /// All events of a stream that arrives in chunks of these lengths.
    fn read(limit: usize, stream: &[u8], lengths: &[usize]) -> Vec<LineEvent> {
        let mut reader = LineReader::new(limit);
        let mut events: Vec<_> =
            arbitrary::split(stream, lengths).flat_map(|chunk| reader.push(chunk)).collect();
        events.extend(reader.finish());
        events
    }

    #[test]
    fn splits_at_newlines_only() {
        assert_eq!(
            read(9, b"a\r\n\n\xff\rb\n", &[]),
            [line("a\r"), line(""), LineEvent::Line(Bytes::from_static(b"\xff\rb")),]
        );
        assert_eq!(read(9, b"", &[]), []);
        assert_eq!(read(9, b"ab", &[1]), [LineEvent::Partial("ab".into())]);
    }

    #[test]
    fn too_long_line_is_reported_at_once_and_the_next_one_is_read() {
        let mut reader = LineReader::new(3);
        assert_eq!(reader.push(b"ab"), []);
        let too_long = LineEvent::TooLong { length_seen: 4, head: "abcd".into() };
        assert_eq!(reader.push(b"cdef"), [too_long]);
        assert_eq!(reader.push(b"ghi"), []);
        assert_eq!(reader.push(b"j\nabc\n"), [line("abc")]);
        assert_eq!(
            reader.push(b"wxyz"),
            [LineEvent::TooLong { length_seen: 4, head: "wxyz".into() }]
        );
        assert_eq!(reader.finish(), None);
    }

    #[test]
    fn a_line_can_be_cut_without_its_end() {
        let mut reader = LineReader::new(3);
        assert_eq!(reader.cut(), None);
        assert_eq!(reader.push(b"a\nbc"), [line("a")]);
        assert_eq!(reader.unfinished(), b"bc");
        assert_eq!(reader.cut(), Some(LineEvent::Partial("bc".into())));
        assert_eq!(reader.push(b"\nd\n"), [line("d")]);
        // The head of a line that is too long was reported already.
        assert_eq!(reader.push(b"wxyz").len(), 1);
        assert!(reader.unfinished().is_empty());
        assert_eq!(reader.cut(), None);
    }

    #[test]
    fn only_the_head_of_a_too_long_line_is_kept() {
        let events = read(HEAD * 2, &[b'x'; HEAD * 3], &[HEAD + 1]);
        let [LineEvent::TooLong { length_seen, head }] = events.as_slice() else {
            panic!("one line that is too long, not {events:?}")
        };
        assert_eq!((*length_seen, head.len()), (HEAD * 2 + 1, HEAD));
    }

    proptest! {
        #[test]
        fn chunking_does_not_change_the_lines(
            stream in "[ab\r\n]{0,40}",
            limit in 0..8_usize,
            lengths in prop::collection::vec(0..6_usize, 0..20),
        ) {
            let whole = read(limit, stream.as_bytes(), &[]);
            prop_assert_eq!(&read(limit, stream.as_bytes(), &lengths), &whole);
            prop_assert_eq!(&read(limit, stream.as_bytes(), &vec![1; 40]), &whole);
        }

        #[test]
        fn agrees_with_str_split(stream in "[a-c\r\n]{0,40}") {
            let mut lines: Vec<&str> = stream.split('\n').collect();
            let partial = lines.pop().filter(|rest| !rest.is_empty());
            let expected: Vec<_> = lines
                .into_iter()
                .map(|line| LineEvent::Line(Bytes::copy_from_slice(line.as_bytes())))
                .chain(partial.map(|rest| LineEvent::Partial(Bytes::copy_from_slice(rest.as_bytes()))))
                .collect();
            prop_assert_eq!(read(64, stream.as_bytes(), &[3, 1, 4, 1, 5, 9]), expected);
        }
    }
}
