//! `auth/offline-access-scope`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::{Authorized, Received, judge_flow};
use super::flow_proofs::authorized_proofs;
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2207;

scenario! {
    /// The authorization server has the scope `offline_access`, which the metadata of the server does not list. A client that wants a refresh
    /// token may ask for it, and should then register for the grant `refresh_token`.
    Client "auth/offline-access-scope": "The client may ask for a refresh token",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    checks: signing_in![partial:
        check!(GRANT_TYPES, "The registration has the grant type `refresh_token`",
            [AUTH_REGISTRATION_REFRESH_GRANT_TYPE])
            .official(&[SEP_2207]).named("Client metadata includes refresh_token grant type").conditional(),
        check!(REQUESTED, "The authorization request asks for `offline_access`, which it may",
            [AUTH_TOKEN_NO_REFRESH_ASSUMED]).official(&[SEP_2207]).named("Client requests offline_access scope"),
    ],
}

const GRANT_TYPES: &str = "sep-2207-client-metadata-grant-types";
const REQUESTED: &str = "sep-2207-offline-access-requested";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior {
        scopes: &["mcp:basic", "offline_access"],
        takes_metadata_documents: true,
        ..Behavior::default()
    };
    protected(test, behavior, |resource| resource.scopes_supported(&["mcp:basic"]))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    match flow.registrations.first() {
        None => drop(judging.check(GRANT_TYPES).info("the client did not register")),
        Some(Received { seq, request }) => {
            let grants = request.document.get("grant_types").and_then(Value::as_array);
            let refreshes =
                |grants: &[Value]| grants.iter().any(|it| it.as_str() == Some("refresh_token"));
            let outcome = match grants.is_some_and(refreshes) {
                true => Ok(()),
                false => Err(Finding::peer("the client does not register for refresh tokens")
                    .expected("`refresh_token` among its `grant_types`")
                    .evidence(*seq)
                    .should()),
            };
            judging.check(GRANT_TYPES).judge(outcome);
        }
    }
    let asks =
        |received: &&Received<Authorized>| received.request.scopes().contains(&"offline_access");
    match (flow.authorizations.first(), flow.authorizations.iter().find(asks)) {
        (None, _) => {
            let finding = Finding::peer("the client made no authorization request");
            judging.check(REQUESTED).missing(finding);
        }
        (Some(_), Some(_)) => drop(judging.check(REQUESTED).pass()),
        (Some(_), None) => {
            let why = "the client does not ask for `offline_access`, which is allowed";
            judging.check(REQUESTED).info(why);
        }
    }
    Ok(())
}

/// Registers, but not for refresh tokens.
fn without_refresh_tokens() -> ScriptedClient {
    signing_in_client().faults([
        Fault::misbehavior(Misbehavior::AlwaysRegisters),
        Fault::parameter("register", "grant_types", "authorization_code"),
    ])
}

/// Registers without saying what kind of application it is.
fn registering() -> ScriptedClient {
    signing_in_client().faults([
        Fault::misbehavior(Misbehavior::AlwaysRegisters),
        Fault::no_parameter("register", "application_type"),
    ])
}

proofs! {
    passes on signing_in_client(), and shares authorized_proofs();
    catches "sep-2207-offline-access-requested" by give_up("authorize"), under Strict;
    warns "sep-2207-client-metadata-grant-types" on without_refresh_tokens();
    catches "sep-837-application-type-present" on registering();
}
