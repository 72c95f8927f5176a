//! The scenarios about the issuer of an authorization response (RFC 9207).

use mcp_test_core::oauth::scripted::{Behavior, SentIssuer};

use super::flow::judge_flow;
use super::flow_proofs::{consent_proofs, sign_in_proofs};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;
use crate::scenarios::references::RFC_9207;

client_scenarios! {
    all: {
        revisions: Revisions::from(Revision::V2026_07_28),
        official: Official::draft(),
        transports: StreamableHttp,
    }
    iss_supported {
        /// The authorization server says that its responses have `iss`, and they have the right one: the client goes on.
        "auth/iss-supported": "The client accepts a response of the right issuer",
        checks: signing_in![partial: issuer_check(
            "sep-2468-client-compare-iss-supported",
            "Client accepts matching iss when advertised",
            "The client goes on after a response with the right `iss`",
            &[Requirement::AUTH_REDIRECT_ISS_MISMATCH_REJECTED],
        )],
        serve: |test| serve_with(test, Behavior::default()),
        judge: |judging| judge_acceptance(judging, "sep-2468-client-compare-iss-supported"),
        proofs: {
            passes on signing_in_client(), and shares sign_in_proofs();
            catches "sep-2468-client-compare-iss-supported" by give_up("token");
        },
    }
    iss_not_advertised {
        /// The authorization server neither says that its responses have `iss` nor sends it: the client goes on.
        "auth/iss-not-advertised": "The client accepts a response without an issuer",
        checks: signing_in![partial: issuer_check(
            "sep-2468-client-proceed-no-iss",
            "Client proceeds when iss absent and not advertised",
            "The client goes on after a response without `iss`",
            &[Requirement::AUTH_REDIRECT_ISS_ABSENT_PROCEEDS],
        )],
        serve: |test| {
            serve_with(test, Behavior { states_iss: false, iss: SentIssuer::None, ..Behavior::default() })
        },
        judge: |judging| judge_acceptance(judging, "sep-2468-client-proceed-no-iss"),
        proofs: {
            passes on signing_in_client(), and shares sign_in_proofs();
            catches "sep-2468-client-proceed-no-iss" by give_up("token");
        },
    }
}

