//! `auth/enterprise-managed-authorization`.

use mcp_test_core::clock;
use mcp_test_core::oauth::client::{AuthenticationMethod, GrantType};
use mcp_test_core::oauth::oauth_error::{ErrorCode, OAuthError};
use mcp_test_core::oauth::scripted::{
    Behavior, Expiry, MetadataAt, ProtectedResource, ScriptedServer, TokenIssuer, TokenRequest,
    VerifiedAssertions,
};
use mcp_test_core::transport::generated_id::generate_id;

use super::flow::judge_flow;
use super::flow_proofs::machine_proofs;
use super::served::{facts, no_key, server_behind};
use super::signing_in_client;
use super::token_requests::{Examined, WrongRequest, examine_basic, judge_requests, refusing};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{RFC_7523_GRANT, RFC_8693, SEP_990};

scenario! {
    /// The client gets its token through the identity provider of an organization, and asks no user.
    ///
    /// The context has the id token of the user, with the token endpoint of the provider and the id of the client there, and the
    /// id and the secret of the client at the authorization server. The client exchanges the id token for an assertion that is
    /// for the authorization server (ID-JAG), and redeems that. Officially it is a scenario of the extension
    /// `io.modelcontextprotocol/enterprise-managed-authorization`.
    Client "auth/enterprise-managed-authorization": "The client gets a token through an identity provider",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::auth_extension(),
    transports: StreamableHttp,
    checks: signing_in![machine:
        check!(EXCHANGE, "The client exchanges the id token of the user for an assertion",
            &[REQUEST, RESOURCE_REQUIRED]).official(&[RFC_8693, SEP_990]),
        check!(BEARER, "The client redeems the assertion at the authorization server, where it authenticates",
            &[REDEEMS, AUTHENTICATES, AUDIENCE, RESOURCE_VALUE]).official(&[RFC_7523_GRANT, SEP_990]),
    ],
}

const EXCHANGE: &str = "complete-flow-token-exchange";
const BEARER: &str = "complete-flow-jwt-bearer";

const REQUEST: &Requirement = Requirement::AUTH_EXT_ENTERPRISE_EXCHANGE_REQUEST;
const RESOURCE_REQUIRED: &Requirement = Requirement::AUTH_EXT_ENTERPRISE_EXCHANGE_RESOURCE_REQUIRED;
const REDEEMS: &Requirement = Requirement::AUTH_EXT_ENTERPRISE_GRANT_TYPE;
const AUTHENTICATES: &Requirement = Requirement::AUTH_EXT_ENTERPRISE_CLIENT_AUTHENTICATES;
const AUDIENCE: &Requirement = Requirement::AUTH_EXT_ENTERPRISE_EXCHANGE_AUDIENCE;
const RESOURCE_VALUE: &Requirement = Requirement::AUTH_EXT_ENTERPRISE_EXCHANGE_RESOURCE_VALUE;

/// The ids of the client and its secret, and the user, as in the official suite.
const CLIENT: &str = "conformance-test-xaa-client";
const SECRET: &str = "conformance-test-xaa-secret";
const CLIENT_OF_PROVIDER: &str = "conformance-test-idp-client";
const USER: &str = "demo-user@example.com";

const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const TYPE_OF_JAG: &str = "oauth-id-jag+jwt";

/// How long the id token is valid, and how long the assertion, as in the official suite.
const ID_TOKEN_LIFETIME: Duration = Duration::from_secs(3_600);
const JAG_LIFETIME: Duration = Duration::from_secs(300);
/// For clocks that differ.
const LEEWAY: Duration = Duration::from_secs(5);

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    serve_with(test, |resource| resource)
}

/// The protected server with its identity provider, which the context describes.
pub(in crate::scenarios) fn serve_with(
    test: &ClientTest,
    protect: impl FnOnce(ProtectedResource) -> ProtectedResource,
) -> Result<Server, Finding> {
    let facts = facts(test);
    let asked = test.clone();
    let provider = ScriptedServer::start(
        Behavior {
            metadata: MetadataAt::OpenId,
            is_identity_provider: true,
            registers: false,
            assertions: Some(VerifiedAssertions {
                parameter: "subject_token",
                key: None,
                leeway: LEEWAY,
            }),
            answers_token: Some(Arc::new(move |request, provider| {
                Some(exchange(&asked, request, provider))
            })),
            ..Behavior::default()
        },
        &facts,
    )?;
    let now = clock::unix_time();
    let id_token = json!({
        "iss": provider.issuer(),
        "sub": USER,
        "email": USER,
        "aud": CLIENT_OF_PROVIDER,
        "iat": now.as_secs(),
        "exp": (now + ID_TOKEN_LIFETIME).as_secs(),
    });
    let id_token = provider.key().sign("JWT", &id_token.into()).map_err(|error| no_key(&error))?;
    test.tell_client(json!({
        "client_id": CLIENT,
        "client_secret": SECRET,
        "idp_client_id": CLIENT_OF_PROVIDER,
        "idp_id_token": id_token,
        "idp_issuer": provider.issuer(),
        "idp_token_endpoint": format!("{}/token", provider.issuer()),
    }));
    let redeemed = test.clone();
    let key = Some(provider.key().public().clone());
    let server = ScriptedServer::start(
        Behavior {
            methods: &[AuthenticationMethod::Basic],
            grants: &[GrantType::JwtBearer],
            assertions: Some(VerifiedAssertions { parameter: "assertion", key, leeway: LEEWAY }),
            answers_token: refusing(move |request| examine_redemption(request, redeemed.url())),
            ..Behavior::default()
        },
        &facts,
    )?;
    // The metadata names the first one; the provider runs as long.
    let resource = ProtectedResource::new(&facts, vec![server, provider]);
    Ok(server_behind(test, protect(resource)))
}

