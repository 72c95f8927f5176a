//! `authorization-client-credentials`.

use mcp_test_core::scenario::{AuthorizationCtx, Stop};

use super::discovery::Metadata;
use super::good_server;
use super::preparation::{skip, usable_metadata};
use super::wrong_answers::says;
use crate::scenarios::prelude::*;

const METHODS: &str = "client-credentials-methods";
const ALGORITHMS: &str = "client-credentials-algorithms";

const METHODS_MEMBER: &str = "token_endpoint_auth_methods_supported";
const ALGORITHMS_MEMBER: &str = "token_endpoint_auth_signing_alg_values_supported";

scenario! {
    /// A server with the grant `client_credentials` says how programs authenticate.
    ///
    /// Programs without a user get their tokens by an extension of MCP. They learn from the metadata whether they sign an
    /// assertion or send a secret, and by which algorithms they may sign.
    ///
    /// The scenario is skipped if `grant_types_supported` does not have the grant. It takes no client and nobody's consent.
    Authorization "authorization-client-credentials": "The metadata says how programs authenticate",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    checks: [
        check!(METHODS, "The metadata has a method by which programs authenticate",
            [AUTH_EXT_CLIENT_CREDENTIALS_AS_AUTH_METHODS]),
        check!(ALGORITHMS, "Where programs sign assertions, the metadata has the algorithms for it",
            [AUTH_EXT_CLIENT_CREDENTIALS_AS_SIGNING_ALGS]),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let found = usable_metadata(ctx).await?;
    if found.lists("grant_types_supported", "client_credentials") != Some(true) {
        return Err(skip("`grant_types_supported` does not have `client_credentials`"));
    }
    ctx.check(METHODS).judge(has_method(&found));
    let check = ctx.check(ALGORITHMS);
    match found.lists(METHODS_MEMBER, "private_key_jwt") {
        Some(true) => check.judge(has_algorithm(&found)),
        _ => check.skip(format!("`{METHODS_MEMBER}` does not have `private_key_jwt`")),
    };
    Ok(())
}

fn has_method(found: &Metadata) -> Result<(), Finding> {
    let usable = ["private_key_jwt", "client_secret_basic"];
    let has = usable.iter().any(|method| found.lists(METHODS_MEMBER, method) == Some(true));
    ensure(has, || {
        let headline = "the metadata has no method by which programs authenticate";
        let finding =
            found.finding(headline, Requirement::AUTH_EXT_CLIENT_CREDENTIALS_AS_AUTH_METHODS);
        let expected =
            format!("`{METHODS_MEMBER}` with `private_key_jwt` or `client_secret_basic`");
        finding.expected(expected).got(found.shown(METHODS_MEMBER))
    })
}

fn has_algorithm(found: &Metadata) -> Result<(), Finding> {
    ensure(!found.texts(ALGORITHMS_MEMBER).is_empty(), || {
        let headline = "the metadata does not say by which algorithms programs may sign";
        let finding =
            found.finding(headline, Requirement::AUTH_EXT_CLIENT_CREDENTIALS_AS_SIGNING_ALGS);
        finding
            .expected(format!("algorithms in `{ALGORITHMS_MEMBER}`"))
            .got(found.shown(ALGORITHMS_MEMBER))
    })
}

proofs! {
    passes on good_server();
    catches "client-credentials-methods" on says("token_endpoint_auth_methods_supported", "[\"none\"]");
    catches "client-credentials-algorithms" on says("token_endpoint_auth_signing_alg_values_supported", "[]");
}
