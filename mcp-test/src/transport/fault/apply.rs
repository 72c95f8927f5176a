//! What becomes of an emitted message when faults are on its way.

use bytes::Bytes;

use super::{Change, Fault};
use crate::{json::Value, transport::serve::Emitted};

const HTML: &str = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>\n";

/// One emitted message as it will be seen on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// What is sent, in order.
    pub parts: Vec<Part>,
    /// What happens afterwards.
    pub then: Then,
    /// The HTTP status, where it is not 200.
    pub status: Option<u16>,
    /// The `Content-Type`, where it is not the one that fits.
    pub content_type: Option<String>,
    /// The HTTP body that stands in for all parts.
    pub body: Option<Bytes>,
}

/// A piece of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A whole JSON text.
    Message(Bytes),
    /// A line that is no JSON text.
    Noise(Bytes),
}

impl Part {
    /// Its bytes, without anything that frames them.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        match self {
            Self::Message(bytes) | Self::Noise(bytes) => bytes,
        }
    }
}

/// What a carrier does after a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It goes on.
    GoOn,
    /// It goes on, and leaves the request unanswered for good.
    Silence,
    /// It closes the connection.
    Close,
    /// It ends the server.
    Exit,
}

impl Delivery {
    /// What the faults leave of a message.
    #[must_use]
    pub fn of(emitted: Emitted, faults: &[Fault]) -> Self {
        let Emitted { mut value, answers, status } = emitted;
        let mut delivery =
            Self { parts: Vec::new(), then: Then::GoOn, status, content_type: None, body: None };
        let (mut copies, mut cut) = (1, false);
        let concerned = faults
            .iter()
            .filter(|fault| answers.as_deref().is_some_and(|method| fault.concerns(method)));
        for fault in concerned {
            match &fault.change {
                Change::Set { pointer, value: new } => {
                    value.set(&from_the_envelope(pointer), new.clone());
                }
                Change::Remove { pointer } => {
                    value.remove(&from_the_envelope(pointer));
                }
                Change::Retype { pointer } => {
                    if let Some(found) = value.at_mut(&from_the_envelope(pointer)) {
                        *found = retyped(found);
                    }
                }
                Change::Error { code, message } => {
                    value.remove("/result");
                    value.set(
                        "/error",
                        serde_json::json!({ "code": code, "message": message }).into(),
                    );
                }
                Change::WrongId => {
                    value.set("/id", wrong(value.get("id")));
                }
                Change::RetypedId => {
                    value.set("/id", respelled(value.get("id")));
                }
                Change::Twice => copies += 1,
                Change::Never => {
                    copies = 0;
                    delivery.then = Then::Silence;
                }
                Change::Stray { message } => {
                    delivery.parts.push(Part::Message(message.to_string().into()));
                }
                Change::Truncate => cut = true,
                Change::Close => {
                    copies = 0;
                    delivery.then = Then::Close;
                }
                Change::Exit => {
                    copies = 0;
                    delivery.then = Then::Exit;
                }
                Change::BlankLine => delivery.parts.push(Part::Noise(Bytes::new())),
                Change::Status { status } => delivery.status = Some(*status),
                Change::ContentType { value } => delivery.content_type = Some(value.clone()),
                Change::Html => {
                    delivery.content_type = Some("text/html; charset=utf-8".to_owned());
                    delivery.body = Some(Bytes::from_static(HTML.as_bytes()));
                }
                Change::EmptyBody => delivery.body = Some(Bytes::new()),
                Change::Banner { .. } | Change::SessionId { .. } => {}
            }
        }
        let text = Bytes::from(value.to_string());
        for _ in 0..copies {
            delivery.parts.push(if cut {
                Part::Noise(text.slice(..half(&text)))
            } else {
                Part::Message(text.clone())
            });
        }
        delivery
    }
}

/// The lines that faults put before everything else.
pub(in crate::transport) fn banners(faults: &[Fault]) -> impl Iterator<Item = &str> {
    faults.iter().filter_map(|fault| match &fault.change {
        Change::Banner { text } => Some(text.as_str()),
        _ => None,
    })
}

/// A session id with everything inside that faults put there.
pub(in crate::transport) fn session_id(minted: &str, faults: &[Fault]) -> Vec<u8> {
    let mut id = minted.to_owned();
    for fault in faults {
        if let Change::SessionId { text } = &fault.change {
            id.insert_str(id.len() / 2, text);
        }
    }
    id.into_bytes()
}

fn from_the_envelope(pointer: &str) -> String {
    const ENVELOPE: [&str; 4] = ["jsonrpc", "id", "result", "error"];
    let first = pointer.split('/').nth(1).unwrap_or_default();
    if ENVELOPE.contains(&first) { pointer.to_owned() } else { format!("/result{pointer}") }
}

fn retyped(value: &Value) -> Value {
    match value {
        Value::Null => Value::from(false),
        Value::Bool(value) => Value::from(value.to_string()),
        Value::Number(number) => Value::from(number.to_string()),
        Value::String(_) => Value::from(7),
        Value::Array(_) => serde_json::json!({}).into(),
        Value::Object(_) => serde_json::json!([]).into(),
    }
}

fn wrong(id: Option<&Value>) -> Value {
    match id {
        Some(Value::String(text)) => Value::from(format!("{text}-wrong")),
        Some(Value::Number(number)) => {
            Value::from(number.as_i64().unwrap_or_default().wrapping_add(1000))
        }
        _ => Value::from(1000),
    }
}

fn respelled(id: Option<&Value>) -> Value {
    match id {
        Some(Value::String(text)) => Value::from(text.parse::<i64>().unwrap_or_default()),
        Some(other) => Value::from(other.to_string()),
        None => Value::from("0"),
    }
}

/// The middle of a text, not inside of a character: what is cut off shall be broken JSON, not broken UTF-8.
fn half(text: &[u8]) -> usize {
    let mut middle = text.len() / 2;
    while middle > 0 && text[middle] & 0xC0 == 0x80 {
        middle -= 1;
    }
    middle
}
