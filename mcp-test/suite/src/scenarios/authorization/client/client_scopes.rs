//! `client-scopes`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::oauth::scripted::{Behavior, Verdict};

use super::flow::{Authorized, Received, Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The challenge of the server asks for two scopes that no metadata lists; the metadata lists others. The authorization server
    /// grants only the first one. With that the client can list the tools, and is told that a call needs the second one, however often it
    /// signs in again.
    ///
    /// The scopes of a challenge are those to ask for, whatever the metadata lists. Beyond them the client may ask for
    /// `offline_access`, which the authorization server lists, and for scopes that it has had. That it fails in the end is right.
    Client "client-scopes": "The client asks for the scopes of the challenge, and for no others",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(CHALLENGED, "Each authorization request asks for the scopes of the challenge, which no metadata lists",
            [AUTH_SCOPE_CHALLENGE_AUTHORITATIVE, AUTH_SCOPE_NO_RELATION_ASSUMED]),
        check!(STEP_UP, "Each later authorization request asks for the scope that the call needs",
            [AUTH_SCOPE_STEP_UP_CHALLENGE_SCOPES]),
        check!(NOT_WIDENED, "No authorization request asks for scopes of metadata that the challenge does not name",
            [AUTH_SCOPE_LEAST_PRIVILEGE, AUTH_SCOPE_PREFER_CHALLENGE]),
        check!(NOT_INVENTED, "No authorization request asks for scopes that nobody has named",
            [AUTH_SCOPE_LEAST_PRIVILEGE]),
        check!(ENDS, "The client does not ask again and again for a scope that is not granted",
            [AUTH_SCOPE_RETRY_LIMIT]),
    ],
}

const CHALLENGED: &str = "client-scopes-of-challenge";
const STEP_UP: &str = "client-step-up-scopes";
const NOT_WIDENED: &str = "client-scopes-not-widened";
const NOT_INVENTED: &str = "client-scopes-not-invented";
const ENDS: &str = "client-accepts-fewer-scopes";

/// The scopes of the challenges, and of the first one alone.
const OPEN: &str = "tickets:open";
const CLOSE: &str = "tickets:close";
const BOTH: &str = "tickets:open tickets:close";
/// The scopes that metadata lists.
const OF_SERVER: &[&str] = &["files:read", "files:write"];
const OF_AUTHORIZATION_SERVER: &[&str] = &["files:read", "files:write", "admin", OFFLINE];
/// For a refresh token. A client may ask for it where it is listed.
const OFFLINE: &str = "offline_access";

/// How many authorization requests are few: the first one, and three for the scope that a call needs.
const MOST: usize = 4;

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior =
        Behavior { scopes: OF_AUTHORIZATION_SERVER, granted: Some(&[OPEN]), ..Behavior::default() };
    let refused = AtomicUsize::new(0);
    protected(test, behavior, move |resource| {
        resource.scopes_supported(OF_SERVER).admits(move |access| {
            match (access.token, access.method) {
                (None, _) => Verdict::Unauthorized { scope: Some(BOTH) },
                (Some(_), Some("tools/call")) if refused.fetch_add(1, Ordering::Relaxed) < MOST => {
                    Verdict::InsufficientScope { scope: CLOSE }
                }
                (Some(_), Some("tools/call")) => Verdict::Gone,
                (Some(_), _) => Verdict::Admit,
            }
        })
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    if flow.authorizations.is_empty() {
        for check in [CHALLENGED, STEP_UP, NOT_WIDENED, NOT_INVENTED, ENDS] {
            if judging.declares(check) {
                judging.check(check).missing(Step::Authorization.not_taken(&flow));
            }
        }
        return Ok(());
    }
    let stepping_up = flow.stepping_up();
    let signing_in = flow.authorizations.len() - stepping_up.len();
    for (index, Received { seq, request }) in flow.authorizations.iter().enumerate() {
        // Those that sign in follow the first challenge; the others may follow the one that refuses the call, whose scopes are
        // recommended at 2025-11-25.
        let challenged = match index < signing_in {
            true => (CHALLENGED, asks_for(request, BOTH)),
            _ if judging.declares(STEP_UP) => {
                (STEP_UP, asks_for(request, CLOSE).map_err(Finding::should))
            }
            _ => (CHALLENGED, asks_for(request, CLOSE)),
        };
        for (check, outcome) in [
            challenged,
            (NOT_WIDENED, asks_for_none_of(request, is_listed)),
            (NOT_INVENTED, asks_for_none_of(request, is_unknown)),
        ] {
            judging.check(check).judge(outcome.map_err(|finding| finding.evidence(*seq)));
        }
    }
    if judging.declares(STEP_UP) && stepping_up.is_empty() {
        judging.check(STEP_UP).skip("the client does not ask for the scope that a call needs");
    }
    let seqs: Vec<_> = flow.attempts().iter().map(|received| received.seq).collect();
    let outcome = match seqs.len() {
        ..=MOST => Ok(()),
        more => {
            Err(Finding::peer("the client asks again and again for a scope that is not granted")
                .expected(format!("at most {MOST} authorization requests"))
                .got(more.to_string())
                .evidence_all(seqs)
                .should())
        }
    };
    judging.check(ENDS).judge(outcome);
    Ok(())
}

fn asks_for(request: &Authorized, challenged: &str) -> Result<(), Finding> {
    let asked = request.scopes();
    match challenged.split(' ').all(|scope| asked.contains(&scope)) {
        true => Ok(()),
        false => Err(Finding::peer("the client does not ask for the scopes of the challenge")
            .expected(format!("`{challenged}` in `scope`, although no metadata lists it"))
            .got(format!("`scope={}`", asked.join(" ")))),
    }
}

fn asks_for_none_of(request: &Authorized, is_more: impl Fn(&str) -> bool) -> Result<(), Finding> {
    let asked = request.scopes();
    match asked.iter().any(|scope| is_more(scope)) {
        false => Ok(()),
        true => Err(Finding::peer("the client asks for scopes that the challenge does not name")
            .expected(format!("`scope={BOTH}`, and maybe `{OFFLINE}`"))
            .got(format!("`scope={}`", asked.join(" ")))
            .should()),
    }
}

/// Whether metadata lists a scope that the challenge does not name.
fn is_listed(scope: &str) -> bool {
    scope != OFFLINE && OF_AUTHORIZATION_SERVER.contains(&scope)
}

/// Whether nobody has named a scope.
fn is_unknown(scope: &str) -> bool {
    !OF_AUTHORIZATION_SERVER.contains(&scope) && !BOTH.split(' ').any(|known| known == scope)
}

proofs! {
    passes on signing_in_client();
    catches "client-scopes-of-challenge" by no_parameter("authorize", "scope");
    warns "client-step-up-scopes" by parameter("authorize", "scope", "tickets:open"), at V2025_11_25;
    warns "client-scopes-not-widened" by parameter("authorize", "scope", "tickets:open tickets:close files:write");
    warns "client-scopes-not-invented" by parameter("authorize", "scope", "tickets:open tickets:close root");
    warns "client-accepts-fewer-scopes" by misbehavior(Misbehavior::StepsUpEndlessly);
}