client_scenarios! {
    all: {
        revisions: Revisions::from(Revision::V2026_07_28),
        official: Official::draft(),
        transports: StreamableHttp,
        tolerates_failed_exit: true,
    }
    iss_supported_missing {
        /// The authorization server says that its responses have `iss`, and leaves it out. The client must not use the code; that it fails is
        /// right.
        "auth/iss-supported-missing": "The client refuses a response whose issuer is missing",
        checks: signing_in![stopping_after_consent: issuer_check(
            "sep-2468-client-reject-missing-iss",
            "Client rejects missing iss when required",
            "The client makes no token request after a response without the announced `iss`",
            &[Requirement::AUTH_REDIRECT_ISS_MISSING_REJECTED],
        )],
        serve: |test| serve_with(test, Behavior { iss: SentIssuer::None, ..Behavior::default() }),
        judge: |judging| judge_refusal(judging, "sep-2468-client-reject-missing-iss", "the announced `iss` is missing"),
        proofs: {
            passes on signing_in_client(), and shares consent_proofs();
            catches "sep-2468-client-reject-missing-iss" by misbehavior(Misbehavior::IgnoresResponseIssuer);
        },
    }
    iss_wrong_issuer {
        /// The authorization server says that its responses have `iss`, and sends that of another server. The client must not use the code; that
        /// it fails is right.
        "auth/iss-wrong-issuer": "The client refuses a response of another issuer",
        checks: signing_in![stopping_after_consent: issuer_check(
            "sep-2468-client-compare-iss-supported",
            "Client rejects mismatched iss",
            "The client makes no token request after a response with another `iss`",
            &[Requirement::AUTH_REDIRECT_ISS_MISMATCH_REJECTED],
        )],
        serve: |test| serve_with(test, Behavior { iss: OTHER, ..Behavior::default() }),
        judge: |judging| judge_refusal(
            judging,
            "sep-2468-client-compare-iss-supported",
            "`iss` is that of another server",
        ),
        proofs: {
            passes on signing_in_client(), and shares consent_proofs();
            catches "sep-2468-client-compare-iss-supported" by misbehavior(Misbehavior::IgnoresResponseIssuer);
        },
    }
    iss_unexpected {
        /// The authorization server does not say that its responses have `iss`, and sends that of another server. The client must not use the
        /// code; that it fails is right.
        "auth/iss-unexpected": "The client compares an issuer that was not announced",
        checks: signing_in![stopping_after_consent: issuer_check(
            "sep-2468-client-compare-iss-unadvertised",
            "Client compares unadvertised iss and rejects mismatch",
            "The client makes no token request after a response with another `iss`, also if none was announced",
            &[Requirement::AUTH_REDIRECT_ISS_UNADVERTISED_COMPARED],
        )],
        serve: |test| serve_with(test, Behavior { states_iss: false, iss: OTHER, ..Behavior::default() }),
        judge: |judging| judge_refusal(
            judging,
            "sep-2468-client-compare-iss-unadvertised",
            "`iss` is that of another server",
        ),
        proofs: {
            passes on signing_in_client(), and shares consent_proofs();
            catches "sep-2468-client-compare-iss-unadvertised" by misbehavior(Misbehavior::IgnoresResponseIssuer);
        },
    }
    iss_normalized {
        /// The authorization server sends its issuer with a slash at the end, which is another one. The client must not use the code; that it
        /// fails is right.
        "auth/iss-normalized": "The client compares the issuer as text",
        checks: signing_in![stopping_after_consent: issuer_check(
            "sep-2468-client-no-normalization",
            "Client compares iss without URL normalization",
            "The client makes no token request after a response whose `iss` has another slash",
            &[Requirement::AUTH_REDIRECT_ISS_NO_NORMALIZATION],
        )],
        serve: |test| serve_with(test, Behavior { iss: SentIssuer::WithSlash, ..Behavior::default() }),
        judge: |judging| judge_refusal(
            judging,
            "sep-2468-client-no-normalization",
            "`iss` has a slash at its end, which the issuer has not",
        ),
        proofs: {
            passes on signing_in_client(), and shares consent_proofs();
            catches "sep-2468-client-no-normalization" by misbehavior(Misbehavior::IgnoresResponseIssuer);
        },
    }
}

/// The issuer of another server.
const OTHER: SentIssuer = SentIssuer::Other("https://evil.example.com");

fn serve_with(test: &ClientTest, behavior: Behavior) -> Result<Server, Finding> {
    protected(test, behavior, |resource| resource)
}

/// The check of a scenario about the issuer of an authorization response.
const fn issuer_check(
    id: &'static str,
    name: &'static str,
    description: &'static str,
    requirements: &'static [&'static Requirement],
) -> CheckSpec {
    CheckSpec::own(id, description, requirements).official(&[RFC_9207]).named(name)
}

/// Judges whether the client goes on with a response that it has to accept.
fn judge_acceptance(judging: &mut Judging, check: &str) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    match (flow.tokens.first(), flow.authorizations.last()) {
        (Some(_), _) => judging.check(check).pass(),
        (None, Some(asked)) => judging.check(check).fail(
            Finding::peer("the client does not go on after the authorization response")
                .expected("a token request")
                .got("none after the authorization request")
                .evidence(asked.seq),
        ),
        (None, None) => {
            judging.check(check).missing(Finding::peer("the client made no authorization request"))
        }
    };
    Ok(())
}

/// Judges whether the client stops at a response that it has to refuse; `what` is wrong with its `iss`.
fn judge_refusal(judging: &mut Judging, check: &str, what: &str) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    match (flow.tokens.first(), flow.authorizations.last()) {
        (Some(made), _) => judging.check(check).fail(
            Finding::peer("the client accepts the response of another issuer")
                .expected(format!("no token request, since {what}"))
                .got("a token request")
                .evidence(made.seq),
        ),
        (None, Some(_)) => judging.check(check).pass(),
        (None, None) => {
            judging.check(check).missing(Finding::peer("the client made no authorization request"))
        }
    };
    Ok(())
}
