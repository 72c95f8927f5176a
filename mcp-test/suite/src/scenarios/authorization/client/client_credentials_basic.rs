//! `auth/client-credentials-basic`.

use mcp_test_core::oauth::client::{AuthenticationMethod, GrantType};
use mcp_test_core::oauth::oauth_error::ErrorCode;
use mcp_test_core::oauth::scripted::{Behavior, TokenRequest};

use super::flow::judge_flow;
use super::flow_proofs::machine_proofs;
use super::served::protected;
use super::signing_in_client;
use super::token_requests::{Examined, WrongRequest, examine_basic, judge_requests, refusing};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{CLIENT_CREDENTIALS_GRANT, SEP_1046};

scenario! {
    /// The client gets its token with a secret, and without a user.
    ///
    /// The context has the id of the client and its secret, with which it authenticates in the `Authorization` header of its
    /// token request, the only method that the authorization server has. Officially it is a scenario of the extension
    /// `io.modelcontextprotocol/oauth-client-credentials`.
    Client "auth/client-credentials-basic": "The client gets a token by its secret",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::auth_extension(),
    transports: StreamableHttp,
    checks: signing_in![machine:
        check!(BASIC, "The client authenticates with its id and its secret in the header",
            &[AUTH_METHOD]).official(&[CLIENT_CREDENTIALS_GRANT, SEP_1046]),
        check!(GRANT, "The client asks by the grant `client_credentials`",
            [AUTH_EXT_CLIENT_CREDENTIALS_GRANT]).official(&[CLIENT_CREDENTIALS_GRANT, SEP_1046]).conditional(),
    ],
}

const BASIC: &str = "client-credentials-basic-auth";
const GRANT: &str = "client-credentials-grant-type";
const AUTH_METHOD: &Requirement = Requirement::AUTH_EXT_CLIENT_CREDENTIALS_AUTH_METHOD;

/// The id of the client and its secret, as in the official suite.
const CLIENT: &str = "conformance-test-client";
const SECRET: &str = "conformance-test-secret";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    test.tell_client(json!({ "client_id": CLIENT, "client_secret": SECRET }));
    let behavior = Behavior {
        methods: &[AuthenticationMethod::Basic],
        grants: &[GrantType::ClientCredentials],
        answers_token: refusing(examine),
        ..Behavior::default()
    };
    protected(test, behavior, |resource| resource)
}

fn examine(request: &TokenRequest) -> Examined {
    if request.parameters.first("grant_type") != Some("client_credentials") {
        return Err(WrongRequest::grant(GRANT, request, "client_credentials"));
    }
    examine_basic(request, CLIENT, SECRET)
        .map_err(|finding| WrongRequest::new(BASIC, ErrorCode::InvalidClient, AUTH_METHOD, finding))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    judge_requests(judging, &flow.tokens, BASIC, examine);
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares machine_proofs();
    catches "client-credentials-basic-auth" by misbehavior(Misbehavior::OtherAuthMethod);
    catches "client-credentials-grant-type" by parameter("token", "grant_type", "password"), under Strict;
}
