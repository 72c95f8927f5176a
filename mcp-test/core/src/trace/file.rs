//! A trace as a file: a line that names the format, then one JSON object per event.
//!
//! What is written can be read again, except for what the redactor took out.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use super::{
    ConnectionId, EndSignal, Event, EventKind, ExitWait, Leftover, ParsedText, Party, Redactor,
    Seq, Trace, UnparsableKind,
};

const FORMAT: &str = "mcp-test-trace";
const VERSION: u64 = 1;

/// Why a trace file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The first line does not name the format.
    #[error("not a trace file: the first line must be a JSON object with a member `{FORMAT}`")]
    NotATrace,
    /// The file was written by another version.
    #[error("the trace file has version {version}, this mcp-test reads version {VERSION}")]
    OtherVersion {
        /// The version as the file gives it.
        version: String,
    },
    /// A line is not an event.
    #[error("line {line} of the trace file is not an event: {reason}")]
    NotAnEvent {
        /// Its number, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Writes a trace, redacted.
pub fn write(trace: &Trace, redactor: &Redactor) -> String {
    let mut redactor = redactor.clone();
    // Before the first event is written: a header of a late event may hold a secret that an early one repeats.
    redactor.learn(trace);
    let mut text = json!({
        FORMAT: VERSION,
        "elided": trace.elided,
        "elidedStderr": trace.elided_stderr,
    })
    .to_string();
    for event in &trace.events {
        text.push('\n');
        text.push_str(&Json::Object(event_object(event, &mut redactor)).to_string());
    }
    text.push('\n');
    text
}

/// Reads a trace.
///
/// # Errors
/// [`ReadError`] names the line that cannot be read.
pub fn read(text: &str) -> Result<Trace, ReadError> {
    // Numbered before blank lines are skipped, so that an error names the line of the file.
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next().ok_or(ReadError::NotATrace)?;
    let (mut trace, mut reader) = Reader::begin(head.as_bytes())?;
    for (index, line) in lines {
        let event = reader.event(line.as_bytes());
        let event = event.map_err(|reason| ReadError::NotAnEvent { line: index + 1, reason })?;
        trace.events.push(event);
    }
    Ok(trace)
}

/// Reads a trace line by line, for callers that do not need all of it at once.
#[derive(Debug)]
pub struct Reader {
    last: Option<Seq>,
}

impl Reader {
    /// Whether a line is the first line of a trace, possibly of another version.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn is_head(line: &[u8]) -> bool {
        !matches!(Self::begin(line), Err(ReadError::NotATrace))
    }

    /// Reads the first line; the trace has no events yet.
    #[doc(hidden)]
    pub fn begin(line: &[u8]) -> Result<(Trace, Self), ReadError> {
        let head: Json = serde_json::from_slice(line).map_err(|_| ReadError::NotATrace)?;
        match &head[FORMAT] {
            Json::Null => return Err(ReadError::NotATrace),
            version if *version != VERSION => {
                return Err(ReadError::OtherVersion { version: version.to_string() });
            }
            _ => {}
        }
        // Missing counts read as zero: they are not worth refusing a trace for.
        let number = |name: &str| head[name].as_u64().unwrap_or(0);
        let (elided, elided_stderr) = (number("elided"), number("elidedStderr"));
        Ok((Trace { events: Vec::new(), elided, elided_stderr }, Self { last: None }))
    }

    /// Reads another line; the error says what is wrong with it.
    #[doc(hidden)]
    pub fn event(&mut self, line: &[u8]) -> Result<Event, String> {
        let line = serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
        let event = read_event(&line)?;
        // `Trace::event` and `Trace::since` search by `seq`, which only works if it rises.
        if self.last.is_some_and(|last| last >= event.seq) {
            return Err("its `seq` is not greater than the one before".to_owned());
        }
        self.last = Some(event.seq);
        Ok(event)
    }
}

