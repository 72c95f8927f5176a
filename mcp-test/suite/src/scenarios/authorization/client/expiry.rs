//! Access tokens that expire while a client uses them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mcp_test_core::oauth::scripted::{Access, McpRequest, Verdict};

use super::flow::{Flow, Received};

/// How long the tokens are valid, as the authorization server says. The server lets them expire by what they were used for,
/// so that nothing depends on when requests arrive.
pub(super) const LIFETIME: Duration = Duration::from_secs(1);
/// The scope of the challenges.
pub(super) const SCOPE: &str = "files:read";
/// How many of the first tokens expire: a client has to get another one twice.
const EXPIRING: usize = 2;

/// Admits requests with tokens that are valid: each of the first tokens is for one request of the client, the others do not expire.
///
/// Only what uses the server is refused, not what opens a session or belongs to one: that would be lost, and several requests
/// at once would all be refused.
pub(super) fn expiring() -> impl Fn(&Access<'_>) -> Verdict + Send + Sync + 'static {
    let admitted: Mutex<HashMap<usize, usize>> = Mutex::default();
    move |access| {
        let Some(token) = access.token else {
            return Verdict::Unauthorized { scope: Some(SCOPE) };
        };
        let is_request = access.method.is_some_and(|it| !it.starts_with("notifications/"));
        if token.index >= EXPIRING || !is_request {
            return Verdict::Admit;
        }
        let mut admitted = admitted.lock().unwrap_or_else(PoisonError::into_inner);
        let count = admitted.entry(token.index).or_default();
        if *count > 0 && access.method.is_some_and(is_use) {
            return Verdict::Unauthorized { scope: Some(SCOPE) };
        }
        *count += 1;
        Verdict::Admit
    }
}

/// Whether a method uses a server, instead of opening a session or asking what it is.
fn is_use(method: &str) -> bool {
    !matches!(method, "initialize" | "server/discover" | "ping")
}

/// The first request that was refused although its token was issued: because that has expired.
pub(super) fn first_expired(flow: &Flow) -> Option<&Received<McpRequest>> {
    let is_issued = |request: &McpRequest| {
        request.credentials.as_ref().is_some_and(|credentials| credentials.is_issued)
    };
    let is_expired =
        |it: &&Received<McpRequest>| it.request.refused == Some(401) && is_issued(&it.request);
    flow.mcp.iter().find(is_expired)
}
