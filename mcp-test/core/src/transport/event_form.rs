//! The forms in which a message can be written as an event. All of them mean the same: every reader of event streams has to
//! understand each. What breaks the format is for the faults.
//!
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>

/// The form of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EventForm {
    /// Each field on a line that ends with LF.
    #[default]
    Plain,
    /// Comments before, inside and after the event.
    Comments,
    /// No space after the colons, the type that is the default, and fields that no reader knows.
    Fields,
    /// The message in two `data` fields.
    TwoDataLines,
    /// Lines that end with CR LF.
    CrLf,
    /// Lines that end with CR.
    Cr,
    /// An id, after which a client could resume the stream.
    WithId,
    /// A byte order mark, which only the first event of a stream may have.
    ByteOrderMark,
}

/// How the field with the message begins in a plain event.
const DATA: &[u8] = b"data: ";

impl EventForm {
    /// Writes an event, which is plain so far, in this form.
    #[must_use]
    pub(crate) fn write(self, plain: &[u8]) -> Vec<u8> {
        let lines = || plain.split_inclusive(|byte| *byte == b'\n');
        let ending = |end: &[u8]| -> Vec<u8> {
            lines()
                .flat_map(|line| [line.strip_suffix(b"\n").unwrap_or(line), end].concat())
                .collect()
        };
        match self {
            Self::Plain => plain.to_vec(),
            Self::Comments => {
                let commented = lines().flat_map(|line| match line {
                    b"\n" => line.to_vec(),
                    field => [field, b": a comment: {\n:\n"].concat(),
                });
                [b": keep-alive\n\n:\n".to_vec(), commented.collect(), b": keep-alive\n\n".to_vec()]
                    .concat()
            }
            Self::Fields => {
                let fields = lines().flat_map(|line| match line.strip_prefix(DATA) {
                    Some(data) => [b"data:", data].concat(),
                    None => line.to_vec(),
                });
                [b"event:message\nunknown:1\nunknown\n".to_vec(), fields.collect()].concat()
            }
            Self::TwoDataLines => {
                let data = lines().flat_map(|line| match line.strip_prefix(DATA) {
                    // After the brace that every message begins with, JSON may have a line break.
                    Some([brace, rest @ ..]) if !rest.is_empty() => {
                        [DATA, &[*brace], b"\n", DATA, rest].concat()
                    }
                    _ => line.to_vec(),
                });
                data.collect()
            }
            Self::CrLf => ending(b"\r\n"),
            // A reader may wait for the byte after a CR, which could be an LF. One that knows no CR finds the next event nevertheless.
            Self::Cr => [ending(b"\r"), b":\r\n\n".to_vec()].concat(),
            Self::WithId => [b"id: 1\n", plain].concat(),
            Self::ByteOrderMark => [b"\xef\xbb\xbf", plain].concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::sse::{Decoder, SseItem};

    const FORMS: [EventForm; 8] = [
        EventForm::Plain,
        EventForm::Comments,
        EventForm::Fields,
        EventForm::TwoDataLines,
        EventForm::CrLf,
        EventForm::Cr,
        EventForm::WithId,
        EventForm::ByteOrderMark,
    ];

    #[test]
    fn each_form_is_another_text_of_the_same_event() {
        let plain = b"id: 7\ndata: {\"jsonrpc\":\"2.0\"}\n\n";
        let texts = FORMS.map(|form| form.write(plain));
        for (at, text) in texts.iter().enumerate() {
            assert!(!texts[..at].contains(text), "{:?}", FORMS[at]);
            // Once as a whole, and once in pieces.
            for size in [text.len(), 1] {
                let mut decoder = Decoder::new(1000);
                let mut items: Vec<SseItem> =
                    text.chunks(size).flat_map(|piece| decoder.push(piece)).collect();
                items.extend(decoder.finish());
                items.retain(|item| matches!(item, SseItem::Event(_) | SseItem::Silent(_)));
                let [SseItem::Event(event)] = items.as_slice() else {
                    panic!("{:?}: {items:?}", FORMS[at]);
                };
                assert_eq!(event.id.as_deref(), Some("7"));
                assert_eq!(event.data.replace('\n', ""), r#"{"jsonrpc":"2.0"}"#, "{:?}", FORMS[at]);
            }
        }
    }
}
