//! `auth/client-credentials-jwt`.

use mcp_test_core::jose::SigningKey;
use mcp_test_core::oauth::client::{AuthenticationMethod, GrantType};
use mcp_test_core::oauth::oauth_error::ErrorCode;
use mcp_test_core::oauth::scripted::{Behavior, Expiry, TokenRequest, VerifiedAssertions};

use super::flow::judge_flow;
use super::flow_proofs::machine_proofs;
use super::served::{no_key, protected};
use super::signing_in_client;
use super::token_requests::{Examined, OfficiallyWrong, WrongRequest, judge_requests, refusing};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{CLIENT_CREDENTIALS_GRANT, RFC_7523_CLIENT, SEP_1046};

scenario! {
    /// The client gets its token with a key, and without a user.
    ///
    /// The context has the id of the client, and a key for `ES256` as the text of a PKCS#8 file. The client signs an assertion
    /// with it, by which it authenticates at the token endpoint, and asks by the grant `client_credentials`. Officially it is a
    /// scenario of the extension `io.modelcontextprotocol/oauth-client-credentials`.
    Client "auth/client-credentials-jwt": "The client gets a token by an assertion that it signs",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::auth_extension(),
    transports: StreamableHttp,
    checks: signing_in![machine:
        check!(VERIFIED, "The assertion is signed with the key, for the authorization server, and has not expired",
            &[AUTH_METHOD, CLAIMS]).official(&[CLIENT_CREDENTIALS_GRANT, RFC_7523_CLIENT, SEP_1046]),
        check!(GRANT, "The client asks by the grant `client_credentials`",
            [AUTH_EXT_CLIENT_CREDENTIALS_GRANT]).official(&[CLIENT_CREDENTIALS_GRANT, SEP_1046]).conditional(),
        check!(TYPE, "The token request says that the assertion is a JWT",
            &[AUTH_METHOD]).official(&[RFC_7523_CLIENT, SEP_1046]).conditional(),
        check!(ISS, "`iss` of the assertion is the id of the client",
            &[CLAIMS]).official(&[RFC_7523_CLIENT, SEP_1046]).conditional(),
        check!(SUB, "`sub` of the assertion is the id of the client",
            &[CLAIMS]).official(&[RFC_7523_CLIENT, SEP_1046]).conditional(),
        check!(EXPIRES, "The assertion has `exp`",
            &[CLAIMS]).named("Assertion expires").conditional(),
    ],
}

const VERIFIED: &str = "client-credentials-jwt-verified";
const GRANT: &str = "client-credentials-grant-type";
const TYPE: &str = "client-credentials-assertion-type";
const ISS: &str = "client-credentials-jwt-iss";
const SUB: &str = "client-credentials-jwt-sub";
const EXPIRES: &str = "client-assertion-expires";

const AUTH_METHOD: &Requirement = Requirement::AUTH_EXT_CLIENT_CREDENTIALS_AUTH_METHOD;
const CLAIMS: &Requirement = Requirement::AUTH_EXT_CLIENT_CREDENTIALS_ASSERTION_CLAIMS;

/// The id of the client, as in the official suite.
const CLIENT: &str = "conformance-test-client";
const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let pem = SigningKey::es256_pem().map_err(|error| no_key(&error))?;
    let key = SigningKey::from_pem(&pem).map_err(|error| no_key(&error))?;
    test.tell_client(json!({
        "client_id": CLIENT,
        "private_key_pem": pem,
        "signing_algorithm": "ES256",
    }));
    let behavior = Behavior {
        methods: &[AuthenticationMethod::PrivateKeyJwt],
        grants: &[GrantType::ClientCredentials],
        assertions: Some(VerifiedAssertions {
            parameter: "client_assertion",
            key: Some(key.public().clone()),
            // As in the official suite.
            leeway: Duration::from_secs(30),
        }),
        answers_token: refusing(examine),
        ..Behavior::default()
    };
    protected(test, behavior, |resource| resource)
}

fn examine(request: &TokenRequest) -> Examined {
    if request.parameters.first("grant_type") != Some("client_credentials") {
        return Err(WrongRequest::grant(GRANT, request, "client_credentials"));
    }
    let refuse = |check, requirement, finding| {
        Err(WrongRequest::new(check, ErrorCode::InvalidClient, requirement, finding))
    };
    let kind = request.parameters.first("client_assertion_type");
    if kind != Some(JWT_BEARER) {
        let finding = Finding::peer("the client does not say that its assertion is a JWT")
            .expected(format!("`client_assertion_type={JWT_BEARER}`"))
            .got(if kind.is_some() { "another type" } else { "no `client_assertion_type`" });
        return refuse(TYPE, AUTH_METHOD, finding);
    }
    let unverified = || Finding::peer("the assertion of the client is not valid");
    let assertion = match request.assertion() {
        Ok(assertion) => assertion,
        Err(fault) => {
            let finding = unverified()
                .expected("a JWT that is signed with the key in the context")
                .got(fault.as_str());
            return refuse(VERIFIED, AUTH_METHOD, finding);
        }
    };
    let issuer = request.issuer.as_str();
    let is_for_issuer = assertion.is_for(issuer);
    if !is_for_issuer && !assertion.is_for(&format!("{issuer}/token")) {
        let finding = unverified().expected(format!("the audience `{issuer}`")).got("another one");
        return refuse(VERIFIED, CLAIMS, finding);
    }
    if assertion.expiry == Expiry::Past {
        let finding = unverified().expected("`exp` in the future").got("`exp` in the past");
        return refuse(VERIFIED, CLAIMS, finding);
    }
    for (check, name) in [(ISS, "iss"), (SUB, "sub")] {
        let claim = assertion.claim(name);
        if claim != Some(CLIENT) {
            let finding = Finding::peer(format!("`{name}` of the assertion is not the client"))
                .expected(format!("the id in the context, `{CLIENT}`"))
                .got(if claim.is_some() { "another text" } else { "no such claim" });
            return refuse(check, CLAIMS, finding);
        }
    }
    Ok((!is_for_issuer).then(|| OfficiallyWrong {
        finding: unverified()
            .expected(format!("the audience `{issuer}`"))
            .got("the token endpoint"),
        why: "the audience may be the URL of the token endpoint (RFC 7523, section 3)",
    }))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    judge_requests(judging, &flow.tokens, VERIFIED, examine);
    for received in &flow.tokens {
        let Ok(assertion) = received.request.assertion() else { continue };
        let outcome = match assertion.expiry {
            Expiry::Never => Err(Finding::peer("the assertion never expires")
                .expected("`exp`")
                .got("no such claim")
                .evidence(received.seq)),
            Expiry::Past | Expiry::Future => Ok(()),
        };
        judging.check(EXPIRES).judge(outcome);
    }
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares machine_proofs();
    catches "client-credentials-jwt-verified" by parameter("assertion", "aud", "http://127.0.0.1/mcp");
    catches "client-credentials-grant-type" by parameter("token", "grant_type", "password"), under Strict;
    catches "client-credentials-assertion-type" by parameter("token", "client_assertion_type", "jwt");
    catches "client-credentials-jwt-iss" by parameter("assertion", "iss", "http://127.0.0.1/");
    catches "client-credentials-jwt-sub" by parameter("assertion", "sub", "user");
    catches "client-assertion-expires" by no_parameter("assertion", "exp");
}
