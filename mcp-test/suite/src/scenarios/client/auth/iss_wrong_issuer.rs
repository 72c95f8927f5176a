//! `auth/iss-wrong-issuer`.

use mcp_test_core::oauth::scripted::{Behavior, SentIssuer};

use super::flow_proofs::of_consent;
use super::issuers::{issuer_check, judge_refusal};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server says that its responses have `iss`, and sends that of another server. The client must not use the code; that
    /// it fails is right.
    Client "auth/iss-wrong-issuer": "The client refuses a response of another issuer",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: signing_in![stopping_after_consent: issuer_check(REJECTS, "Client rejects mismatched iss", "The client makes no token request after a response with another `iss`", &[Requirement::AUTH_REDIRECT_ISS_MISMATCH_REJECTED])],
}

const REJECTS: &str = "sep-2468-client-compare-iss-supported";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior =
        Behavior { iss: SentIssuer::Other("https://evil.example.com"), ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_refusal(judging, REJECTS, "`iss` is that of another server")
}

proofs! {
    passes on signing_in_client(), and shares of_consent();
    catches "sep-2468-client-compare-iss-supported" by misbehavior(Misbehavior::IgnoresResponseIssuer);
}
