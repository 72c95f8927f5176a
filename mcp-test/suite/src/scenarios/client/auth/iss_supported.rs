//! `auth/iss-supported`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow_proofs::of_flow;
use super::issuers::{issuer_check, judge_acceptance};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server says that its responses have `iss`, and they have the right one: the client goes on.
    Client "auth/iss-supported": "The client accepts a response of the right issuer",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    checks: signing_in![partial: issuer_check(COMPARES, "Client accepts matching iss when advertised", "The client goes on after a response with the right `iss`", &[Requirement::AUTH_REDIRECT_ISS_MISMATCH_REJECTED])],
}

const COMPARES: &str = "sep-2468-client-compare-iss-supported";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior::default();
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_acceptance(judging, COMPARES)
}

proofs! {
    passes on signing_in_client(), and shares of_flow();
    catches "sep-2468-client-compare-iss-supported" by give_up("token");
}
