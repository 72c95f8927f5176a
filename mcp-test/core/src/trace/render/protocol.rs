//! What a message says only because of the era of its revision: golden traces leave it out, so that they change where the
//! server's own behavior does.

use crate::json::{Object, Value};
use crate::spec::{Era, Revision, meta};
use crate::trace::{Correlated, Position};
use crate::wire::Message;

/// What the stateless era adds to the `_meta` of every request, result or notification.
const ADDED_META: [&str; 5] = [
    meta::PROTOCOL_VERSION,
    meta::CLIENT_INFO,
    meta::CLIENT_CAPABILITIES,
    meta::SERVER_INFO,
    meta::SUBSCRIPTION_ID,
];

const INITIALIZE: &str = "initialize";

/// Whether a message belongs to the handshake, which only one of the eras has.
pub(super) fn is_of_handshake(message: &Correlated<'_, Position>) -> bool {
    match message.message.method() {
        Some(method) => method == INITIALIZE || method == "notifications/initialized",
        None => message.request().is_some_and(|request| &*request.method == INITIALIZE),
    }
}

/// The payload of a message (its `params`, `result` or `data`) without what only the era of its revision adds.
pub(super) fn without_additions(
    message: &Message,
    revision: Option<Revision>,
    payload: Value,
) -> Option<Value> {
    let Value::Object(object) = payload else { return Some(payload) };
    let is_result = matches!(message, Message::Response(_));
    let kept = match revision.map(Revision::era) {
        Some(Era::Stateless) => without_members(&object, is_result),
        Some(Era::Handshake) | None => object,
    };
    // Parameters without a member may as well be left out, and in one of the eras they are.
    (is_result || !kept.is_empty()).then(|| kept.into())
}

fn without_members(payload: &Object, is_result: bool) -> Object {
    let mut kept = Object::default();
    for (name, member) in payload.iter() {
        match name {
            "_meta" => kept.extend(without_added_meta(member).map(|rest| (name, rest))),
            "ttlMs" | "cacheScope" if is_result => {}
            "resultType" if is_result && member.as_str() == Some("complete") => {}
            _ => kept.push(name, member.clone()),
        }
    }
    kept
}

/// `_meta` without the members that the era adds; `None` if it has no others.
fn without_added_meta(meta: &Value) -> Option<Value> {
    let Some(object) = meta.as_object() else { return Some(meta.clone()) };
    let mut kept = Object::default();
    for (name, member) in object.iter().filter(|(name, _)| !ADDED_META.contains(name)) {
        kept.push(name, member.clone());
    }
    (!kept.is_empty() || object.is_empty()).then(|| kept.into())
}

/// Whether a header exists only at some revisions.
pub(super) fn is_added_header(name: &str) -> bool {
    name.starts_with("mcp-")
}

/// Whether MCP gives a header a meaning.
pub(super) fn is_mcp(header: &str) -> bool {
    let known = [
        "allow",
        "authorization",
        "content-type",
        "last-event-id",
        "location",
        "origin",
        "retry-after",
        "www-authenticate",
    ];
    header.starts_with("mcp-") || known.contains(&header)
}
