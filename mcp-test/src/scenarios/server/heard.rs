//! What the server has said of its own accord: notifications, and what it asked its client for.

use std::time::Duration;

use crate::client::{Client, Reply};
use crate::json::{Object, Value};
use crate::trace::{Party, Seq, Trace};
use crate::wire::Message;

/// The parameters of a message of the server, and the event that holds them.
pub(super) type Said = (Seq, Value);

/// The notifications of this method that the server has sent, in order.
pub(super) fn notified(trace: &Trace, method: &str) -> Vec<Said> {
    let notifications = by_the_server(trace).filter_map(|(seq, message)| match message {
        Message::Notification(said) if said.method == method => {
            Some((seq, said.params.clone().unwrap_or_default()))
        }
        _ => None,
    });
    notifications.collect()
}

/// What the server has asked its client for by this method: by requests, or by results that want input.
pub(super) fn asked(trace: &Trace, method: &str) -> Vec<Said> {
    let mut asked = Vec::new();
    for (seq, message) in by_the_server(trace) {
        match message {
            Message::Request(request) if request.method == method => {
                asked.push((seq, request.params.clone().unwrap_or_default()));
            }
            Message::Response(response) => {
                let wanted = response.result.get("inputRequests").and_then(Value::as_object);
                for (_, request) in wanted.into_iter().flat_map(Object::iter) {
                    if request.get("method").and_then(Value::as_str) == Some(method) {
                        asked.push((seq, request.get("params").cloned().unwrap_or_default()));
                    }
                }
            }
            _ => {}
        }
    }
    asked
}

/// What came on the stream on which the reply came, where the order of things is their order in time.
pub(super) fn beside<'a>(trace: &Trace, said: &'a [Said], reply: &Reply) -> Vec<&'a Said> {
    let stream = |seq: Seq| trace.event(seq).map(|event| (event.connection, event.exchange));
    let own = reply.evidence().last().copied().and_then(stream);
    said.iter().filter(|(seq, _)| stream(*seq) == own).collect()
}

/// Opens the stream on which a server may speak of its own accord, where there is one, as most clients do.
///
/// Whether a server has it in the right way is another scenario's affair.
pub(super) async fn open_stream(client: &mut Client) {
    client.listen_within(Duration::from_secs(1)).await.ok();
}

fn by_the_server(trace: &Trace) -> impl Iterator<Item = (Seq, &Message)> {
    let messages = trace.messages().filter(|(event, _)| event.party == Party::Server);
    messages.map(|(event, message)| (event.seq, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Reading, Recorder};

    #[test]
    fn what_is_asked_stands_in_requests_and_in_results_that_want_input() {
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
            recorder.record(wire, party, Reading::message(text.into()));
        }
        let numbers = |said: Vec<Said>| -> Vec<_> {
            said.iter().map(|(_, params)| params.get("n").and_then(Value::as_i64)).collect()
        };
        assert_eq!(numbers(asked(&recorder.trace(), "roots/list")), [Some(1), Some(2)]);
        assert_eq!(numbers(notified(&recorder.trace(), "roots/list")), [Some(3)]);
    }
}
