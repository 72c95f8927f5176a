//! The messages of the hostile server: correct results, and what each misbehavior makes of them.
//!
//! They are bytes without framing, which the transports add.

use mcp_test::json::Value;

use super::Behavior;

/// Something in the place of a message.
#[derive(Debug, Clone)]
pub enum Piece {
    /// One message, in parts.
    Message(Vec<Part>),
    /// The same message several times.
    Messages(Vec<u8>, u64),
    /// The beginning of a message without its end.
    Begun(Vec<u8>),
    /// The server ends its side of the conversation.
    End,
    /// The server sends nothing more until the client disconnects.
    Wait,
}

/// A part of a message.
#[derive(Debug, Clone)]
pub enum Part {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes several times.
    Repeat(Vec<u8>, u64),
    /// These bytes, one at a time.
    Trickle(Vec<u8>),
}

/// Practically forever.
pub const ENDLESS: u64 = u64::MAX;

/// The size of the huge reply in bytes.
pub const HUGE: u64 = 100_000_000;

/// How often the unit of a huge reply is repeated before it is written.
const PART: usize = 50_000;

/// The number of notifications in the flood.
pub const FLOOD: u64 = 1_000_000;

/// The revisions of the handshake era.
const HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The number of log lines in the chatter: more than a trace keeps.
const CHATTER: u64 = 300_000;

/// The depth of the deep reply.
const LEVELS: usize = 10_000;

const LOG: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;

/// A default page of web servers.
pub const PAGE: &str = "<!DOCTYPE html><html><body><h1>It works!</h1></body></html>";

/// The parts of a client's message that the server needs.
#[derive(Debug)]
pub struct ClientMessage {
    /// The method; empty for replies.
    pub method: String,
    /// The id as it was written; `None` for notifications.
    pub id: Option<String>,
    result: String,
    /// The number of the page that it asks for.
    page: usize,
}

