//! What the hostile server says: good results, and what it makes of them.
//!
//! The words are bytes without any framing; the carriers add theirs.

use mcp_test::json::Value;

use super::How;

/// Something that stands where a message does.
#[derive(Debug, Clone)]
pub enum Piece {
    /// One message, in parts.
    Message(Vec<Part>),
    /// So many messages that are all the same.
    Messages(Vec<u8>, u64),
    /// The beginning of a message, and no more of it.
    Begun(Vec<u8>),
    /// The server ends its part of the conversation.
    Leave,
    /// The server says no more, until the client leaves.
    Hold,
}

/// A part of a message.
#[derive(Debug, Clone)]
pub enum Part {
    /// These bytes.
    Say(Vec<u8>),
    /// These bytes so many times.
    Repeat(Vec<u8>, u64),
    /// These bytes, each by itself.
    Trickle(Vec<u8>),
}

/// For ever, as far as anybody lives to see it.
pub const ENDLESS: u64 = u64::MAX;

/// The bytes of the huge reply.
pub const HUGE: u64 = 100_000_000;

/// The notifications of the flood.
pub const FLOOD: u64 = 1_000_000;

/// The revisions that begin with a handshake.
const HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The lines of the chatter: more than a trace keeps.
const CHATTER: u64 = 300_000;

/// The levels of the deep reply.
const LEVELS: usize = 10_000;

const LOG: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;

/// The page that web servers show.
pub const PAGE: &str = "<!DOCTYPE html><html><body><h1>It works!</h1></body></html>";

/// What a message of the client asks for, as far as the server has to know.
#[derive(Debug)]
pub struct Asked {
    /// The method; empty for replies.
    pub method: String,
    /// The id as it was written; `None` for notifications.
    pub id: Option<String>,
    result: String,
}

impl Asked {
    /// Reads a message of the client; `None` if it is none.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let message = Value::parse(text).ok()?.value;
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = message.get("id").map(ToString::to_string);
        let result = result(&method, &message);
        Some(Self { method, id, result })
    }

    /// The good reply.
    #[must_use]
    pub fn reply(&self) -> String {
        self.reply_as(self.id.as_deref().unwrap_or("null"), &self.result)
    }

    fn reply_as(&self, id: &str, result: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
    }

    /// The result with another first member.
    fn result_with(&self, member: &str) -> String {
        let rest = &self.result[1..];
        let comma = if rest == "}" { "" } else { "," };
        format!("{{{member}{comma}{rest}")
    }

    /// What a server says to this request that misbehaves in this way: pieces that stand where messages do.
    #[must_use]
    pub fn answered(&self, how: How) -> Vec<Piece> {
        let reply = self.reply();
        let id = self.id.as_deref().unwrap_or("null");
        let say = |text: &str| Piece::Message(vec![Part::Say(text.into())]);
        match how {
            How::Never | How::AnswerAfterCancel => vec![Piece::Hold],
            How::WrongId => vec![say(&self.reply_as("4711", &self.result))],
            How::RetypedId => vec![say(&self.reply_as(&format!("\"{id}\""), &self.result))],
            How::NullId => vec![say(&self.reply_as("null", &self.result))],
            How::NoId => vec![say(&reply.replacen(&format!(r#""id":{id},"#), "", 1))],
            How::HugeId => vec![say(&self.reply_as("1e400", &self.result))],
            How::Twice => vec![say(&reply), say(&reply)],
            How::Banner => vec![say("Calculator 1.0 is listening"), say(&reply)],
            How::LogLine => vec![say("2026-01-01T00:00:00Z INFO a request came"), say(&reply)],
            How::BracketLog => vec![say("[INFO] a request came"), say(&reply)],
            How::JsonLog => vec![say(r#"{"level":"info","msg":"a request came"}"#), say(&reply)],
            How::BlankLine => vec![say(""), say(&reply)],
            How::Ansi => vec![say("\u{1b}[32mready\u{1b}[0m"), say(&reply)],
            How::AnsiReply => vec![say(&format!("\u{1b}[2K\u{1b}[32m{reply}\u{1b}[0m"))],
            How::Html => vec![say(PAGE), say(&reply)],
            How::Plain => vec![say("I am busy")],
            How::Empty => vec![],
            How::TruncatedJson => vec![say(half(&reply))],
            How::InvalidUtf8 => vec![with_bytes(&reply, b"\"x\":\"\xff\",")],
            How::Bom => vec![say(&format!("\u{feff}{reply}"))],
            How::Nul => vec![say(&format!("\0\0{reply}"))],
            How::NulInside => vec![with_bytes(&reply, b"\"x\":\"\0\",")],
            How::ManyLines => vec![say(&reply.replace("\":", "\":\n  "))],
            How::TwoOnALine => vec![say(&format!("{reply} {LOG}"))],
            How::HeaderFraming => {
                let framed = format!("Content-Length: {}\r\n\r\n{reply}", reply.len());
                vec![Piece::Begun(framed.into())]
            }
            How::HugeReply => vec![self.huge()],
            How::Flood => vec![Piece::Messages(LOG.into(), FLOOD), say(&reply)],
            How::Chatter => vec![Piece::Messages("INFO still busy".into(), CHATTER), say(&reply)],
            How::EndlessFlood => vec![Piece::Messages(LOG.into(), ENDLESS)],
            How::EndlessLine => vec![Piece::Message(vec![Part::Repeat(vec![b'x'; 4096], ENDLESS)])],
            How::Deep => vec![say(&self.deep())],
            How::DuplicateMembers => {
                let twice = format!(r#""id":{id},"id":{id},"#);
                vec![say(&reply.replacen(&format!(r#""id":{id},"#), &twice, 1))]
            }
            How::HugeNumbers => {
                let digits = "7".repeat(400);
                let numbers = format!(r#""_meta":{{"a":1e400,"b":{digits},"c":-0.{digits}e-9}}"#);
                vec![say(&self.reply_as(id, &self.result_with(&numbers)))]
            }
            How::Trickle => vec![Piece::Message(vec![Part::Trickle(reply.into_bytes())])],
            How::ExitMidReply | How::CutChunks => {
                vec![Piece::Begun(half(&reply).into()), Piece::Leave]
            }
            How::ExitInstead | How::StreamEndsEarly => vec![Piece::Leave],
            How::StreamNeverEnds => vec![say(&reply), Piece::Hold],
            _ => vec![say(&reply)],
        }
    }

    fn huge(&self) -> Piece {
        const PART: usize = 50_000;
        let id = self.id.as_deref().unwrap_or("null");
        let reply = self.reply_as(id, &self.result_with(r#""x":"@""#));
        let (before, after) = reply.split_once('@').unwrap_or((&reply, ""));
        Piece::Message(vec![
            Part::Say(before.into()),
            Part::Repeat(vec![b'x'; PART], HUGE / PART as u64),
            Part::Say(after.into()),
        ])
    }

    fn deep(&self) -> String {
        let id = self.id.as_deref().unwrap_or("null");
        let nest = format!(r#""_meta":{{"x":{}{}}}"#, "[".repeat(LEVELS), "]".repeat(LEVELS));
        self.reply_as(id, &self.result_with(&nest))
    }
}

fn half(text: &str) -> &str {
    &text[..text.len() / 2]
}

/// The reply with these bytes as its first member.
fn with_bytes(reply: &str, member: &[u8]) -> Piece {
    let mut bytes = vec![b'{'];
    bytes.extend_from_slice(member);
    bytes.extend_from_slice(&reply.as_bytes()[1..]);
    Piece::Message(vec![Part::Say(bytes)])
}

/// What a good server answers to a request.
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
