//! `auth/iss-supported-missing`.

use mcp_test_core::oauth::scripted::{Behavior, SentIssuer};

use super::flow_proofs::of_consent;
use super::issuers::{issuer_check, judge_refusal};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server says that its responses have `iss`, and leaves it out. The client must not use the code; that it fails is
    /// right.
    Client "auth/iss-supported-missing": "The client refuses a response whose issuer is missing",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: signing_in![stopping_after_consent: issuer_check(REJECTS, "Client rejects missing iss when required", "The client makes no token request after a response without the announced `iss`", &[Requirement::AUTH_REDIRECT_ISS_MISSING_REJECTED])],
}

const REJECTS: &str = "sep-2468-client-reject-missing-iss";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { iss: SentIssuer::None, ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_refusal(judging, REJECTS, "the announced `iss` is missing")
}

proofs! {
    passes on signing_in_client(), and shares of_consent();
    catches "sep-2468-client-reject-missing-iss" by misbehavior(Misbehavior::IgnoresResponseIssuer);
}
