//! `auth/scope-omitted-when-undefined`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::{judge_authorizations, judge_flow};
use super::flow_proofs::sign_in_proofs;
use super::scopes::should_have_none;
use super::served::protected;
use super::{SCOPE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SCOPE_SELECTION;

scenario! {
    /// The client signs in with a server whose challenge and metadata name no scope, and should not make one up.
    Client "auth/scope-omitted-when-undefined": "The client asks for no scope where none is named",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), SCOPE_SUITES),
    transports: StreamableHttp,
    checks: signing_in![partial:
        check!(OMITTED, "The authorization request asks for no scope",
            [AUTH_SCOPE_OMIT_WHEN_UNDEFINED])
            .official(&[SCOPE_SELECTION]).named("Client scope omission when scopes_supported undefined")
            .fails_or_warns("the official suite fails it"),
    ],
}

const OMITTED: &str = "scope-omitted-when-undefined";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    protected(test, Behavior::default(), |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    judge_authorizations(judging, &flow, OMITTED, should_have_none);
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares sign_in_proofs();
    catches "scope-omitted-when-undefined" by give_up("authorize"), under Strict;
    warns "scope-omitted-when-undefined" by parameter("authorize", "scope", "mcp:basic");
}
