//! `client-pkce-support-openid`.

use mcp_test_core::oauth::scripted::{Behavior, MetadataAt};

use super::flow::{Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization server has its metadata where OpenID Connect has it, and it does not say that the server supports PKCE, of which OpenID
    /// Connect itself knows nothing. The client must not go on; that it fails is right.
    Client "client-pkce-support-openid": "The client refuses an OpenID provider without PKCE",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REFUSES,
            "The client makes no authorization request to an OpenID provider that does not say that it supports PKCE",
            [AUTH_PKCE_REFUSE_ABSENT_OIDC, AUTH_PKCE_VERIFY_SUPPORT]).named("ClientRefusesOpenIdWithoutPkce"),
    ],
}

const REFUSES: &str = "client-refuses-openid-without-pkce";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior =
        Behavior { states_pkce: false, metadata: MetadataAt::OpenId, ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let row = judging.check(REFUSES);
    match (flow.authorizations.first(), flow.found_server_metadata()) {
        (Some(made), _) => row.fail(
            Finding::peer("the client goes on without PKCE")
                .expected(
                    "no authorization request, since `code_challenge_methods_supported` is missing",
                )
                .got("an authorization request")
                .evidence(made.seq),
        ),
        (None, Some(_)) => row.pass(),
        (None, None) => row.missing(Step::ServerMetadata.not_taken(&flow)),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-refuses-openid-without-pkce" by misbehavior(Misbehavior::AssumesPkce);
}
