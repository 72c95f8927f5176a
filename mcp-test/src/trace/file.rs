//! A trace as a file: a line that names the format, then one JSON object per event.
//!
//! What is written can be read again, except for what the redactor took out.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use super::{Connection, Damage, Event, Outstaying, Party, Reading, Redactor, Seq, Trace, What};

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
    #[error("line {line} of the trace file is no event: {reason}")]
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
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next().ok_or(ReadError::NotATrace)?;
    let (mut trace, mut reader) = Reader::begin(head.as_bytes())?;
    for (index, line) in lines {
        let event = reader.event(line.as_bytes());
        trace
            .events
            .push(event.map_err(|reason| ReadError::NotAnEvent { line: index + 1, reason })?);
    }
    Ok(trace)
}

/// Reads a trace line by line, for those who need not have all of it.
#[derive(Debug)]
pub(crate) struct Reader {
    last: Option<Seq>,
}

impl Reader {
    /// Whether a line says that a trace begins with it.
    #[cfg(feature = "cli")]
    pub(crate) fn is_head(line: &[u8]) -> bool {
        !matches!(Self::begin(line), Err(ReadError::NotATrace))
    }

    /// Reads the first line; the trace has no events yet.
    pub(crate) fn begin(line: &[u8]) -> Result<(Trace, Self), ReadError> {
        let head: Json = serde_json::from_slice(line).map_err(|_| ReadError::NotATrace)?;
        match &head[FORMAT] {
            Json::Null => return Err(ReadError::NotATrace),
            version if *version != VERSION => {
                return Err(ReadError::OtherVersion { version: version.to_string() });
            }
            _ => {}
        }
        let number = |name: &str| head[name].as_u64().unwrap_or(0);
        let (elided, elided_stderr) = (number("elided"), number("elidedStderr"));
        Ok((Trace { events: Vec::new(), elided, elided_stderr }, Self { last: None }))
    }

