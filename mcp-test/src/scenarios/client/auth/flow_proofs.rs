//! The proofs of the checks that every scenario makes of a client that signs in.

use crate::check::{Status, WELL_FORMED};
use crate::scenario::{LEFT_WELL, Profile, Proof};
use crate::transport::{Fault, Misbehavior};

/// The proofs of the checks of `signing_in!`, in a scenario that a correct client completes.
pub(super) fn of_flow() -> Vec<Proof> {
    vec![
        Proof::catches(
            "sep-837-application-type-present",
            Fault::no_parameter("register", "application_type"),
        ),
        Proof::catches(
            "pkce-code-challenge-sent",
            Fault::no_parameter("authorize", "code_challenge"),
        )
        .also("pkce-verifier-matches-challenge", Status::Failure),
        Proof::catches(
            "pkce-s256-method-used",
            Fault::parameter("authorize", "code_challenge_method", "plain"),
        ),
        Proof::catches("pkce-code-verifier-sent", Fault::no_parameter("token", "code_verifier"))
            .also("pkce-verifier-matches-challenge", Status::Failure),
        Proof::catches(
            "pkce-verifier-matches-challenge",
            Fault::parameter(
                "token",
                "code_verifier",
                "another-verifier-of-the-right-length-43-chars",
            ),
        ),
        Proof::catches("invalid-bearer-token", Fault::misbehavior(Misbehavior::InventsToken)),
    ]
}

/// The proofs of a scenario in which each step counts, and the resource is judged.
pub(super) fn of_whole_flow() -> Vec<Proof> {
    let mut proofs = of_flow();
    proofs.extend([
        giving_up("metadata", STEPS[0], &STEPS[1..], OF_REGISTRATION, Status::Skipped),
        giving_up("register", STEPS[1], &STEPS[2..], OF_REGISTRATION, Status::Failure),
        giving_up("authorize", STEPS[2], &STEPS[3..], OF_AUTHORIZATION, Status::Failure),
        giving_up("token", STEPS[3], &STEPS[5..], OF_TOKEN, Status::Failure),
        Proof::catches(
            "resource-parameter-in-authorization",
            Fault::no_parameter("authorize", "resource"),
        )
        .also("resource-parameter-consistency", Status::Info),
        Proof::catches("resource-parameter-in-token", Fault::no_parameter("token", "resource"))
            .also("resource-parameter-consistency", Status::Info),
        Proof::catches(
            "resource-parameter-valid-uri",
            Fault::parameter("authorize", "resource", "http://127.0.0.1/mcp#tools"),
        )
        .also("resource-parameter-consistency", Status::Failure)
        .also("resource-parameter-matches-prm", Status::Failure),
        Proof::catches(
            "resource-parameter-consistency",
            Fault::parameter("token", "resource", "http://127.0.0.1/other"),
        )
        .also("resource-parameter-matches-prm", Status::Failure),
    ]);
    proofs
}

/// The checks of a whole flow that fail without their step, in order.
const STEPS: &[&str] = &[
    "authorization-server-metadata",
    "client-registration",
    "authorization-request",
    "token-request",
    "resource-parameter-in-authorization",
    "resource-parameter-in-token",
];
/// The checks of a registration, and of what follows it: without it they are not made.
const OF_REGISTRATION: &[&str] = &[
    "sep-837-application-type-present",
    "pkce-code-challenge-sent",
    "pkce-s256-method-used",
    "resource-parameter-valid-uri",
    "resource-parameter-matches-prm",
    "pkce-code-verifier-sent",
    "pkce-verifier-matches-challenge",
    "resource-parameter-consistency",
    "valid-bearer-token",
];
/// Those of an authorization request, and of what follows it.
const OF_AUTHORIZATION: &[&str] = OF_REGISTRATION.split_at(1).1;
/// Those of a token request, and of what follows it.
const OF_TOKEN: &[&str] = OF_REGISTRATION.split_at(5).1;

/// The proof that a client which gives up before a step fails its check, and those of the steps after it.
fn giving_up(
    step: &'static str,
    check: &'static str,
    failed: &[&'static str],
    unmade: &[&'static str],
    left_well: Status,
) -> Proof {
    let proof = Proof::catches(check, Fault::give_up(step)).under(Profile::Strict);
    let proof = failed.iter().fold(proof, |proof, check| proof.also(check, Status::Failure));
    let proof = unmade.iter().fold(proof, |proof, check| proof.also(check, Status::Info));
    proof.also(WELL_FORMED, Status::Skipped).also(LEFT_WELL, left_well)
}

/// The proof that a client which never begins to sign in fails the checks that are always made, the first of which is proven.
pub(super) fn never_signing_in(always: &[&'static str], conditional: &[&'static str]) -> Proof {
    let (proven, failed) = always.split_first().expect("a check");
    let proof = Proof::catches(proven, Fault::give_up("discover")).under(Profile::Strict);
    let proof = failed.iter().fold(proof, |proof, check| proof.also(check, Status::Failure));
    let skipped = OF_FLOW.iter().chain(conditional);
    let proof = skipped.fold(proof, |proof, check| proof.also(check, Status::Skipped));
    proof.also(WELL_FORMED, Status::Skipped).also(LEFT_WELL, Status::Failure)
}

/// The checks of `signing_in!` that are not always made.
const OF_FLOW: &[&str] = &[
    "sep-837-application-type-present",
    "pkce-code-challenge-sent",
    "pkce-s256-method-used",
    "pkce-code-verifier-sent",
    "pkce-verifier-matches-challenge",
    "valid-bearer-token",
    "invalid-bearer-token",
];
