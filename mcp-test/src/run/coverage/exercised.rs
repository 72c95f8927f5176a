//! Which rules of every conversation a conversation has really put to the test.
//!
//! A rule about progress says nothing about a server that never reports any.

use std::collections::BTreeSet;

use crate::check::OF_ENVELOPES;
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
}

/// The ids of the rules that a conversation over this transport has tried, as far as `who` is judged by them.
pub(in crate::run) fn exercised(
    trace: &Trace,
    who: Party,
    transport: TransportKind,
) -> BTreeSet<&'static str> {
    let mut sent = Sent::default();
    for (event, message) in trace.messages() {
        let by_peer = event.party == who;
        match message {
            Message::Request(request) if by_peer => drop(sent.requests.insert(&request.method)),
            Message::Notification(it) if by_peer => drop(sent.notifications.insert(&it.method)),
            Message::Response(response) if by_peer => {
                sent.results = true;
                sent.inputs |= response.result.get("inputRequests").is_some();
            }
            Message::Error(_) if by_peer => sent.errors = true,
            Message::Request(request) => drop(sent.ours.insert(&request.method)),
            Message::Notification(it) => drop(sent.ours.insert(&it.method)),
            _ => {}
        }
    }
    let is_http =
        trace.events.iter().any(|event| matches!(event.kind, EventKind::HttpResponse { .. }));
    let ids = OF_ENVELOPES.iter().map(|rule| rule.id());
    ids.filter(|id| is_exercised(id, &sent, transport, is_http)).collect()
}

fn is_exercised(id: &str, sent: &Sent<'_>, transport: TransportKind, is_http: bool) -> bool {
    let anything =
        sent.results || sent.errors || !sent.requests.is_empty() || !sent.notifications.is_empty();
    let asks = |method: &str| sent.requests.contains(method) || sent.inputs;
    let (area, name) = id.split_once('.').unwrap_or((id, ""));
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
        "subscriptions" => sent.ours.contains("subscriptions/listen"),
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