    /// Reads another line; the error says what is wrong with it.
    pub(crate) fn event(&mut self, line: &[u8]) -> Result<Event, String> {
        let line = serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
        let event = read_event(&line)?;
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
    let kind = match &event.what {
        What::Opened { carrier } => {
            put("carrier", redactor.urls(carrier).into());
            "opened"
        }
        What::Message { text, reading } => {
            put_bytes(&mut put, &redacted(text, reading, redactor), redactor);
            "message"
        }
        What::Noise { bytes, why, damage } => {
            put_bytes(&mut put, bytes, redactor);
            put("why", redactor.text(why).into());
            match damage {
                Damage::Stray => {}
                Damage::Lost => put("damage", "lost".into()),
                Damage::OverLimit => put("damage", "over-limit".into()),
            }
            "noise"
        }
        What::HttpRequest { method, path, headers } => {
            put("method", method.as_str().into());
            put("path", redactor.path(path).into());
            put("headers", header_list(headers, redactor));
            "http-request"
        }
        What::HttpResponse { status, headers } => {
            put("status", (*status).into());
            put("headers", header_list(headers, redactor));
            "http-response"
        }
        What::SseEvent { event, id, retry } => {
            put("event", event.as_deref().into());
            put("id", id.as_ref().map(|id| redactor.event_id(id)).into());
            put("retry", (*retry).into());
            "sse-event"
        }
        What::SseComment(text) => {
            put("text", redactor.text(text).into());
            "sse-comment"
        }
        What::Stderr(text) => {
            put("text", redactor.text(text).into());
            "stderr"
        }
        What::Closed { how } => {
            put("how", redactor.text(how).into());
            "closed"
        }
        What::Exited { status } => {
            put("status", status.as_str().into());
            "exited"
        }
        What::Outstayed { what, how } => {
            put("outstaying", what.as_str().into());
            put("how", redactor.text(how).into());
            "outstayed"
        }
        What::Fence(text) => {
            put("text", text.as_str().into());
            "fence"
        }
        What::DeadlineFired { awaited } => {
            put("awaited", redactor.text(awaited).into());
            "deadline-fired"
        }
        What::Note(text) => {
            put("text", redactor.text(text).into());
            "note"
        }
        What::Elided { was, bytes } => {
            put("was", was.as_str().into());
            put("bytes", (*bytes).into());
            "elided"
        }
    };
    put("what", kind.into());
    object
}

/// The text with its value redacted; the very text if there was nothing to redact.
fn redacted(text: &Bytes, reading: &Reading, redactor: &mut Redactor) -> Bytes {
    let Some(value) = reading.value() else {
        return text.clone();
    };
    let redacted = redactor.value(value);
    if redacted == *value { text.clone() } else { redacted.to_string().into() }
}

fn put_bytes(put: &mut impl FnMut(&str, Json), bytes: &Bytes, redactor: &mut Redactor) {
    match std::str::from_utf8(bytes) {
        Ok(text) => put("text", redactor.text(text).into()),
        // In hexadecimal no secret can be found, nor lost.
        Err(_) => {
            put("hex", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into());
        }
    }
}

fn header_list(headers: &[(String, String)], redactor: &mut Redactor) -> Json {
    headers.iter().map(|(name, value)| json!([name, redactor.header(name, value)])).collect()
}

fn read_event(line: &Json) -> Result<Event, String> {
    let number = |name| line[name].as_u64().ok_or_else(|| format!("`{name}` must be a number"));
    let text = |name| {
        let text = line[name].as_str().map(ToOwned::to_owned);
        text.ok_or_else(|| format!("`{name}` must be a string"))
    };
    let party = match text("party")?.as_str() {
        "client" => Party::Client,
        "server" => Party::Server,
        "harness" => Party::Harness,
        other => {
            return Err(format!("`party` must be client, server or harness, not {other}"));
        }
    };
    let what = match text("what")?.as_str() {
        "opened" => What::Opened { carrier: text("carrier")? },
        "message" => Reading::message(bytes(line)?),
        "noise" => What::Noise {
            bytes: bytes(line)?,
            why: text("why")?,
            damage: match line["damage"].as_str() {
                None => Damage::Stray,
                Some("lost") => Damage::Lost,
                Some("over-limit") => Damage::OverLimit,
                Some(other) => {
                    return Err(format!("`damage` must be lost or over-limit, not {other}"));
                }
            },
        },
        "http-request" => What::HttpRequest {
            method: text("method")?,
            path: text("path")?,
            headers: headers(line)?,
        },
        "http-response" => {
            let status = number("status")?
                .try_into()
                .map_err(|_| "`status` must be an HTTP status".to_owned())?;
            What::HttpResponse { status, headers: headers(line)? }
        }
        "sse-event" => What::SseEvent {
            event: text("event").ok(),
            id: text("id").ok(),
            retry: number("retry").ok(),
        },
        "sse-comment" => What::SseComment(text("text")?),
        "stderr" => What::Stderr(text("text")?),
        "closed" => What::Closed { how: text("how")? },
        "exited" => What::Exited { status: text("status")? },
        "outstayed" => {
            let word = text("outstaying")?;
            let what = Outstaying::ALL.into_iter().find(|what| what.as_str() == word);
            let what = what.ok_or_else(|| format!("`outstaying` is {word}, which is unknown"))?;
            What::Outstayed { what, how: text("how")? }
        }
        "fence" => What::Fence(text("text")?),
        "deadline-fired" => What::DeadlineFired { awaited: text("awaited")? },
        "note" => What::Note(text("text")?),
        "elided" => What::Elided {
            was: text("was")?,
            bytes: usize::try_from(number("bytes")?).unwrap_or(usize::MAX),
        },
        other => return Err(format!("`what` is {other}, which is unknown")),
    };
    let connection =
        number("connection")?.try_into().map_err(|_| "`connection` is too great".to_owned())?;
    Ok(Event {
        seq: Seq(number("seq")?),
        at: Duration::from_micros(number("at_us")?),
        connection: Connection(connection),
        exchange: number("exchange").ok(),
        party,
        deliberate: line["deliberate"].as_bool().unwrap_or(false),
        what,
    })
}

fn bytes(line: &Json) -> Result<Bytes, String> {
    if let Some(text) = line["text"].as_str() {
        return Ok(text.to_owned().into());
    }
    let digits = line["hex"].as_str().ok_or("`text` or `hex` must be a string")?.as_bytes();
    let pairs =
        digits.chunks(2).map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
    let bytes = pairs.map(|pair| pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()));
    bytes
        .collect::<Option<Vec<u8>>>()
        .map(Into::into)
        .ok_or_else(|| "`hex` must be pairs of digits".to_owned())
}

