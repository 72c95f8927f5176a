//! Which rules of every conversation a conversation has really put to the test.
//!
//! A rule about progress says nothing about a server that never reports any.

use std::collections::BTreeSet;

use crate::check::requirements_of_envelopes;
use crate::json::{Object, Value};
use crate::spec::{LISTEN, Requirement, Side};
use crate::trace::{EventKind, Party, Trace};
use crate::transport::TransportKind;
use crate::wire::Message;

/// What the peer and mcp-test have sent.
#[derive(Default)]
struct Sent<'a> {
    /// The methods of the peer's requests.
    requests: BTreeSet<&'a str>,
    /// The methods of its notifications.
    notifications: BTreeSet<&'a str>,
    /// The methods of ours, of both kinds.
    ours: BTreeSet<&'a str>,
    results: bool,
    errors: bool,
    inputs: bool,
    /// A result with `structuredContent`.
    structured: bool,
    /// A message with `_meta`.
    meta: bool,
    /// Something with `annotations`.
    annotations: bool,
    /// The types of content in results of tools and prompts.
    content: BTreeSet<&'a str>,
    /// Those in messages of prompts.
    prompt_content: BTreeSet<&'a str>,
}

impl<'a> Sent<'a> {
    fn note_result(&mut self, result: &'a Value) {
        self.results = true;
        self.inputs |= result.get("inputRequests").is_some();
        self.structured |= result.get("structuredContent").is_some();
        self.meta |= result.get("_meta").is_some();
        let members = result.as_object().into_iter().flat_map(Object::iter);
        for (name, items) in members {
            for item in items.as_array().unwrap_or_default() {
                let content = if name == "messages" { item.get("content") } else { None };
                let inner = content.unwrap_or(item);
                self.annotations |= inner.get("annotations").is_some();
                self.meta |= item.get("_meta").is_some() || inner.get("_meta").is_some();
                let kind = inner.get("type").and_then(Value::as_str);
                match name {
                    "content" => self.content.extend(kind),
                    "messages" => self.prompt_content.extend(kind),
                    _ => {}
                }
            }
        }
    }
}

/// The ids of the rules that a conversation over this transport has tried, as far as `who` is judged by them.
pub(in crate::run) fn exercised(
    trace: &Trace,
    who: Party,
    transport: TransportKind,
) -> BTreeSet<&'static Requirement> {
    let mut sent = Sent::default();
    for (event, message) in trace.messages() {
        let by_peer = event.party == who;
        let params = match message {
            Message::Request(request) => request.params.as_ref(),
            Message::Notification(notification) => notification.params.as_ref(),
            _ => None,
        };
        sent.meta |= by_peer && params.is_some_and(|params| params.get("_meta").is_some());
        match message {
            Message::Request(request) if by_peer => drop(sent.requests.insert(&request.method)),
            Message::Notification(it) if by_peer => drop(sent.notifications.insert(&it.method)),
            Message::Response(response) if by_peer => sent.note_result(&response.result),
            Message::Error(_) if by_peer => sent.errors = true,
            Message::Request(request) => drop(sent.ours.insert(&request.method)),
            Message::Notification(it) => drop(sent.ours.insert(&it.method)),
            _ => {}
        }
    }
    let is_http =
        trace.events.iter().any(|event| matches!(event.kind, EventKind::HttpResponse { .. }));
    let side = if who == Party::Client { Side::Client } else { Side::Server };
    let rules = requirements_of_envelopes(side).iter().copied();
    rules.filter(|rule| is_exercised(rule, &sent, transport, is_http)).collect()
}

fn is_exercised(
    rule: &Requirement,
    sent: &Sent<'_>,
    transport: TransportKind,
    is_http: bool,
) -> bool {
    let anything =
        sent.results || sent.errors || !sent.requests.is_empty() || !sent.notifications.is_empty();
    let asks = |method: &str| sent.requests.contains(method) || sent.inputs;
    let (area, name) = rule.id.split_once('.').unwrap_or((rule.id, ""));
    match (area, name) {
        ("tools", "structured.text-mirror") => return sent.structured,
        ("tools", "content.embedded-needs-resources-capability") => {
            return sent.content.contains("resource");
        }
        ("prompts", "content.audio-base64-mime") => return sent.prompt_content.contains("audio"),
        ("prompts", "content.image-base64-mime") => return sent.prompt_content.contains("image"),
        ("prompts", "content.embedded-mime") => return sent.prompt_content.contains("resource"),
        ("resources", "annotations.last-modified-iso8601") => return sent.annotations,
        ("resources", name) if name.starts_with("updated.") => {
            return sent.notifications.contains("notifications/resources/updated");
        }
        ("caching", "hints.none-on-input-required") => return sent.inputs,
        // Only who uses the extension can use it wrongly.
        ("versioning", "extension-fallback") | ("ext", "tasks.no-cancelled-notification") => {
            return sent.requests.contains("tasks/get");
        }
        ("ping", "not-excessive") => return sent.requests.contains("ping"),
        ("base", name) if name.starts_with("meta-") => return sent.meta,
        ("base", name) if name.starts_with("result-type-") => return sent.results,
        (_, name) if name.starts_with("list-changed.") => {
            let changed = format!("notifications/{area}/list_changed");
            return sent.notifications.contains(&*changed);
        }
        _ => {}
    }
    match area {
        "progress" => sent.notifications.contains("notifications/progress"),
        "logging" => sent.notifications.contains("notifications/message"),
        "cancellation" => {
            let cancelled = "notifications/cancelled";
            sent.ours.contains(cancelled) || sent.notifications.contains(cancelled)
        }
        "elicitation" => asks("elicitation/create"),
        "sampling" => asks("sampling/createMessage"),
        "roots" => asks("roots/list"),
        "mrtr" => sent.inputs || sent.results,
        "subscriptions" => sent.ours.contains(LISTEN),
        "transport" if name.starts_with("http.") => is_http && transport.is_http(),
        "transport" if name.starts_with("sse.") => transport == TransportKind::Sse,
        "transport" if name.starts_with("stdio.") => anything && transport == TransportKind::Stdio,
        "jsonrpc" if name.starts_with("error-") => sent.errors,
        "jsonrpc" if name.starts_with("re") && name.contains("result") => sent.results,
        "jsonrpc" if name.starts_with("request-id") || name.starts_with("request-method") => {
            !sent.requests.is_empty()
        }
        "jsonrpc" if name.starts_with("notification-") => !sent.notifications.is_empty(),
        _ => anything,
    }
}
