//! `authorization-server-metadata-endpoint`.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::authorization::is_secure;
use mcp_test_core::scenario::{AuthorizationCtx, Stop};

use super::discovery::{Metadata, discover, examine, openid_metadata, publishes};
use super::good_server;
use super::wrong_answers::{header_at, only_openid, openid_without_pkce, says, unpublished};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{CIMD_DRAFT, CIMD_PAGE, METADATA_DISCOVERY};

const METADATA: &str = "authorization-server-metadata";
const HAS_CIMD: &str = "authorization-server-metadata-cimd";
const LOCATION: &str = "authorization-server-metadata-location";
const ENDPOINTS: &str = "authorization-server-endpoints-secure";
const REGISTRATION: &str = "authorization-server-registration";
const OPENID_PKCE: &str = "authorization-server-openid-pkce";

scenario! {
    /// The authorization server publishes metadata where clients of MCP look for it, and it has what such clients need.
    ///
    /// Clients try `/.well-known/oauth-authorization-server` (RFC 8414) and `/.well-known/openid-configuration` (OpenID Connect
    /// Discovery) at the origin of the issuer, with its path behind, and then `/.well-known/openid-configuration` behind the
    /// path. The first response with status 200 counts. It must be JSON and name the issuer exactly as it was given, the
    /// authorization and the token endpoint, the response type `code` and PKCE with S256. A redirect is not such a response.
    ///
    /// What only some revisions demand has checks of its own: where the metadata is, that clients can register, that the
    /// URL of a metadata document may be a client id, and that the metadata of OpenID Connect announce PKCE. Endpoints must
    /// have `https`; those of this machine are let off.
    Authorization "authorization-server-metadata-endpoint": "The authorization server publishes its metadata",
    revisions: Revisions::from(Revision::V2025_03_26),
    official: Official::authorization(Revisions::from(Revision::V2025_03_26)),
    transports: StreamableHttp,
    checks: [
        check!(METADATA, "Valid authorization server metadata response",
            [
                AUTH_DISCOVERY_AS_METADATA_EITHER, AUTH_DISCOVERY_AS_METADATA_RFC8414, AUTH_DISCOVERY_SERVER_RFC8414,
                AUTH_DISCOVERY_AS_ISSUER_IDENTICAL, AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER,
                AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS,
            ]).official(&[METADATA_DISCOVERY]),
        check!(HAS_CIMD,
            "Authorization server metadata includes client_id_metadata_document_supported=true (Client ID Metadata Document support)",
            [AUTH_REGISTRATION_CIMD_AUTHORIZATION_SERVER])
            .official(&[CIMD_PAGE, CIMD_DRAFT]).named("AuthorizationServerMetadataCIMD").conditional(),
        check!(ENDPOINTS, "Every endpoint in the metadata has `https`, or is on this machine",
            [AUTH_DISCOVERY_AS_ENDPOINTS_HTTPS]),
        check!(LOCATION, "The metadata is where RFC 8414 has it, which alone MCP 2025-06-18 knows",
            [AUTH_DISCOVERY_AS_METADATA_RFC8414]),
        check!(REGISTRATION, "The metadata has a `registration_endpoint`, with which clients register themselves",
            [AUTH_REGISTRATION_DCR_AUTHORIZATION_SERVER]),
        check!(OPENID_PKCE, "Where the server has metadata of OpenID Connect, it announces PKCE with S256",
            [AUTH_PKCE_AS_OIDC_ADVERTISES]).named("AuthorizationServerOpenIdPkce").conditional(),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let found = match discover(ctx).await {
        Ok(found) => found,
        // There the metadata is recommended, and clients have default endpoints.
        Err(finding) if finding.requirements == [Requirement::AUTH_DISCOVERY_SERVER_RFC8414] => {
            let reason = format!("not reached: {}", finding.headline);
            let why = "at MCP 2025-03-26 clients use default endpoints then";
            ctx.check(METADATA).officially_must_judge(Err(finding), why);
            ctx.skip_rest(&reason);
            return Ok(());
        }
        Err(finding) => return Err(finding.into()),
    };
    let examined = examine(ctx, &found);
    let details = details(ctx, &found);
    ctx.check(METADATA).judge(examined).details(details);
    if found.document.is_none() {
        ctx.skip_rest("not reached: the metadata is not a JSON object");
        return Ok(());
    }
    // As in the official suite, which reads nothing else.
    if ctx.declares(HAS_CIMD) && found.is_served_as_json() {
        let name = "client_id_metadata_document_supported";
        let expected = format!("`{name}` to be true");
        let says = found.is_true(name);
        ctx.check(HAS_CIMD).judge(holds(says, || {
            let headline = "the server does not take URLs of metadata documents as client ids";
            let finding =
                found.finding(headline, Requirement::AUTH_REGISTRATION_CIMD_AUTHORIZATION_SERVER);
            finding.expected(expected).got(found.shown(name))
        }));
    }
    ctx.check(ENDPOINTS).judge(have_https(&found));
    if ctx.declares(LOCATION) {
        let requirement = publishes(ctx.revision());
        ctx.check(LOCATION).judge(holds(found.is_oauth, || {
            let finding = found.finding("only OpenID Connect has metadata here", requirement);
            finding.expected("metadata at `/.well-known/oauth-authorization-server`")
        }));
    }
    if ctx.declares(REGISTRATION) {
        let name = "registration_endpoint";
        ctx.check(REGISTRATION).judge(holds(!found.text(name).is_empty(), || {
            let headline = "clients cannot register themselves";
            let finding =
                found.finding(headline, Requirement::AUTH_REGISTRATION_DCR_AUTHORIZATION_SERVER);
            finding.expected(format!("`{name}`")).got(found.shown(name))
        }));
    }
    if ctx.declares(OPENID_PKCE) {
        let openid_metadata =
            if found.is_oauth { openid_metadata(ctx).await? } else { Some(found) };
        if let Some(found) = openid_metadata {
            let name = "code_challenge_methods_supported";
            ctx.check(OPENID_PKCE).judge(holds(found.lists(name, "S256") == Some(true), || {
                let headline = "the metadata of OpenID Connect do not announce PKCE";
                let finding = found.finding(headline, Requirement::AUTH_PKCE_AS_OIDC_ADVERTISES);
                let expected = format!("`{name}` with `S256` at {}", found.url);
                finding.expected(expected).got(found.shown(name))
            }));
        }
    }
    Ok(())
}

fn holds(holds: bool, otherwise: impl FnOnce() -> Finding) -> Result<(), Finding> {
    ensure(holds, otherwise)
}

/// Whether nobody on the way can read what is sent to the endpoints.
fn have_https(found: &Metadata) -> Result<(), Finding> {
    let members = found.document.as_ref().and_then(Value::as_object);
    let members = members.into_iter().flat_map(Object::iter);
    let endpoints = members.filter(|(name, _)| name.ends_with("_endpoint") || *name == "jwks_uri");
    let insecure: Vec<String> = endpoints
        // An empty one is missing, which the check of the metadata says.
        .filter(|(_, url)| url.as_str().is_some_and(|url| !url.is_empty() && !is_secure(url)))
        .map(|(name, url)| format!("`{}: {}`", words::name(name), words::excerpt(&url.to_string())))
        .collect();
    holds(insecure.is_empty(), || {
        let headline = "an endpoint of the authorization server does not have `https`";
        let finding = found.finding(headline, Requirement::AUTH_DISCOVERY_AS_ENDPOINTS_HTTPS);
        finding.expected("URLs with `https`").got(words::list(insecure, "and"))
    })
}

/// What the official suite adds to its check.
fn details(ctx: &AuthorizationCtx, found: &Metadata) -> Value {
    let mut details = Object::new();
    details.push("url", found.url.as_str());
    details.push("contentType", found.response.header("content-type"));
    details.push("body", found.document.as_ref().map(|document| ctx.shown(document)));
    Value::Object(details)
}

proofs! {
    passes on good_server();
    catches "authorization-server-metadata" on unpublished();
    warns "authorization-server-metadata" on unpublished(), at V2025_03_26;
    catches "authorization-server-metadata" on unpublished(), at V2025_03_26, under Official;
    catches "authorization-server-metadata" on header_at("/.well-known/", "content-type", "text/html");
    catches "authorization-server-metadata" on says("issuer", "\"https://as.example\"");
    catches "authorization-server-metadata" on says("issuer", "\"https://as.example\""), at V2025_06_18;
    catches "authorization-server-metadata" on says("authorization_endpoint", "null");
    catches "authorization-server-metadata" on says("token_endpoint", "\"\"");
    catches "authorization-server-metadata" on says("response_types_supported", "[\"token\"]");
    catches "authorization-server-metadata" on says("code_challenge_methods_supported", "[\"plain\"]");
    catches "authorization-server-metadata" on says("code_challenge_methods_supported", "null"), at V2025_03_26;
    warns "authorization-server-metadata-cimd" on says("client_id_metadata_document_supported", "false");
    warns "authorization-server-metadata-cimd" on says("client_id_metadata_document_supported", "null"), under Official;
    catches "authorization-server-endpoints-secure" on says("registration_endpoint", "\"http://as.example/register\"");
    catches "authorization-server-metadata-location" on only_openid();
    warns "authorization-server-registration" on says("registration_endpoint", "null");
    catches "authorization-server-openid-pkce" on openid_without_pkce();
}
