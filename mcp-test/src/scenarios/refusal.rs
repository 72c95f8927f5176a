//! Whether a server refuses an invalid request with the right code.

use super::sdk_answers::of_refused_params;
use crate::check::Finding;
use crate::client::Reply;

/// Whether the reply is an error with this code, which are both only recommended.
///
/// The reply itself shows that the request has reached the server.
pub(super) fn refused(reply: &Reply, code: i64) -> Result<(), Finding> {
    is_error(reply)
        .and_then(|()| has_code(reply, code))
        .map_err(|finding| finding.expected(format!("a JSON-RPC error with code {code}")).should())
}

/// Whether the reply is an error, whatever its code.
pub(super) fn is_error(reply: &Reply) -> Result<(), Finding> {
    let Ok(result) = reply.outcome() else { return Ok(()) };
    Err(Finding::peer(format!("`{}` was not refused", reply.method()))
        .expected("a JSON-RPC error")
        .got(format!("the result {}", result.short(120)))
        .evidence_all(reply.evidence()))
}

/// Whether the reply has this code, if it is an error.
pub(super) fn has_code(reply: &Reply, code: i64) -> Result<(), Finding> {
    let Err(error) = reply.outcome() else { return Ok(()) };
    if error.code == code {
        return Ok(());
    }
    Err(Finding::peer(format!("`{}` was refused with another code", reply.method()))
        .expected(format!("a JSON-RPC error with code {code}"))
        .got(error.to_string())
        .sdk(of_refused_params(error))
        .evidence_all(reply.evidence()))
}
