//! Applies faults to an emitted message.

use std::time::Duration;

use bytes::Bytes;
use serde_json::json;

use super::change::{Change, Plain, TextFault};
use super::rewrite::rewrite;
use super::text::{break_text, middle, pad};
use super::{DeliveryPart, Fault, FollowUp};
use crate::json::Value;
use crate::spec::Side;
use crate::transport::actor::OutboundMessage;
use crate::transport::event_form::EventForm;

/// One emitted message as it goes onto the wire.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Delivery {
    /// What is sent, in order.
    pub parts: Vec<DeliveryPart>,
    /// What happens afterwards.
    pub then: FollowUp,
    /// How long the parts are delayed while other deliveries pass them.
    pub delay: Option<Duration>,
    /// The HTTP status, where it is not 200.
    pub status: Option<u16>,
    /// Whether it is sent in an event stream even where one JSON text would do.
    pub streams: bool,
    /// Whether it is written one byte at a time.
    pub bytewise: bool,
    /// How its events are written.
    pub form: EventForm,
}

impl Delivery {
    /// Applies faults to a server's message.
    #[must_use]
    pub(crate) fn of(emitted: OutboundMessage, faults: &[Fault]) -> Self {
        Self::by(Side::Server, emitted, faults)
    }

    /// Applies faults to a client's message.
    ///
    /// `answers` is the method of the server's request that it replies to, if it is a reply.
    #[must_use]
    pub(crate) fn from_client(value: Value, answers: Option<String>, faults: &[Fault]) -> Self {
        Self::by(
            Side::Client,
            OutboundMessage { answers, ..OutboundMessage::unsolicited(value) },
            faults,
        )
    }

    fn by(side: Side, emitted: OutboundMessage, faults: &[Fault]) -> Self {
        let OutboundMessage { value, answers, status, batch, then, form, deliberate, .. } = emitted;
        let mut delivery = match value {
            // Something that happens instead of a reply; no fault changes what is not sent.
            Value::Null if then != FollowUp::Continue => {
                Self { then, streams: then == FollowUp::EndStream, ..Self::empty() }
            }
            Value::Array(items) if !items.is_empty() => {
                // A batch that replies to nothing has no list of methods.
                let methods = batch.into_iter().chain(std::iter::repeat(None));
                let deliveries = items
                    .into_iter()
                    .zip(methods)
                    .map(|(item, method)| Self::single(side, item, method, faults));
                let whole = Self::join(deliveries);
                let then = if then == FollowUp::Continue { whole.then } else { then };
                Self { status, then, ..whole }
            }
            value => Self { status, ..Self::single(side, value, answers, faults) },
        };
        if deliberate {
            replace(&mut delivery.parts, |text| DeliveryPart::Deliberate(text.clone()));
        }
        Self { form, streams: delivery.streams || form != EventForm::Plain, ..delivery }
    }

    /// Joins the deliveries of a batch's items; what happens to one item happens to the batch.
    fn join(deliveries: impl Iterator<Item = Self>) -> Self {
        let mut whole = Self::empty();
        let (mut texts, mut is_whole) = (Vec::new(), true);
        for delivery in deliveries {
            whole.delay = whole.delay.max(delivery.delay);
            whole.streams |= delivery.streams;
            whole.bytewise |= delivery.bytewise;
            // JSON-RPC 2.0: an item without a reply is absent from the batch; only a batch without any item is silent.
            if !matches!(delivery.then, FollowUp::Continue | FollowUp::Silence) {
                whole.then = delivery.then;
            }
            is_whole &= delivery.parts.iter().all(|part| matches!(part, DeliveryPart::Message(_)));
            texts.extend(delivery.parts.into_iter().map(|part| part.bytes().clone()));
        }
        if texts.is_empty() {
            if whole.then == FollowUp::Continue {
                whole.then = FollowUp::Silence;
            }
            return whole;
        }
        let text = Bytes::from([b"[", texts.join(b",".as_slice()).as_slice(), b"]"].concat());
        whole.parts.push(if is_whole {
            DeliveryPart::Message(text)
        } else {
            DeliveryPart::Noise(text)
        });
        whole
    }

    const fn empty() -> Self {
        Self {
            parts: Vec::new(),
            then: FollowUp::Continue,
            delay: None,
            status: None,
            streams: false,
            bytewise: false,
            form: EventForm::Plain,
        }
    }

    fn single(side: Side, mut value: Value, answers: Option<String>, faults: &[Fault]) -> Self {
        let Some(subject) = Subject::of(side, &value, answers) else {
            return Self { parts: vec![DeliveryPart::Message(text_of(&value))], ..Self::empty() };
        };
        let changes: Vec<_> = faults
            .iter()
            .filter(|fault| subject.is_affected_by(fault))
            .map(|fault| &fault.change)
            .collect();
        // The value is changed first, whatever the order of the faults: the other changes apply to its text.
        changes.iter().for_each(|change| rewrite(&mut value, change));
        let pretty =
            changes.iter().any(|change| matches!(change, Change::Plain(Plain::EmbeddedNewline)));
        let text = if pretty { Bytes::from(value.pretty()) } else { text_of(&value) };
        let mut delivery = Self::empty();
        // Apart from `delivery.parts` until the end: what faults send before the message goes there.
        let mut sent = vec![DeliveryPart::Message(text)];
        for change in changes {
            delivery.apply(change, &mut sent, subject.is_reply, side);
        }
        delivery.parts.append(&mut sent);
        delivery
    }

