//! `auth/iss-normalized`.

use mcp_test_core::oauth::scripted::{Behavior, SentIssuer};

use super::flow_proofs::of_consent;
use super::issuers::{issuer_check, judge_refusal};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server sends its issuer with a slash at the end, which is another one. The client must not use the code; that it
    /// fails is right.
    Client "auth/iss-normalized": "The client compares the issuer as text",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: signing_in![stopping_after_consent: issuer_check(REJECTS, "Client compares iss without URL normalization", "The client makes no token request after a response whose `iss` has another slash", &[Requirement::AUTH_REDIRECT_ISS_NO_NORMALIZATION])],
}

const REJECTS: &str = "sep-2468-client-no-normalization";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { iss: SentIssuer::WithSlash, ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_refusal(judging, REJECTS, "`iss` has a slash at its end, which the issuer has not")
}

proofs! {
    passes on signing_in_client(), and shares of_consent();
    catches "sep-2468-client-no-normalization" by misbehavior(Misbehavior::IgnoresResponseIssuer);
}
