//! Replies to requests: results in the shape of their revision, and errors with their HTTP status.

use super::{Server, terms::Terms};
use crate::{
    json::Value,
    spec::{Era, error_code},
    transport::serve::Emitted,
    wire::{ErrorReply, Id, Response, RpcError},
};

/// A request refused with an error.
pub(super) fn refusal(id: Id, method: String, error: RpcError, status: Option<u16>) -> Emitted {
    let value = ErrorReply { id: Some(id), error }.to_value();
    Emitted::reply(value, method, status)
}

/// The answer to a request, as its revision has it.
pub(super) fn reply(
    id: Id,
    method: String,
    answer: Result<Value, RpcError>,
    terms: &Terms,
    server: &Server,
) -> Emitted {
    match answer {
        Ok(result) => {
            let result = server.shape(&method, result, terms.revision);
            Emitted::reply(Response::new(id, result).to_value(), method, None)
        }
        Err(error) => {
            let stateless = terms.revision.era() == Era::Stateless;
            let status = error_code::find(error.code)
                .filter(|_| stateless)
                .and_then(|code| code.http_status);
            refusal(id, method, error, status)
        }
    }
}
