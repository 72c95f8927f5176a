//! The scenarios about authentication at the token endpoint.

use mcp_test_core::oauth::client::AuthenticationMethod;
use mcp_test_core::oauth::scripted::{Behavior, PresentedCredentials, TokenRequest};
use mcp_test_core::scenario::Proof;

use super::flow::judge_flow;
use super::flow_proofs::{resource_proofs, sign_in_proofs};
use super::resource_parameter::{
    CONSISTENT, IN_AUTHORIZATION, IN_TOKEN, MATCHES, VALID, judge_resource,
};
use super::served::protected;
use super::{CORE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;
use crate::scenarios::references::TOKEN_REQUEST;

client_scenarios! {
    all: {
        revisions: Revisions::from(Revision::V2025_06_18),
        official: Official::client_auth(Revisions::from(Revision::V2025_06_18), CORE_SUITES),
        transports: StreamableHttp,
    }
    token_endpoint_auth_basic {
        /// The client registers with an authorization server that supports `client_secret_basic` alone, and says so in the registration, too: it must
        /// authenticate in the header `Authorization`.
        "auth/token-endpoint-auth-basic": "The client authenticates at the token endpoint in the header `Authorization`",
        checks: signing_in![partial: METHOD, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES],
        serve: |test| supporting(test, &[AuthenticationMethod::Basic]),
        judge: |judging| judge_method(judging, "client_secret_basic"),
        proofs: {
            passes on signing_in_client(), and shares method_proofs();
            catches "token-endpoint-auth-method" by misbehavior(Misbehavior::OtherAuthMethod);
        },
    }
    token_endpoint_auth_post {
        /// The client registers with an authorization server that supports `client_secret_post` alone, and says so in the registration, too: it must
        /// authenticate in the form.
        "auth/token-endpoint-auth-post": "The client authenticates at the token endpoint in the form",
        checks: signing_in![partial: METHOD, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES],
        serve: |test| supporting(test, &[AuthenticationMethod::Post]),
        judge: |judging| judge_method(judging, "client_secret_post"),
        proofs: {
            passes on signing_in_client(), and shares method_proofs();
            catches "token-endpoint-auth-method" by misbehavior(Misbehavior::OtherAuthMethod);
        },
    }
    token_endpoint_auth_none {
        /// The client registers with an authorization server that supports `none` alone, and says so in the registration, too: it must
        /// authenticate without a secret.
        "auth/token-endpoint-auth-none": "The client authenticates at the token endpoint without a secret",
        checks: signing_in![partial: METHOD, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES],
        serve: |test| supporting(test, &[AuthenticationMethod::None]),
        judge: |judging| judge_method(judging, "none"),
        proofs: {
            passes on signing_in_client(), and shares method_proofs();
            catches "token-endpoint-auth-method" by parameter("token", "client_secret", "invented");
        },
    }
}

fn supporting(
    test: &ClientTest,
    methods: &'static [AuthenticationMethod],
) -> Result<Server, Finding> {
    protected(test, Behavior { methods, ..Behavior::default() }, |resource| resource)
}

/// The check of the method.
const METHOD: CheckSpec = check!(
    "token-endpoint-auth-method",
    "The client authenticates at the token endpoint by the method that it is registered for",
    [MCP_TEST_TOKEN_ENDPOINT_AUTH_METHOD]
)
.official(&[TOKEN_REQUEST])
.named("Token endpoint authentication method");

/// The proofs that all of these scenarios have.
fn method_proofs() -> Vec<Proof> {
    let mut proofs = sign_in_proofs();
    proofs.extend(resource_proofs());
    proofs
}

/// Judges the method of each token request, and the resource that the client names.
fn judge_method(judging: &mut Judging, expected: &str) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    if flow.tokens.is_empty() {
        let finding = Finding::peer("the client made no token request");
        judging.check(&METHOD.id).missing(finding);
    }
    for received in &flow.tokens {
        let judged = method(&received.request, expected);
        judging.check(&METHOD.id).judge(judged.map_err(|finding| finding.evidence(received.seq)));
    }
    let named = judging.server_url();
    judge_resource(judging, &flow, &named);
    Ok(())
}

fn method(request: &TokenRequest, expected: &str) -> Result<(), Finding> {
    let got = match &request.credentials {
        PresentedCredentials::Nothing => "none",
        PresentedCredentials::Basic(Some(_)) => "client_secret_basic",
        PresentedCredentials::Basic(None) => "`Authorization: Basic` that cannot be decoded",
        PresentedCredentials::Post => "client_secret_post",
        PresentedCredentials::Assertion => "private_key_jwt",
    };
    match got == expected {
        true => Ok(()),
        false => Err(Finding::peer("the client authenticates by another method")
            .expected(format!("`{expected}`, as it is registered"))
            .got(got)),
    }
}
