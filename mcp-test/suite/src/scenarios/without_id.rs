//! Replies of a server that belong to no request.

use std::collections::HashSet;

use crate::scenarios::prelude::*;

/// The first reply without an id that came after `since`, unless it explains an error status of HTTP.
///
/// It answers something that is not to be answered: a notification, or a message without effect.
pub(super) fn reply_without_id(trace: &Trace, since: Seq) -> Option<(Seq, String)> {
    // What a server cannot accept, it may refuse with an error status whose body is such an error
    // (`basic/transports#sending-messages-to-the-server`).
    let refused: HashSet<_> = trace
        .events
        .iter()
        .filter(
            |event| matches!(event.kind, EventKind::HttpResponse { status, .. } if status >= 400),
        )
        .filter_map(|event| Some((event.connection, event.exchange?)))
        .collect();
    let is_without_id = |message: &Message| match message {
        Message::Error(error) => error.id.as_ref().is_none_or(|id| *id == Id::Null),
        Message::Response(response) => response.id == Id::Null,
        _ => false,
    };
    let found = trace.messages().find(|(event, message)| {
        event.party == Party::Server
            && event.seq > since
            && is_without_id(message)
            && event
                .exchange
                .is_none_or(|exchange| !refused.contains(&(event.connection, exchange)))
    });
    found.map(|(event, message)| (event.seq, message.to_value().short(160)))
}
