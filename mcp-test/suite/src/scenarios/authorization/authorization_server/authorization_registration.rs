//! `authorization-registration`.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::{AuthorizationCtx, AuthorizationResponse, Stop};

use super::good_server;
use super::preparation::{DynamicClient, client_metadata, usable_metadata};
use super::wrong_answers::header_at;
use super::wrong_grants::{refuses_registration_as, registers_anything, registers_with};
use crate::scenarios::prelude::*;

const RESPONSE: &str = "registration-response";
const URIS: &str = "registration-redirect-uris";
const ERROR: &str = "registration-error";

/// The redirect URI of a program on the user's machine.
const LOOPBACK: &str = "http://127.0.0.1:3000/callback";
/// Redirect URIs that nobody may register.
const FORBIDDEN: [&str; 3] = [
    "http://client.example.com/callback",
    "javascript:alert(1)//callback",
    "data:text/html,callback",
];

scenario! {
    /// A server with a `registration_endpoint` registers clients as RFC 7591 says, and only with secure redirect URIs.
    ///
    /// A client without a secret registers itself, with the redirect URI of a program on the user's machine. The response
    /// must have status 201, the id, what the client was registered with, and, if it has a secret, when that expires. Then
    /// clients ask for redirect URIs that MCP forbids: with `http` at another machine, and such as a browser would execute. A
    /// refusal must have status 400 and an error code.
    ///
    /// Clients that were registered are deleted again where the server lets them (RFC 7592).
    Authorization "authorization-registration": "Clients register themselves, with secure redirect URIs",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!(RESPONSE, "The response to a registration has what clients need",
            [MCP_TEST_REGISTRATION_RESPONSE]),
        check!(URIS, "The server registers no redirect URI that is neither `https` nor on the user's machine",
            [AUTH_REDIRECT_AS_LOCALHOST_OR_HTTPS]),
        check!(ERROR, "The server refuses a registration with status 400 and an error code",
            [MCP_TEST_REGISTRATION_ERROR]),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let found = usable_metadata(ctx).await?;
    let endpoint = found.text("registration_endpoint").to_owned();
    if endpoint.is_empty() {
        ctx.skip_rest("the metadata has no `registration_endpoint`");
        return Ok(());
    }
    let response = ctx.post_json(&endpoint, &client_metadata(&[LOOPBACK])).await?;
    match DynamicClient::from_response(ctx, response) {
        Ok(client) => {
            let judged = judge(&client.response);
            ctx.check(RESPONSE).judge(judged);
        }
        // RFC 7591, section 3: who may register is up to the server, and some demand a token for it.
        Err(response) => {
            let answer = words::into_inert(format!("HTTP {}{}", response.status, response.error()));
            ctx.skip_rest(&format!("the server does not let anyone register a client: {answer}"));
            return Ok(());
        }
    }
    let mut refusal = None;
    let mut accepted = None;
    for uri in FORBIDDEN {
        let response = ctx.post_json(&endpoint, &client_metadata(&[uri])).await?;
        match DynamicClient::from_response(ctx, response) {
            Ok(client) => {
                if client.may_redirect_to(uri) && accepted.is_none() {
                    let finding =
                        Finding::peer("the server registers a redirect URI that is not secure")
                            .requires(Requirement::AUTH_REDIRECT_AS_LOCALHOST_OR_HTTPS)
                            .expected("`invalid_redirect_uri`")
                            .got(format!("HTTP {} for `{uri}`", client.response.status));
                    accepted = Some(finding.evidence_all(client.response.evidence()));
                }
            }
            Err(response) => refusal = refusal.or(Some(response)),
        }
    }
    ctx.check(URIS).judge(accepted.map_or(Ok(()), Err));
    match refusal {
        Some(refusal) => {
            let judged = judge_refusal(&refusal);
            ctx.check(ERROR).judge(judged);
        }
        None => drop(ctx.check(ERROR).skip("no registration was refused")),
    }
    Ok(())
}

/// RFC 7591, section 3.2.1.
fn judge(response: &AuthorizationResponse) -> Result<(), Finding> {
    let wrong = |headline: &str| {
        Finding::peer(headline)
            .requires(Requirement::MCP_TEST_REGISTRATION_RESPONSE)
            .evidence_all(response.evidence())
    };
    ensure(response.status == 201, || {
        let finding = wrong("the response to a registration has another status than 201");
        finding.expected("HTTP 201").got(format!("HTTP {}", response.status))
    })?;
    let kind = response.header("content-type").unwrap_or_default();
    ensure(kind.to_ascii_lowercase().contains("application/json"), || {
        let got = if kind.is_empty() { "no such header".into() } else { words::excerpt(kind) };
        wrong("the response to a registration has a wrong `Content-Type`")
            .expected("`application/json`")
            .got(got)
    })?;
    let object = response.object().unwrap_or_default();
    let uris = object.get("redirect_uris");
    let named = uris.and_then(Value::as_array).into_iter().flatten();
    ensure(named.into_iter().any(|uri| uri.as_str() == Some(LOOPBACK)), || {
        wrong("the response to a registration does not say what was registered")
            .expected(format!("`redirect_uris` with `{LOOPBACK}`"))
            .got(uris.map_or("no such member".to_owned(), |uris| {
                words::excerpt(&uris.to_string()).into_owned()
            }))
    })?;
    let (secret, expires) = (object.get("client_secret"), object.get("client_secret_expires_at"));
    ensure(secret.is_none() || expires.is_some_and(|it| it.as_u64().is_some()), || {
        wrong("the response to a registration does not say when the secret expires")
            .expected("`client_secret_expires_at`, which is 0 for never")
            .got(expires.map_or("no such member".to_owned(), |it| {
                words::excerpt(&it.to_string()).into_owned()
            }))
    })
}

/// RFC 7591, section 3.2.2.
fn judge_refusal(response: &AuthorizationResponse) -> Result<(), Finding> {
    let object = response.object().unwrap_or_default();
    let code = object.get("error").and_then(Value::as_str).unwrap_or_default();
    ensure(response.status == 400 && !code.is_empty(), || {
        let error = if code.is_empty() { "no `error`" } else { "an `error`" };
        Finding::peer("a refused registration has no error that clients can read")
            .requires(Requirement::MCP_TEST_REGISTRATION_ERROR)
            .expected("HTTP 400, and a JSON object with `error`")
            .got(format!("HTTP {}, and {error}", response.status))
            .evidence_all(response.evidence())
    })
}

proofs! {
    passes on good_server();
    catches "registration-response" on registers_with("redirect_uris", "null");
    catches "registration-response" on registers_with("client_secret", "\"a secret of a proof\"");
    catches "registration-response" on registers_with("", "200");
    catches "registration-response" on header_at("/register", "content-type", "text/plain");
    catches "registration-redirect-uris" on registers_anything();
    catches "registration-error" on refuses_registration_as(500);
}
