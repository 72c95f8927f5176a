//! Listing tools while the server sends what is not valid, or what nobody asked for.
//!
//! [`Client::wait`] reports such a thing, since it is made for tests of servers; a client that has work to do answers what it has to
//! answer, ignores the rest and goes on.

use serde_json::json;

use crate::client::Client;
use crate::clock;
use crate::spec::error_code;
use crate::transport::Incoming;
use crate::wire::{ErrorReply, Id, Malformed, Message, Notification, Request, RpcError};

/// What the server has sent, other than the list.
#[derive(Debug, Clone, Copy)]
pub enum Received<'a> {
    /// A request.
    Request(&'a Request),
    /// A notification.
    Notification(&'a Notification),
    /// A reply to another request, or to none.
    Reply,
    /// A text that is not a message; `None` if it is not even JSON.
    Invalid(Option<&'a Malformed>),
}

/// What the client does about it.
#[derive(Debug)]
pub enum Reaction {
    /// Sends this message and goes on.
    Send(Message),
    /// Goes on.
    Ignore,
    /// Disconnects.
    Leave,
}

/// Lists the tools, and reacts as a correct client does.
pub(super) async fn list_tools(client: &mut Client) -> crate::Result {
    list_tools_with(client, correct).await
}

/// What a correct client does: it answers requests, and what may have been meant as one.
pub fn correct(client: &Client, received: Received<'_>) -> Reaction {
    let revision = client.revision();
    let refuse = |id: Option<Id>, code: i64, message: String| {
        // Where the schema requires an id in errors, JSON-RPC 2.0 prescribes null for an id that could not be read.
        let id = id.or((!revision.has_errors_without_id()).then_some(Id::Null));
        Reaction::Send(ErrorReply { id, error: RpcError::new(code, message) }.into())
    };
    match received {
        Received::Request(request) => {
            let answer = client.options.handlers.answer(request, revision);
            answer.map_or(Reaction::Ignore, Reaction::Send)
        }
        Received::Notification(_) | Received::Reply => Reaction::Ignore,
        Received::Invalid(None) => {
            refuse(None, error_code::PARSE_ERROR, "the text is not JSON".to_owned())
        }
        Received::Invalid(Some(malformed)) => {
            refuse(malformed.id.clone(), error_code::INVALID_REQUEST, malformed.to_string())
        }
    }
}

/// Lists the tools, and reacts to whatever comes before the list.
///
/// # Errors
///
/// When the list does not arrive, or an error in its place.
pub async fn list_tools_with(
    client: &mut Client,
    react: impl Fn(&Client, Received<'_>) -> Reaction,
) -> crate::Result {
    let list = client.start("tools/list", json!({})).await;
    let deadline = client.deadline();
    loop {
        let incoming = clock::within(deadline, client.connection.next()).await;
        let reaction = match incoming.map_err(|_| "the list did not arrive in time")? {
            Some(Incoming::Message { message, .. }) => match &message {
                Message::Response(response) if response.id == *list.id() => return Ok(()),
                Message::Error(reply) if reply.id.as_ref() == Some(list.id()) => {
                    return Err(reply.error.to_string().into());
                }
                Message::Request(request) => react(client, Received::Request(request)),
                Message::Notification(it) => react(client, Received::Notification(it)),
                Message::Response(_) | Message::Error(_) => react(client, Received::Reply),
            },
            Some(Incoming::Invalid { malformed, .. }) => {
                react(client, Received::Invalid(malformed.as_ref()))
            }
            // The exchanges of the answers end as well.
            Some(Incoming::Ended { exchange, .. }) if list.sent().exchange != Some(exchange) => {
                continue;
            }
            Some(Incoming::Ended { .. } | Incoming::Closed { .. }) | None => {
                return Err("the connection ended before the list arrived".into());
            }
        };
        match reaction {
            Reaction::Send(message) => drop(client.connection.send(message, deadline).await),
            Reaction::Ignore => {}
            Reaction::Leave => return Ok(()),
        }
    }
}
