//! What becomes of an emitted message when faults are on its way.

use std::time::Duration;

use bytes::Bytes;
use serde_json::json;

use super::{
    Fault, Part, Then,
    change::{Change, Damage},
    rewrite::rewrite,
    text::{damaged, half, padded},
};
use crate::{json::Value, spec::Side, transport::serve::Emitted};

/// One emitted message as it will be seen on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// What is sent, in order.
    pub parts: Vec<Part>,
    /// What happens afterwards.
    pub then: Then,
    /// How long the parts wait while other deliveries pass them.
    pub late: Option<Duration>,
    /// The HTTP status, where it is not 200.
    pub status: Option<u16>,
    /// Whether it goes into an event stream even where one JSON text would do.
    pub streams: bool,
    /// Whether it is written a byte at a time.
    pub in_bytes: bool,
}

impl Delivery {
    /// What the faults leave of a server's message.
    #[must_use]
    pub fn of(emitted: Emitted, faults: &[Fault]) -> Self {
        Self::by(Side::Server, emitted, faults)
    }

    /// What the faults leave of a client's message.
    ///
    /// `answers` is the method of the server's request that it replies to, if it is a reply.
    #[must_use]
    pub fn of_client(value: Value, answers: Option<String>, faults: &[Fault]) -> Self {
        Self::by(Side::Client, Emitted { answers, ..Emitted::unprompted(value) }, faults)
    }

    fn by(side: Side, emitted: Emitted, faults: &[Fault]) -> Self {
        let Emitted { value, answers, status, batch, then } = emitted;
        match value {
            Value::Null if then != Then::GoOn => {
                Self { then, streams: then == Then::End, ..Self::nothing() }
            }
            Value::Array(items) if !items.is_empty() => {
                let methods = batch.into_iter().chain(std::iter::repeat(None));
                let deliveries = items
                    .into_iter()
                    .zip(methods)
                    .map(|(item, method)| Self::of_one(side, item, method, faults));
                let whole = Self::joined(deliveries);
                let then = if then == Then::GoOn { whole.then } else { then };
                Self { status, then, ..whole }
            }
            value => Self { status, ..Self::of_one(side, value, answers, faults) },
        }
    }

    /// One batch of what is left of its items; what happens to one of them happens to it.
    fn joined(deliveries: impl Iterator<Item = Self>) -> Self {
        let mut whole = Self::nothing();
        let (mut texts, mut is_whole) = (Vec::new(), true);
        for delivery in deliveries {
            whole.late = whole.late.max(delivery.late);
            whole.streams |= delivery.streams;
            whole.in_bytes |= delivery.in_bytes;
            // An unanswered item is merely absent, if there is anything beside it.
            if !matches!(delivery.then, Then::GoOn | Then::Silence) {
                whole.then = delivery.then;
            }
            is_whole &= delivery.parts.iter().all(|part| matches!(part, Part::Message(_)));
            texts.extend(delivery.parts.into_iter().map(|part| part.bytes().clone()));
        }
        if texts.is_empty() {
            if whole.then == Then::GoOn {
                whole.then = Then::Silence;
            }
            return whole;
        }
        let text = Bytes::from([b"[", texts.join(b",".as_slice()).as_slice(), b"]"].concat());
        whole.parts.push(if is_whole { Part::Message(text) } else { Part::Noise(text) });
        whole
    }

    const fn nothing() -> Self {
        Self {
            parts: Vec::new(),
            then: Then::GoOn,
            late: None,
            status: None,
            streams: false,
            in_bytes: false,
        }
    }

    fn of_one(side: Side, mut value: Value, answers: Option<String>, faults: &[Fault]) -> Self {
        let Some(subject) = Subject::of(side, &value, answers) else {
            return Self { parts: vec![Part::Message(text_of(&value))], ..Self::nothing() };
        };
        let concerned: Vec<_> =
            faults.iter().filter(|fault| subject.concerns(fault)).map(|f| &f.change).collect();
        concerned.iter().for_each(|change| rewrite(&mut value, change));
        let pretty = concerned.iter().any(|change| matches!(change, Change::EmbeddedNewline));
        let text = if pretty { Bytes::from(value.pretty()) } else { text_of(&value) };
        let mut delivery = Self::nothing();
        let mut sent = vec![Part::Message(text)];
        for change in concerned {
            delivery.take(change, &mut sent, subject.waits, side);
        }
        delivery.parts.append(&mut sent);
        delivery
    }

