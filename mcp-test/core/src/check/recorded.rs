//! Traces of conversations that tests write line by line.

use bytes::Bytes;

use crate::spec::Requirement;
use crate::trace::{EventKind, ParsedText, Party, Recorder, Trace};

/// The requirements that a good conversation breaks.
pub(super) const NOTHING: [&Requirement; 0] = [];

/// The trace of these messages: `>` is the client, `<` the server; a number before it is an HTTP exchange.
pub(super) fn recorded(lines: &[&str]) -> Trace {
    let recorder = Recorder::new();
    let connection = recorder.open("duplex");
    for line in lines {
        let (exchange, line) = match line.split_at(1) {
            (number, line) if line.starts_with(['<', '>']) => (number.parse().ok(), line),
            _ => (None, *line),
        };
        let (party, text) = match line.split_at(1) {
            (">", text) => (Party::Client, text),
            (_, text) => (Party::Server, text),
        };
        let text = Bytes::from(format!("{{\"jsonrpc\":\"2.0\",{}}}", text.trim()));
        let parsed = ParsedText::parse(&text);
        let message = EventKind::Message { text, parsed };
        recorder.record_in(connection, exchange, party, message);
    }
    recorder.trace()
}