/// The response of the identity provider.
fn exchange(
    test: &ClientTest,
    request: &TokenRequest,
    provider: &TokenIssuer<'_>,
) -> Result<Value, OAuthError> {
    examine_exchange(request, test.revision)
        .map_err(|wrong| wrong.code().because("the request is not what this scenario demands"))?;
    let now = clock::unix_time();
    let claims = json!({
        "iss": provider.issuer,
        "sub": USER,
        "aud": request.parameters.first("audience"),
        "client_id": CLIENT,
        "resource": request.parameters.first("resource").unwrap_or(test.url()),
        "iat": now.as_secs(),
        "exp": (now + JAG_LIFETIME).as_secs(),
        "jti": generate_id(),
    });
    let no_random = |_| ErrorCode::ServerError.because("nothing can be signed");
    let assertion = provider.key.sign(TYPE_OF_JAG, &claims.into()).map_err(no_random)?;
    Ok(json!({
        "access_token": assertion,
        "issued_token_type": ID_JAG,
        // It is an assertion, and admits nobody to anything by itself.
        "token_type": "N_A",
        "expires_in": JAG_LIFETIME.as_secs(),
    })
    .into())
}

fn examine_exchange(request: &TokenRequest, revision: Revision) -> Examined {
    let given = |name| request.parameters.first(name);
    let refuse =
        |code, requirement, finding| Err(WrongRequest::new(EXCHANGE, code, requirement, finding));
    let wrong = || Finding::peer("the request to the identity provider is not a token exchange");
    for (name, expected) in [
        ("grant_type", TOKEN_EXCHANGE),
        ("requested_token_type", ID_JAG),
        ("subject_token_type", ID_TOKEN),
    ] {
        if given(name) != Some(expected) {
            let got = if given(name).is_some() { "another value" } else { "no such parameter" };
            let finding = wrong().expected(format!("`{name}={expected}`")).got(got);
            return refuse(ErrorCode::InvalidRequest, REQUEST, finding);
        }
    }
    // Later versions of the extension leave it to the client.
    let needs_resource = RESOURCE_REQUIRED.applies_at(revision);
    for (name, requirement, is_needed) in
        [("audience", REQUEST, true), ("resource", RESOURCE_REQUIRED, needs_resource)]
    {
        if is_needed && given(name).is_none() {
            let finding = wrong().expected(format!("`{name}`")).got("no such parameter");
            return refuse(ErrorCode::InvalidRequest, requirement, finding);
        }
    }
    let got = match request.assertion() {
        Err(fault) => fault.as_str(),
        Ok(token) if !token.is_for(CLIENT_OF_PROVIDER) => "a JWT for another audience",
        Ok(token) if token.claim("iss") != Some(&request.issuer) => "a JWT of another issuer",
        Ok(token) if token.expiry == Expiry::Past => "a JWT that has expired",
        Ok(_) => return Ok(None),
    };
    let finding = wrong().expected("the id token in the context, as `subject_token`").got(got);
    refuse(ErrorCode::InvalidGrant, REQUEST, finding)
}

fn examine_redemption(request: &TokenRequest, resource: &str) -> Examined {
    if request.parameters.first("grant_type") != Some(GrantType::JwtBearer.as_str()) {
        return Err(WrongRequest::grant(BEARER, request, GrantType::JwtBearer.as_str()));
    }
    let officially = examine_basic(request, CLIENT, SECRET).map_err(|finding| {
        WrongRequest::new(BEARER, ErrorCode::InvalidClient, AUTHENTICATES, finding)
    })?;
    let (requirement, got) = match request.assertion() {
        Err(fault) => (REDEEMS, fault.as_str()),
        Ok(jag) if jag.kind.as_deref() != Some(TYPE_OF_JAG) => (REDEEMS, "a JWT of another type"),
        Ok(jag) if !jag.is_for(&request.issuer) => (AUDIENCE, "a JWT for another audience"),
        Ok(jag) if jag.claim("client_id") != Some(CLIENT) => (REDEEMS, "a JWT of another client"),
        Ok(jag) if jag.claim("resource") != Some(resource) => {
            (RESOURCE_VALUE, "a JWT for another resource")
        }
        Ok(jag) if jag.expiry == Expiry::Past => (REDEEMS, "a JWT that has expired"),
        Ok(_) => return Ok(officially),
    };
    let finding = Finding::peer("the client redeems something else than a valid assertion")
        .expected("the assertion of the identity provider for the authorization server")
        .got(got);
    Err(WrongRequest::new(BEARER, ErrorCode::InvalidGrant, requirement, finding))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let (revision, resource) = (judging.revision(), judging.server_url());
    judge_requests(judging, &flow.exchanges, EXCHANGE, |request| {
        examine_exchange(request, revision)
    });
    judge_requests(judging, &flow.tokens, BEARER, |request| examine_redemption(request, &resource));
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares machine_proofs();
    catches "complete-flow-token-exchange" by parameter("exchange", "requested_token_type", "jwt");
    catches "complete-flow-token-exchange" by no_parameter("exchange", "audience");
    catches "complete-flow-token-exchange" by no_parameter("exchange", "resource"), at V2025_11_25;
    catches "complete-flow-token-exchange" by parameter("exchange", "subject_token", "e30.e30.e30");
    catches "complete-flow-jwt-bearer" by misbehavior(Misbehavior::OtherAuthMethod);
    catches "complete-flow-jwt-bearer" by parameter("exchange", "audience", "http://127.0.0.1/other");
    catches "complete-flow-jwt-bearer" by parameter("exchange", "resource", "http://127.0.0.1/other");
    catches "complete-flow-jwt-bearer" by parameter("token", "assertion", "e30.e30.e30");
}
