//! `auth/token-endpoint-auth-basic`.

use mcp_test_core::oauth::client::AuthenticationMethod;
use mcp_test_core::oauth::scripted::Behavior;

use super::resource_parameter::{CONSISTENT, IN_AUTHORIZATION, IN_TOKEN, MATCHES, VALID};
use super::served::protected;
use super::token_endpoint::{METHOD, judge_method, of_method};
use super::{CORE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;

scenario! {
    /// The client registers with an authorization server that supports `client_secret_basic` alone, and says so in the registration, too: it must
    /// authenticate in the header `Authorization`.
    Client "auth/token-endpoint-auth-basic": "The client authenticates at the token endpoint in the header `Authorization`",
    revisions: Revisions::from(Revision::V2025_06_18),
    official: Official::client_auth(Revisions::from(Revision::V2025_06_18), CORE_SUITES),
    transports: StreamableHttp,
    checks: signing_in![partial: METHOD, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES],
}

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { methods: &[AuthenticationMethod::Basic], ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_method(judging, "client_secret_basic")
}

proofs! {
    passes on signing_in_client(), and shares of_method();
    catches "token-endpoint-auth-method" by misbehavior(Misbehavior::OtherAuthMethod);
}