fn headers(line: &Json) -> Result<Vec<(String, String)>, String> {
    let pairs = serde_json::from_value(line["headers"].clone());
    pairs.map_err(|_| "`headers` must be pairs of strings".to_owned())
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
        let noise = What::Noise {
            bytes: Bytes::from_static(b"\xff\x00"),
            why: "not UTF-8".into(),
            damage: Damage::OverLimit,
        };
        for what in [
            What::HttpRequest {
                method: "POST".into(),
                path: "/mcp?token=abc".into(),
                headers: headers.clone(),
            },
            Reading::message(r#"{"jsonrpc":"2.0", "id":1.0,"method":"ping"}"#.into()),
            What::HttpResponse { status: 200, headers },
            What::SseEvent { event: None, id: Some("e-1".into()), retry: Some(5) },
            Reading::message(r#"{"jsonrpc":"2.0","id":1,"result":{"password":"x"}}"#.into()),
            noise,
            What::SseComment("hello".into()),
            What::Stderr("got abcdefgh".into()),
            What::Fence("f".into()),
            What::DeadlineFired { awaited: "a".into() },
            What::Note("n".into()),
            What::Elided { was: "w".into(), bytes: 9 },
            What::Closed { how: "c".into() },
            What::Exited { status: "s".into() },
            What::Outstayed { what: Outstaying::Stream, how: "o".into() },
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
        let What::Message { text, .. } = &read.events[2].what else {
            panic!("expected a message, got {:?}", read.events[2].what);
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
    fn what_cannot_be_read_is_named() {
        let why = |text: &str| read(text).expect_err("it is wrong");
        assert_snapshot!(why(""), @"not a trace file: the first line must be a JSON object with a member `mcp-test-trace`");
        assert_snapshot!(why("{\"a\":1}"), @"not a trace file: the first line must be a JSON object with a member `mcp-test-trace`");
        assert_snapshot!(why("{\"mcp-test-trace\":2}"), @"the trace file has version 2, this mcp-test reads version 1");
        assert_snapshot!(why("{\"mcp-test-trace\":1}\n\n{\"party\":\"x\"}"), @"line 3 of the trace file is no event: `party` must be client, server or harness, not x");
        assert_snapshot!(why("{\"mcp-test-trace\":1}\nnonsense"), @"line 2 of the trace file is no event: not JSON: expected ident at line 1 column 2");
        let twice = "{\"seq\":1,\"at_us\":0,\"connection\":1,\"party\":\"client\",\"what\":\"note\",\"text\":\"\"}\n";
        assert_snapshot!(why(&format!("{{\"mcp-test-trace\":1}}\n{twice}{twice}")), @"line 3 of the trace file is no event: its `seq` is not greater than the one before");
        assert_snapshot!(why("{\"mcp-test-trace\":1}\n{\"party\":\"client\",\"what\":\"noise\",\"hex\":\"0\"}"), @"line 2 of the trace file is no event: `hex` must be pairs of digits");
    }
}
