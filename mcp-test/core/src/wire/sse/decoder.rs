//! Reads an event stream, whatever its chunks.

use super::{SseEvent, SseItem, SseViolation};

/// How many bytes of a line that is too long are shown.
const HEAD: usize = 1024;

/// An incremental reader of an event stream.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The line so far, as bytes: a chunk may end inside a character.
    line: Vec<u8>,
    /// Whether the last line ended in a `\r`, so that a `\n` now belongs to it.
    after_return: bool,
    /// Whether no line has been read yet: only there is U+FEFF a byte order mark.
    at_start: bool,
    /// `Some` while the rest of a block is dropped: whether its current line is empty so far.
    dropping: Option<EmptyLine>,
    block: Block,
    last_event_id: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct EmptyLine(bool);

/// The fields since the last empty line.
#[derive(Debug, Default)]
struct Block {
    event: Option<String>,
    data: Option<String>,
    id: Option<String>,
    retry: Option<u64>,
}

impl Block {
    fn is_empty(&self) -> bool {
        let Self { event, data, id, retry } = self;
        event.is_none() && data.is_none() && id.is_none() && retry.is_none()
    }

    /// How many bytes are kept.
    fn len(&self) -> usize {
        [&self.event, &self.data, &self.id].into_iter().flatten().map(String::len).sum()
    }
}

