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

#[cfg(test)]
mod tests {
    use mcp_test_core::oauth::parameters::Parameters;
    use mcp_test_core::oauth::scripted::McpRequest;
    use mcp_test_core::trace::{EventKind, Party, Recorder, Seq};

    use super::*;
    use crate::scenarios::client::auth::flow::{Flow, Received};

    #[test]
    fn requests_that_several_refusals_without_a_token_cause_are_no_step_up() {
        let recorder = Recorder::new();
        let connection = recorder.open("http");
        let place = || recorder.record(connection, Party::Harness, EventKind::Note(String::new()));
        let seqs: [Seq; 7] = std::array::from_fn(|_| place());
        let asked = |index: usize| {
            let (issuer, parameters) = (String::new(), Parameters::parse(b"scope=mcp:basic"));
            Received { seq: seqs[index], request: Authorized { issuer, parameters } }
        };
        let refused = |index: usize, status| {
            let request = McpRequest {
                verb: "POST".to_owned(),
                method: Some("tools/call".to_owned()),
                has_token_in_query: false,
                credentials: None,
                proof: None,
                refused: Some(status),
            };
            Received { seq: seqs[index], request }
        };
        let both = Flow {
            authorizations: vec![asked(3), asked(4)],
            mcp: vec![refused(1, 401), refused(2, 401)],
            ..Flow::default()
        };
        assert!(both.stepping_up().is_empty());
        let stepping_up = Flow {
            authorizations: vec![asked(3), asked(4), asked(6)],
            mcp: vec![refused(1, 401), refused(2, 401), refused(5, 403)],
            ..Flow::default()
        };
        let found: Vec<Seq> = stepping_up.stepping_up().iter().map(|it| it.seq).collect();
        assert_eq!(found, [seqs[6]]);
    }
}
