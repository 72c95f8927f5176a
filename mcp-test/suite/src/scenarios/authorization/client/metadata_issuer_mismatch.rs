//! `auth/metadata-issuer-mismatch`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::judge_flow;
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{METADATA_DISCOVERY, RFC_8414};

scenario! {
    /// The metadata of the authorization server names another issuer than the one at whose place it is. The client must not use any of the
    /// endpoints in them; that it fails is right.
    Client "auth/metadata-issuer-mismatch": "The client refuses the metadata of another issuer",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: signing_in![stopping:
        check!(VALIDATES, "The client uses no endpoint of metadata that name another issuer",
            [AUTH_DISCOVERY_ISSUER_VALIDATED, AUTH_DISCOVERY_ISSUER_MISMATCH_NOT_USED])
            .official(&[RFC_8414, METADATA_DISCOVERY]).named("Client validates metadata issuer against well-known URL"),
    ],
}

const VALIDATES: &str = "sep-2468-client-validate-metadata-issuer";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior {
        stated_issuer: Some("https://attacker.example.com"),
        endpoints: "/mismatched-as",
        ..Behavior::default()
    };
    protected(test, behavior, |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let used = [
        flow.registrations.first().map(|received| ("a registration", received.seq)),
        flow.authorizations.first().map(|received| ("an authorization request", received.seq)),
        flow.tokens.first().map(|received| ("a token request", received.seq)),
    ];
    let row = judging.check(VALIDATES);
    match (used.into_iter().flatten().next(), flow.found_server_metadata()) {
        (Some((what, seq)), _) => row.fail(
            Finding::peer("the client uses the metadata of another issuer")
                .expected("no request to any endpoint in them")
                .got(what)
                .evidence(seq),
        ),
        (None, Some(_)) => row.pass(),
        (None, None) => row.missing(Finding::peer("the client never found these metadata")),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "sep-2468-client-validate-metadata-issuer" by misbehavior(Misbehavior::IgnoresMetadataIssuer);
}
