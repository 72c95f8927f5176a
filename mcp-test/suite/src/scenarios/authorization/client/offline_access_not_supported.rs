//! `auth/offline-access-not-supported`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::{Received, judge_flow};
use super::flow_proofs::sign_in_proofs;
use super::scopes::stated;
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2207;

scenario! {
    /// The authorization server does not have the scope `offline_access`: the client must not ask for it.
    Client "auth/offline-access-not-supported": "The client does not ask for a refresh token that nobody has",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    checks: signing_in![partial:
        check!(NOT_REQUESTED, "The authorization request does not ask for `offline_access`",
            [AUTH_SCOPE_FALLBACK_SCOPES_SUPPORTED])
            .official(&[SEP_2207]).named("Client does not request unsupported offline_access")
            .fails_or_warns("the official suite fails it"),
    ],
}

const NOT_REQUESTED: &str = "sep-2207-offline-access-not-requested";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let scopes = &["mcp:basic", "mcp:read"];
    let behavior = Behavior { scopes, ..Behavior::default() };
    protected(test, behavior, |resource| resource.scopes_supported(scopes))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    if flow.authorizations.is_empty() {
        let finding = Finding::peer("the client made no authorization request");
        judging.check(NOT_REQUESTED).missing(finding);
    }
    for Received { seq, request } in &flow.authorizations {
        let outcome = match request.scopes().contains(&"offline_access") {
            false => Ok(()),
            true => Err(Finding::peer("the client asks for a scope that nobody has named")
                .expected("scopes of the metadata alone")
                .got(stated(request))
                .evidence(*seq)),
        };
        // The scopes that a client asks for are recommended, of which the official suite makes a MUST.
        let why = "the specification recommends which scopes to ask for, and requires none";
        judging.check(NOT_REQUESTED).officially_must_judge(outcome, why);
    }
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares sign_in_proofs();
    catches "sep-2207-offline-access-not-requested" by give_up("authorize"), under Strict;
    warns "sep-2207-offline-access-not-requested" by parameter("authorize", "scope", "mcp:basic offline_access");
}
