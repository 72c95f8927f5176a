//! `authorization-refresh-tokens`.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::{AuthorizationCtx, AuthorizationResponse, Stop};
use mcp_test_core::transport::generated_id::generate_id;

use super::discovery::Metadata;
use super::good_server;
use super::grant::{Grant, parameters_of};
use super::preparation::{Answered, client, code, judge_refused, register, usable_metadata};
use super::token_claims::claims;
use super::wrong_grants::{
    knows_no_offline_access, refreshes_again, refreshes_anything, refreshes_for_anyone,
    refreshes_in_a_grace_period, widens_scopes,
};
use crate::scenarios::prelude::*;

const OFFLINE: &str = "offline-access-tolerated";
const UNKNOWN: &str = "refresh-token-unknown";
const CLIENT: &str = "refresh-token-client";
const SCOPE: &str = "refresh-token-scope";
const REPLAY: &str = "refresh-token-replay";

/// The scope by which clients ask for a refresh token.
const OFFLINE_ACCESS: &str = "offline_access";

scenario! {
    /// The token endpoint takes a refresh token only from its client, once, and for no more than was granted.
    ///
    /// A refresh token lasts long, and a public client has nothing but it. So a server must refuse one that another client
    /// presents, must grant no scope beside those of the authorization, and must notice a token of a public client that was
    /// used before: then somebody has stolen it, or the token that replaced it. Where a server takes the old token once more
    /// and replaces it again, it probably allows for clients that lost a response, which is a WARNING.
    ///
    /// The authorization request asks for one scope of `scopes_supported`, and for `offline_access`, if that is among them: a
    /// server that announces it must not refuse it. The second client registers itself. The scenario takes one code; a server
    /// that shows a page before it redirects is tested only if the scenario is selected by `--scenario`.
    Authorization "authorization-refresh-tokens": "A refresh token works for its client, once, and for what was granted",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(UNKNOWN, "The server takes no refresh token that it has not issued",
            [
                AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS,
                AUTH_TOKEN_AS_OWN_RESOURCES,
            ]),
        check!(OFFLINE, "A server that announces the scope `offline_access` does not refuse it",
            [AUTH_SCOPE_TOLERATE_OFFLINE_ACCESS]).conditional()
            .always_fails("the server announces what it then refuses"),
        check!(CLIENT, "The server does not take a refresh token from another client",
            [AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS]),
        check!(SCOPE, "A refresh token does not lead to scopes that were not granted",
            [AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS]),
        check!(REPLAY, "The server does not take a refresh token that it has replaced",
            [AUTH_TOKEN_ROTATE_REFRESH_PUBLIC]).conditional()
            .fails_or_warns("a server may allow for clients that lost a response"),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let found = usable_metadata(ctx).await?;
    let mut listener = ctx.listen().await?;
    let redirect_uri = listener.uri().to_owned();
    let client = client(ctx, &found, &redirect_uri).await?;
    let scopes = Scopes::of(&found);
    let new = |ctx: &AuthorizationCtx| -> Result<Grant, Stop> {
        let grant = Grant::new(ctx, client.clone(), &found, &redirect_uri)?;
        Ok(grant.for_scope(scopes.requested()))
    };
    let grant = new(ctx)?;
    let unknown = grant.refresh(ctx, &generate_id()).await?;
    judge_refused(ctx, UNKNOWN, &unknown, "the token endpoint takes a refresh token of nobody");
    if scopes.has_offline && ctx.declares(OFFLINE) {
        let grant = new(ctx)?;
        judge_offline(ctx, &grant).await?;
    }
    let issued = match code(ctx, &grant, &mut listener).await? {
        Ok(code) => grant.redeem(ctx, &code).await?,
        Err(reason) => {
            ctx.skip_rest(&reason);
            return Ok(());
        }
    };
    listener.end().await;
    let Some(token) = refresh_token(&issued) else {
        let status = issued.status;
        ctx.skip_rest(&format!("the server issues no refresh token (HTTP {status})"));
        return Ok(());
    };
    let stolen = match register(ctx, &found, &[&redirect_uri]).await? {
        Ok(other) => {
            let response =
                grant.presented_by(ctx, &other.registered, &found)?.refresh(ctx, &token).await?;
            Ok(response)
        }
        Err(reason) => Err(format!("it takes a second client, but {reason}")),
    };
    let wider = match scopes.wider() {
        Some(wider) => {
            let form = [
                ("grant_type", "refresh_token"),
                ("refresh_token", &token),
                ("scope", wider.as_str()),
            ];
            Some(grant.request_token(ctx, &form).await?)
        }
        None => None,
    };
    // What a request that should be refused got is used from here on, since it may have replaced the token.
    let token = wider.as_ref().and_then(refresh_token).unwrap_or(token);
    let refreshed = grant.refresh(ctx, &token).await?;
    if refreshed.status != 200 {
        // Then every refusal may have had this reason.
        let answer = words::into_inert(format!("HTTP {}{}", refreshed.status, refreshed.error()));
        let reason =
            format!("not seen: its own client cannot use the refresh token either: {answer}");
        let accepted = [stolen.as_ref().ok(), wider.as_ref()];
        if !accepted.into_iter().flatten().any(|it| matches!(Answered::of(it), Answered::Accepted))
        {
            ctx.skip_rest(&reason);
            return Ok(());
        }
    }
    match stolen {
        Ok(response) => {
            let headline = "the token endpoint takes a refresh token from another client";
            judge_refused(ctx, CLIENT, &response, headline);
        }
        Err(reason) => drop(ctx.check(CLIENT).skip(reason)),
    }
    match wider {
        Some(response) => judge_scope(ctx, &scopes, &response),
        None => {
            let reason = "it takes two scopes in `scopes_supported`";
            ctx.check(SCOPE).skip(reason);
        }
    }
    if grant.is_public() && ctx.declares(REPLAY) {
        judge_replay(ctx, &grant, &token, &refreshed).await?;
    }
    Ok(())
}

