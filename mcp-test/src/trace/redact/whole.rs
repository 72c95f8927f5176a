//! Redacting a whole trace, so that nobody who gets it afterwards has to think of secrets.

use bytes::Bytes;

use super::Redactor;
use crate::trace::{Reading, Trace, What};

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
    /// let trace = Redactor::secrets().secret("swordfish").trace(recorder.trace());
    /// assert_eq!(excerpt(&trace, &[seq]), "1  client ← server  hello {\"who\":\"[secret]\"}\n");
    /// ```
    #[must_use]
    pub fn trace(&mut self, mut trace: Trace) -> Trace {
        self.learn(&trace);
        trace.events.iter_mut().for_each(|event| self.what(&mut event.what));
        trace
    }

    fn what(&mut self, what: &mut What) {
        match what {
            What::Opened { carrier } => *carrier = self.urls(carrier),
            What::Closed { how: text }
            | What::Exited { status: text }
            | What::Outstayed { how: text, .. }
            | What::DeadlineFired { awaited: text }
            | What::Elided { was: text, .. }
            | What::SseComment(text)
            | What::Stderr(text)
            | What::Fence(text)
            | What::Note(text) => *text = self.text(text),
            What::Message { text, reading } => *what = self.message(text, reading),
            What::Noise { bytes, why, .. } => {
                *bytes = self.bytes(bytes);
                *why = self.text(why);
            }
            What::HttpRequest { path, headers, .. } => {
                *path = self.path(path);
                self.headers(headers);
            }
            What::HttpResponse { headers, .. } => self.headers(headers),
            What::SseEvent { event, id, .. } => {
                event.iter_mut().for_each(|event| *event = self.text(event));
                id.iter_mut().for_each(|id| *id = self.event_id(id));
            }
        }
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

    fn headers(&mut self, headers: &mut [(String, String)]) {
        for (name, value) in headers {
            *value = self.header(name, value);
        }
    }
}
