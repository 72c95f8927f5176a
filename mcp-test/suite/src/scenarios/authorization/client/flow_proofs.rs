//! The proofs of the checks that every scenario makes of a client that signs in.

use mcp_test_core::scenario::{Profile, Proof};
use mcp_test_core::transport::{Fault, Misbehavior};

/// The proofs of the checks of `signing_in!`, in a scenario that a correct client completes.
pub(super) fn sign_in_proofs() -> Vec<Proof> {
    let mut proofs = authorized_proofs();
    proofs.push(Proof::catches(
        "sep-837-application-type-present",
        Fault::no_parameter("register", "application_type"),
    ));
    proofs
}

/// The same in a scenario in which a correct client does not register.
pub(super) fn authorized_proofs() -> Vec<Proof> {
    let mut proofs = pkce_proofs();
    proofs.extend(machine_proofs());
    proofs
}

/// The same in a scenario in which no token is accepted.
pub(super) fn refused_proofs() -> Vec<Proof> {
    let mut proofs = pkce_proofs();
    proofs.push(Proof::catches(
        "sep-837-application-type-present",
        Fault::no_parameter("register", "application_type"),
    ));
    proofs
}

/// The proofs of the checks of `signing_in!` where there is no user.
pub(super) fn machine_proofs() -> Vec<Proof> {
    vec![Proof::catches("invalid-bearer-token", Fault::misbehavior(Misbehavior::InventsToken))]
}

/// The same in a scenario in which a correct client stops after the authorization request.
pub(super) fn consent_proofs() -> Vec<Proof> {
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

fn pkce_proofs() -> Vec<Proof> {
    let other = "another-verifier-of-the-right-length-43-characters";
    vec![
        Proof::catches(
            "pkce-code-challenge-sent",
            Fault::no_parameter("authorize", "code_challenge"),
        ),
        Proof::catches(
            "pkce-s256-method-used",
            Fault::parameter("authorize", "code_challenge_method", "plain"),
        ),
        Proof::catches("pkce-code-verifier-sent", Fault::no_parameter("token", "code_verifier")),
        Proof::catches(
            "pkce-verifier-matches-challenge",
            Fault::parameter("token", "code_verifier", other),
        ),
    ]
}

/// The proofs of the checks of the resource.
pub(super) fn resource_proofs() -> Vec<Proof> {
    vec![
        Proof::catches(
            "resource-parameter-in-authorization",
            Fault::no_parameter("authorize", "resource"),
        ),
        Proof::catches("resource-parameter-in-token", Fault::no_parameter("token", "resource")),
        Proof::catches(
            "resource-parameter-valid-uri",
            Fault::parameter("authorize", "resource", "http://127.0.0.1/mcp#tools"),
        ),
        Proof::catches(
            "resource-parameter-consistency",
            Fault::parameter("token", "resource", "http://127.0.0.1/other"),
        ),
        Proof::catches(
            "resource-parameter-matches-prm",
            Fault::parameter("authorize", "resource", "http://127.0.0.1/other"),
        ),
    ]
}

/// The proofs of a scenario in which each step counts, and the resource is judged.
pub(super) fn whole_flow_proofs() -> Vec<Proof> {
    let mut proofs = sign_in_proofs();
    proofs.extend(resource_proofs());
    let steps = [
        ("metadata", METADATA),
        ("register", REGISTRATION),
        ("authorize", AUTHORIZATION),
        ("token", TOKEN),
    ];
    proofs.extend(steps.map(giving_up));
    proofs
}

/// The proofs of a scenario at 2025-03-26 in which each step counts.
pub(super) fn older_flow_proofs() -> Vec<Proof> {
    let mut proofs = authorized_proofs();
    proofs.extend(OLDER_STEPS.map(giving_up));
    // Such a client has not begun to sign in.
    proofs.push(giving_up(("metadata", METADATA)));
    proofs
}

/// The same in a scenario without metadata, which has no checks of PKCE.
pub(super) fn older_fallback_proofs() -> Vec<Proof> {
    let mut proofs = machine_proofs();
    proofs.extend(OLDER_STEPS.map(giving_up));
    proofs
}

/// The checks of the steps of a whole flow.
const METADATA: &str = "authorization-server-metadata";
const REGISTRATION: &str = "client-registration";
const AUTHORIZATION: &str = "authorization-request";
const TOKEN: &str = "token-request";

/// The steps at 2025-03-26, each with its check.
const OLDER_STEPS: [(&str, &str); 3] =
    [("register", REGISTRATION), ("authorize", AUTHORIZATION), ("token", TOKEN)];

/// The proof that a client which gives up before a step fails its check.
fn giving_up((step, check): (&str, &'static str)) -> Proof {
    Proof::catches(check, Fault::give_up(step)).under(Profile::Strict)
}
