//! A recorded case before matchers and names are added.
//!
//! Ids become labels in their order, keys are made of methods, and what mcp-test itself adds to every request is not
//! repeated in each.

use std::collections::BTreeMap;

use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::{Era, Revision, meta, named_revision};
use mcp_test_core::wire::Message;

use super::conversation::RecordedMessage;
use super::left_out::LeftOut;
use super::replayable::Replayable;
use crate::cases::Direction;

/// A case that was recorded.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    /// Its name.
    pub(super) name: String,
    /// The names of recordings with the same messages.
    pub(super) also: Vec<String>,
    /// Its revision.
    pub(super) revision: Option<Revision>,
    /// Whether it has no handshake although its revision needs one.
    pub(super) bare: bool,
    /// The messages.
    pub(super) messages: Vec<DraftMessage>,
    /// What a case cannot have.
    pub(super) left_out: LeftOut,
}

/// A message of a recorded case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DraftMessage {
    /// The key: `in_tools_call`.
    pub(super) key: String,
    /// The direction.
    pub(super) direction: Direction,
    /// The message.
    pub(super) value: Value,
    /// The index of the request, if this is a reply.
    pub(super) replies_to: Option<usize>,
}

impl Draft {
    /// The case for a conversation.
    pub(super) fn of(name: String, replayable: Replayable, given: Option<Revision>) -> Self {
        let Replayable { messages, replies_to, left_out } = replayable;
        let revision = revision_of(&messages, &replies_to).or(given);
        // A trace may begin after the handshake, or be of a server that needs none.
        let has_handshake = messages.iter().any(|message| message.is_request("initialize"));
        let bare = !has_handshake && revision.is_some_and(|it| it.era() == Era::Handshake);
        let keys = keys(&messages, &replies_to);
        let mut labels = Labels::default();
        let mut introduced = false;
        let messages = messages
            .into_iter()
            .zip(replies_to)
            .zip(keys)
            .map(|((message, replies_to), key)| {
                let value = labels.relabel(&message, replies_to);
                let value = match (message.direction, revision) {
                    (Direction::In, Some(revision)) => without_own_meta(value, revision),
                    (Direction::Out, _) => introduced_once(value, &mut introduced),
                    _ => value,
                };
                DraftMessage { key, direction: message.direction, value, replies_to }
            })
            .collect();
        Self { name, also: Vec::new(), revision, bare, messages, left_out }
    }

    /// Whether two recordings have the same messages.
    pub(super) fn same_messages(&self, other: &Self) -> bool {
        self.revision == other.revision
            && self.bare == other.bare
            && self.messages == other.messages
    }

    /// The name of the case, and those of recordings with the same messages.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.also).map(String::as_str)
    }

    /// Whether the server sends anything.
    pub(super) fn is_answered(&self) -> bool {
        self.messages.iter().any(|message| message.direction == Direction::Out)
    }
}

/// The revision that a conversation names itself.
fn revision_of(messages: &[RecordedMessage], replies_to: &[Option<usize>]) -> Option<Revision> {
    let agreed = messages.iter().zip(replies_to).find_map(|(reply, request)| {
        let is_handshake = messages[(*request)?].is_request("initialize");
        let Message::Response(response) = &reply.message else { return None };
        is_handshake.then(|| named_revision::negotiated(&response.result).known())?
    });
    let proposed = || messages.iter().find_map(|it| named_revision::proposed(&it.message));
    let carried = || messages.iter().find_map(|it| named_revision::in_meta(&it.message).known());
    // The server decides: `initialize` only proposes a revision (basic/lifecycle, Version Negotiation).
    agreed.or_else(proposed).or_else(carried)
}

/// Assigns labels in place of the ids on the wire.
#[derive(Default)]
struct Labels {
    /// The labels of the messages so far.
    known: Vec<Value>,
    /// How many requests of the client, and of the server, have a label.
    counts: [usize; 2],
}

