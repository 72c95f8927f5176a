//! Redacting a whole trace, so that nobody who gets it afterwards has to think of secrets.

use bytes::Bytes;

use super::Redactor;
use crate::trace::{Event, Reading, Trace, What};

impl Redactor {
    /// The trace without what is redacted in any of its texts; what they mean is read anew.
    ///
    /// ```
    /// use mcp_test::trace::{Party, Reading, Recorder, Redactor, excerpt};
    ///
    /// let recorder = Recorder::new();
    /// let wire = recorder.open("duplex");
    /// let said = r#"{"jsonrpc":"2.0","method":"hello","params":{"who":"swordfish"}}"#;
    /// let seq = recorder.record(wire, Party::Server, Reading::message(said.into()));
    /// let trace = Redactor::secrets().secret("swordfish").trace(&recorder.trace());
    /// assert_eq!(excerpt(&trace, &[seq]), "1  client ← server  hello {\"who\":\"[secret]\"}\n");
    /// ```
    #[must_use]
    pub fn trace(&mut self, trace: &Trace) -> Trace {
        self.learn(trace);
        let events = trace.events.iter().map(|event| self.event(event)).collect();
        Trace { events, elided: trace.elided, elided_stderr: trace.elided_stderr }
    }

    fn event(&mut self, event: &Event) -> Event {
        let what = match &event.what {
            What::Opened { carrier } => What::Opened { carrier: self.text(carrier) },
            What::Message { text, reading } => self.message(text, reading),
            What::Noise { bytes, why, damage } => {
                What::Noise { bytes: self.bytes(bytes), why: self.text(why), damage: *damage }
            }
            What::HttpRequest { method, path, headers } => What::HttpRequest {
                method: method.clone(),
                path: self.path(path),
                headers: self.headers(headers),
            },
            What::HttpResponse { status, headers } => {
                What::HttpResponse { status: *status, headers: self.headers(headers) }
            }
            What::SseEvent { event, id, retry } => What::SseEvent {
                event: event.as_ref().map(|event| self.text(event)),
                id: id.as_ref().map(|id| self.event_id(id)),
                retry: *retry,
            },
            What::SseComment(text) => What::SseComment(self.text(text)),
            What::Stderr(text) => What::Stderr(self.text(text)),
            What::Closed { how } => What::Closed { how: self.text(how) },
            What::Exited { status } => What::Exited { status: self.text(status) },
            What::Fence(name) => What::Fence(self.text(name)),
            What::DeadlineFired { awaited } => What::DeadlineFired { awaited: self.text(awaited) },
            What::Note(text) => What::Note(self.text(text)),
            What::Elided { was, bytes } => What::Elided { was: self.text(was), bytes: *bytes },
        };
        Event { what, ..event.clone() }
    }

    fn message(&mut self, text: &Bytes, reading: &Reading) -> What {
        let Some(value) = reading.value() else {
            return Reading::message(self.bytes(text));
        };
        let redacted = self.value(value);
        if redacted == *value {
            return What::Message { text: text.clone(), reading: reading.clone() };
        }
        Reading::message(redacted.to_string().into())
    }

    /// Bytes that are no text are looked through between those that are none.
    fn bytes(&mut self, bytes: &Bytes) -> Bytes {
        let mut redacted = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            redacted.extend_from_slice(self.text(chunk.valid()).as_bytes());
            redacted.extend_from_slice(chunk.invalid());
        }
        redacted.into()
    }

    fn headers(&mut self, headers: &[(String, String)]) -> Vec<(String, String)> {
        headers.iter().map(|(name, value)| (name.clone(), self.header(name, value))).collect()
    }
}
