//! The proofs of the checks that every scenario makes of a client that signs in.

use mcp_test_core::check::{Status, WELL_FORMED};
use mcp_test_core::scenario::{LEFT_WELL, Profile, Proof};
use mcp_test_core::transport::{Fault, Misbehavior};

/// The proofs of the checks of `signing_in!`, in a scenario that a correct client completes.
pub(super) fn of_flow() -> Vec<Proof> {
    let mut proofs = of_authorized_flow();
    proofs.push(Proof::catches(
        "sep-837-application-type-present",
        Fault::no_parameter("register", "application_type"),
    ));
    proofs
}

/// The same in a scenario in which a correct client does not register.
pub(super) fn of_authorized_flow() -> Vec<Proof> {
    let mut proofs = of_pkce();
    proofs.extend(of_machine());
    proofs
}

/// The same in a scenario in which no token is accepted.
pub(super) fn of_refused_flow() -> Vec<Proof> {
    let mut proofs = of_pkce();
    proofs.push(Proof::catches(
        "sep-837-application-type-present",
        Fault::no_parameter("register", "application_type"),
    ));
    proofs
}

/// The proofs of the checks of `signing_in!` where there is no user.
pub(super) fn of_machine() -> Vec<Proof> {
    vec![Proof::catches("invalid-bearer-token", Fault::misbehavior(Misbehavior::InventsToken))]
}

/// The same in a scenario in which a correct client stops after the authorization request.
pub(super) fn of_consent() -> Vec<Proof> {
    vec![
        Proof::catches(
            "pkce-code-challenge-sent",
            Fault::no_parameter("authorize", "code_challenge"),
        ),
        Proof::catches(
            "pkce-s256-method-used",
            Fault::parameter("authorize", "code_challenge_method", "plain"),
        ),
        Proof::catches(
            "sep-837-application-type-present",
            Fault::no_parameter("register", "application_type"),
        ),
    ]
}

fn of_pkce() -> Vec<Proof> {
    let other = "another-verifier-of-the-right-length-43-characters";
    vec![
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
            Fault::parameter("token", "code_verifier", other),
        ),
    ]
}

/// The proofs of the checks of the resource.
pub(super) fn of_resource() -> Vec<Proof> {
    vec![
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
        Proof::catches(
            "resource-parameter-matches-prm",
            Fault::parameter("authorize", "resource", "http://127.0.0.1/other"),
        )
        .also("resource-parameter-consistency", Status::Failure),
    ]
}

/// The proofs of a scenario in which each step counts, and the resource is judged.
pub(super) fn of_whole_flow() -> Vec<Proof> {
    let mut proofs = of_flow();
    proofs.extend(of_resource());
    proofs.extend([
        giving_up("metadata", STEPS[0], &STEPS[1..], OF_REGISTRATION, Status::Skipped),
        giving_up("register", STEPS[1], &STEPS[2..], OF_REGISTRATION, Status::Warning),
        giving_up("authorize", STEPS[2], &STEPS[3..], OF_AUTHORIZATION, Status::Warning),
        giving_up("token", STEPS[3], &STEPS[5..], OF_TOKEN, Status::Warning),
    ]);
    proofs
}

/// The proofs of a scenario at 2025-03-26 in which each step counts.
pub(super) fn of_older_flow() -> Vec<Proof> {
    let mut proofs = of_authorized_flow();
    proofs.extend(of_older_steps(OF_OLDER, &OF_OLDER[2..]));
    // Such a client has not begun to sign in.
    let never = giving_up("metadata", STEPS[0], &STEPS[1..4], &[], Status::Warning);
    let skipped = OF_OLDER.iter().chain(&["invalid-bearer-token"]);
    proofs.push(skipped.fold(never, |proof, check| proof.also(check, Status::Skipped)));
    proofs
}

/// The same in a scenario without metadata, which has no checks of PKCE.
pub(super) fn of_older_fallback() -> Vec<Proof> {
    let invented = Fault::misbehavior(Misbehavior::InventsToken);
    let mut proofs = vec![Proof::catches("invalid-bearer-token", invented)];
    proofs.extend(of_older_steps(&OF_OLDER[4..], &OF_OLDER[4..]));
    proofs
}

/// The proofs of the steps at 2025-03-26; `unmade` are the checks that follow from an authorization request, and `token` those
/// that follow from a token request.
fn of_older_steps(unmade: &[&'static str], token: &[&'static str]) -> [Proof; 3] {
    let last = Status::Warning;
    [
        giving_up("register", STEPS[1], &STEPS[2..4], unmade, last),
        giving_up("authorize", STEPS[2], &STEPS[3..4], unmade, last),
        giving_up("token", STEPS[3], &[], token, last),
    ]
}

/// The proof that a check of an authorization request fails if none is made.
pub(super) fn stopping_at_authorize(check: &'static str) -> Proof {
    let unmade = ["authorization-request", "token-request"];
    let unmade: Vec<_> = unmade.iter().chain(OF_OLDER).copied().collect();
    giving_up("authorize", check, &[], &unmade, Status::Warning)
}

/// The same in a scenario in which no token is accepted, and a client may give up.
pub(super) fn stopping_before_refusal(check: &'static str) -> Proof {
    let proof = Proof::catches(check, Fault::give_up("authorize")).under(Profile::Strict);
    let unmade = ["authorization-request", "token-request"];
    let unmade = unmade.iter().chain(&OF_OLDER[..4]);
    unmade.fold(proof, |proof, check| proof.also(check, Status::Info))
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
/// Those of an authorization request, and of what follows it, without those of the resource.
const OF_OLDER: &[&str] = &[
    "pkce-code-challenge-sent",
    "pkce-s256-method-used",
    "pkce-code-verifier-sent",
    "pkce-verifier-matches-challenge",
    "valid-bearer-token",
];
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
