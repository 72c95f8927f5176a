//! `client-token-expiry`.

use mcp_test_core::oauth::scripted::Behavior;

use super::expiry::{LIFETIME, expiring, first_expired};
use super::flow::{Step, judge_flow};
use super::older::protected_at;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The access tokens of the client expire, and the authorization server has issued no refresh token, as it may. The client asks its
    /// user again, or stops.
    Client "client-token-expiry": "The client counts on no refresh token",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(NONE_ASSUMED, "The client redeems no refresh token that was not issued",
            [AUTH_TOKEN_NO_REFRESH_ASSUMED, MCP_TEST_REFRESH_REQUEST]),
    ],
}

const NONE_ASSUMED: &str = "client-assumes-no-refresh-token";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { lifetime: LIFETIME, ..Behavior::default() };
    protected_at(test, behavior, |resource| resource.admits(expiring()))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judging.tolerate_failed_exit();
    let flow = judge_flow(judging)?;
    let Some(_) = first_expired(&flow) else {
        let reason = match flow.tokens.is_empty() {
            true => Step::Token.not_taken(&flow).headline,
            false => "the client sends no request after its token has expired".to_owned(),
        };
        judging.check(NONE_ASSUMED).skip(reason);
        return Ok(());
    };
    let refreshes = flow.tokens.iter().find(|received| received.request.refresh_token.is_some());
    let outcome = refreshes.map_or(Ok(()), |received| {
        Err(Finding::peer("the client redeems a refresh token that it has not got")
            .expected("another authorization request, since no response had a `refresh_token`")
            .got("a token request with `grant_type=refresh_token`")
            .evidence(received.seq))
    });
    let row = judging.check(NONE_ASSUMED);
    row.judge(outcome);
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-assumes-no-refresh-token" by misbehavior(Misbehavior::AssumesRefreshToken);
}