impl Decoder {
    /// A decoder that takes blocks of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            after_return: false,
            at_start: true,
            dropping: None,
            block: Block::default(),
            last_event_id: String::new(),
        }
    }

    /// The id to resume from: the `id` of the last complete block that had one, else empty.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// Takes the next bytes of the stream, and returns what they completed.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<SseItem> {
        let mut items = Vec::new();
        while let Some(&first) = bytes.first() {
            // `\r\n` is one line end, also when a chunk ends between the two.
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (content, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.grow(content, &mut items);
            bytes = rest;
            if let Some((&end, rest)) = rest.split_first() {
                self.after_return = end == b'\r';
                self.end_line(&mut items);
                bytes = rest;
            }
        }
        items
    }

    /// Ends the stream; an event without its final empty line is lost, and reported.
    #[must_use]
    pub fn finish(mut self) -> Vec<SseItem> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() && self.block.is_empty() {
            return Vec::new();
        }
        // The data shows more of the lost event than its last line does.
        let text = match self.block.data {
            Some(data) => data,
            None => String::from_utf8_lossy(&line).into_owned(),
        };
        vec![SseItem::Violation(SseViolation::Unfinished { text })]
    }

    fn grow(&mut self, content: &[u8], items: &mut Vec<SseItem>) {
        if let Some(EmptyLine(empty)) = &mut self.dropping {
            *empty &= content.is_empty();
            return;
        }
        // The limit is for the whole block, so that many short lines cannot exceed it either.
        let room = self.limit.saturating_sub(self.block.len() + self.line.len());
        if content.len() <= room {
            self.line.extend_from_slice(content);
            return;
        }
        // Cut at the same byte whatever the size of the chunks, so that chunking does not change the report.
        let shown = (self.line.len() + room + 1).min(HEAD);
        self.line.extend_from_slice(&content[..shown.saturating_sub(self.line.len())]);
        self.line.truncate(shown);
        let head = String::from_utf8_lossy(&self.line).into_owned();
        items.push(SseItem::Violation(SseViolation::TooLong { limit: self.limit, head }));
        self.line = Vec::new();
        self.block = Block::default();
        // The line that is dropped was the first one, so a later U+FEFF is not a byte order mark.
        self.at_start = false;
        self.dropping = Some(EmptyLine(false));
    }

    fn end_line(&mut self, items: &mut Vec<SseItem>) {
        if let Some(EmptyLine(empty)) = self.dropping {
            // An empty line ends the block; after any other line the next one starts out empty.
            self.dropping = (!empty).then_some(EmptyLine(true));
            return;
        }
        let bytes = std::mem::take(&mut self.line);
        let mut bytes = bytes.as_slice();
        if std::mem::take(&mut self.at_start) {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        if bytes.is_empty() {
            items.extend(self.dispatch());
            return;
        }
        // WHATWG: invalid bytes are read as U+FFFD, and the field takes effect nevertheless.
        let line = String::from_utf8_lossy(bytes);
        if std::str::from_utf8(bytes).is_err() {
            let line = line.clone().into_owned();
            items.push(SseItem::Violation(SseViolation::InvalidUtf8 { line }));
        }
        items.extend(self.field(&line));
    }

    fn field(&mut self, line: &str) -> Option<SseItem> {
        // WHATWG: a line without a colon is a field with an empty value, and one space after the colon is dropped.
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        let violation = match name {
            "" => return Some(SseItem::Comment(value)),
            // WHATWG: a later field of the same name replaces an earlier one, except that `data` accumulates.
            "event" => {
                self.block.event = Some(value);
                None
            }
            "data" => {
                match &mut self.block.data {
                    Some(data) => data.extend(["\n", &value]),
                    none => *none = Some(value),
                }
                None
            }
            // WHATWG: ignored, so the id of an earlier block stays in effect.
            "id" if value.contains('\0') => Some(SseViolation::NulInId { value }),
            "id" => {
                self.block.id = Some(value);
                None
            }
            "retry" => {
                // `parse` alone would accept a sign.
                let digits = value.bytes().all(|byte| byte.is_ascii_digit());
                let milliseconds = value.parse().ok().filter(|_| digits);
                self.block.retry = milliseconds.or(self.block.retry);
                milliseconds.is_none().then_some(SseViolation::BadRetry { value })
            }
            // WHATWG: names are compared with regard to case, so `Data` is unknown as well.
            _ => Some(SseViolation::UnknownField { line: line.to_owned() }),
        };
        violation.map(SseItem::Violation)
    }

    fn dispatch(&mut self) -> Option<SseItem> {
        if self.block.is_empty() {
            return None;
        }
        let Block { event, data, id, retry } = std::mem::take(&mut self.block);
        // WHATWG: an empty id takes effect too, and resets the id to resume from.
        if let Some(id) = &id {
            self.last_event_id.clone_from(id);
        }
        Some(match data {
            Some(data) => SseItem::Event(SseEvent { event, data, id, retry }),
            None => SseItem::Silent(SseEvent { event, data: String::new(), id, retry }),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::arbitrary;
    use crate::wire::sse::encode;

    fn read(limit: usize, stream: &[u8], lengths: &[usize]) -> Vec<SseItem> {
        let mut decoder = Decoder::new(limit);
        let mut items: Vec<_> =
            arbitrary::split(stream, lengths).flat_map(|chunk| decoder.push(chunk)).collect();
        items.extend(decoder.finish());
        items
    }

    fn items(stream: &[u8]) -> Vec<SseItem> {
        read(1000, stream, &[])
    }

    fn event(data: &str) -> SseItem {
        SseItem::Event(SseEvent::data(data))
    }

    fn violation(violation: SseViolation) -> SseItem {
        SseItem::Violation(violation)
    }

    #[test]
    fn joins_data_lines_and_strips_one_space() {
        assert_eq!(items(b"data: a\ndata\ndata:  b\n\n"), [event("a\n\n b")]);
        assert_eq!(items(b"data\n\ndata:\n\n"), [event(""), event("")]);
    }

    #[test]
    fn lines_end_with_cr_lf_or_both() {
        assert_eq!(items(b"data: a\r\rdata: b\r\n\r\ndata: c\n\n"), ["a", "b", "c"].map(event));
        assert_eq!(items(b"data: a\r\n\ndata: b\n\r"), ["a", "b"].map(event));
    }

    #[test]
    fn cr_ends_its_line_at_once() {
        let mut decoder = Decoder::new(99);
        assert_eq!(decoder.push(b"data: a\r\r"), [event("a")]);
        assert_eq!(decoder.push(b"\ndata: b\r\n\r\n"), [event("b")]);
    }

    #[test]
    fn byte_order_mark_is_stripped_only_at_the_start() {
        assert_eq!(items("\u{feff}data: a\n\n".as_bytes()), [event("a")]);
        let later = violation(SseViolation::UnknownField { line: "\u{feff}data: b".into() });
        assert_eq!(items("\n\u{feff}data: b\n\n".as_bytes()), [later]);
    }

    #[test]
    fn last_event_id_changes_only_at_the_end_of_a_block() {
        let mut decoder = Decoder::new(99);
        assert_eq!(decoder.push(b"id: 1\ndata: a\n\ndata: b\n\nid: 2\n")[1], event("b"));
        assert_eq!(decoder.last_event_id(), "1");
        let silent = SseItem::Silent(SseEvent::default().with_id("2"));
        assert_eq!(decoder.push(b"\n"), [silent]);
        assert_eq!(decoder.last_event_id(), "2");
        decoder.push(b"id\n\n");
        assert_eq!(decoder.last_event_id(), "");
    }

    #[test]
    fn violations_that_browsers_ignore_are_reported() {
        let stream =
            b": hi\n:\n{\"id\":1}\nid: a\0b\nretry: +1\nretry:\nretry: 99999999999999999999\n\
            Data: x\ndata: \xff\nevent: e\nretry: 010\n\n";
        let shown: Vec<_> = items(stream)
            .into_iter()
            .map(|item| match item {
                SseItem::Violation(violation) => violation.to_string(),
                other => format!("{other:?}"),
            })
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        Comment("hi")
        Comment("")
        a line that is not a field of an event stream: "{\"id\":1}"
        an event id with a NUL character: "a\0b"
        a retry time that is not a number of milliseconds: "+1"
        a retry time that is not a number of milliseconds: ""
        a retry time that is not a number of milliseconds: "99999999999999999999"
        a line that is not a field of an event stream: "Data: x"
        a line that is not UTF-8: "data: �"
        Event(SseEvent { event: Some("e"), data: "�", id: None, retry: Some(10) })
        "#);
    }

    #[test]
    fn unfinished_block_is_lost_and_reported() {
        let unfinished = |text: &str| violation(SseViolation::Unfinished { text: text.into() });
        assert_eq!(items(b"data: a\n"), [unfinished("a")]);
        assert_eq!(items(b"data: a"), [unfinished("data: a")]);
        assert_eq!(items(b"id: 1\n"), [unfinished("")]);
        assert_eq!(items(b": c\n"), [SseItem::Comment("c".into())]);
        assert_eq!(items(b"data: a\n\n\n\n"), [event("a")]);
    }

    #[test]
    fn too_long_block_is_reported_at_once_and_the_next_one_is_read() {
        let mut decoder = Decoder::new(8);
        let too_long =
            |head: &str| violation(SseViolation::TooLong { limit: 8, head: head.into() });
        assert_eq!(decoder.push(b"data: abc"), [too_long("data: abc")]);
        assert_eq!(decoder.push(b"def\r\ndata: x\r\n\r"), []);
        assert_eq!(decoder.push(b"\ndata: ok\n\n"), [event("ok")]);
        assert_eq!(decoder.push(b"data: a\ndata: b\ndata: c\n\n"), [too_long("data: ")]);
        assert_eq!(decoder.finish(), []);
    }

    #[test]
    fn comments_do_not_count_towards_the_limit() {
        let stream = ": keep\n".repeat(100) + "data: a\n\n";
        assert_eq!(read(8, stream.as_bytes(), &[]).last(), Some(&event("a")));
    }

    #[test]
    fn only_the_head_of_a_too_long_line_is_shown() {
        let items = read(HEAD * 2, &[b'x'; HEAD * 3], &[HEAD + 1]);
        let [SseItem::Violation(SseViolation::TooLong { head, .. })] = items.as_slice() else {
            panic!("one block too long, not {items:?}")
        };
        assert_eq!(head.len(), HEAD);
    }

    /// Streams that contain everything the decoder treats specially.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "data", "event", "id", "retry", ":", " ", "\n", "\r", "\r\n", "\n\n"
            ])
            .prop_map(|piece| piece.as_bytes().to_vec()),
            prop::sample::select(vec!["\u{feff}", "ä", "😀", "\0", "12", "{}"])
                .prop_map(|piece| piece.as_bytes().to_vec()),
            prop::collection::vec(any::<u8>(), 1..2),
        ];
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn chunking_does_not_change_the_items(
            stream in stream(),
            limit in 0..30_usize,
            lengths in prop::collection::vec(0..6_usize, 0..40),
        ) {
            let whole = read(limit, &stream, &[]);
            prop_assert_eq!(&read(limit, &stream, &lengths), &whole);
            prop_assert_eq!(&read(limit, &stream, &vec![1; stream.len()]), &whole);
        }

        #[test]
        fn encoded_events_read_back(
            event in prop::option::of("[^\r\n]{0,5}"),
            id in prop::option::of("[^\r\n\0]{0,5}"),
            retry in prop::option::of(any::<u64>()),
            data in "[ a:\u{feff}ä\n]{0,12}",
        ) {
            let event = SseEvent { event, data, id, retry };
            prop_assert_eq!(items(&encode(&event)), [SseItem::Event(event)]);
        }
    }
}
