//! `client-enterprise-token`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::oauth::scripted::{McpRequest, Verdict};

use super::declared_extension::judge_declared;
use super::flow::{Flow, judge_flow};
use super::{serve_enterprise, signing_in_client};
use crate::scenarios::prelude::*;

scenario! {
    /// The client gets its token through the identity provider of an organization, which the context describes as in
    /// `auth/enterprise-managed-authorization`. The provider returns an assertion with `token_type` `N_A`, which is no token; no user is
    /// asked. A call of a tool needs a scope that the client does not get; that it fails is right.
    Client "client-enterprise-token": "The client uses what an identity provider returns as an assertion alone",
    revisions: Revisions::from(Revision::V2026_07_28),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(DECLARES, "Each request declares the extension", [AUTH_EXT_ENTERPRISE_DECLARE]),
        check!(NO_USER, "The client makes no authorization request",
            [AUTH_EXT_ENTERPRISE_NO_AS_REDIRECT]),
        check!(ASSERTION, "The client redeems the assertion, and sends it to the MCP server never",
            [AUTH_EXT_ENTERPRISE_ACCEPTS_EXCHANGE_RESPONSE, AUTH_EXT_ENTERPRISE_DISCOVERY_PROFILE])
            .always_fails("a client that goes wrong here breaks both requirements"),
        check!(ENDS, "The client does not get tokens again and again for a scope that is not granted",
            [AUTH_EXT_ENTERPRISE_SCOPE_ERRORS]),
    ],
}

const DECLARES: &str = "client-declares-enterprise-extension";
const NO_USER: &str = "client-sends-no-user-to-authorization-server";
const ENDS: &str = "client-accepts-restricted-scopes";
const ASSERTION: &str = "client-redeems-exchange-response";

/// How often a client may get a token: at first, and a few times for the scope that a call needs.
const MOST: usize = 4;

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let refused = AtomicUsize::new(0);
    serve_enterprise(test, |resource| {
        resource.admits(move |access| match (access.token, access.method) {
            (None, _) => Verdict::Unauthorized { scope: None },
            (Some(_), Some("tools/call")) if refused.fetch_add(1, Ordering::Relaxed) <= MOST => {
                Verdict::InsufficientScope { scope: "tickets:close" }
            }
            (Some(_), Some("tools/call")) => Verdict::Gone,
            (Some(_), _) => Verdict::Admit,
        })
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let is_answered = flow.exchanges.iter().any(|received| received.request.refusal.is_none());
    if !is_answered {
        judging.tolerate_failed_exit();
        return Err(judging
            .task_not_done("the client does not exchange the id token of the user")
            .expected("a token exchange with the identity provider of the context")
            .got("none that the provider accepts"));
    }
    judge_declared(judging, DECLARES, "io.modelcontextprotocol/enterprise-managed-authorization");
    let asked = flow.authorizations.first().map_or(Ok(()), |received| {
        Err(Finding::peer("the client sends its user to the authorization server")
            .expected("no authorization request, since the identity provider decides")
            .got("an authorization request")
            .evidence(received.seq))
    });
    judging.check(NO_USER).judge(asked);
    let row = judging.check(ASSERTION);
    match foreign(&flow) {
        Some(finding) => row.fail(finding),
        None if flow.tokens.is_empty() => row.fail(
            Finding::peer("the client does not redeem the assertion of the identity provider")
                .expected("a token request with the assertion, whose `token_type` is `N_A`")
                .got("none"),
        ),
        None => row.pass(),
    };
    let tokens: Vec<_> = flow.tokens.iter().map(|received| received.seq).collect();
    let outcome = match tokens.len() {
        ..=MOST => Ok(()),
        more => Err(Finding::peer(
            "the client gets tokens again and again for a scope that it is not granted",
        )
        .expected(format!("at most {MOST} token requests, and an error for its user"))
        .got(more.to_string())
        .evidence_all(tokens)),
    };
    judging.check(ENDS).judge(outcome);
    Ok(())
}

/// The finding that the client sent the MCP server what is not a token.
fn foreign(flow: &Flow) -> Option<Finding> {
    let exchanged = flow.exchanges.first()?.seq;
    let is_foreign = |request: &McpRequest| {
        request.credentials.as_ref().is_some_and(|credentials| !credentials.is_issued)
    };
    let mut after = flow.mcp.iter().filter(|received| received.seq > exchanged);
    let received = after.find(|received| is_foreign(&received.request))?;
    let finding = Finding::peer("the client sends the MCP server what is not an access token")
        .expected("the access token of the authorization server, which it gets for the assertion")
        .got("a token that the authorization server has not issued");
    Some(finding.evidence(received.seq))
}

proofs! {
    passes on signing_in_client();
    catches "client-declares-enterprise-extension"
        by remove("*", "/params/_meta/io.modelcontextprotocol~1clientCapabilities/extensions");
    catches "client-sends-no-user-to-authorization-server" by misbehavior(Misbehavior::AsksUser);
    catches "client-redeems-exchange-response" by misbehavior(Misbehavior::SendsAssertion);
    catches "client-accepts-restricted-scopes" by misbehavior(Misbehavior::StepsUpEndlessly);
}
