//! `auth/basic-cimd`.

use mcp_test_core::oauth::scripted::Behavior;

use super::CORE_SUITES;
use super::flow::{equal, judge_authorizations, judge_flow};
use super::flow_proofs::authorized_proofs;
use super::served::protected;
use super::signing_in_client;
use super::signing_in_client::METADATA_DOCUMENT;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{CIMD_DRAFT, CIMD_PAGE};

scenario! {
    /// The client signs in with an authorization server that takes the URL of a metadata document as client id, and registers clients,
    /// too. The client should use its URL, which the official suite fixes: `https://conformance-test.local/client-metadata.json`.
    ///
    /// The document is not fetched.
    Client "auth/basic-cimd": "The client uses the URL of its metadata document as its id",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), CORE_SUITES),
    transports: StreamableHttp,
    checks: signing_in![partial:
        check!(USED, "The client id is the URL of the metadata document",
            [AUTH_REGISTRATION_PREFER_CIMD_OVER_DCR, AUTH_REGISTRATION_CIMD_CLIENT])
            .official(&[CIMD_PAGE, CIMD_DRAFT]).named("Client ID Metadata Document Usage")
            .fails_or_warns("the official suite fails it"),
    ],
}

const USED: &str = "cimd-client-id-used";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { takes_metadata_documents: true, ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    judge_authorizations(judging, &flow, USED, |request| {
        equal("`client_id`", request.parameters.first("client_id"), METADATA_DOCUMENT)
            .map_err(Finding::should)
    });
    Ok(())
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
    catches "cimd-client-id-used" by give_up("authorize"), under Strict;
    warns "cimd-client-id-used" by misbehavior(Misbehavior::AlwaysRegisters);
    catches "sep-837-application-type-present" on registering();
}
