//! `client-pkce-support`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::{Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The metadata of the authorization server does not say that it supports PKCE. The client must not go on; that it fails is right.
    ///
    /// A client that goes on does not know whether anybody compares its verifier with its challenge.
    Client "client-pkce-support": "The client refuses an authorization server without PKCE",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REFUSES, "The client makes no authorization request to a server that does not support PKCE",
            [AUTH_PKCE_REFUSE_ABSENT_RFC8414, AUTH_PKCE_VERIFY_SUPPORT]),
    ],
}

const REFUSES: &str = "client-refuses-without-pkce";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { states_pkce: false, ..Behavior::default() };
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
    catches "client-refuses-without-pkce" by misbehavior(Misbehavior::AssumesPkce);
}
