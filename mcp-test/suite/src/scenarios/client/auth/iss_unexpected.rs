//! `auth/iss-unexpected`.

use mcp_test_core::oauth::scripted::{Behavior, SentIssuer};

use super::flow_proofs::of_consent;
use super::issuers::{issuer_check, judge_refusal};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server does not say that its responses have `iss`, and sends that of another server. The client must not use the
    /// code; that it fails is right.
    Client "auth/iss-unexpected": "The client compares an issuer that was not announced",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: signing_in![stopping_after_consent: issuer_check(REJECTS, "Client compares unadvertised iss and rejects mismatch", "The client makes no token request after a response with another `iss`, also if none was announced", &[Requirement::AUTH_REDIRECT_ISS_UNADVERTISED_COMPARED])],
}

const REJECTS: &str = "sep-2468-client-compare-iss-unadvertised";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior {
        states_iss: false,
        iss: SentIssuer::Other("https://evil.example.com"),
        ..Behavior::default()
    };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_refusal(judging, REJECTS, "`iss` is that of another server")
}

proofs! {
    passes on signing_in_client(), and shares of_consent();
    catches "sep-2468-client-compare-iss-unadvertised" by misbehavior(Misbehavior::IgnoresResponseIssuer);
}