fn event_object(event: &Event, redactor: &mut Redactor) -> Map<String, Json> {
    let mut object = Map::new();
    let mut put = |name: &str, value: Json| drop(object.insert(name.to_owned(), value));
    put("seq", event.seq.0.into());
    put("at_us", u64::try_from(event.at.as_micros()).unwrap_or(u64::MAX).into());
    put("connection", event.connection.0.into());
    if let Some(exchange) = event.exchange {
        put("exchange", exchange.into());
    }
    put("party", event.party.as_str().into());
    if event.deliberate {
        put("deliberate", true.into());
    }
    let (word, members) = kind_members(&event.kind, redactor);
    for (name, value) in members {
        put(name, value);
    }
    put("what", word.into());
    object
}

/// The word for a kind of event, and the members that only this kind has.
///
/// Some words differ from the names of the variants (`carrier`, `noise`, `outstayed`): files that were written must
/// stay readable, whatever the code calls things.
fn kind_members(
    kind: &EventKind,
    redactor: &mut Redactor,
) -> (&'static str, Vec<(&'static str, Json)>) {
    match kind {
        EventKind::Opened { transport } => {
            ("opened", vec![("carrier", redactor.urls(transport).into())])
        }
        EventKind::Message { text, parsed } => {
            // Text that is not JSON has no members to redact; `bytes_member` looks for secrets in it as text.
            ("message", vec![bytes_member(&redacted(text, parsed, redactor), redactor)])
        }
        EventKind::Unparsable { bytes, why, kind } => {
            let text = bytes_member(bytes, redactor);
            let kind = unparsable_word(*kind).map(|word| ("damage", word.into()));
            let why = ("why", redactor.text(why).into());
            ("noise", [text, why].into_iter().chain(kind).collect())
        }
        EventKind::HttpRequest { method, path, headers } => {
            let method = ("method", method.as_str().into());
            let path = ("path", redactor.path(path).into());
            ("http-request", vec![method, path, ("headers", header_list(headers, redactor))])
        }
        EventKind::HttpResponse { status, headers } => {
            let headers = ("headers", header_list(headers, redactor));
            ("http-response", vec![("status", (*status).into()), headers])
        }
        EventKind::Resent { why } => ("resent", vec![("why", redactor.text(why).into())]),
        EventKind::SseEvent { event, id, retry } => {
            let id = ("id", id.as_ref().map(|id| redactor.event_id(id)).into());
            let event = ("event", event.as_ref().map(|event| redactor.text(event)).into());
            ("sse-event", vec![event, id, ("retry", (*retry).into())])
        }
        EventKind::SseComment(text) => ("sse-comment", vec![("text", redactor.text(text).into())]),
        EventKind::Stderr(text) => ("stderr", vec![("text", redactor.text(text).into())]),
        EventKind::Closed { how } => ("closed", vec![("how", redactor.text(how).into())]),
        EventKind::Exited { status } => ("exited", vec![("status", redactor.text(status).into())]),
        EventKind::Signalled { signal, since_eof } => {
            let signal = ("signal", signal.as_str().into());
            let since_eof = since_eof.map(|time| ("since_eof_us", micros(time)));
            ("signalled", [signal].into_iter().chain(since_eof).collect())
        }
        EventKind::Lingered { what, how, wait } => {
            let how = ("how", redactor.text(how).into());
            let members = [("outstaying", what.as_str().into()), how].into_iter();
            ("outstayed", members.chain(wait.iter().flat_map(wait_members)).collect())
        }
        EventKind::Fence(text) => ("fence", vec![("text", redactor.text(text).into())]),
        EventKind::DeadlineFired { awaited } => {
            ("deadline-fired", vec![("awaited", redactor.text(awaited).into())])
        }
        EventKind::Note(text) => ("note", vec![("text", redactor.text(text).into())]),
        EventKind::Elided { was, bytes } => {
            ("elided", vec![("was", redactor.text(was).into()), ("bytes", (*bytes).into())])
        }
    }
}

fn micros(time: Duration) -> Json {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX).into()
}

fn wait_members(wait: &ExitWait) -> Vec<(&'static str, Json)> {
    let start_up = wait.start_up.map(|time| ("start_up_us", micros(time)));
    [("waited_us", micros(wait.waited))].into_iter().chain(start_up).collect()
}

