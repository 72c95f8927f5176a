//! `client-token-refresh`.

use mcp_test_core::clock;
use mcp_test_core::oauth::scripted::{Behavior, PresentedRefreshToken, RefreshToken, TokenRequest};

use super::expiry::{LIFETIME, expiring, first_expired};
use super::flow::{Flow, Received, Step, judge_flow};
use super::older::protected_at;
use super::served::TOOL;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The access tokens of the client expire, the first one before it has listed the tools, and the next one after that, which takes
    /// a second. With each one it gets a refresh token, a new one each time. It may redeem that, or ask its user again.
    ///
    /// What a refresh request must be is left to OAuth (RFC 6749, section 6), apart from `resource`.
    Client "client-token-refresh": "The client renews its token as the first one was granted",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(RESOURCE, "Each refresh request names the resource",
            [AUTH_RESOURCE_IN_TOKEN_REQUEST]),
        check!(SCOPE, "No refresh request asks for more scopes than were granted",
            [MCP_TEST_REFRESH_REQUEST]),
        check!(NEWEST, "Each refresh token is redeemed once", [MCP_TEST_REFRESH_REQUEST]),
        check!(CLIENT, "Each refresh request is made by the client that the refresh token was issued to",
            [MCP_TEST_REFRESH_REQUEST]),
        check!(PRIVATE, "A refresh token is sent to the token endpoint of its issuer, and to no other place",
            [AUTH_TOKEN_REFRESH_CONFIDENTIAL, MCP_TEST_REFRESH_REQUEST]),
    ],
}

const RESOURCE: &str = "client-refresh-resource";
const SCOPE: &str = "client-refresh-scope";
const NEWEST: &str = "client-refresh-newest";
const CLIENT: &str = "client-refresh-client";
const PRIVATE: &str = "client-refresh-token-private";
/// The checks of refresh requests.
const OF_REQUESTS: [&str; 4] = [RESOURCE, SCOPE, NEWEST, CLIENT];

/// By how much a listing of the tools takes longer than a token is valid.
const MARGIN: Duration = Duration::from_millis(100);

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { refreshes: true, lifetime: LIFETIME, ..Behavior::default() };
    let server = protected_at(test, behavior, |resource| resource.admits(expiring()))?;
    // So long that a client which looks at the clock alone, and not at the refusal, sees its token expire.
    Ok(server.on("tools/list", |_: Call| async {
        clock::quiet(LIFETIME + MARGIN).await;
        json!({ "tools": [{ "name": TOOL, "inputSchema": { "type": "object" } }] })
    }))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    // Renewing a token is recommended nowhere; a client may also tell its user that it has expired.
    judging.tolerate_failed_exit();
    let flow = judge_flow(judging)?;
    judge_places(judging, &flow);
    let mut is_made = false;
    for Received { seq, request } in &flow.tokens {
        // What nobody has issued was refused, and is nothing to compare with.
        let Some(PresentedRefreshToken::Issued(token)) = &request.refresh_token else { continue };
        is_made = true;
        for check in OF_REQUESTS {
            if judging.declares(check) {
                let outcome = examine(check, request, token);
                judging.check(check).judge(outcome.map_err(|finding| finding.evidence(*seq)));
            }
        }
    }
    if !is_made {
        let reason = why_none(&flow);
        for check in OF_REQUESTS {
            if judging.declares(check) {
                judging.check(check).skip(&*reason);
            }
        }
    }
    Ok(())
}

/// Why there is no refresh request, which is allowed.
fn why_none(flow: &Flow) -> String {
    if flow.tokens.is_empty() {
        return Step::Token.not_taken(flow).headline;
    }
    let Some(expired) = first_expired(flow) else {
        return "the client sends no request after its token has expired".to_owned();
    };
    match flow.authorizations.iter().any(|received| received.seq > expired.seq) {
        true => "the client asks its user again instead of redeeming its refresh token, which is right, too",
        false => "the client gets no other token after its token has expired",
    }
    .to_owned()
}

fn examine(check: &str, request: &TokenRequest, token: &RefreshToken) -> Result<(), Finding> {
    let parameters = &request.parameters;
    match check {
        RESOURCE if parameters.first("resource").is_none() => {
            Err(Finding::peer("the refresh request names no resource")
                .expected("`resource`, as in the request that redeems a code")
                .got(format!("the parameters {}", parameters.names())))
        }
        SCOPE => {
            let scopes = parameters.first("scope").unwrap_or_default();
            let mut asked = scopes.split_ascii_whitespace();
            let more = asked.find(|scope| !token.scopes.iter().any(|granted| granted == scope));
            more.map_or(Ok(()), |more| {
                Err(Finding::peer("the refresh request asks for a scope that was not granted")
                    .expected(format!("no `scope`, or some of `{}`", token.scopes.join(" ")))
                    .got(format!("`{more}`")))
            })
        }
        NEWEST if token.is_spent => {
            Err(Finding::peer("the client redeems a refresh token that it has redeemed before")
                .expected("the refresh token of the newest token response")
                .got("one of an older response"))
        }
        CLIENT => {
            let client = request.client();
            match client.as_deref() == Some(token.client.as_str()) {
                true => Ok(()),
                false => Err(Finding::peer("another client redeems the refresh token")
                    .expected(format!("the client id `{}`", token.client))
                    .got(client.map_or("none".to_owned(), |client| format!("`{client}`")))),
            }
        }
        _ => Ok(()),
    }
}

/// Judges where the refresh tokens came to.
fn judge_places(judging: &mut Judging, flow: &Flow) {
    let row = judging.check(PRIVATE);
    if flow.tokens.is_empty() {
        row.missing(Step::Token.not_taken(flow));
        return;
    }
    let elsewhere = flow.tokens.iter().find(|received| match &received.request.refresh_token {
        Some(PresentedRefreshToken::Issued(token)) => token.issuer != received.request.issuer,
        _ => false,
    });
    let elsewhere = elsewhere.map(|received| (received.seq, "a request to another issuer"));
    let misplaced = flow.misplaced.first().map(|received| (received.seq, received.request));
    let outcome = elsewhere.or(misplaced).map_or(Ok(()), |(seq, place)| {
        Err(Finding::peer("the client sends its refresh token to the wrong place")
            .expected("it only in the form for the token endpoint of its issuer")
            .got(format!("it in {place}"))
            .evidence(seq))
    });
    row.judge(outcome);
}

proofs! {
    passes on signing_in_client();
    catches "client-refresh-resource" by no_parameter("refresh", "resource");
    catches "client-refresh-scope" by parameter("refresh", "scope", "files:read admin");
    catches "client-refresh-newest" by misbehavior(Misbehavior::KeepsRefreshToken);
    catches "client-refresh-client" by parameter("refresh", "client_id", "another-client");
    catches "client-refresh-token-private" by misbehavior(Misbehavior::SendsRefreshToken);
}
