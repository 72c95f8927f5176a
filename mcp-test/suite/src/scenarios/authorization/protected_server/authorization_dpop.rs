//! `authorization-dpop`.

use mcp_test_core::jose::{JoseError, SigningKey};
use mcp_test_core::oauth::dpop::{DPOP, ProvenRequest};
use mcp_test_core::transport::test_tokens::BoundToken;

use super::endpoint::{ProtectedServer, is_served, is_unauthorized, opening};
use super::reference::protected_with_dpop;
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::describe;

const NO_PROOF: &str = "bound-token-without-proof-refused";
const AS_BEARER: &str = "bound-token-as-bearer-refused";
const REPLAYED: &str = "replayed-proof-refused";
const OTHER_KEY: &str = "proof-of-other-key-refused";
const OTHER_URL: &str = "proof-for-other-url-refused";
const OTHER_TOKEN: &str = "proof-for-other-token-refused";

/// The requirement that all checks cite.
const CHECKS: &Requirement = Requirement::MCP_TEST_DPOP_SERVER_VERIFIES;

scenario! {
    /// A token that is bound to a key is accepted only with a new proof that the sender has the key (DPoP, RFC 9449).
    ///
    /// It is tried where the issuer of the test can bind tokens (`--issuer`) and the server accepts such a token with a valid
    /// proof; a server that does not support DPoP refuses it, or ignores the key, which the check of a token without proof
    /// would report. So the scenario is skipped unless the metadata of the server names `dpop_signing_alg_values_supported` or
    /// `dpop_bound_access_tokens_required`.
    Server "authorization-dpop": "A token that is bound to a key needs a proof for each request",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    needs: [Need::Protection],
    checks: [
        check!(NO_PROOF, "A bound token without a proof is refused", &[CHECKS]),
        check!(AS_BEARER, "A bound token with the scheme `Bearer` is refused", &[CHECKS]),
        check!(REPLAYED, "A proof that was used before is refused", &[CHECKS])
            .only_warns("RFC 9449 lets servers decide how long they remember proofs"),
        check!(OTHER_KEY, "A proof by another key than that of the token is refused", &[CHECKS]),
        check!(OTHER_URL, "A proof for another URL is refused", &[CHECKS]),
        check!(OTHER_TOKEN, "A proof for another token is refused", &[CHECKS]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(server) = ProtectedServer::of(ctx) else { return Ok(()) };
    if !server.tokens.supports_proofs() {
        ctx.skip_the_rest("the metadata of the server does not name DPoP");
        return Ok(());
    }
    let Some(bound) = server.tokens.bound_token(&server.url) else {
        ctx.skip_the_rest("only the issuer of the test can bind tokens to a key (`--issuer`)");
        return Ok(());
    };
    match probe(ctx, &server, &bound).await {
        Ok(outcome) => outcome,
        Err(error) => Err(Finding::environment("nothing can be signed").got(error.to_string())),
    }
}

async fn probe(
    ctx: &mut Ctx,
    server: &ProtectedServer,
    bound: &BoundToken,
) -> Result<Result<(), Finding>, JoseError> {
    let right =
        ProvenRequest { method: "POST", url: &server.url, nonce: None, token: Some(&bound.text) };
    let good = right.prove(&bound.key)?;
    let other_url = format!("{}/other", server.url);
    let wrong = [
        (OTHER_KEY, "a proof by another key", right.prove(&SigningKey::es256()?)?),
        (
            OTHER_URL,
            "a proof for another URL",
            ProvenRequest { url: &other_url, ..right }.prove(&bound.key)?,
        ),
        (
            OTHER_TOKEN,
            "a proof for another token",
            ProvenRequest { token: Some("another"), ..right }.prove(&bound.key)?,
        ),
    ];
    Ok(judge(ctx, server, &bound.text, (&good, &wrong)).await)
}

async fn judge(
    ctx: &mut Ctx,
    server: &ProtectedServer,
    token: &str,
    (good, wrong): (&str, &[(&'static str, &str, String)]),
) -> Result<(), Finding> {
    let with_proof = |request: HttpRequest, proof: &str| {
        request.with("Authorization", format!("DPoP {token}")).with(DPOP, proof)
    };
    let first = ctx.http(with_proof(opening(ctx), good)).await?;
    server.close(ctx, &first, token).await;
    if !is_served(&first) {
        let why = "the server does not accept a bound token with a valid proof";
        ctx.skip_the_rest(&format!("{why}: {}", describe(&first)));
        return Ok(());
    }
    let again = ctx.http(with_proof(opening(ctx), good)).await?;
    let what = "a proof that was used before";
    ctx.check(REPLAYED).judge(is_unauthorized(what, &again).map_err(Finding::should));
    for (id, what, proof) in wrong {
        let answer = ctx.http(with_proof(opening(ctx), proof)).await?;
        ctx.check(id).judge(is_unauthorized(what, &answer));
    }
    for (id, what, scheme) in [
        (NO_PROOF, "a bound token without a proof", "DPoP"),
        (AS_BEARER, "a bound token with the scheme `Bearer`", "Bearer"),
    ] {
        let request = opening(ctx).with("Authorization", format!("{scheme} {token}"));
        let answer = ctx.http(request).await?;
        ctx.check(id).judge(is_unauthorized(what, &answer));
    }
    Ok(())
}

proofs! {
    passes on protected_with_dpop();
    catches "bound-token-without-proof-refused" by misbehavior(Misbehavior::IgnoresProofs);
    catches "bound-token-as-bearer-refused" by misbehavior(Misbehavior::IgnoresProofs);
    warns "replayed-proof-refused" by misbehavior(Misbehavior::IgnoresProofs);
    catches "proof-of-other-key-refused" by misbehavior(Misbehavior::IgnoresProofs);
    catches "proof-for-other-url-refused" by misbehavior(Misbehavior::IgnoresProofs);
    catches "proof-for-other-token-refused" by misbehavior(Misbehavior::IgnoresProofs);
}
