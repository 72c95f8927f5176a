//! The scenarios about authorization servers that do not say that they support PKCE.

use mcp_test_core::oauth::scripted::{Behavior, MetadataAt};

use super::flow::{Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

client_scenarios! {
    all: {
        revisions: Revisions::from(Revision::V2025_11_25),
        transports: StreamableHttp,
        tolerates_failed_exit: true,
    }
    client_pkce_support {
        /// The metadata of the authorization server does not say that it supports PKCE. The client must not go on; that it fails is right.
        ///
        /// A client that goes on does not know whether anybody compares its verifier with its challenge.
        "client-pkce-support": "The client refuses an authorization server without PKCE",
        checks: [
            check!("client-refuses-without-pkce",
                "The client makes no authorization request to a server that does not support PKCE",
                [AUTH_PKCE_REFUSE_ABSENT_RFC8414, AUTH_PKCE_VERIFY_SUPPORT]),
        ],
        serve: |test| serve_without_pkce(test, Behavior::default().metadata),
        judge: |judging| judge_refusal(judging, "client-refuses-without-pkce"),
        proofs: {
            passes on signing_in_client();
            catches "client-refuses-without-pkce" by misbehavior(Misbehavior::AssumesPkce);
        },
    }
    client_pkce_support_openid {
        /// The authorization server has its metadata where OpenID Connect has it, and it does not say that the server supports PKCE, of which OpenID
        /// Connect itself knows nothing. The client must not go on; that it fails is right.
        "client-pkce-support-openid": "The client refuses an OpenID provider without PKCE",
        checks: [
            check!("client-refuses-openid-without-pkce",
                "The client makes no authorization request to an OpenID provider that does not say that it supports PKCE",
                [AUTH_PKCE_REFUSE_ABSENT_OIDC, AUTH_PKCE_VERIFY_SUPPORT]).named("ClientRefusesOpenIdWithoutPkce"),
        ],
        serve: |test| serve_without_pkce(test, MetadataAt::OpenId),
        judge: |judging| judge_refusal(judging, "client-refuses-openid-without-pkce"),
        proofs: {
            passes on signing_in_client();
            catches "client-refuses-openid-without-pkce" by misbehavior(Misbehavior::AssumesPkce);
        },
    }
}

fn serve_without_pkce(test: &ClientTest, metadata: MetadataAt) -> Result<Server, Finding> {
    let behavior = Behavior { states_pkce: false, metadata, ..Behavior::default() };
    protected(test, behavior, |resource| resource)
}

fn judge_refusal(judging: &mut Judging, check: &str) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let row = judging.check(check);
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
