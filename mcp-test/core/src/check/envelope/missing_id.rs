//! Replies without an id.

use super::{EnvelopeJudge, Exchange};
use crate::check::cited::cites;
use crate::check::walk::JudgedEvent;
use crate::check::{Cause, Finding};
use crate::spec::{Era, Revision, error_code, header};
use crate::wire::Id;

cites! {
    JSONRPC_ERROR_ID_ECHO, JSONRPC_RESULT_ID_ECHO,
}

/// Whether the headers of a request are those of a valid one, as far as they can be judged without its body.
///
/// A server may refuse a request for its headers before it reads the body, and so the id.
pub(super) fn are_valid(headers: &[(String, String)]) -> bool {
    headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(header::MCP_PROTOCOL_VERSION))
        .all(|(_, version)| version.parse::<Revision>().is_ok())
}

impl EnvelopeJudge {
    /// A reply without an id to a request that has one; `only_open` is the method of the only request that has no reply.
    pub(super) fn without_id(
        &mut self,
        event: JudgedEvent<'_>,
        id: Option<&Id>,
        only_open: Option<&str>,
        is_error: bool,
    ) {
        let asks = self.exchange(event).and_then(|exchange| exchange.asks.clone());
        let only_open = only_open.filter(|_| !self.has_unreadable(event));
        let method = asks.or_else(|| only_open.map(str::to_owned));
        let (what, rule) = match is_error {
            true => ("error", JSONRPC_ERROR_ID_ECHO),
            false => ("result", JSONRPC_RESULT_ID_ECHO),
        };
        let headline = match method {
            Some(method) => format!("the {what} that answers `{method}` has no id"),
            None => "a reply has no id".to_owned(),
        };
        let finding = Finding::peer(headline)
            .expected("the id of the request that it answers")
            .got(if id.is_some() { "null" } else { "no member `id`" })
            .caused_by(Cause::missing_id(is_error));
        self.find(event, finding, rule);
    }

    /// Whether an error that refuses an HTTP request shows that the server has read the request, and so its id.
    pub(super) fn shows_reading(&mut self, event: JudgedEvent<'_>, code: i64) -> bool {
        let is_stateless = event.opened_for.era() == Era::Stateless;
        let Some(Exchange { asks: Some(method), status: Some(status), has_valid_headers, .. }) =
            self.exchange(event)
        else {
            return false;
        };
        // With 404 and 405 a server also says that there is nothing at a path; only the newer era has 404 for methods.
        let is_of_request = *status == 400 || *status == 404 && is_stateless;
        is_of_request
            && match code {
                error_code::METHOD_NOT_FOUND => true,
                // Some use this code for sessions and versions in headers, too; `initialize` needs neither.
                error_code::INVALID_PARAMS => {
                    *has_valid_headers && (is_stateless || method == "initialize")
                }
                _ => false,
            }
    }
}
