//! Whether a server refuses an invalid request with the right code.

use super::sdk_answers::of_refused_params;
use crate::check::Finding;
use crate::client::Reply;
use crate::trace::{Event, EventKind, Trace};

/// Whether the reply is an error with this code, which are both only recommended.
///
/// The reply itself shows that the request has reached the server.
pub(super) fn refused(reply: &Reply, code: i64) -> Result<(), Finding> {
    is_error(reply)
        .and_then(|()| has_code(reply, code))
        .map_err(|finding| finding.expected(format!("a JSON-RPC error with code {code}")).should())
}

/// Whether a request that is not valid was refused: by a JSON-RPC error that `judge` accepts, or over HTTP by a status in the
/// 400s, since a server need not understand the body.
pub(super) fn refused_in_any_way(
    trace: &Trace,
    outcome: Result<Reply, Finding>,
    judge: impl FnOnce(&Reply) -> Result<(), Finding>,
) -> Result<(), Finding> {
    match outcome {
        Ok(reply) => judge(&reply),
        Err(finding) if is_refused_by_status(trace, &finding) => Ok(()),
        Err(finding) => Err(finding),
    }
}

/// Whether the exchange of a finding ended with a status in the 400s.
fn is_refused_by_status(trace: &Trace, finding: &Finding) -> bool {
    let exchange = |event: &Event| event.exchange.map(|exchange| (event.connection, exchange));
    let exchanges: Vec<_> = trace.events_at(&finding.evidence).filter_map(exchange).collect();
    trace.events.iter().any(|event| {
        let refuses = matches!(event.kind, EventKind::HttpResponse { status: 400..=499, .. });
        refuses && exchange(event).is_some_and(|exchange| exchanges.contains(&exchange))
    })
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
