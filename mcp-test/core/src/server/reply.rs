//! Replies to requests: results in the form of their revision, and errors with their HTTP status.

use serde_json::json;

use super::Server;
use super::request_context::RequestContext;
use crate::json::Value;
use crate::spec::{Era, error_code};
use crate::transport::actor::OutboundMessage;
use crate::transport::fault::Misbehavior;
use crate::wire::{ErrorReply, Id, Response, RpcError};

/// A request refused with an error.
pub(super) fn refusal(
    id: Id,
    method: String,
    error: RpcError,
    status: Option<u16>,
) -> OutboundMessage {
    let value = ErrorReply { id: Some(id), error }.to_value();
    OutboundMessage::reply(value, method, status)
}

/// The reply to a request, in the form of its revision.
pub(super) fn reply(
    id: Id,
    method: String,
    answer: Result<Value, RpcError>,
    context: &RequestContext,
    server: &Server,
) -> OutboundMessage {
    let answer = match answer {
        Err(_) if server.misbehaves(Misbehavior::PretendsSuccess) => Ok(nothing(&method)),
        answer => answer,
    };
    match answer {
        Ok(result) => {
            // Here and not in the handlers, which need not know what a revision adds to results.
            let result = server.shape(&method, result, context.revision);
            OutboundMessage::reply(Response::new(id, result).to_value(), method, None)
        }
        Err(error) => {
            let stateless = context.revision.era() == Era::Stateless;
            // Only revisions of the stateless era tie statuses to error codes.
            let status = error_code::find(error.code)
                .filter(|_| stateless)
                .and_then(|code| code.http_status);
            refusal(id, method, error, status)
        }
    }
}

/// The result of a method that looks as if the request had succeeded, without anything in it.
fn nothing(method: &str) -> Value {
    let result = match method {
        "completion/complete" => json!({ "completion": { "values": [] } }),
        "prompts/get" => json!({ "messages": [] }),
        "resources/read" => json!({ "contents": [] }),
        "tools/call" => json!({ "content": [] }),
        _ => json!({}),
    };
    result.into()
}