/// The scopes of the metadata.
struct Scopes {
    /// All but `offline_access`.
    named: Vec<String>,
    has_offline: bool,
}

impl Scopes {
    fn of(found: &Metadata) -> Self {
        let all = found.texts("scopes_supported");
        let has_offline = all.iter().any(|scope| scope == OFFLINE_ACCESS);
        // `openid` changes what a token response has, which is not what is tested here.
        let is_plain = |scope: &String| scope != OFFLINE_ACCESS && scope != "openid";
        Self { named: all.into_iter().filter(is_plain).collect(), has_offline }
    }

    /// What the authorization request asks for.
    fn requested(&self) -> Option<String> {
        let offline = self.has_offline.then_some(OFFLINE_ACCESS);
        let scopes: Vec<&str> =
            self.named.first().map(String::as_str).into_iter().chain(offline).collect();
        (!scopes.is_empty()).then(|| scopes.join(" "))
    }

    /// What was not granted.
    fn beyond(&self) -> Option<&str> {
        self.named.get(1).map(String::as_str)
    }

    /// What the refresh request asks for.
    fn wider(&self) -> Option<String> {
        Some(format!("{} {}", self.named.first()?, self.beyond()?))
    }
}

fn refresh_token(response: &AuthorizationResponse) -> Option<String> {
    let object = response.object().filter(|_| response.status == 200)?;
    object.get("refresh_token").and_then(Value::as_str).map(str::to_owned)
}

