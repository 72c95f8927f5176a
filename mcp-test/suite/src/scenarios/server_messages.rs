//! Unsolicited messages of the server: notifications and requests for input.

use mcp_test_core::client::Client;

use crate::scenarios::prelude::*;

/// The parameters of a message from the server, with the position of the message in the trace.
pub(super) type Params = (Seq, Value);

/// The parameters of all notifications with this method, in order.
pub(super) fn notifications(trace: &Trace, method: &str) -> Vec<Params> {
    let notifications = server_messages(trace).filter_map(|(seq, message)| match message {
        Message::Notification(message) if message.method == method => {
            Some((seq, message.params.clone().unwrap_or_default()))
        }
        _ => None,
    });
    notifications.collect()
}

/// The parameters of all requests for input with this method: server requests, and the `inputRequests` of results.
pub(super) fn input_requests(trace: &Trace, method: &str) -> Vec<Params> {
    let mut requests = Vec::new();
    for (seq, message) in server_messages(trace) {
        match message {
            Message::Request(request) if request.method == method => {
                requests.push((seq, request.params.clone().unwrap_or_default()));
            }
            Message::Response(response) => {
                let embedded = response.result.get("inputRequests").and_then(Value::as_object);
                for (_, request) in embedded.into_iter().flat_map(Object::iter) {
                    if request.get("method").and_then(Value::as_str) == Some(method) {
                        requests.push((seq, request.get("params").cloned().unwrap_or_default()));
                    }
                }
            }
            _ => {}
        }
    }
    requests
}

/// The messages on the stream of the reply.
///
/// Only within one stream is the order of arrival the order of sending.
pub(super) fn on_stream_of_reply<'a>(
    trace: &Trace,
    messages: &'a [Params],
    reply: &Reply,
) -> Vec<&'a Params> {
    let stream = |seq: Seq| trace.event(seq).map(|event| (event.connection, event.exchange));
    let own = reply.evidence().last().copied().and_then(stream);
    messages.iter().filter(|(seq, _)| stream(*seq) == own).collect()
}

/// Opens the GET stream for unsolicited messages, as most clients do.
///
/// A failure is ignored: other scenarios test that stream.
pub(super) async fn open_listening_stream(client: &mut Client) {
    client.listen_within(Duration::from_secs(1)).await.ok();
}

fn server_messages(trace: &Trace) -> impl Iterator<Item = (Seq, &Message)> {
    let messages = trace.messages().filter(|(event, _)| event.party == Party::Server);
    messages.map(|(event, message)| (event.seq, message))
}

/// Opens the stream that an HTTP server may have for messages of its own, since it may send its requests there.
pub(super) async fn receive_requests(ctx: &mut Ctx) -> Result<(), Finding> {
    // Other scenarios judge how it is refused.
    let _has_stream = ctx.client().await?.listen().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use mcp_test_core::trace::{EventKind, Recorder};

    use super::*;

    #[test]
    fn input_requests_are_found_in_requests_and_in_results() {
        let recorder = Recorder::new();
        let wire = recorder.open("duplex");
        for (party, text) in [
            (Party::Server, r#"{"jsonrpc":"2.0","id":"s","method":"roots/list","params":{"n":1}}"#),
            (Party::Client, r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#),
            (
                Party::Server,
                r#"{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"a":{"method":"roots/list","params":{"n":2}},"b":{"method":"x"}}}}"#,
            ),
            (Party::Server, r#"{"jsonrpc":"2.0","method":"roots/list","params":{"n":3}}"#),
        ] {
            recorder.record(wire, party, EventKind::message(text.into()));
        }
        let numbers = |params: Vec<Params>| -> Vec<_> {
            params.iter().map(|(_, params)| params.get("n").and_then(Value::as_i64)).collect()
        };
        assert_eq!(numbers(input_requests(&recorder.trace(), "roots/list")), [Some(1), Some(2)]);
        assert_eq!(numbers(notifications(&recorder.trace(), "roots/list")), [Some(3)]);
    }
}
