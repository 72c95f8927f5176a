//! `auth/wif-jwt-bearer`.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::clock;
use mcp_test_core::jose::SigningKey;
use mcp_test_core::oauth::client::GrantType;
use mcp_test_core::oauth::oauth_error::{ErrorCode, OAuthError};
use mcp_test_core::oauth::scripted::{
    AssertionFault, Behavior, Expiry, ProtectedResource, ScriptedServer, TokenRequest,
    VerifiedAssertions,
};
use mcp_test_core::transport::generated_id::generate_id;

use super::flow::{Received, judge_flow};
use super::flow_proofs::machine_proofs;
use super::served::{facts, no_key, server_behind};
use super::signing_in_client;
use super::token_requests::{Examined, WrongRequest};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{RFC_7523_GRANT, SEP_1933};

scenario! {
    /// The client of a workload gets its token with an assertion that its platform has issued.
    ///
    /// The context has a valid assertion for the authorization server, one for another audience and one that has expired. The
    /// client sends the valid one by the grant of RFC 7523. The scopes `wif.trigger-unauthorized` and `wif.rejected` are refused,
    /// and after a refusal everything is. Officially it is a scenario of the extension `io.modelcontextprotocol/auth/wif`.
    Client "auth/wif-jwt-bearer": "The client of a workload gets a token by its assertion",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::auth_extension(),
    transports: StreamableHttp,
    checks: signing_in![machine:
        check!(VERIFIED, "The client sends the valid assertion",
            &[VALID]).official(&[RFC_7523_GRANT, SEP_1933]),
        check!(GRANT, "The client asks by the grant of RFC 7523",
            &[JWT_GRANT]).official(&[RFC_7523_GRANT, SEP_1933]).conditional(),
        check!(MISSING, "The token request has an assertion",
            &[JWT_GRANT]).official(&[RFC_7523_GRANT, SEP_1933]).conditional(),
        check!(EXPIRED, "The assertion has not expired",
            &[VALID]).official(&[RFC_7523_GRANT, SEP_1933]).conditional(),
        check!(AUDIENCE, "The assertion is for the authorization server",
            &[VALID]).official(&[RFC_7523_GRANT, SEP_1933]).conditional(),
        check!(MALFORMED, "The assertion is a JWT that the platform has signed",
            &[VALID]).official(&[RFC_7523_GRANT, SEP_1933]).conditional(),
        check!(NO_RETRY, "The client does not repeat a token request that was refused",
            &[NOT_AGAIN]).official(&[RFC_7523_GRANT, SEP_1933]).conditional(),
        check!(NO_FALLBACK, "The client tries no other grant when one was refused",
            &[NOT_AGAIN]).official(&[RFC_7523_GRANT, SEP_1933]).conditional(),
    ],
}

const VERIFIED: &str = "wif-assertion-verified";
const GRANT: &str = "wif-grant-type";
const MISSING: &str = "wif-assertion-missing";
const EXPIRED: &str = "wif-assertion-expired";
const AUDIENCE: &str = "wif-assertion-audience";
const MALFORMED: &str = "wif-assertion-malformed";
const NO_RETRY: &str = "wif-no-retry";
const NO_FALLBACK: &str = "wif-grant-fallback";

const JWT_GRANT: &Requirement = Requirement::MCP_TEST_WORKLOAD_GRANT;
const VALID: &Requirement = Requirement::MCP_TEST_WORKLOAD_ASSERTION;
const NOT_AGAIN: &Requirement = Requirement::MCP_TEST_WORKLOAD_NO_RETRY;

/// The id of the client, its platform and its identity there, as in the official suite.
const CLIENT: &str = "conformance-wif-workload";
const PLATFORM: &str = "https://idp.conformance-test.local";
const WORKLOAD: &str = "conformance-workload";
/// The scopes that are refused.
const UNAUTHORIZED_SCOPE: &str = "wif.trigger-unauthorized";
const REJECTED_SCOPE: &str = "wif.rejected";

/// How long an assertion is valid, and since when the expired one is not, as in the official suite.
const LIFETIME: Duration = Duration::from_secs(300);
const EXPIRED_SINCE: Duration = Duration::from_secs(60);

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let key = SigningKey::es256().map_err(|error| no_key(&error))?;
    let facts = facts(test);
    let has_refused = AtomicBool::new(false);
    let behavior = Behavior {
        registers: false,
        grants: &[GrantType::JwtBearer],
        assertions: Some(VerifiedAssertions {
            parameter: "assertion",
            key: Some(key.public().clone()),
            // As in the official suite.
            leeway: Duration::from_secs(5),
        }),
        answers_token: Some(Arc::new(move |request, _| {
            let refusal = refusal(request, has_refused.load(Ordering::SeqCst))?;
            has_refused.store(true, Ordering::SeqCst);
            Some(Err(refusal))
        })),
        ..Behavior::default()
    };
    let server = ScriptedServer::start(behavior, &facts)?;
    let now = clock::unix_time();
    let sign = |audience: &str, expiry: Duration| {
        let claims = json!({
            "iss": PLATFORM,
            "sub": WORKLOAD,
            "aud": audience,
            "iat": now.as_secs(),
            "exp": expiry.as_secs(),
            "jti": generate_id(),
        });
        key.sign("JWT", &claims.into()).map_err(|error| no_key(&error))
    };
    test.tell_client(json!({
        "client_id": CLIENT,
        "valid_jwt": sign(server.issuer(), now + LIFETIME)?,
        "wrong_audience_jwt": sign("https://wrong.example", now + LIFETIME)?,
        "expired_jwt": sign(server.issuer(), now.saturating_sub(EXPIRED_SINCE))?,
    }));
    Ok(server_behind(test, ProtectedResource::new(&facts, vec![server])))
}