/// Whether the request for `offline_access` is refused.
async fn judge_offline(ctx: &mut AuthorizationCtx, grant: &Grant) -> Result<(), Finding> {
    let url = grant.url(ctx, &grant.request())?;
    let response = ctx.get_page(&url).await?;
    let location = response.redirect().filter(|it| it.starts_with(grant.redirect_uri()));
    let error = location.map(|location| parameters_of(location).first("error").map(str::to_owned));
    let requirement = Requirement::AUTH_SCOPE_TOLERATE_OFFLINE_ACCESS;
    let check = ctx.check(OFFLINE);
    match error {
        Some(None) => check.pass(),
        Some(Some(error)) if error == "invalid_scope" => check.fail(
            Finding::peer("the server refuses the scope `offline_access`, which it announces")
                .requires(requirement)
                .expected("a code")
                .got("`invalid_scope`")
                .evidence_all(response.evidence()),
        ),
        Some(Some(error)) => check.info(words::into_inert(format!("not seen: `{error}`"))),
        None => check.info(format!("not seen: the server answers with HTTP {}", response.status)),
    };
    Ok(())
}

fn judge_scope(ctx: &mut AuthorizationCtx, scopes: &Scopes, response: &AuthorizationResponse) {
    let beyond = scopes.beyond().unwrap_or_default();
    let object = response.object().unwrap_or_default();
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let stated = text(object.get("scope"));
    let of_token = text(object.get("access_token")).and_then(|token| claims(&token));
    let of_token = of_token.and_then(|claims| text(claims.get("scope")));
    let has = |scopes: &String| scopes.split(' ').any(|scope| scope == beyond);
    let answered = Answered::of(response);
    // Without `scope` in the response it is what was asked for (RFC 6749, section 5.1), unless the token says otherwise.
    let is_wider = stated.as_ref().or(of_token.as_ref()).is_none_or(has);
    if matches!(answered, Answered::Accepted) && !is_wider {
        ctx.check(SCOPE).pass();
        return;
    }
    let finding = ctx
        .wrong("a refresh token leads to a scope that was not granted")
        .expected(format!(
            "an error such as `invalid_scope`, or a token without `{}`",
            words::excerpt(beyond)
        ))
        .got(match &stated {
            Some(stated) => format!("the scopes `{}`", words::excerpt(stated)),
            None => "a token, and no `scope`, so that it has all that were asked for".to_owned(),
        })
        .evidence_all(response.evidence());
    let check = ctx.check(SCOPE);
    match answered {
        Answered::Accepted => check.fail(finding),
        Answered::Refused => check.pass(),
        Answered::NotSeen(why) => check.info(why),
    };
}

/// Uses the token that was replaced once more.
async fn judge_replay(
    ctx: &mut AuthorizationCtx,
    grant: &Grant,
    old: &str,
    refreshed: &AuthorizationResponse,
) -> Result<(), Finding> {
    if refresh_token(refreshed).is_none_or(|new| new == old) {
        let reason = "the server does not replace the refresh token, which `authorization-code-grant` judges";
        ctx.check(REPLAY).skip(reason);
        return Ok(());
    }
    let again = grant.refresh(ctx, old).await?;
    let finding = Finding::peer("the server takes a refresh token that it has replaced")
        .requires(Requirement::AUTH_TOKEN_ROTATE_REFRESH_PUBLIC)
        .expected("an error such as `invalid_grant`")
        .evidence_all(again.evidence());
    let is_replaced_again = refresh_token(&again).is_some_and(|new| new != old);
    let check = ctx.check(REPLAY);
    match (Answered::of(&again), is_replaced_again) {
        (Answered::Refused, _) => check.pass(),
        (Answered::NotSeen(why), _) => check.info(why),
        (Answered::Accepted, false) => check.fail(finding.got("HTTP 200")),
        (Answered::Accepted, true) => {
            check.fail(finding.got("HTTP 200, with another refresh token").should().hint(
                "a server may allow for clients that have lost a response, for a few seconds",
            ))
        }
    };
    Ok(())
}

proofs! {
    passes on good_server();
    catches "refresh-token-unknown" on refreshes_anything();
    catches "offline-access-tolerated" on knows_no_offline_access();
    catches "refresh-token-client" on refreshes_for_anyone();
    catches "refresh-token-client" on refreshes_for_anyone(), at V2025_03_26;
    catches "refresh-token-scope" on widens_scopes();
    catches "refresh-token-replay" on refreshes_again();
    warns "refresh-token-replay" on refreshes_in_a_grace_period();
}
