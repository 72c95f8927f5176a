//! `authorization-code-exchange`.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::{AuthorizationCtx, AuthorizationResponse, CallbackListener, Stop};
use mcp_test_core::transport::generated_id::generate_id;

use super::good_server;
use super::grant::Grant;
use super::preparation::{Answered, client, code, judge_refused, register, usable_metadata};
use super::wrong_grants::{
    redeems_for_anyone, redeems_with_another_verifier, redeems_with_any_verifier,
    redeems_with_other_uri, redeems_without_verifier,
};
use crate::scenarios::prelude::*;

const VERIFIER: &str = "authorization-code-verifier";
const CLIENT: &str = "authorization-code-client";
const REDIRECT_URI: &str = "authorization-code-redirect-uri";

scenario! {
    /// The token endpoint redeems a code only for the client that it was issued to, with the verifier of its request.
    ///
    /// Whoever steals a code must not be able to use it: that is what PKCE is for, and the binding to a client. First a code is
    /// redeemed as it should be, so that each refusal afterwards has one reason. Then a code is redeemed with another verifier,
    /// one without a verifier, one by a client that registers itself for this purpose, and one with another `redirect_uri`,
    /// which OAuth 2.1 only requires servers to compare for clients of OAuth 2.0.
    ///
    /// Each of them takes a code of its own. A server that redirects without showing a page needs nobody for that; at any other
    /// the scenario is skipped, unless it is selected by `--scenario`, and then asks for consent each time.
    Authorization "authorization-code-exchange": "A code is redeemed only for its client, with its verifier",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(VERIFIER, "The server does not redeem a code with another verifier, or without one",
            [AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS]),
        check!(CLIENT, "The server does not redeem a code for another client",
            [AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS]),
        check!(REDIRECT_URI, "The server does not redeem a code with another `redirect_uri`",
            [AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS])
            .only_warns("servers must compare it for clients of OAuth 2.0 only"),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let found = usable_metadata(ctx).await?;
    let mut listener = ctx.listen().await?;
    let redirect_uri = listener.uri().to_owned();
    let client = client(ctx, &found, &redirect_uri).await?;
    let new = |ctx: &AuthorizationCtx| Grant::new(ctx, client.clone(), &found, &redirect_uri);
    let grant = new(ctx)?;
    let good = match code(ctx, &grant, &mut listener).await? {
        Ok(code) => grant.redeem(ctx, &code).await?,
        Err(reason) => {
            ctx.skip_rest(&reason);
            return Ok(());
        }
    };
    if good.status != 200 {
        let answer = words::into_inert(format!("HTTP {}{}", good.status, good.error()));
        ctx.skip_rest(&format!("not reached: the server redeems no code at all: {answer}"));
        return Ok(());
    }
    match judge_verifier(ctx, new, &mut listener).await? {
        Ok(()) => {}
        Err(reason) => {
            ctx.skip_rest(&reason);
            return Ok(());
        }
    }
    match register(ctx, &found, &[&redirect_uri]).await? {
        Err(reason) => {
            ctx.check(CLIENT).skip(format!("it takes a second client, but {reason}"));
        }
        Ok(other) => {
            let grant = new(ctx)?;
            match code(ctx, &grant, &mut listener).await? {
                Ok(code) => {
                    let stolen = grant.presented_by(ctx, &other.registered, &found)?;
                    let response = stolen.redeem(ctx, &code).await?;
                    let headline = "the token endpoint redeems a code for another client";
                    judge_refused(ctx, CLIENT, &response, headline);
                }
                Err(reason) => drop(ctx.check(CLIENT).skip(reason)),
            }
        }
    }
    let grant = new(ctx)?;
    let other = format!("{redirect_uri}/other");
    match redeem_with(ctx, &grant, &mut listener, "redirect_uri", Some(&other)).await? {
        Ok(response) => {
            let headline = "the token endpoint redeems a code with another `redirect_uri`";
            judge_refused(ctx, REDIRECT_URI, &response, headline);
        }
        Err(reason) => drop(ctx.check(REDIRECT_URI).skip(reason)),
    }
    listener.end().await;
    Ok(())
}

/// Redeems codes with another verifier, and without one; the inner error is the reason why there is no code.
async fn judge_verifier(
    ctx: &mut AuthorizationCtx,
    new: impl Fn(&AuthorizationCtx) -> Result<Grant, Stop>,
    listener: &mut CallbackListener,
) -> Result<Result<(), String>, Stop> {
    let other = format!("{}{}", generate_id(), generate_id());
    let grant = new(ctx)?;
    let with_other = redeem_with(ctx, &grant, listener, "code_verifier", Some(&other)).await?;
    let with_other = match with_other {
        Ok(response) => response,
        Err(reason) => return Ok(Err(reason)),
    };
    // One row: if the first is accepted, that says enough.
    if !matches!(Answered::of(&with_other), Answered::Refused) {
        let headline = "the token endpoint redeems a code with another verifier";
        judge_refused(ctx, VERIFIER, &with_other, headline);
        return Ok(Ok(()));
    }
    let grant = new(ctx)?;
    Ok(redeem_with(ctx, &grant, listener, "code_verifier", None).await?.map(|without| {
        let headline = "the token endpoint redeems a code without the verifier";
        judge_refused(ctx, VERIFIER, &without, headline);
    }))
}

/// Redeems a new code with another value of a parameter, or without it; the inner error is the reason why there is no code.
async fn redeem_with(
    ctx: &mut AuthorizationCtx,
    grant: &Grant,
    listener: &mut CallbackListener,
    name: &str,
    value: Option<&str>,
) -> Result<Result<AuthorizationResponse, String>, Stop> {
    let code = match code(ctx, grant, listener).await? {
        Ok(code) => code,
        Err(reason) => return Ok(Err(reason)),
    };
    let form = grant.exchange(&code).into_iter().filter(|(own, _)| *own != name);
    let form: Vec<(&str, &str)> = form.chain(value.map(|value| (name, value))).collect();
    Ok(Ok(grant.request_token(ctx, &form).await?))
}

proofs! {
    passes on good_server();
    catches "authorization-code-verifier" on redeems_with_any_verifier();
    catches "authorization-code-verifier" on redeems_with_any_verifier(), at V2025_03_26;
    catches "authorization-code-verifier" on redeems_with_another_verifier();
    catches "authorization-code-verifier" on redeems_without_verifier();
    catches "authorization-code-client" on redeems_for_anyone();
    warns "authorization-code-redirect-uri" on redeems_with_other_uri();
}
