//! `auth/scope-from-scopes-supported`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::{judge_authorizations, judge_flow};
use super::flow_proofs::sign_in_proofs;
use super::scopes::should_ask_for;
use super::served::protected;
use super::{SCOPE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SCOPE_SELECTION;

scenario! {
    /// The client signs in with a server whose challenge names no scope and whose metadata lists three, and should ask for all of them.
    Client "auth/scope-from-scopes-supported": "The client asks for the scopes of the metadata",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), SCOPE_SUITES),
    transports: StreamableHttp,
    checks: signing_in![partial:
        check!(FROM_METADATA, "The authorization request asks for the scopes of the metadata",
            [AUTH_SCOPE_FALLBACK_SCOPES_SUPPORTED])
            .official(&[SCOPE_SELECTION]).named("Client scope selection from scopes_supported")
            .fails_or_warns("the official suite fails it"),
    ],
}

const SCOPES: &[&str] = &["mcp:basic", "mcp:read", "mcp:write"];

const FROM_METADATA: &str = "scope-from-scopes-supported";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    protected(test, Behavior::default(), |resource| resource.scopes_supported(SCOPES))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    judge_authorizations(judging, &flow, FROM_METADATA, |request| should_ask_for(request, SCOPES));
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares sign_in_proofs();
    catches "scope-from-scopes-supported" by give_up("authorize"), under Strict;
    warns "scope-from-scopes-supported" by parameter("authorize", "scope", "mcp:basic");
}
