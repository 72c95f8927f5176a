//! `auth/iss-not-advertised`.

use mcp_test_core::oauth::scripted::{Behavior, SentIssuer};

use super::flow_proofs::of_flow;
use super::issuers::{issuer_check, judge_acceptance};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server neither says that its responses have `iss` nor sends it: the client goes on.
    Client "auth/iss-not-advertised": "The client accepts a response without an issuer",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    checks: signing_in![partial: issuer_check(PROCEEDS, "Client proceeds when iss absent and not advertised", "The client goes on after a response without `iss`", &[Requirement::AUTH_REDIRECT_ISS_ABSENT_PROCEEDS])],
}

const PROCEEDS: &str = "sep-2468-client-proceed-no-iss";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { states_iss: false, iss: SentIssuer::None, ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_acceptance(judging, PROCEEDS)
}

proofs! {
    passes on signing_in_client(), and shares of_flow();
    catches "sep-2468-client-proceed-no-iss" by give_up("token");
}
