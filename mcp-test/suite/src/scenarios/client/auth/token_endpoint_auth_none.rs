//! `auth/token-endpoint-auth-none`.

use mcp_test_core::oauth::client::AuthenticationMethod;
use mcp_test_core::oauth::scripted::Behavior;

use super::resource_parameter::{CONSISTENT, IN_AUTHORIZATION, IN_TOKEN, MATCHES, VALID};
use super::served::protected;
use super::token_endpoint::{METHOD, judge_method, of_method};
use super::{CORE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;

scenario! {
    /// The client registers with an authorization server that supports `none` alone, and says so in the registration, too: it must
    /// authenticate without a secret.
    Client "auth/token-endpoint-auth-none": "The client authenticates at the token endpoint without a secret",
    revisions: Revisions::from(Revision::V2025_06_18),
    official: Official::client_auth(Revisions::from(Revision::V2025_06_18), CORE_SUITES),
    transports: StreamableHttp,
    checks: signing_in![partial: METHOD, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES],
}

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { methods: &[AuthenticationMethod::None], ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_method(judging, "none")
}

proofs! {
    passes on signing_in_client(), and shares of_method();
    catches "token-endpoint-auth-method" by parameter("token", "client_secret", "invented");
}
