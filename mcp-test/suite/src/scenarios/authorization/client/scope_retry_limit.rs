//! `auth/scope-retry-limit`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::oauth::scripted::{Behavior, Verdict};

use super::flow::judge_flow;
use super::flow_proofs::refused_proofs;
use super::scopes::is_open;
use super::served::protected;
use super::{SCOPE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SCOPE_CHALLENGE;

scenario! {
    /// The server refuses every token with `insufficient_scope`, and from the fourth on with HTTP 410. The client should ask for
    /// authorization again only a few times; that it fails in the end is right.
    Client "auth/scope-retry-limit": "The client stops asking for scopes that do not help",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), SCOPE_SUITES),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: signing_in![refused:
        check!(ATTEMPT, "An authorization request",
            [AUTH_SCOPE_RETRY_LIMIT])
            .official(&[SCOPE_CHALLENGE]).named("Authorization attempt").conditional().informs(),
        check!(LIMIT, "The client makes at most three authorization requests",
            [AUTH_SCOPE_RETRY_LIMIT]).official(&[SCOPE_CHALLENGE]).named("Client retry limit for scope escalation")
            .fails_or_warns("the official suite fails it"),
    ],
}

const ATTEMPT: &str = "scope-retry-auth-attempt";
const LIMIT: &str = "scope-retry-limit";
const ADMIN: &str = "mcp:admin";
/// How many authorization requests are few.
const MOST: usize = 3;

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let refused = AtomicUsize::new(0);
    protected(test, Behavior::default(), move |resource| {
        resource.scopes_supported(&[ADMIN]).admits(move |access| {
            match (access.method, access.has_token) {
                (Some(method), _) if is_open(method) => Verdict::Admit,
                (_, false) => Verdict::Unauthorized { scope: Some(ADMIN) },
                (_, true) if refused.fetch_add(1, Ordering::Relaxed) < MOST => {
                    Verdict::InsufficientScope { scope: ADMIN }
                }
                (_, true) => Verdict::Gone,
            }
        })
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    // A client that reports the refusal to its user and waits does what it should, too.
    judging.tolerate_failed_exit();
    let flow = judge_flow(judging)?;
    for (index, _) in flow.authorizations.iter().enumerate() {
        let row = judging.check(ATTEMPT).named(format!("Authorization attempt {}", index + 1));
        row.info("the client asked for authorization");
    }
    let attempts = match judging.profile() {
        Profile::Official => flow.authorizations.iter().collect(),
        Profile::Adaptive | Profile::Strict => flow.attempts(),
    };
    let seqs: Vec<_> = attempts.iter().map(|received| received.seq).collect();
    match seqs.len() {
        0 => {
            judging.check(LIMIT).missing(Finding::peer("the client made no authorization request"))
        }
        1..=MOST => judging.check(LIMIT).pass(),
        // A SHOULD, of which the official suite makes a MUST.
        more => judging.check(LIMIT).officially_must_judge(
            Err(Finding::peer("the client asks for authorization again and again")
                .expected(format!("at most {MOST} authorization requests"))
                .got(format!("{more}"))
                .evidence_all(seqs)),
            "the specification recommends a limit, and requires none",
        ),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares refused_proofs();
    catches "scope-retry-limit" by give_up("authorize"), under Strict;
    warns "scope-retry-limit" by misbehavior(Misbehavior::StepsUpEndlessly);
}
