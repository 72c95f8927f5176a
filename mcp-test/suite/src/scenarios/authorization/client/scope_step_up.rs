//! `auth/scope-step-up`.

use mcp_test_core::oauth::scripted::{Behavior, Verdict};

use super::flow::{Received, judge_flow};
use super::flow_proofs::refused_proofs;
use super::scopes::{is_open, should_ask_for};
use super::served::protected;
use super::{SCOPE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SCOPE_CHALLENGE, SCOPE_SELECTION};

scenario! {
    /// The client lists the tools with a token for one scope and calls a tool that needs another one. The server answers the call with
    /// `insufficient_scope`; the client should ask for the missing scope and send the call again.
    ///
    /// It should also ask for the scopes that it already has, because it loses them otherwise; only the 2026-07-28 specification
    /// says so.
    Client "auth/scope-step-up": "The client asks for the scope that a call needs",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), SCOPE_SUITES),
    transports: StreamableHttp,
    checks: signing_in![refused: flow::VALID_BEARER,
        check!(INITIAL, "The first authorization request asks for the scope of the challenge",
            [AUTH_SCOPE_PREFER_CHALLENGE])
            .official(&[SCOPE_SELECTION]).named("Client initial scope selection for step-up auth")
            .fails_or_warns("the official suite fails it"),
        check!(ESCALATION, "The second authorization request asks for the scope that the call needs",
            [AUTH_SCOPE_REACT_TO_SCOPE_ERROR, AUTH_SCOPE_STEP_UP_USER_CLIENTS])
            .official(&[SCOPE_SELECTION]).named("Client scope escalation for step-up auth")
            .fails_or_warns("the official suite fails it"),
        check!(UNION, "The second authorization request also asks for the scope of the first one",
            [AUTH_SCOPE_UNION_ON_REAUTH])
            .official(&[SCOPE_CHALLENGE]).named("Client accumulates previously-granted scopes on re-authorization")
            .fails_or_warns("the official suite fails it"),
    ],
}

const INITIAL: &str = "scope-step-up-initial";
const ESCALATION: &str = "scope-step-up-escalation";
const UNION: &str = "sep-2350-scope-union-on-reauth";

const BASIC: &str = "mcp:basic";
const WRITE: &str = "mcp:write";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    protected(test, Behavior::default(), |resource| {
        resource.scopes_supported(&["mcp:profile"]).admits(|access| {
            let needed = if access.method == Some("tools/call") { WRITE } else { BASIC };
            match (access.method, access.token) {
                (Some(method), _) if is_open(method) => Verdict::Admit,
                (_, None) => Verdict::Unauthorized { scope: Some(BASIC) },
                (_, Some(token)) if token.scopes.iter().any(|scope| scope == needed) => {
                    Verdict::Admit
                }
                (_, Some(_)) => Verdict::InsufficientScope { scope: needed },
            }
        })
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let requests = &flow.authorizations;
    let stepping_up = flow.stepping_up().first();
    let (second, none) = match judging.profile() {
        Profile::Official => (requests.get(1), "the client made no second authorization request"),
        Profile::Adaptive | Profile::Strict => {
            (stepping_up, "the client made no authorization request after the refusal of a call")
        }
    };
    let mut rows = vec![
        (INITIAL, requests.first(), "the client made no authorization request", BASIC),
        (ESCALATION, second, none, WRITE),
    ];
    if judging.declares(UNION) {
        rows.push((UNION, second, none, BASIC));
    }
    for (check, received, none, scope) in rows {
        match received {
            Some(Received { seq, request }) => {
                let asked = should_ask_for(request, &[scope]);
                let asked = asked.map_err(|finding| finding.evidence(*seq));
                let is_due = check == INITIAL || stepping_up.is_some_and(|it| it.seq <= *seq);
                match is_due {
                    true => judging.check(check).judge(asked),
                    false => judging.check(check).officially_judge(
                        asked,
                        "the second authorization request comes before any call was refused",
                    ),
                };
            }
            None => {
                let finding = Finding::peer(none).expected(format!("one for `{scope}`"));
                judging.check(check).missing(finding);
            }
        }
    }
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares refused_proofs();
    catches "scope-step-up-initial" by give_up("authorize"), under Strict;
    warns "scope-step-up-initial" by parameter("authorize", "scope", "mcp:write");
    warns "scope-step-up-escalation" by parameter("authorize", "scope", "mcp:basic");
    warns "sep-2350-scope-union-on-reauth" by misbehavior(Misbehavior::ForgetsScopes);
    catches "scope-step-up-escalation" by misbehavior(Misbehavior::NeverStepsUp), under Strict;
    catches "sep-2350-scope-union-on-reauth" by misbehavior(Misbehavior::NeverStepsUp), under Strict;
}