    /// Does to the delivery what a fault does beyond the value; `sent` is what is left of the message.
    fn take(&mut self, change: &Change, sent: &mut Vec<Part>, waits: bool, side: Side) {
        match change {
            Change::Twice => sent.extend(sent.first().cloned()),
            Change::Late { by } => self.late = Some(self.late.unwrap_or_default() + *by),
            Change::Never => {
                sent.clear();
                if waits {
                    self.then = Then::Silence;
                }
            }
            Change::Stray { message } => self.parts.push(Part::Message(text_of(message))),
            Change::Flood { count } => {
                let drop = Part::Message(text_of(&notification_of(side)));
                self.parts.extend(std::iter::repeat_n(drop, *count));
            }
            Change::Text(damage) => {
                for part in sent {
                    let bytes = damaged(part.bytes(), *damage);
                    // Deep nesting is JSON all the same.
                    *part = match damage {
                        Damage::Deep => Part::Message(bytes),
                        _ => Part::Noise(bytes),
                    };
                }
            }
            Change::Pad { bytes } => {
                for part in sent {
                    *part = Part::Message(padded(part.bytes(), *bytes));
                }
            }
            Change::Cut => {
                for part in sent {
                    let of = part.bytes().len();
                    *part = Part::Torn { bytes: part.bytes().slice(..half(part.bytes())), of };
                }
                self.then = Then::Close;
            }
            Change::Close => {
                sent.clear();
                self.then = Then::Close;
            }
            Change::Exit => {
                sent.clear();
                self.then = Then::Exit;
            }
            Change::ExitAfter => self.then = Then::Exit,
            Change::Noise { text } => self.parts.push(Part::Noise(text.clone().into())),
            Change::BlankLine => self.parts.push(Part::Noise(Bytes::new())),
            Change::TwoOnALine => {
                for part in sent {
                    *part = Part::Noise([part.bytes().as_ref(), part.bytes()].concat().into());
                }
            }
            Change::EmbeddedNewline => {
                for part in sent {
                    *part = Part::Noise(part.bytes().clone());
                }
            }
            Change::SseSplit => (self.streams, self.in_bytes) = (true, true),
            Change::SseGarble => {
                for part in sent {
                    *part = Part::Lines([b"dat: ", part.bytes().as_ref(), b"\n\n"].concat().into());
                }
                self.streams = true;
            }
            Change::SseEnd => {
                sent.clear();
                (self.streams, self.then) = (true, Then::End);
            }
            Change::SseOpen => (self.streams, self.then) = (true, Then::Silence),
            // The rest is done to the value, to the exchange, at the intake, or by who lapses.
            _ => {}
        }
    }
}

/// What a message is about.
struct Subject {
    method: String,
    /// Whether faults for all methods are for it, too.
    counts: bool,
    /// Whether somebody waits for it.
    waits: bool,
}

impl Subject {
    fn of(side: Side, value: &Value, answers: Option<String>) -> Option<Self> {
        let own = value.get("method").and_then(Value::as_str).map(str::to_owned);
        let waits = own.is_none();
        let is_request = own.is_some() && value.get("id").is_some();
        let counts = match side {
            Side::Server => waits,
            Side::Client => is_request,
        };
        Some(Self { method: answers.or(own)?, counts, waits })
    }

    fn concerns(&self, fault: &Fault) -> bool {
        fault.names(&self.method) || self.counts && fault.is_for_all()
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

fn text_of(value: &Value) -> Bytes {
    value.to_string().into()
}

/// A notification that either side may always send.
fn notification_of(side: Side) -> Value {
    let (method, params) = match side {
        Side::Server => ("notifications/message", json!({ "level": "debug", "data": "flood" })),
        Side::Client => ("notifications/progress", json!({ "progressToken": 0, "progress": 0 })),
    };
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).into()
}
