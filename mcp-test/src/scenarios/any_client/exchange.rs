//! A request of the server and the client's reply to it, found in the trace.

use crate::scenario::Judging;
use crate::trace::{Party, Seq};
use crate::wire::{Message, Request};

/// The event of a request of the server, and the client's reply with its event.
pub(super) type Exchange = (Seq, Option<(Seq, Message)>);

/// Every request of the server that `is_wanted` accepts, with the reply of the client, in the order of the requests.
pub(super) fn exchanges(judging: &Judging, is_wanted: impl Fn(&Request) -> bool) -> Vec<Exchange> {
    let trace = judging.trace();
    let received = judging.messages();
    let requests = trace.messages().filter(|(event, _)| event.party == Party::Server);
    let exchanges = requests.filter_map(|(event, message)| {
        let Message::Request(request) = message else { return None };
        if !is_wanted(request) {
            return None;
        }
        let mut replies = received.iter().filter(|received| received.seq > event.seq);
        let reply = replies.find(|received| {
            received.message.is_reply() && received.message.id() == Some(&request.id)
        });
        Some((event.seq, reply.map(|received| (received.seq, received.message.clone()))))
    });
    exchanges.collect()
}

/// The first request of the server with this method, and the reply of the client.
pub(super) fn exchanged(judging: &Judging, method: &str) -> Option<Exchange> {
    exchanges(judging, |request| request.method == method).into_iter().next()
}
