//! `authorization-audience`.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::{AuthorizationCtx, Stop};

use super::good_server;
use super::grant::{Grant, parameters_of};
use super::preparation::{Answered, client, code, usable_metadata};
use super::token_claims::{claims, is_for};
use super::wrong_grants::{grants_other_resources, takes_wrong_resources, tokens_for_everyone};
use crate::scenarios::prelude::*;

const AUDIENCE: &str = "access-token-audience";
const OTHER: &str = "access-token-other-resource";
const VALID: &str = "resource-parameter-validated";

/// The MCP server that a token is asked for, unless the user names one.
const RESOURCE: &str = "https://mcp.example.com/mcp";
/// Another one, which was not granted.
const OTHER_RESOURCE: &str = "https://other.example.net/mcp";
/// No resource at all (RFC 8707, section 2).
const WRONG_RESOURCES: [(&str, &str); 2] =
    [("has a fragment", "https://mcp.example.com/mcp#fragment"), ("is relative", "/mcp")];

scenario! {
    /// An access token is for the MCP server that `resource` names, and for no other.
    ///
    /// MCP servers must refuse tokens that were issued for others, for which a token has to say whom it is for. Clients
    /// therefore send `resource` (RFC 8707), here the MCP server of `--resource`, or `https://mcp.example.com/mcp`. Where the
    /// access token is a JWT, its `aud` has to have exactly this; a token that is not a JWT says nothing to others than the
    /// server. With the refresh token another MCP server is asked for, and finally an authorization for what is no resource: a
    /// URI with a fragment, and a relative one. Only a server that has been seen to support `resource` is judged by these.
    ///
    /// The scenario takes one code; a server that shows a page before it redirects is tested only if the scenario is
    /// selected by `--scenario`.
    Authorization "authorization-audience": "An access token is for the MCP server that it was asked for",
    revisions: Revisions::from(Revision::V2025_06_18),
    transports: StreamableHttp,
    checks: [
        check!(AUDIENCE, "The audience of the access token is the `resource` of the request",
            [MCP_TEST_TOKEN_AUDIENCE]),
        check!(OTHER, "A refresh token does not lead to an access token for an MCP server that was not granted",
            [MCP_TEST_TOKEN_AUDIENCE_GRANTED]),
        check!(VALID, "The server refuses a `resource` that is relative or has a fragment",
            [MCP_TEST_RESOURCE_VALIDATED]),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let found = usable_metadata(ctx).await?;
    let mut listener = ctx.listen().await?;
    let redirect_uri = listener.uri().to_owned();
    let client = client(ctx, &found, &redirect_uri).await?;
    let resource = ctx.resource().unwrap_or_else(|| RESOURCE.to_owned());
    let grant = Grant::new(ctx, client, &found, &redirect_uri)?.for_resource(&resource);
    let issued = match code(ctx, &grant, &mut listener).await? {
        Ok(code) => grant.redeem(ctx, &code).await?,
        Err(reason) => {
            ctx.skip_rest(&format!("no token for `{}`: {reason}", words::excerpt(&resource)));
            return Ok(());
        }
    };
    listener.end().await;
    let object = issued.object().filter(|_| issued.status == 200).unwrap_or_default();
    let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
    let Some(read) = text("access_token").as_deref().and_then(claims) else {
        ctx.skip_rest(match issued.status {
            200 => "not seen: the access token is not a JWT",
            _ => "not reached: the server issues no token",
        });
        return Ok(());
    };
    let is_bound = is_for(&read, &resource);
    let audience = read.get("aud").map(ToString::to_string);
    ctx.check(AUDIENCE).judge(match is_bound {
        true => Ok(()),
        false => Err(Finding::peer(
            "the access token is not for the MCP server that was asked for",
        )
        .requires(Requirement::MCP_TEST_TOKEN_AUDIENCE)
        .expected(format!("`aud` with `{}`", words::excerpt(&resource)))
        .got(audience.map_or("no `aud`".to_owned(), |it| words::excerpt(&it).into_owned()))
        .hint(
            "`resource` (RFC 8707) names the MCP server in the authorization and the token request",
        )
        .evidence_all(issued.evidence())),
    });
    if !is_bound {
        ctx.skip_rest("not reached: the server has not been seen to support `resource`");
        return Ok(());
    }
    match text("refresh_token") {
        None => drop(ctx.check(OTHER).skip("the server issues no refresh token")),
        Some(token) => judge_other(ctx, &grant, &token).await?,
    }
    judge_wrong(ctx, &grant).await?;
    Ok(())
}

/// Asks for a token for another MCP server.
async fn judge_other(
    ctx: &mut AuthorizationCtx,
    grant: &Grant,
    token: &str,
) -> Result<(), Finding> {
    let form =
        [("grant_type", "refresh_token"), ("refresh_token", token), ("resource", OTHER_RESOURCE)];
    let response = grant.request_token(ctx, &form).await?;
    let object = response.object().unwrap_or_default();
    let issued = object.get("access_token").and_then(Value::as_str).and_then(claims);
    let is_for_other = issued.is_some_and(|claims| is_for(&claims, OTHER_RESOURCE));
    let check = ctx.check(OTHER);
    match Answered::of(&response) {
        Answered::Accepted if is_for_other => check.fail(
            Finding::peer("a refresh token leads to an access token for another MCP server")
                .requires(Requirement::MCP_TEST_TOKEN_AUDIENCE_GRANTED)
                .expected("an error such as `invalid_target`")
                .got(format!("a token with `{OTHER_RESOURCE}` in `aud`"))
                .evidence_all(response.evidence()),
        ),
        Answered::Accepted | Answered::Refused => check.pass(),
        Answered::NotSeen(why) => check.info(why),
    };
    Ok(())
}

/// Asks for an authorization for what is no resource.
async fn judge_wrong(ctx: &mut AuthorizationCtx, grant: &Grant) -> Result<(), Finding> {
    let mut unseen = None;
    for (what, resource) in WRONG_RESOURCES {
        let url = grant.url(ctx, &grant.clone().for_resource(resource).request())?;
        let response = ctx.get_page(&url).await?;
        let location = response.redirect().filter(|it| it.starts_with(grant.redirect_uri()));
        match location.map(parameters_of) {
            Some(parameters) if parameters.first("code").is_some() => {
                ctx.check(VALID).fail(
                    Finding::peer(format!("the server grants a code for a `resource` that {what}"))
                        .requires(Requirement::MCP_TEST_RESOURCE_VALIDATED)
                        .expected("`invalid_target`")
                        .got(format!("a code for `{resource}`"))
                        .evidence_all(response.evidence()),
                );
                return Ok(());
            }
            Some(_) => {}
            None if (400..500).contains(&response.status) => {}
            None => unseen = Some(response.status),
        }
    }
    let check = ctx.check(VALID);
    match unseen {
        None => check.pass(),
        Some(status) => check.info(format!("not seen: the server answers with HTTP {status}")),
    };
    Ok(())
}

proofs! {
    passes on good_server();
    warns "access-token-audience" on tokens_for_everyone();
    catches "access-token-other-resource" on grants_other_resources();
    warns "resource-parameter-validated" on takes_wrong_resources();
}
