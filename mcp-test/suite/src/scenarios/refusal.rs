//! Whether a server refuses an invalid request with the right code.

use std::ops::RangeInclusive;

use mcp_test_core::expect::words;
use mcp_test_core::trace::Event;

use crate::scenarios::prelude::*;
use crate::scenarios::sdk_answers::recognize_refused_request;

/// Whether the reply is an error with this code, which are both only recommended.
///
/// The reply itself shows that the request has reached the server.
pub(super) fn refused(reply: &Reply, code: i64) -> Result<(), Finding> {
    is_error(reply)
        .and_then(|()| has_code(reply, code))
        .map_err(|finding| finding.expected(format!("a JSON-RPC error with code {code}")).should())
}

/// Whether a request that is not valid was refused: by a JSON-RPC error that `judge` accepts, or over HTTP by a status in the
/// 400s, whatever the body, since no page prescribes it.
pub(super) fn refused_in_any_way(
    trace: &Trace,
    outcome: Result<Reply, Finding>,
    judge: impl FnOnce(&Reply) -> Result<(), Finding>,
) -> Result<(), Finding> {
    let evidence = match &outcome {
        Ok(reply) => reply.evidence(),
        Err(finding) => finding.evidence.clone(),
    };
    if has_status(trace, &evidence, 400..=499) {
        // Whatever it says: the test has seen it.
        let _any_error = outcome.as_ref().map(Reply::error);
        return Ok(());
    }
    outcome.and_then(|reply| judge(&reply))
}

/// Whether a request was refused because there were too many (HTTP 429), whatever the body.
pub(super) fn is_rate_limited(trace: &Trace, outcome: &Result<Reply, Finding>) -> bool {
    let evidence = match outcome {
        // The test has seen the error, which others judge if there is another status.
        Ok(reply) if reply.error().is_some() => reply.evidence(),
        Ok(_) => return false,
        Err(finding) => finding.evidence.clone(),
    };
    has_status(trace, &evidence, 429..=429)
}

/// Whether the exchange of these events ended with one of these statuses.
fn has_status(trace: &Trace, evidence: &[Seq], statuses: RangeInclusive<u16>) -> bool {
    let exchange = |event: &Event| event.exchange.map(|exchange| (event.connection, exchange));
    let exchanges: Vec<_> = trace.events_at(evidence).filter_map(exchange).collect();
    trace.events.iter().any(|event| {
        let refuses = matches!(&event.kind, EventKind::HttpResponse { status, .. } if statuses.contains(status));
        refuses && exchange(event).is_some_and(|exchange| exchanges.contains(&exchange))
    })
}

/// Whether the reply is an error, whatever its code.
pub(super) fn is_error(reply: &Reply) -> Result<(), Finding> {
    let Ok(result) = reply.outcome() else { return Ok(()) };
    Err(Finding::peer(format!("{} was not refused", words::method(reply.method())))
        .expected("a JSON-RPC error")
        .got(format!("the result {}", result.short(120)))
        .evidence_all(reply.evidence())
        .in_any_state())
}

/// Whether the reply has the code of invalid parameters, if it is an error.
///
/// Only recommended: no page demands it of servers; those that name it for a method have a SHOULD.
pub(super) fn has_invalid_params_code(reply: &Reply) -> Result<(), Finding> {
    has_code(reply, error_code::INVALID_PARAMS).map_err(Finding::should)
}

/// Whether the reply has this code, if it is an error.
pub(super) fn has_code(reply: &Reply, code: i64) -> Result<(), Finding> {
    let Err(error) = reply.outcome() else { return Ok(()) };
    if error.code == code {
        return Ok(());
    }
    Err(Finding::peer(format!("{} was refused with another code", words::method(reply.method())))
        .expected(format!("a JSON-RPC error with code {code}"))
        .got(error.to_string())
        .sdk(recognize_refused_request(error))
        .evidence_all(reply.evidence())
        .in_any_state())
}
