//! `client-credentials-renewal`.

use mcp_test_core::oauth::client::{AuthenticationMethod, GrantType};
use mcp_test_core::oauth::scripted::Behavior;

use super::declared_extension::judge_declared;
use super::expiry::{LIFETIME, expiring, first_expired};
use super::flow::judge_flow;
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client gets its token with a secret, and without a user; the context has its id and its secret, as in
    /// `auth/client-credentials-basic`. The token expires, and the client has to get another one.
    Client "client-credentials-renewal": "A client without a user renews its token",
    revisions: Revisions::from(Revision::V2026_07_28),
    transports: StreamableHttp,
    checks: [
        check!(DECLARES, "Each request declares the extension",
            [AUTH_EXT_CLIENT_CREDENTIALS_DECLARE]),
        check!(RENEWS, "The client gets another token after its token has expired",
            [AUTH_EXT_CLIENT_CREDENTIALS_RENEW]),
    ],
}

const DECLARES: &str = "client-declares-credentials-extension";
const RENEWS: &str = "client-renews-credentials-token";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    test.tell_client(json!({
        "client_id": "client-of-mcp-test",
        "client_secret": "secret-of-the-client-of-mcp-test",
    }));
    let behavior = Behavior {
        methods: &[AuthenticationMethod::Basic],
        grants: &[GrantType::ClientCredentials],
        lifetime: LIFETIME,
        ..Behavior::default()
    };
    protected(test, behavior, |resource| resource.admits(expiring()))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let grant = GrantType::ClientCredentials.as_str();
    let mut requests = flow
        .tokens
        .iter()
        .filter(|received| received.request.parameters.first("grant_type") == Some(grant));
    if requests.clone().next().is_none() {
        judging.tolerate_failed_exit();
        return Err(judging
            .task_not_done("the client does not get a token with its own credentials")
            .expected(format!("a token request with `grant_type={grant}`"))
            .got("none"));
    }
    judge_declared(judging, DECLARES, "io.modelcontextprotocol/oauth-client-credentials");
    let row = judging.check(RENEWS);
    match first_expired(&flow) {
        None => row.skip("the client sends no request after its token has expired"),
        Some(expired) if requests.any(|received| received.seq > expired.seq) => row.pass(),
        Some(expired) => row.fail(
            Finding::peer("the client gets no other token after its token has expired")
                .expected(format!("another token request with `grant_type={grant}`"))
                .got("none")
                .evidence(expired.seq),
        ),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-declares-credentials-extension"
        by remove("*", "/params/_meta/io.modelcontextprotocol~1clientCapabilities/extensions");
    catches "client-renews-credentials-token" by misbehavior(Misbehavior::NeverRenews);
}