impl ClientMessage {
    /// Parses a message of the client.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let message = Value::parse(text).ok()?.value;
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = message.get("id").map(ToString::to_string);
        let result = result(&method, &message);
        let cursor = message.at("/params/cursor").and_then(Value::as_str);
        let page = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        Some(Self { method, id, result, page })
    }

    /// The correct reply.
    #[must_use]
    pub fn reply(&self) -> String {
        self.reply_as(self.id.as_deref().unwrap_or("null"), &self.result)
    }

    fn reply_as(&self, id: &str, result: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
    }

    /// The result with an additional first member.
    fn result_with(&self, member: &str) -> String {
        let rest = &self.result[1..];
        let comma = if rest == "}" { "" } else { "," };
        format!("{{{member}{comma}{rest}")
    }

    /// What a server with this behavior sends in reply to this request.
    #[must_use]
    pub fn answered(&self, behavior: Behavior) -> Vec<Piece> {
        let reply = self.reply();
        let id = self.id.as_deref().unwrap_or("null");
        let message = |text: &str| Piece::Message(vec![Part::Bytes(text.into())]);
        match behavior {
            Behavior::Never | Behavior::AnswerAfterCancel => vec![Piece::Wait],
            Behavior::WrongId => vec![message(&self.reply_as("4711", &self.result))],
            Behavior::RetypedId => {
                vec![message(&self.reply_as(&format!("\"{id}\""), &self.result))]
            }
            Behavior::NullId => vec![message(&self.reply_as("null", &self.result))],
            Behavior::NoId => vec![message(&reply.replacen(&format!(r#""id":{id},"#), "", 1))],
            Behavior::HugeId => vec![message(&self.reply_as("1e400", &self.result))],
            Behavior::Twice => vec![message(&reply), message(&reply)],
            Behavior::Banner => vec![message("Calculator 1.0 is listening"), message(&reply)],
            Behavior::LogLine => {
                vec![message("2026-01-01T00:00:00Z INFO a request came"), message(&reply)]
            }
            Behavior::BracketLog => vec![message("[INFO] a request came"), message(&reply)],
            Behavior::JsonLog => {
                vec![message(r#"{"level":"info","msg":"a request came"}"#), message(&reply)]
            }
            Behavior::BlankLine => vec![message(""), message(&reply)],
            Behavior::Ansi => vec![message("\u{1b}[32mready\u{1b}[0m"), message(&reply)],
            Behavior::AnsiReply => vec![message(&format!("\u{1b}[2K\u{1b}[32m{reply}\u{1b}[0m"))],
            Behavior::Html => vec![message(PAGE), message(&reply)],
            Behavior::Plain => vec![message("I am busy")],
            Behavior::Empty => vec![],
            Behavior::TruncatedJson => vec![message(half(&reply))],
            Behavior::InvalidUtf8 => vec![with_bytes(&reply, b"\"x\":\"\xff\",")],
            Behavior::Bom => vec![message(&format!("\u{feff}{reply}"))],
            Behavior::Nul => vec![message(&format!("\0\0{reply}"))],
            Behavior::NulInside => vec![with_bytes(&reply, b"\"x\":\"\0\",")],
            Behavior::ManyLines => vec![message(&reply.replace("\":", "\":\n  "))],
            Behavior::TwoOnALine => vec![message(&format!("{reply} {LOG}"))],
            Behavior::HeaderFraming => {
                let framed = format!("Content-Length: {}\r\n\r\n{reply}", reply.len());
                vec![Piece::Begun(framed.into())]
            }
            Behavior::HugeReply => {
                vec![self.repeating(r#""x":"@""#, &[b'x'; PART], HUGE / PART as u64)]
            }
            Behavior::Zeros => vec![self.repeating(r#""x":[@0]"#, &b"0,".repeat(PART), 80)],
            Behavior::Objects => {
                vec![self.repeating(r#""x":[@0]"#, &br#"{"":0},"#.repeat(PART), 40)]
            }
            Behavior::ManyTools => vec![message(&self.listing((0..100_000).map(tool), None))],
            Behavior::HugeEnum => {
                let values = (0..400_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
                let schema =
                    format!(r#"{{"type":"object","properties":{{"a":{{"enum":[{values}]}}}}}}"#);
                let tool = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
                vec![message(&self.listing([tool], None))]
            }
            Behavior::GrowingPages => {
                let text = "d".repeat(20_000 * self.page);
                let tool = format!(
                    r#"{{"name":"t{}","description":"{text}","inputSchema":{{"type":"object"}}}}"#,
                    self.page
                );
                vec![message(&self.listing([tool], Some(self.page + 1)))]
            }
            Behavior::Flood => vec![Piece::Messages(LOG.into(), FLOOD), message(&reply)],
            Behavior::Chatter => {
                vec![Piece::Messages("INFO still busy".into(), CHATTER), message(&reply)]
            }
            Behavior::EndlessFlood => vec![Piece::Messages(LOG.into(), ENDLESS)],
            Behavior::EndlessLine => {
                vec![Piece::Message(vec![Part::Repeat(vec![b'x'; 4096], ENDLESS)])]
            }
            Behavior::Deep => vec![message(&self.deep())],
            Behavior::DuplicateMembers => {
                let twice = format!(r#""id":{id},"id":{id},"#);
                vec![message(&reply.replacen(&format!(r#""id":{id},"#), &twice, 1))]
            }
            Behavior::HugeNumbers => {
                let digits = "7".repeat(400);
                let numbers = format!(r#""_meta":{{"a":1e400,"b":{digits},"c":-0.{digits}e-9}}"#);
                vec![message(&self.reply_as(id, &self.result_with(&numbers)))]
            }
            Behavior::LoneSurrogate => {
                let half = r#""_meta":{"a":"\ud800"}"#;
                vec![message(&self.reply_as(id, &self.result_with(half)))]
            }
            Behavior::Trickle => vec![Piece::Message(vec![Part::Trickle(reply.into_bytes())])],
            Behavior::NoNewline => vec![Piece::Begun(reply.into())],
            Behavior::CarriageReturn => vec![Piece::Begun(format!("{reply}\r").into())],
            Behavior::TrickleNoNewline => {
                reply.into_bytes().into_iter().map(|byte| Piece::Begun(vec![byte])).collect()
            }
            Behavior::HalfALine => vec![Piece::Begun(half(&reply).into())],
            Behavior::ExitMidReply | Behavior::CutChunks => {
                vec![Piece::Begun(half(&reply).into()), Piece::End]
            }
            Behavior::ExitInstead | Behavior::StreamEndsEarly => vec![Piece::End],
            Behavior::StreamNeverEnds => vec![message(&reply), Piece::Wait],
            _ => vec![message(&reply)],
        }
    }

    /// The reply with an additional member, in which `unit` is repeated in the place of `@`.
    fn repeating(&self, member: &str, unit: &[u8], times: u64) -> Piece {
        let id = self.id.as_deref().unwrap_or("null");
        let reply = self.reply_as(id, &self.result_with(member));
        let (before, after) = reply.split_once('@').unwrap_or((&reply, ""));
        Piece::Message(vec![
            Part::Bytes(before.into()),
            Part::Repeat(unit.to_vec(), times),
            Part::Bytes(after.into()),
        ])
    }

    /// A page of tools.
    fn listing(&self, tools: impl IntoIterator<Item = String>, next: Option<usize>) -> String {
        let tools = tools.into_iter().collect::<Vec<_>>().join(",");
        let next = next.map(|next| format!(r#","nextCursor":"{next}""#)).unwrap_or_default();
        let id = self.id.as_deref().unwrap_or("null");
        self.reply_as(id, &format!(r#"{{"tools":[{tools}]{next}}}"#))
    }

    fn deep(&self) -> String {
        let id = self.id.as_deref().unwrap_or("null");
        let nest = format!(r#""_meta":{{"x":{}{}}}"#, "[".repeat(LEVELS), "]".repeat(LEVELS));
        self.reply_as(id, &self.result_with(&nest))
    }
}

fn tool(number: usize) -> String {
    format!(r#"{{"name":"t{number}","inputSchema":{{"type":"object"}}}}"#)
}

fn half(text: &str) -> &str {
    &text[..text.len() / 2]
}

/// The reply with these bytes as its first member.
fn with_bytes(reply: &str, member: &[u8]) -> Piece {
    let mut bytes = vec![b'{'];
    bytes.extend_from_slice(member);
    bytes.extend_from_slice(&reply.as_bytes()[1..]);
    Piece::Message(vec![Part::Bytes(bytes)])
}

/// The result that a good server returns.
fn result(method: &str, message: &Value) -> String {
    let version = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
    let is_stateless = message.at(version).is_some();
    let more = match (method, is_stateless) {
        (_, false) => "",
        ("tools/list" | "server/discover", true) => {
            r#""resultType":"complete","ttlMs":1000,"cacheScope":"public","#
        }
        (_, true) => r#""resultType":"complete","#,
    };
    let info = r#"{"name":"hostile","version":"1"}"#;
    match method {
        "initialize" => {
            let wanted = message.at("/params/protocolVersion").and_then(Value::as_str);
            let version =
                wanted.filter(|wanted| HANDSHAKE.contains(wanted)).unwrap_or("2025-11-25");
            format!(
                r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{info}}}"#
            )
        }
        "server/discover" => format!(
            r#"{{{more}"supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}}}"#
        ),
        "tools/list" => format!(
            r#"{{{more}"tools":[{{"name":"echo","description":"Says it again","inputSchema":{{"type":"object"}}}}]}}"#
        ),
        _ => format!("{{{}}}", more.trim_end_matches(',')),
    }
}
