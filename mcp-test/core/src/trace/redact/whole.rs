//! Redacts a whole trace, so that whoever gets it afterwards need not think of secrets.

use bytes::Bytes;

use super::Redactor;
use crate::trace::{EventKind, ParsedText, Trace};

impl Redactor {
    /// The trace without what is redacted in any of its texts; what they mean is read again.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::trace::{Party, EventKind, Recorder, Redactor, excerpt};
    ///
    /// let recorder = Recorder::new();
    /// let wire = recorder.open("duplex");
    /// let said = r#"{"jsonrpc":"2.0","method":"hello","params":{"who":"swordfish"}}"#;
    /// let seq = recorder.record(wire, Party::Server, EventKind::message(said.into()));
    /// let trace = Redactor::secrets().secret("swordfish").trace(recorder.trace());
    /// assert_eq!(excerpt(&trace, &[seq]), "1  client ← server  hello {\"who\":\"[secret]\"}\n");
    /// ```
    #[must_use]
    pub fn trace(&mut self, mut trace: Trace) -> Trace {
        self.learn(&trace);
        trace.events.iter_mut().for_each(|event| self.what(&mut event.kind));
        trace
    }

    fn what(&mut self, what: &mut EventKind) {
        match what {
            EventKind::Signalled { .. } => {}
            EventKind::Opened { transport } => *transport = self.urls(transport),
            EventKind::Closed { how: text }
            | EventKind::Resent { why: text }
            | EventKind::Exited { status: text }
            | EventKind::Lingered { how: text, .. }
            | EventKind::DeadlineFired { awaited: text }
            | EventKind::Elided { was: text, .. }
            | EventKind::SseComment(text)
            | EventKind::Stderr(text)
            | EventKind::Fence(text)
            | EventKind::Note(text) => *text = self.text(text),
            EventKind::Message { text, parsed } => *what = self.message(text, parsed),
            EventKind::Unparsable { bytes, why, .. } => {
                *bytes = self.bytes(bytes);
                *why = self.text(why);
            }
            EventKind::HttpRequest { path, headers, .. } => {
                *path = self.path(path);
                self.headers(headers);
            }
            EventKind::HttpResponse { headers, .. } => self.headers(headers),
            EventKind::SseEvent { event, id, .. } => {
                event.iter_mut().for_each(|event| *event = self.text(event));
                id.iter_mut().for_each(|id| *id = self.event_id(id));
            }
        }
    }

    fn message(&mut self, text: &Bytes, parsed: &ParsedText) -> EventKind {
        let Some(value) = parsed.value() else {
            return EventKind::message(self.bytes(text));
        };
        let redacted = self.value(value);
        // The same bytes, so that the spelling of the peer survives where nothing is redacted.
        if redacted == *value {
            return EventKind::Message { text: text.clone(), parsed: parsed.clone() };
        }
        EventKind::message(redacted.to_string().into())
    }

    /// Bytes that are no text are looked through between those that are none.
    pub(in crate::trace) fn bytes(&mut self, bytes: &Bytes) -> Bytes {
        let mut redacted = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            redacted.extend_from_slice(self.text(chunk.valid()).as_bytes());
            redacted.extend_from_slice(chunk.invalid());
        }
        redacted.into()
    }

    fn headers(&mut self, headers: &mut [(String, String)]) {
        for (name, value) in headers {
            *value = self.header(name, value);
        }
    }
}
