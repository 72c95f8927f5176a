//! `client-state`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::{Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization response has another `state` than the request, as one that an attacker has sent to the client. The client
    /// should not use its code; that it fails is right.
    Client "client-state": "The client refuses a response with another state",
    revisions: Revisions::from(Revision::V2025_06_18),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(SENT, "Each authorization request has a `state` of its own",
            [AUTH_REDIRECT_STATE_SENT]),
        check!(VERIFIED, "The client makes no token request after a response with another `state`",
            [AUTH_REDIRECT_STATE_VERIFIED]),
    ],
}

const SENT: &str = "client-sends-state";
const VERIFIED: &str = "client-verifies-state";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { changes_state: true, ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    if flow.authorizations.is_empty() {
        for check in [SENT, VERIFIED] {
            judging.check(check).missing(Step::Authorization.not_taken(&flow));
        }
        return Ok(());
    }
    let mut sent: Vec<&str> = Vec::new();
    for received in &flow.authorizations {
        let state = received.request.parameters.first("state");
        let wrong = match state {
            None => Some("no `state`"),
            Some(state) if sent.contains(&state) => Some("the `state` of an earlier request"),
            Some(_) => None,
        };
        sent.extend(state);
        let outcome = wrong.map_or(Ok(()), |got| {
            Err(Finding::peer("the authorization request has no `state` of its own")
                .expected("a `state` that nobody can guess")
                .got(got)
                .evidence(received.seq)
                .should())
        });
        judging.check(SENT).judge(outcome);
    }
    let row = judging.check(VERIFIED);
    match flow.tokens.first() {
        _ if sent.is_empty() => row.skip("the client sends no `state` that could be compared"),
        Some(made) => row.fail(
            Finding::peer("the client accepts a response with another `state`")
                .expected("no token request, since `state` is not that of the request")
                .got("a token request")
                .evidence(made.seq)
                .should(),
        ),
        None => row.pass(),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    warns "client-verifies-state" by misbehavior(Misbehavior::IgnoresState);
    warns "client-sends-state" by no_parameter("authorize", "state");
}
