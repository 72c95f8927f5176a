//! `auth/pre-registration`.

use mcp_test_core::oauth::client::AuthenticationMethod;
use mcp_test_core::oauth::oauth_error::ErrorCode;
use mcp_test_core::oauth::scripted::{
    Behavior, PresentedCredentials, ProtectedResource, ScriptedServer, TokenRequest,
};

use super::flow::judge_flow;
use super::flow_proofs::authorized_proofs;
use super::served::{facts, server_behind};
use super::{CORE_SUITES, signing_in_client};
use crate::scenarios::prelude::*;
use crate::scenarios::references::PREREGISTRATION;

scenario! {
    /// The authorization server registers no clients; the client gets its id and its secret in the context, as from its user, and must
    /// authenticate with them in the header `Authorization`.
    Client "auth/pre-registration": "The client uses the credentials that its user has given it",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), CORE_SUITES),
    transports: StreamableHttp,
    checks: signing_in![registered:
        check!(USED, "The client authenticates with the id and the secret that it was given",
            [AUTH_REGISTRATION_PREFER_PREREGISTERED, AUTH_REGISTRATION_STATIC_CREDENTIALS])
            .official(&[PREREGISTRATION]).named("Pre-registration authentication")
            .always_fails("the official suite fails it"),
    ],
}

const USED: &str = "pre-registration-auth";

const ID: &str = "pre-registered-client";
const SECRET: &str = "pre-registered-secret";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior {
        registers: false,
        methods: &[AuthenticationMethod::Basic],
        answers_token: Some(Arc::new(|request, _| {
            let refused = ErrorCode::InvalidClient.because("these are not the credentials");
            (!is_given(request)).then_some(Err(refused))
        })),
        ..Behavior::default()
    };
    let facts = facts(test);
    let server = ScriptedServer::start(behavior, &facts)?;
    let issuer = server.issuer();
    test.tell_client(json!({ "client_id": ID, "client_secret": SECRET, "issuer": issuer }));
    Ok(server_behind(test, ProtectedResource::new(&facts, vec![server])))
}

/// Whether a client authenticates with what it was given.
fn is_given(request: &TokenRequest) -> bool {
    matches!(&request.credentials, PresentedCredentials::Basic(Some((id, secret))) if id == ID && secret == SECRET)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    if flow.tokens.is_empty() {
        judging.check(USED).missing(Finding::peer("the client made no token request"));
    }
    for received in &flow.tokens {
        let judged = match is_given(&received.request) {
            true => Ok(()),
            false => {
                Err(Finding::peer("the client does not use the credentials that it was given")
                    .expected(format!("`Authorization: Basic` with the id `{ID}` and its secret"))
                    .got("other credentials, or none")
                    .evidence(received.seq))
            }
        };
        judging.check(USED).judge(judged);
    }
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares authorized_proofs();
    catches "pre-registration-auth" by misbehavior(Misbehavior::OtherAuthMethod);
}
