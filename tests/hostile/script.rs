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

/// The length of long names.
const LONG: usize = 1_000_000;

const PING: &str = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;

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
        // An answer of the client is not answered in turn.
        let id = message.get("id").filter(|_| !method.is_empty()).map(ToString::to_string);
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
            Behavior::Latin1Log => {
                vec![
                    Piece::Message(vec![Part::Bytes(b"r\xe9ponse en cours".into())]),
                    message(&reply),
                ]
            }
            Behavior::Utf16 => vec![bytes(&utf16(&format!("\u{feff}{reply}")))],
            Behavior::Utf16WithoutMark => vec![bytes(&utf16(&reply))],
            Behavior::Utf32 => {
                let units = format!("\u{feff}{reply}");
                vec![bytes(
                    &units.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<_>>(),
                )]
            }
            Behavior::RandomBytes => vec![bytes(&random_bytes())],
            Behavior::RandomWithoutNewline => vec![Piece::Begun(random_bytes())],
            Behavior::Compressed => {
                vec![bytes(&[b"\x1f\x8b\x08\0\0\0\0\0\0\x03", &random_bytes()[..40]].concat())]
            }
            Behavior::EndlessLog => vec![Piece::Messages("INFO still busy".into(), ENDLESS)],
            Behavior::EndlessBlankLines => vec![Piece::Messages(Vec::new(), ENDLESS)],
            Behavior::EndlessNul => {
                vec![Piece::Message(vec![Part::Repeat(vec![0; 4096], ENDLESS)])]
            }
            Behavior::EndlessReplies => {
                vec![Piece::Messages(self.reply_as("4711", "{}").into(), ENDLESS)]
            }
            Behavior::EndlessRequests => vec![Piece::Messages(PING.into(), ENDLESS)],
            Behavior::LongId => {
                vec![message(&self.reply_as(&format!("\"{}\"", "i".repeat(LONG)), &self.result))]
            }
            Behavior::LongMethod => {
                let request = PING.replace("ping", &"m".repeat(LONG));
                vec![message(&request), message(&reply)]
            }
            Behavior::LongError => {
                let text = "e".repeat(LONG);
                let error = format!(r#"{{"code":-32603,"message":"{text}"}}"#);
                vec![message(&self.error_as(id, &error))]
            }
            Behavior::LongName => {
                let name = "n".repeat(LONG);
                let tool = format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
                vec![message(&self.listing([tool], None))]
            }
            Behavior::DeepSchema => {
                let (open, close) = (r#"{"allOf":["#.repeat(200), "]}".repeat(200));
                let schema = format!(r#"{{"type":"object","allOf":[{open}{{}}{close}]}}"#);
                vec![message(
                    &self.listing([format!(r#"{{"name":"t","inputSchema":{schema}}}"#)], None),
                )]
            }
            Behavior::SameCursor => vec![message(&self.listing([tool(0)], Some(1)))],
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
            _ => match before(behavior) {
                Some(first) => vec![message(first), message(&reply)],
                None => vec![message(&instead(behavior, id).unwrap_or(reply))],
            },
        }
    }

    fn error_as(&self, id: &str, error: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
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

fn bytes(bytes: &[u8]) -> Piece {
    Piece::Message(vec![Part::Bytes(bytes.into())])
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Bytes that are neither text nor a line end; the same ones in every run.
fn random_bytes() -> Vec<u8> {
    let bytes = (0..5000_u32).map(|n| (n.wrapping_mul(7919).wrapping_add(13) >> 3) as u8);
    bytes.filter(|byte| !b"\r\n".contains(byte)).collect()
}

/// What comes before the reply.
fn before(behavior: Behavior) -> Option<&'static str> {
    Some(match behavior {
        Behavior::UnknownProgress => {
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}"#
        }
        Behavior::NotificationWithId => {
            r#"{"jsonrpc":"2.0","id":"n","method":"notifications/message","params":{"level":"info","data":1}}"#
        }
        Behavior::UnknownNotification => r#"{"jsonrpc":"2.0","method":"notifications/none"}"#,
        Behavior::UnknownRequest => r#"{"jsonrpc":"2.0","id":"r","method":"no/such"}"#,
        Behavior::Undeclared => r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#,
        _ => return None,
    })
}

/// What comes instead of the reply to the request with this id.
fn instead(behavior: Behavior, id: &str) -> Option<String> {
    const REPLY: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"tools":[]}}"#;
    let result = |result: &str| REPLY.replace(r#"{"tools":[]}"#, result);
    let tool = |tool: &str| REPLY.replace("[]", &format!("[{tool}]"));
    let schema = |schema: &str| tool(&format!(r#"{{"name":"t","inputSchema":{schema}}}"#));
    let error =
        |error: &str| REPLY.replace(r#""result":{"tools":[]}"#, &format!("\"error\":{error}"));
    let text = match behavior {
        Behavior::EmptyArray => "[]".to_owned(),
        Behavior::EmptyObject => "{}".to_owned(),
        Behavior::Number => "42".to_owned(),
        Behavior::Null => "null".to_owned(),
        Behavior::Text => r#""done""#.to_owned(),
        Behavior::Batch => format!("[{REPLY}]"),
        Behavior::ControlName => {
            tool(r#"{"name":"\u001b]0;x\u0007\u202e","inputSchema":{"type":"object"}}"#)
        }
        Behavior::ControlError => error(r#"{"code":-32603,"message":"\u001b[2J\u202edone"}"#),
        Behavior::ResultAndError => {
            REPLY.replace(r#""result""#, r#""error":{"code":1,"message":"x"},"result""#)
        }
        Behavior::NoResult => REPLY.replace(r#","result":{"tools":[]}"#, ""),
        Behavior::TextError => error(r#""it failed""#),
        Behavior::NoCode => error(r#"{"message":"it failed"}"#),
        Behavior::TextCode => error(r#"{"code":"E1","message":"it failed"}"#),
        Behavior::FractionCode => error(r#"{"code":1.5,"message":"it failed"}"#),
        Behavior::HugeCode => error(r#"{"code":99999999999999999999,"message":"it failed"}"#),
        Behavior::OldJsonRpc => REPLY.replace("2.0", "1.0"),
        Behavior::NoJsonRpc => REPLY.replace(r#""jsonrpc":"2.0","#, ""),
        Behavior::NumberJsonRpc => REPLY.replace(r#""2.0""#, "2.0"),
        Behavior::ObjectId => REPLY.replace("ID", r#"{"id":ID}"#),
        Behavior::FractionId => REPLY.replace("ID", "ID.5"),
        Behavior::TrueId => REPLY.replace("ID", "true"),
        Behavior::Echo => r#"{"jsonrpc":"2.0","id":ID,"method":"tools/list"}"#.to_owned(),
        Behavior::ArrayResult => result("[]"),
        Behavior::NullResult => result("null"),
        Behavior::TextResult => result(r#""done""#),
        Behavior::EmptyResult => result("{}"),
        Behavior::ObjectList => result(r#"{"tools":{}}"#),
        Behavior::NullItem => tool("null"),
        Behavior::NoName => tool(r#"{"inputSchema":{"type":"object"}}"#),
        Behavior::NumberName => tool(r#"{"name":1,"inputSchema":{"type":"object"}}"#),
        Behavior::DuplicateName => {
            let one = r#"{"name":"t","inputSchema":{"type":"object"}}"#;
            tool(&format!("{one},{one}"))
        }
        Behavior::NoSchema => tool(r#"{"name":"t"}"#),
        Behavior::NullSchema => schema("null"),
        Behavior::ArraySchema => schema("[]"),
        Behavior::RecursiveSchema => schema(r##"{"type":"object","allOf":[{"$ref":"#"}]}"##),
        Behavior::RemoteSchema => {
            schema(r#"{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:9/a.json"}}}"#)
        }
        Behavior::FileSchema => {
            schema(r#"{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}"#)
        }
        Behavior::SlowPattern => schema(
            r#"{"type":"object","properties":{"a":{"pattern":"^(a+)+(b|c|d)+$","default":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}}}"#,
        ),
        Behavior::WrongPattern => {
            schema(r#"{"type":"object","properties":{"a":{"type":"string","pattern":"(["}}}"#)
        }
        Behavior::NumberCursor => result(r#"{"tools":[],"nextCursor":1}"#),
        Behavior::TextMeta => result(r#"{"tools":[],"_meta":"x"}"#),
        _ => return None,
    };
    Some(text.replace("ID", id))
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
                r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}},"logging":{{}}}},"serverInfo":{info}}}"#
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