    /// Applies what a fault changes beyond the value; `sent` is what is left of the message.
    fn apply(&mut self, change: &Change, sent: &mut Vec<DeliveryPart>, is_reply: bool, side: Side) {
        match change {
            Change::Plain(plain) => self.apply_plain(*plain, sent, is_reply),
            // Several delays add up, so that each fault has its effect.
            Change::Late { by } => self.delay = Some(self.delay.unwrap_or_default() + *by),
            Change::Stray { message } => self.parts.push(DeliveryPart::Message(text_of(message))),
            Change::Flood { count } => {
                let notification = DeliveryPart::Message(text_of(&notification_of(side)));
                self.parts.extend(std::iter::repeat_n(notification, *count));
            }
            Change::Noise { text } => self.parts.push(DeliveryPart::Noise(text.clone().into())),
            // Deep nesting is still valid JSON.
            Change::Text(TextFault::Deep) => {
                replace(sent, |text| DeliveryPart::Message(break_text(text, TextFault::Deep)));
            }
            Change::Text(fault) => {
                replace(sent, |text| DeliveryPart::Noise(break_text(text, *fault)));
            }
            Change::Pad { bytes } => replace(sent, |text| DeliveryPart::Message(pad(text, *bytes))),
            // The others change the value, the HTTP exchange, what the actor receives, or how it behaves.
            _ => {}
        }
    }

    fn apply_plain(&mut self, plain: Plain, sent: &mut Vec<DeliveryPart>, is_reply: bool) {
        match plain {
            Plain::Twice => sent.extend(sent.first().cloned()),
            Plain::Never => {
                sent.clear();
                // Only a missing reply leaves an exchange open; nobody waits for a notification.
                if is_reply {
                    self.then = FollowUp::Silence;
                }
            }
            Plain::Cut => {
                replace(sent, |text| DeliveryPart::Torn {
                    bytes: text.slice(..middle(text)),
                    of: text.len(),
                });
                self.then = FollowUp::CloseConnection;
            }
            Plain::Close => {
                sent.clear();
                self.then = FollowUp::CloseConnection;
            }
            Plain::Exit => {
                sent.clear();
                self.then = FollowUp::Exit;
            }
            Plain::ExitAfter => self.then = FollowUp::Exit,
            Plain::BlankLine => self.parts.push(DeliveryPart::Noise(Bytes::new())),
            Plain::TwoOnALine => {
                replace(sent, |text| DeliveryPart::Noise([text.as_ref(), text].concat().into()));
            }
            // The text spans several lines already, none of which is a message.
            Plain::EmbeddedNewline => replace(sent, |text| DeliveryPart::Noise(text.clone())),
            Plain::SseSplit => (self.streams, self.bytewise) = (true, true),
            Plain::SseGarble => {
                // Like `data:`, but with a name that no event stream has.
                replace(sent, |text| {
                    DeliveryPart::Lines([b"dat: ", text.as_ref(), b"\n\n"].concat().into())
                });
                self.streams = true;
            }
            Plain::SseEnd => {
                sent.clear();
                (self.streams, self.then) = (true, FollowUp::EndStream);
            }
            Plain::SseOpen => (self.streams, self.then) = (true, FollowUp::Silence),
            // The others change the value, the HTTP exchange, or what the actor receives.
            _ => {}
        }
    }
}

/// Replaces each part by what its bytes become.
fn replace(parts: &mut [DeliveryPart], by: impl Fn(&Bytes) -> DeliveryPart) {
    for part in parts {
        *part = by(part.bytes());
    }
}

/// What decides which faults affect a message.
struct Subject {
    method: String,
    /// Whether faults for all methods affect it too.
    by_star: bool,
    is_reply: bool,
}

impl Subject {
    fn of(side: Side, value: &Value, answers: Option<String>) -> Option<Self> {
        let own = value.get("method").and_then(Value::as_str).map(str::to_owned);
        let is_reply = own.is_none();
        let is_request = own.is_some() && value.get("id").is_some();
        // `*` stands for what the other side of an exchange gets; other messages have to be named.
        let by_star = match side {
            Side::Server => is_reply,
            Side::Client => is_request,
        };
        // A reply to a text that could not be read has no method, so no fault affects it.
        Some(Self { method: answers.or(own)?, by_star, is_reply })
    }

    fn is_affected_by(&self, fault: &Fault) -> bool {
        fault.names(&self.method) || self.by_star && fault.is_for_all()
    }
}

/// The lines that faults print before everything else.
pub(in crate::transport) fn banners(faults: &[Fault]) -> impl Iterator<Item = &str> {
    faults.iter().filter_map(|fault| match &fault.change {
        Change::Banner { text } => Some(text.as_str()),
        _ => None,
    })
}

/// A session id with the texts that faults insert.
pub(in crate::transport) fn session_id(generated: &str, faults: &[Fault]) -> Vec<u8> {
    let mut id = generated.to_owned();
    for fault in faults {
        if let Change::SessionId { text } = &fault.change {
            // Inside the id, because HTTP strips whitespace at the ends of a header.
            id.insert_str(id.len() / 2, text);
        }
    }
    id.into_bytes()
}

fn text_of(value: &Value) -> Bytes {
    value.to_string().into()
}

/// A notification that this side may always send.
fn notification_of(side: Side) -> Value {
    let (method, params) = match side {
        Side::Server => ("notifications/message", json!({ "level": "debug", "data": "flood" })),
        Side::Client => ("notifications/progress", json!({ "progressToken": 0, "progress": 0 })),
    };
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).into()
}
