//! What the scenarios about scopes have in common.

use mcp_test_core::check::Finding;
use mcp_test_core::oauth::scripted::McpRequest;

use super::flow::{Authorized, Flow, Received};

/// Whether a server that asks for scopes by method serves a message without a token, as the official one does.
pub(super) fn is_open(method: &str) -> bool {
    method == "initialize" || method.starts_with("notifications/")
}

impl Flow {
    /// The authorization requests that may be due to a token without the scopes that a request needs. A client that has sent several
    /// requests without a token may have made several before.
    pub(in crate::scenarios) fn stepping_up(&self) -> &[Received<Authorized>] {
        let is_refused = |mcp: &&Received<McpRequest>| mcp.request.refused == Some(403);
        let Some(refused) = self.mcp.iter().find(is_refused) else { return &[] };
        let first = self.authorizations.partition_point(|asked| asked.seq < refused.seq);
        &self.authorizations[first..]
    }

    /// The authorization requests that follow a refusal of their own. The others belong to one for several requests at the same time.
    pub(in crate::scenarios) fn attempts(&self) -> Vec<&Received<Authorized>> {
        let mut last = None;
        let is_due = |asked: &&Received<Authorized>| {
            let refused = |mcp: &Received<McpRequest>| {
                mcp.request.refused.is_some() && mcp.seq < asked.seq && Some(mcp.seq) > last
            };
            let is_due = last.is_none() || self.mcp.iter().any(refused);
            last = Some(asked.seq);
            is_due
        };
        self.authorizations.iter().filter(is_due).collect()
    }
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
    use mcp_test_core::trace::{EventKind, Party, Recorder, Seq};

    use super::*;

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
        assert_eq!((both.stepping_up().len(), both.attempts().len()), (0, 1));
        let stepping_up = Flow {
            authorizations: vec![asked(3), asked(4), asked(6)],
            mcp: vec![refused(1, 401), refused(2, 401), refused(5, 403)],
            ..Flow::default()
        };
        let found: Vec<Seq> = stepping_up.stepping_up().iter().map(|it| it.seq).collect();
        assert_eq!(found, [seqs[6]]);
        assert_eq!(stepping_up.attempts().len(), 2);
        // Without a token again and again.
        let endless = Flow {
            authorizations: vec![asked(1), asked(3), asked(5)],
            mcp: vec![refused(0, 401), refused(2, 401), refused(4, 401)],
            ..Flow::default()
        };
        assert_eq!((endless.stepping_up().len(), endless.attempts().len()), (0, 3));
    }
}