/// Why the server refuses a token request, if it does.
fn refusal(request: &TokenRequest, has_refused: bool) -> Option<OAuthError> {
    if has_refused {
        return Some(match is_of_grant(request) {
            true => ErrorCode::InvalidRequest.because("the grant was refused before"),
            false => ErrorCode::UnsupportedGrantType.because("the server has no such grant"),
        });
    }
    if let Err(wrong) = examine(request) {
        return Some(wrong.code().because("the request is not what this scenario demands"));
    }
    let scopes = request.parameters.first("scope").unwrap_or_default();
    scopes.split_ascii_whitespace().find_map(|scope| match scope {
        UNAUTHORIZED_SCOPE => {
            Some(ErrorCode::UnauthorizedClient.because("the client may not use this grant"))
        }
        REJECTED_SCOPE => Some(ErrorCode::InvalidScope.because("the scope is not permitted")),
        _ => None,
    })
}

fn is_of_grant(request: &TokenRequest) -> bool {
    request.parameters.first("grant_type") == Some(GrantType::JwtBearer.as_str())
}

fn examine(request: &TokenRequest) -> Examined {
    if !is_of_grant(request) {
        return Err(WrongRequest::grant(GRANT, request, GrantType::JwtBearer.as_str()));
    }
    let (check, code, requirement, got) = match request.assertion() {
        Err(fault @ AssertionFault::Missing) => {
            (MISSING, ErrorCode::InvalidRequest, JWT_GRANT, fault.as_str())
        }
        Err(fault) => (MALFORMED, ErrorCode::InvalidGrant, VALID, fault.as_str()),
        Ok(assertion) if !assertion.is_for(&request.issuer) => {
            (AUDIENCE, ErrorCode::InvalidGrant, VALID, "a JWT for another audience")
        }
        Ok(assertion) if assertion.expiry == Expiry::Past => {
            (EXPIRED, ErrorCode::InvalidGrant, VALID, "a JWT that has expired")
        }
        Ok(_) => return Ok(None),
    };
    let finding = Finding::peer("the client sends something else than the valid assertion")
        .expected("`valid_jwt` of the context")
        .got(got);
    Err(WrongRequest::new(check, code, requirement, finding))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let (mut is_verified, mut was_refused) = (false, false);
    for Received { seq, request } in &flow.tokens {
        if was_refused {
            judge_repetition(judging, *seq, request);
            continue;
        }
        match examine(request) {
            Ok(_) => {
                is_verified = true;
                judging.check(VERIFIED).pass();
            }
            Err(wrong) => wrong.report(judging, *seq),
        }
        was_refused = request.refusal.is_some();
    }
    let row = judging.check(VERIFIED);
    match (is_verified, flow.tokens.is_empty()) {
        (true, _) => {}
        (false, true) => {
            row.by_task().fail(Finding::peer("the client did not ask for a token"));
        }
        // The official suite has no such row then.
        (false, false) => {
            row.skip("another check says what is wrong with the token request");
        }
    }
    Ok(())
}

/// Warns of a request after one that was refused.
fn judge_repetition(judging: &mut Judging, seq: Seq, request: &TokenRequest) {
    let (check, headline) = match is_of_grant(request) {
        true => (NO_RETRY, "the client asks again, although it was refused"),
        false => (NO_FALLBACK, "the client asks by another grant, since one was refused"),
    };
    let finding =
        Finding::peer(headline).expected("no other token request").got("another one").evidence(seq);
    judging.check(check).fail(finding.should());
}

/// The reference client with an expired assertion, and with what it does about the refusal.
fn refused(then: Misbehavior) -> ScriptedClient {
    let faults = [Misbehavior::SendsExpiredAssertion, then].map(Fault::misbehavior);
    signing_in_client().faults(faults)
}

proofs! {
    passes on signing_in_client(), and shares machine_proofs();
    catches "wif-assertion-verified" by give_up("token"), under Strict;
    catches "wif-grant-type" by parameter("token", "grant_type", "client_credentials"), under Strict;
    catches "wif-assertion-missing" by no_parameter("token", "assertion");
    catches "wif-assertion-expired" by misbehavior(Misbehavior::SendsExpiredAssertion);
    catches "wif-assertion-audience" by misbehavior(Misbehavior::SendsForeignAssertion);
    catches "wif-assertion-malformed" by parameter("token", "assertion", "e30.e30.e30");
    warns "wif-no-retry" on refused(Misbehavior::RetriesGrant);
    warns "wif-grant-fallback" on refused(Misbehavior::ChangesGrant);
}
