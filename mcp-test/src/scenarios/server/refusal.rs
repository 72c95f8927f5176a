//! Whether a server refuses an invalid request with the right code.

use super::sdk_answers::of_refused_params;
use crate::check::Finding;
use crate::client::Reply;

/// Whether the reply is an error with this code.
///
/// Both the error and its code are only recommended. The reply itself shows that the request has reached the server.
pub(super) fn refused(reply: &Reply, code: i64) -> Result<(), Finding> {
    let sdk = reply.error().and_then(of_refused_params);
    let (headline, got) = match reply.outcome() {
        Err(error) if error.code == code => return Ok(()),
        Err(error) => {
            (format!("`{}` was refused with another code", reply.method()), error.to_string())
        }
        Ok(result) => (
            format!("`{}` was not refused", reply.method()),
            format!("the result {}", result.short(120)),
        ),
    };
    Err(Finding::peer(headline)
        .expected(format!("a JSON-RPC error with code {code}"))
        .got(got)
        .sdk(sdk)
        .evidence_all(reply.evidence())
        .should())
}