/// The word for what bytes that are not JSON mean; `None` for the kind as which a missing word is read.
fn unparsable_word(kind: UnparsableKind) -> Option<&'static str> {
    match kind {
        UnparsableKind::Stray => None,
        UnparsableKind::BrokenMessage => Some("lost"),
        UnparsableKind::Unended => Some("unended"),
        UnparsableKind::OverLimit => Some("over-limit"),
    }
}

/// The text with its value redacted; the text itself if there was nothing to redact.
fn redacted(text: &Bytes, parsed: &ParsedText, redactor: &mut Redactor) -> Bytes {
    let Some(value) = parsed.value() else {
        return text.clone();
    };
    let redacted = redactor.value(value);
    // Compared by value, so that the spelling of the peer (spaces, `1.0`) survives wherever nothing is redacted.
    if redacted == *value { text.clone() } else { redacted.to_string().into() }
}

fn bytes_member(bytes: &Bytes, redactor: &mut Redactor) -> (&'static str, Json) {
    // Before they are written in hexadecimal, in which a reader would find what is not found here.
    let bytes = redactor.bytes(bytes);
    match std::str::from_utf8(&bytes) {
        Ok(text) => ("text", text.into()),
        Err(_) => {
            ("hex", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into())
        }
    }
}

fn header_list(headers: &[(String, String)], redactor: &mut Redactor) -> Json {
    headers.iter().map(|(name, value)| json!([name, redactor.header(name, value)])).collect()
}

fn read_event(line: &Json) -> Result<Event, String> {
    let line = Members(line);
    let party = match line.text("party")?.as_str() {
        "client" => Party::Client,
        "server" => Party::Server,
        "harness" => Party::Harness,
        other => {
            return Err(format!("`party` must be client, server or harness, not {other}"));
        }
    };
    let kind = read_kind(&line)?;
    let connection = line
        .number("connection")?
        .try_into()
        .map_err(|_| "`connection` is too great".to_owned())?;
    Ok(Event {
        seq: Seq(line.number("seq")?),
        at: Duration::from_micros(line.number("at_us")?),
        connection: ConnectionId(connection),
        exchange: line.number("exchange").ok(),
        party,
        deliberate: line.0["deliberate"].as_bool().unwrap_or(false),
        kind,
    })
}

fn read_kind(line: &Members<'_>) -> Result<EventKind, String> {
    Ok(match line.text("what")?.as_str() {
        "opened" => EventKind::Opened { transport: line.text("carrier")? },
        // Parsed again: the file has the text alone, which the parsed forms follow from.
        "message" => EventKind::message(line.bytes()?),
        "noise" => {
            let (bytes, why) = (line.bytes()?, line.text("why")?);
            EventKind::Unparsable { bytes, why, kind: line.unparsable_kind()? }
        }
        "http-request" => EventKind::HttpRequest {
            method: line.text("method")?,
            path: line.text("path")?,
            headers: line.headers()?,
        },
        "http-response" => {
            let status = line.number("status")?.try_into();
            let status = status.map_err(|_| "`status` must be an HTTP status".to_owned())?;
            EventKind::HttpResponse { status, headers: line.headers()? }
        }
        "resent" => EventKind::Resent { why: line.text("why")? },
        // Absent fields are written as null, which reads as absent here.
        "sse-event" => EventKind::SseEvent {
            event: line.text("event").ok(),
            id: line.text("id").ok(),
            retry: line.number("retry").ok(),
        },
        "sse-comment" => EventKind::SseComment(line.text("text")?),
        "stderr" => EventKind::Stderr(line.text("text")?),
        "closed" => EventKind::Closed { how: line.text("how")? },
        "exited" => EventKind::Exited { status: line.text("status")? },
        "signalled" => {
            let word = line.text("signal")?;
            let signal = EndSignal::ALL.into_iter().find(|signal| signal.as_str() == word);
            let signal = signal.ok_or_else(|| format!("`signal` is {word}, which is unknown"))?;
            EventKind::Signalled { signal, since_eof: line.time("since_eof_us") }
        }
        "outstayed" => {
            let word = line.text("outstaying")?;
            let what = Leftover::ALL.into_iter().find(|what| what.as_str() == word);
            let what = what.ok_or_else(|| format!("`outstaying` is {word}, which is unknown"))?;
            EventKind::Lingered { what, how: line.text("how")?, wait: line.wait() }
        }
        "fence" => EventKind::Fence(line.text("text")?),
        "deadline-fired" => EventKind::DeadlineFired { awaited: line.text("awaited")? },
        "note" => EventKind::Note(line.text("text")?),
        "elided" => EventKind::Elided {
            was: line.text("was")?,
            bytes: usize::try_from(line.number("bytes")?).unwrap_or(usize::MAX),
        },
        other => return Err(format!("`what` is {other}, which is unknown")),
    })
}

