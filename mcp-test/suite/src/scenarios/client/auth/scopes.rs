//! What the scenarios about scopes have in common.

use mcp_test_core::check::Finding;

use super::flow::Authorized;

/// Whether a server that asks for scopes by method serves a message without a token, as the official one does.
pub(super) fn is_open(method: &str) -> bool {
    method == "initialize" || method.starts_with("notifications/")
}

/// Whether a request asks for all of these scopes.
pub(super) fn should_ask_for(request: &Authorized, expected: &[&str]) -> Result<(), Finding> {
    let scopes = request.scopes();
    match expected.iter().all(|scope| scopes.contains(scope)) {
        true => Ok(()),
        false => Err(Finding::peer("the authorization request does not ask for the right scopes")
            .expected(format!("`scope={}`", expected.join(" ")))
            .got(stated(request))
            .should()),
    }
}

/// Whether a request asks for no scope.
pub(super) fn should_have_none(request: &Authorized) -> Result<(), Finding> {
    match request.scopes().as_slice() {
        [] => Ok(()),
        _ => Err(Finding::peer("the authorization request asks for scopes that nobody has named")
            .expected("no `scope`")
            .got(stated(request))
            .should()),
    }
}

/// The scopes of a request, for a report.
pub(super) fn stated(request: &Authorized) -> String {
    match request.scopes().as_slice() {
        [] => "no `scope`".to_owned(),
        scopes => format!("`scope={}`", scopes.join(" ")),
    }
}
