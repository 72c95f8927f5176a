//! `authorization-metadata`.

use mcp_test_core::oauth::redirect_uri::is_secure;
use mcp_test_core::oauth::well_known::PROTECTED_RESOURCE;
use reqwest::Url;

use super::endpoint::{ProtectedServer, challenge, opening};
use super::reference::{ISSUER, altered, protected, with_member};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::finding;

const PUBLISHED: &str = "resource-metadata-published";
const RESOURCE: &str = "resource-metadata-of-server";
const ISSUERS: &str = "resource-metadata-names-issuer";
const SECURE: &str = "resource-metadata-issuers-secure";
const NO_OFFLINE: &str = "resource-metadata-without-offline-access";
const TRUSTED: &str = "resource-metadata-names-test-issuer";

scenario! {
    /// A protected server publishes metadata (RFC 9728), which name the server itself and the authorization servers that issue
    /// tokens for it.
    ///
    /// They are where the challenge says or, if it does not say that, where RFC 9728 has them: below
    /// `/.well-known/oauth-protected-resource`, with the path of the endpoint and then without. Metadata of another origin is not
    /// fetched, since nothing is sent to other hosts.
    Server "authorization-metadata": "The metadata of a protected server lead to its authorization server",
    revisions: Revisions::from(Revision::V2025_06_18),
    transports: StreamableHttp,
    needs: [Need::Protection],
    checks: [
        check!(PUBLISHED, "The metadata of the server is a JSON object, where the challenge or RFC 9728 has it",
            [AUTH_DISCOVERY_PRM_SERVER, AUTH_DISCOVERY_PRM_HEADER_OR_WELL_KNOWN]),
        check!(RESOURCE, "`resource` is the URL of the server, or what contains it",
            [AUTH_DISCOVERY_PRM_SERVER]).conditional(),
        check!(ISSUERS, "`authorization_servers` names at least one",
            [AUTH_DISCOVERY_PRM_AUTHORIZATION_SERVERS]).conditional(),
        check!(SECURE, "Each authorization server has a URL with `https`, or of this machine",
            [AUTH_TOKEN_COMMUNICATION_SECURITY]).conditional(),
        check!(NO_OFFLINE, "`scopes_supported` does not have `offline_access`",
            [AUTH_SCOPE_NO_OFFLINE_ACCESS_PRM]).conditional(),
        check!(TRUSTED, "The issuer of the tokens for this test is among `authorization_servers`",
            [AUTH_DISCOVERY_PRM_AUTHORIZATION_SERVERS]).informs().conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(server) = ProtectedServer::of(ctx) else { return Ok(()) };
    let Ok(url) = Url::parse(&server.url) else {
        ctx.skip_the_rest("the URL of the server cannot be parsed");
        return Ok(());
    };
    let refused = ctx.http(opening(ctx)).await?;
    let named = challenge(&refused).and_then(|it| Some(it.get("resource_metadata")?.to_owned()));
    let places = match named.as_deref().map(|named| (named, Url::parse(named))) {
        None => {
            let path = url.path().trim_end_matches('/');
            let mut places = vec![format!("{PROTECTED_RESOURCE}{path}")];
            places.extend((!path.is_empty()).then(|| PROTECTED_RESOURCE.to_owned()));
            places
        }
        Some((_, Ok(named))) if named.origin() == url.origin() => {
            let query = named.query().map(|query| format!("?{query}")).unwrap_or_default();
            vec![format!("{}{query}", named.path())]
        }
        Some((_, Ok(named))) => {
            let host = named.host_str().unwrap_or_default();
            ctx.skip_the_rest(&format!(
                "the metadata is at another origin (`{host}`), where nothing is sent"
            ));
            return Ok(());
        }
        Some((named, Err(_))) => {
            let finding = finding("`resource_metadata` of the challenge is not a URL", &refused);
            ctx.check(PUBLISHED)
                .fail(finding.expected("an absolute URL").got(format!("`{named}`")));
            return Ok(());
        }
    };
    let Some((document, answer)) = published(ctx, &places).await? else { return Ok(()) };
    judge(ctx, &server, &url, &document, &answer);
    Ok(())
}

/// The first document that exists.
async fn published(
    ctx: &mut Ctx,
    places: &[String],
) -> Result<Option<(Value, HttpResponse)>, Finding> {
    let mut last = None;
    for place in places {
        let answer = ctx.http(HttpRequest::document(place)).await?;
        let document = answer.json().map(|document| document.value);
        match document.filter(|document| answer.status == 200 && document.is_object()) {
            Some(document) => {
                ctx.check(PUBLISHED).pass();
                return Ok(Some((document, answer)));
            }
            None => last = Some(answer),
        }
    }
    if let Some(answer) = last {
        let finding = finding("the server does not publish its metadata", &answer);
        let places = places.join("` or at `");
        ctx.check(PUBLISHED).fail(finding.expected(format!("a JSON object at `{places}`")));
    }
    Ok(None)
}

fn judge(
    ctx: &mut Ctx,
    server: &ProtectedServer,
    url: &Url,
    document: &Value,
    answer: &HttpResponse,
) {
    let evidence = [answer.sent, answer.seq];
    let wrong = |headline: &str| Finding::peer(headline).evidence_all(evidence);
    let resource = document.get("resource").and_then(Value::as_str);
    ctx.check(RESOURCE).judge(ensure(resource.is_some_and(|it| contains(it, url)), || {
        let got = document.get("resource").map_or("nothing".to_owned(), |got| got.short(120));
        wrong("the metadata is not that of the server")
            .expected(format!("`resource` to be `{url}`, or to contain it"))
            .got(got)
    }));
    let issuers = document.get("authorization_servers");
    let named = issuers.and_then(Value::as_array).unwrap_or_default();
    let named: Option<Vec<&str>> = named.iter().map(Value::as_str).collect();
    let named = named.filter(|named| !named.is_empty());
    ctx.check(ISSUERS).judge(ensure(named.is_some(), || {
        let got = issuers.map_or("nothing".to_owned(), |got| got.short(120));
        wrong("the metadata names no authorization server")
            .expected("`authorization_servers` to be a list of URLs")
            .got(got)
    }));
    let named = named.unwrap_or_default();
    for issuer in &named {
        let is_secure = Url::parse(issuer).is_ok_and(|issuer| is_secure(&issuer));
        ctx.check(SECURE).judge(ensure(is_secure, || {
            wrong("the URL of an authorization server is not secure")
                .expected("`https`, or `http` to this machine")
                .got(Value::from(*issuer).short(120))
        }));
    }
    if let Some(issuer) = server.tokens.issuer() {
        let is_named = named.contains(&issuer);
        let said = if is_named { "is" } else { "is not" };
        ctx.check(TRUSTED).info(format!("`{issuer}` {said} among `authorization_servers`"));
    }
    if ctx.makes(NO_OFFLINE) {
        let scopes = document.get("scopes_supported").and_then(Value::as_array);
        let has_offline =
            scopes.unwrap_or_default().iter().any(|scope| scope.as_str() == Some("offline_access"));
        ctx.check(NO_OFFLINE).judge(ensure(!has_offline, || {
            wrong("the metadata lists the scope `offline_access`")
                .expected("the scopes of the server itself")
                .got("`offline_access`, which concerns refresh tokens alone")
                .should()
        }));
    }
}

/// Whether a resource is the server at a URL, or what contains it: the same origin, and the beginning of its path.
fn contains(resource: &str, url: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    let rest = path(url).strip_prefix(&path(&resource)).map(str::to_owned);
    resource.origin() == url.origin()
        && resource.fragment().is_none()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn unpublished() -> Server {
    altered(|answer| {
        if answer.body.take().is_some() {
            answer.status = http::StatusCode::NOT_FOUND;
        }
    })
}

proofs! {
    passes on protected();
    catches "resource-metadata-published" on unpublished();
    catches "resource-metadata-of-server" on with_member("resource", Some(json!("http://localhost/other").into()));
    catches "resource-metadata-names-issuer" on with_member("authorization_servers", Some(json!([]).into()));
    catches "resource-metadata-issuers-secure"
        on with_member("authorization_servers", Some(json!([ISSUER, "http://issuer.invalid"]).into()));
    warns "resource-metadata-without-offline-access"
        on with_member("scopes_supported", Some(json!(["mcp:use", "offline_access"]).into()));
}
