//! A case as it was recorded: the conversation in the words of a case, before anything is said of how it is compared.
//!
//! Ids become labels in the order in which they were given, keys name the methods, and what mcp-test says in every request
//! by itself is not repeated in each.

use std::collections::BTreeMap;

use super::super::Direction;
use super::conversation::Said;
use super::left_out::LeftOut;
use super::sift::Sifted;
use crate::json::{Object, Value};
use crate::spec::{Era, Revision, meta, spoken};
use crate::wire::{Id, Message};

/// A case that was recorded.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    /// What it is called.
    pub(super) name: String,
    /// The names of recordings in which the same was said.
    pub(super) also: Vec<String>,
    /// What was spoken.
    pub(super) revision: Option<Revision>,
    /// Nothing was said to open the conversation, though it is of a revision that wants it.
    pub(super) bare: bool,
    /// The messages.
    pub(super) messages: Vec<DraftMessage>,
    /// What a case cannot say.
    pub(super) left_out: LeftOut,
}

/// A message of a recorded case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DraftMessage {
    /// The key: `in_tools_call`.
    pub(super) key: String,
    /// Who says it.
    pub(super) direction: Direction,
    /// What is said.
    pub(super) value: Value,
    /// The place of the request, if this is a reply.
    pub(super) replies_to: Option<usize>,
}

impl Draft {
    /// The words of a case for a conversation.
    pub(super) fn of(name: String, sifted: Sifted, given: Option<Revision>) -> Self {
        let Sifted { said, replies_to, left_out } = sifted;
        let revision = spoken_in(&said, &replies_to).or(given);
        let has_handshake = said.iter().any(|said| said.asks("initialize"));
        let bare = !has_handshake && revision.is_some_and(|it| it.era() == Era::Handshake);
        let keys = keys(&said, &replies_to);
        let mut labels = Labels::default();
        let mut introduced = false;
        let words = said.into_iter().zip(replies_to).zip(keys);
        let messages = words
            .map(|((said, replies_to), key)| {
                let value = labels.relabel(&said);
                let value = match (said.direction, revision) {
                    (Direction::In, Some(revision)) => without_own_meta(value, revision),
                    (Direction::Out, _) => introduced_once(value, &mut introduced),
                    _ => value,
                };
                DraftMessage { key, direction: said.direction, value, replies_to }
            })
            .collect();
        Self { name, also: Vec::new(), revision, bare, messages, left_out }
    }

    /// Whether two recordings are of the same words.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.revision == other.revision
            && self.bare == other.bare
            && self.messages == other.messages
    }

    /// Whether the server says anything.
    pub(super) fn is_answered(&self) -> bool {
        self.messages.iter().any(|message| message.direction == Direction::Out)
    }
}

/// The revision that a conversation names itself.
fn spoken_in(said: &[Said], replies_to: &[Option<usize>]) -> Option<Revision> {
    let settled = said.iter().zip(replies_to).find_map(|(reply, request)| {
        let asked = said[(*request)?].asks("initialize");
        let Message::Response(response) = &reply.message else { return None };
        asked.then(|| spoken::settled(&response.result).known())?
    });
    let proposed = || said.iter().find_map(|said| spoken::proposed(&said.message));
    let carried = || said.iter().find_map(|said| spoken::carried(&said.message).known());
    settled.or_else(proposed).or_else(carried)
}

/// The ids of a case, in place of those that were on the wire.
#[derive(Default)]
struct Labels {
    known: BTreeMap<(Direction, String), Value>,
    /// How many requests of the client, and of the server, were labelled.
    given: [usize; 2],
}

impl Labels {
    /// The message with its label, its members in the customary order.
    fn relabel(&mut self, said: &Said) -> Value {
        let mut object = Object::new();
        object.push("jsonrpc", "2.0");
        match &said.message {
            Message::Request(request) => object.push("id", self.give(said.direction, &request.id)),
            Message::Response(_) | Message::Error(_) => {
                let asker = match said.direction {
                    Direction::In => Direction::Out,
                    Direction::Out => Direction::In,
                };
                let label =
                    said.message.id().and_then(|id| self.known.get(&(asker, id.to_string())));
                object.push("id", label.cloned().unwrap_or_default());
            }
            Message::Notification(_) => {}
        }
        let members = said.value.as_object().into_iter().flat_map(Object::iter);
        let rest = members.filter(|(name, _)| !matches!(*name, "jsonrpc" | "id"));
        let (mut first, last): (Vec<_>, Vec<_>) = rest.partition(|(name, _)| *name == "method");
        first.extend(last);
        for (name, value) in first {
            object.push(name, value.clone());
        }
        object.into()
    }

    /// The client's requests are 1, 2, 3, those of the server are texts, so that nobody takes one for the other.
    fn give(&mut self, asker: Direction, id: &Id) -> Value {
        let given = &mut self.given[usize::from(asker == Direction::Out)];
        *given += 1;
        let label: Value = match asker {
            Direction::In => (*given).into(),
            Direction::Out => format!("server-{given}").into(),
        };
        self.known.insert((asker, id.to_string()), label.clone());
        label
    }
}

/// What every request of 2026-07-28 says of the client is said again without standing in the case, unless the client can
/// do something: what it declares decides what it is asked.
fn without_own_meta(mut value: Value, revision: Revision) -> Value {
    if revision.era() == Era::Handshake {
        return value;
    }
    let is_empty = |value: &Value| value.as_object().is_some_and(Object::is_empty);
    if let Some(Value::Object(params)) = value.as_object_mut().and_then(|it| it.get_mut("params")) {
        if let Some(Value::Object(own)) = params.get_mut("_meta") {
            if own.get(meta::PROTOCOL_VERSION).and_then(Value::as_str) == Some(revision.as_str()) {
                own.remove(meta::PROTOCOL_VERSION);
            }
            own.remove(meta::CLIENT_INFO);
            if own.get(meta::CLIENT_CAPABILITIES).is_some_and(is_empty) {
                own.remove(meta::CLIENT_CAPABILITIES);
            }
        }
        if params.get("_meta").is_some_and(is_empty) {
            params.remove("_meta");
        }
    }
    value
}

/// A server of 2026-07-28 says with every result what it is; once in a case is enough.
fn introduced_once(mut value: Value, introduced: &mut bool) -> Value {
    if let Some(Value::Object(result)) = value.as_object_mut().and_then(|it| it.get_mut("result"))
        && let Some(Value::Object(own)) = result.get_mut("_meta")
        && own.contains(meta::SERVER_INFO)
        && std::mem::replace(introduced, true)
    {
        own.remove(meta::SERVER_INFO);
        if own.is_empty() {
            result.remove("_meta");
        }
    }
    value
}

/// The keys: `in_tools_call` and `out_tools_call`, with a number from the second one on.
fn keys(said: &[Said], replies_to: &[Option<usize>]) -> Vec<String> {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut stems: Vec<String> = Vec::new();
    for (said, request) in said.iter().zip(replies_to) {
        let stem = match (said.message.method(), request) {
            (_, Some(request)) => stems[*request].clone(),
            (method, None) => free(&mut taken, &plain(method.unwrap_or("reply"))),
        };
        stems.push(stem);
    }
    let keys = stems.iter().zip(said);
    keys.map(|(stem, said)| format!("{}_{stem}", said.direction)).collect()
}

/// The name, or the first one with a number that no message has.
fn free(taken: &mut BTreeMap<String, usize>, name: &str) -> String {
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
    // The name is the peer's own, and may be anything.
    let plain: String = method.chars().take(60).map(word).collect();
    if plain.is_empty() { "message".to_owned() } else { plain }
}
