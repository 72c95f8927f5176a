//! What the scenarios about authentication at the token endpoint have in common.

use mcp_test_core::oauth::scripted::{PresentedCredentials, TokenRequest};
use mcp_test_core::scenario::Proof;

use super::flow::{Flow, judge_flow};
use super::flow_proofs::{of_flow, of_resource};
use super::references::TOKEN_REQUEST;
use super::resource_parameter::judge_resource;
use crate::scenarios::prelude::*;

/// The check of the method.
pub(super) const METHOD: CheckSpec = check!(
    "token-endpoint-auth-method",
    "The client authenticates at the token endpoint by the method that it is registered for",
    [MCP_TEST_TOKEN_ENDPOINT_AUTH_METHOD]
)
.official(&[TOKEN_REQUEST])
.named("Token endpoint authentication method");

/// The proofs that all of these scenarios have.
pub(super) fn of_method() -> Vec<Proof> {
    let mut proofs = of_flow();
    proofs.extend(of_resource());
    proofs
}

/// Judges the method of each token request, and the resource that the client names.
pub(super) fn judge_method(judging: &mut Judging, expected: &str) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    if flow.tokens.is_empty() {
        let finding = Finding::peer("the client made no token request");
        judging.check(&METHOD.id).missing(finding);
    }
    for received in &flow.tokens {
        let judged = method(&received.request, expected);
        judging.check(&METHOD.id).judge(judged.map_err(|finding| finding.evidence(received.seq)));
    }
    judge_resources(judging, &flow);
    Ok(())
}

fn judge_resources(judging: &mut Judging, flow: &Flow) {
    let named = judging.server_url();
    judge_resource(judging, flow, &named);
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