impl Labels {
    /// The message with its label, and its members in the usual order.
    fn relabel(&mut self, message: &RecordedMessage, replies_to: Option<usize>) -> Value {
        let label = match (&message.message, replies_to) {
            (Message::Request(_), _) => self.next(message.direction),
            (_, replies_to) => {
                replies_to.and_then(|request| self.known.get(request)).cloned().unwrap_or_default()
            }
        };
        let mut object = Object::new();
        object.push("jsonrpc", "2.0");
        if !matches!(message.message, Message::Notification(_)) {
            object.push("id", label.clone());
        }
        self.known.push(label);
        let members = message.value.as_object().into_iter().flat_map(Object::iter);
        let rest = members.filter(|(name, _)| !matches!(*name, "jsonrpc" | "id"));
        let (mut first, last): (Vec<_>, Vec<_>) = rest.partition(|(name, _)| *name == "method");
        first.extend(last);
        for (name, value) in first {
            object.push(name, value.clone());
        }
        object.into()
    }

    /// The client's requests are 1, 2, 3 and the server's are strings, so that they cannot be confused.
    fn next(&mut self, sender: Direction) -> Value {
        let count = &mut self.counts[usize::from(sender.is_out())];
        *count += 1;
        match sender {
            Direction::In => (*count).into(),
            Direction::Out => format!("server-{count}").into(),
        }
    }
}

/// Omits what is added to every request of 2026-07-28 anyway, unless the client declares capabilities: these decide what the
/// server requests.
fn without_own_meta(mut value: Value, revision: Revision) -> Value {
    if revision.era() == Era::Handshake {
        return value;
    }
    let is_empty = |value: &Value| value.as_object().is_some_and(Object::is_empty);
    if let Some(Value::Object(params)) = value.as_object_mut().and_then(|it| it.get_mut("params")) {
        if let Some(Value::Object(fields)) = params.get_mut("_meta") {
            if fields.get(meta::PROTOCOL_VERSION).and_then(Value::as_str) == Some(revision.as_str())
            {
                fields.remove(meta::PROTOCOL_VERSION);
            }
            fields.remove(meta::CLIENT_INFO);
            if fields.get(meta::CLIENT_CAPABILITIES).is_some_and(is_empty) {
                fields.remove(meta::CLIENT_CAPABILITIES);
            }
        }
        if params.get("_meta").is_some_and(is_empty) {
            params.remove("_meta");
        }
    }
    value
}

/// Keeps the server's identity only in its first result of 2026-07-28, where every result has it.
fn introduced_once(mut value: Value, introduced: &mut bool) -> Value {
    if let Some(Value::Object(result)) = value.as_object_mut().and_then(|it| it.get_mut("result"))
        && let Some(Value::Object(fields)) = result.get_mut("_meta")
        && fields.contains(meta::SERVER_INFO)
        && std::mem::replace(introduced, true)
    {
        fields.remove(meta::SERVER_INFO);
        if fields.is_empty() {
            result.remove("_meta");
        }
    }
    value
}

/// The keys: `in_tools_call` and `out_tools_call`, with a number from the second one on.
fn keys(messages: &[RecordedMessage], replies_to: &[Option<usize>]) -> Vec<String> {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut stems: Vec<String> = Vec::new();
    for (message, request) in messages.iter().zip(replies_to) {
        let stem = match (message.message.method(), request) {
            (_, Some(request)) => stems[*request].clone(),
            (method, None) => free(&mut taken, &plain(method.unwrap_or("reply"))),
        };
        stems.push(stem);
    }
    let keys = stems.iter().zip(messages);
    keys.map(|(stem, message)| format!("{}_{stem}", message.direction)).collect()
}

/// The name, or the first one with a number that no message has.
fn free(taken: &mut BTreeMap<String, usize>, name: &str) -> String {
    // A method may itself end with a number that an earlier message got.
    loop {
        let times = taken.entry(name.to_owned()).or_insert(0);
        *times += 1;
        let stem = if *times == 1 { name.to_owned() } else { format!("{name}_{times}") };
        if stem == name || !taken.contains_key(&stem) {
            taken.entry(stem.clone()).or_insert(1);
            return stem;
        }
    }
}

/// A method as a part of a key: `notifications/tools/list_changed` is `tools_list_changed`.
fn plain(method: &str) -> String {
    let method = method.strip_prefix("notifications/").unwrap_or(method);
    let word = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
    // The peer chooses the name, which may be anything.
    let plain: String = method.chars().take(60).map(word).collect();
    if plain.is_empty() { "message".to_owned() } else { plain }
}
