//! `auth/scope-from-www-authenticate`.

use mcp_test_core::oauth::scripted::{Behavior, Verdict};

use super::flow::{judge_authorizations, judge_flow};
use super::flow_proofs::sign_in_proofs;
use super::scopes::should_ask_for;
use super::served::protected;
use super::{SCOPE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SCOPE_SELECTION;

scenario! {
    /// The client signs in with a server whose challenge names a scope, and should ask for it.
    Client "auth/scope-from-www-authenticate": "The client asks for the scope of the challenge",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), SCOPE_SUITES),
    transports: StreamableHttp,
    checks: signing_in![partial:
        check!(FROM_CHALLENGE, "The authorization request asks for the scope of the challenge",
            [AUTH_SCOPE_PREFER_CHALLENGE])
            .official(&[SCOPE_SELECTION]).named("Client scope selection from WWW-Authenticate header")
            .fails_or_warns("the official suite fails it"),
    ],
}

const FROM_CHALLENGE: &str = "scope-from-www-authenticate";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    protected(test, Behavior::default(), |resource| {
        resource.admits(|access| match access.token {
            Some(_) => Verdict::Admit,
            None => Verdict::Unauthorized { scope: Some("mcp:basic") },
        })
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    judge_authorizations(judging, &flow, FROM_CHALLENGE, |request| {
        should_ask_for(request, &["mcp:basic"])
    });
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares sign_in_proofs();
    catches "scope-from-www-authenticate" by give_up("authorize"), under Strict;
    warns "scope-from-www-authenticate" by no_parameter("authorize", "scope");
}