/// The members of a line; an error says what is wrong with one.
struct Members<'a>(&'a Json);

impl Members<'_> {
    fn number(&self, name: &str) -> Result<u64, String> {
        self.0[name].as_u64().ok_or_else(|| format!("`{name}` must be a number"))
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let text = self.0[name].as_str().map(ToOwned::to_owned);
        text.ok_or_else(|| format!("`{name}` must be a string"))
    }

    fn time(&self, name: &str) -> Option<Duration> {
        self.number(name).ok().map(Duration::from_micros)
    }

    /// Absent in files of older versions.
    fn wait(&self) -> Option<ExitWait> {
        Some(ExitWait { waited: self.time("waited_us")?, start_up: self.time("start_up_us") })
    }

    fn unparsable_kind(&self) -> Result<UnparsableKind, String> {
        match self.0["damage"].as_str() {
            None => Ok(UnparsableKind::Stray),
            Some("lost") => Ok(UnparsableKind::BrokenMessage),
            Some("unended") => Ok(UnparsableKind::Unended),
            Some("over-limit") => Ok(UnparsableKind::OverLimit),
            Some(other) => Err(format!("`damage` must be lost or over-limit, not {other}")),
        }
    }

    fn bytes(&self) -> Result<Bytes, String> {
        if let Some(text) = self.0["text"].as_str() {
            return Ok(text.to_owned().into());
        }
        let digits = self.0["hex"].as_str().ok_or("`text` or `hex` must be a string")?.as_bytes();
        let byte = |pair: &[u8]| {
            // A single digit at the end would parse as well.
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
            u8::from_str_radix(pair, 16).ok()
        };
        let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
        bytes.map(Into::into).ok_or_else(|| "`hex` must be pairs of digits".to_owned())
    }

    fn headers(&self) -> Result<Vec<(String, String)>, String> {
        let pairs = serde_json::from_value(self.0["headers"].clone());
        pairs.map_err(|_| "`headers` must be pairs of strings".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::trace::Recorder;

    fn one_of_each() -> Trace {
        let recorder = Recorder::new();
        let wire = recorder.open("http http://me:passabcword@127.0.0.1:9/mcp?token=abc");
        let headers = vec![("Authorization".to_owned(), "Bearer abcdefgh".to_owned())];
        let noise = EventKind::Unparsable {
            bytes: Bytes::from_static(b"\xff\x00"),
            why: "not UTF-8".into(),
            kind: UnparsableKind::OverLimit,
        };
        for what in [
            EventKind::HttpRequest {
                method: "POST".into(),
                path: "/mcp?token=abc".into(),
                headers: headers.clone(),
            },
            EventKind::message(r#"{"jsonrpc":"2.0", "id":1.0,"method":"ping"}"#.into()),
            EventKind::Resent { why: "got abcdefgh".into() },
            EventKind::HttpResponse { status: 200, headers },
            EventKind::SseEvent { event: None, id: Some("e-1".into()), retry: Some(5) },
            EventKind::message(r#"{"jsonrpc":"2.0","id":1,"result":{"password":"x"}}"#.into()),
            noise,
            EventKind::SseComment("hello".into()),
            EventKind::Stderr("got abcdefgh".into()),
            EventKind::Fence("f".into()),
            EventKind::DeadlineFired { awaited: "a".into() },
            EventKind::Note("n".into()),
            EventKind::Elided { was: "w".into(), bytes: 9 },
            EventKind::Closed { how: "c".into() },
            EventKind::Exited { status: "s".into() },
            EventKind::Signalled { signal: EndSignal::Kill, since_eof: None },
            EventKind::Signalled {
                signal: EndSignal::Terminate,
                since_eof: Some(Duration::from_millis(3)),
            },
            EventKind::Lingered { what: Leftover::Stream, how: "o".into(), wait: None },
            EventKind::Lingered {
                what: Leftover::Process,
                how: "o".into(),
                wait: Some(ExitWait {
                    waited: Duration::from_secs(2),
                    start_up: Some(Duration::from_millis(7)),
                }),
            },
        ] {
            let seq = recorder.record_in(wire, Some(3), Party::Server, what);
            recorder.mark_deliberate(seq);
        }
        recorder.trace()
    }

    #[test]
    fn what_is_written_is_read() {
        let trace = one_of_each();
        let text = write(&trace, &Redactor::nothing());
        let read = read(&text).expect("it is well formed");
        assert_eq!(read.events.len(), trace.events.len());
        let deliberate =
            |trace: &Trace| trace.events.iter().map(|it| it.deliberate).collect::<Vec<_>>();
        assert_eq!(deliberate(&read), deliberate(&trace));
        assert!(!trace.events[0].deliberate && trace.events.last().is_some_and(|it| it.deliberate));
        assert_eq!(write(&read, &Redactor::nothing()), text);
        let EventKind::Message { text, .. } = &read.events[2].kind else {
            panic!("expected a message, got {:?}", read.events[2].kind);
        };
        assert_eq!(text, r#"{"jsonrpc":"2.0", "id":1.0,"method":"ping"}"#, "the spelling is kept");
    }

    #[test]
    fn secrets_are_not_written() {
        let text = write(&one_of_each(), &Redactor::secrets());
        assert!(!text.contains("abc") && !text.contains(r#"\"x\""#), "{text}");
        assert!(text.contains("Bearer [secret]"), "{text}");
        assert_eq!(
            read(&text).expect("it is well formed").events.len(),
            one_of_each().events.len()
        );
    }

    #[test]
    fn secrets_are_not_written_in_any_member() {
        let recorder = Recorder::new();
        let wire = recorder.open("stdio");
        let text = || "hunter22".to_owned();
        let bytes = Bytes::from_static(b"\xff hunter22");
        for what in [
            EventKind::SseEvent { event: Some(text()), id: Some(text()), retry: None },
            EventKind::Exited { status: text() },
            EventKind::Fence(text()),
            EventKind::Elided { was: text(), bytes: 8 },
            EventKind::Unparsable { bytes, why: text(), kind: UnparsableKind::Stray },
        ] {
            recorder.record(wire, Party::Server, what);
        }
        let text = write(&recorder.trace(), &Redactor::secrets().secret("hunter22"));
        assert!(!text.contains("hunter22") && !text.contains("68756e746572"), "{text}");
        assert_eq!(text.matches("[secret]").count(), 6, "{text}");
        assert_eq!(read(&text).expect("it is well formed").events.len(), 6);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let why = |text: &str| read(text).expect_err("it is wrong");
        assert_snapshot!(why(""), @"not a trace file: the first line must be a JSON object with a member `mcp-test-trace`");
        assert_snapshot!(why("{\"a\":1}"), @"not a trace file: the first line must be a JSON object with a member `mcp-test-trace`");
        assert_snapshot!(why("{\"mcp-test-trace\":2}"), @"the trace file has version 2, this mcp-test reads version 1");
        assert_snapshot!(why("{\"mcp-test-trace\":1}\n\n{\"party\":\"x\"}"), @"line 3 of the trace file is not an event: `party` must be client, server or harness, not x");
        assert_snapshot!(why("{\"mcp-test-trace\":1}\nnonsense"), @"line 2 of the trace file is not an event: not JSON: expected ident at line 1 column 2");
        let twice = "{\"seq\":1,\"at_us\":0,\"connection\":1,\"party\":\"client\",\"what\":\"note\",\"text\":\"\"}\n";
        assert_snapshot!(why(&format!("{{\"mcp-test-trace\":1}}\n{twice}{twice}")), @"line 3 of the trace file is not an event: its `seq` is not greater than the one before");
        assert_snapshot!(why("{\"mcp-test-trace\":1}\n{\"party\":\"client\",\"what\":\"noise\",\"hex\":\"0\"}"), @"line 2 of the trace file is not an event: `hex` must be pairs of digits");
    }
}
