//! `versioning-unsupported`.

use mcp_test_core::client::Options;
use mcp_test_core::expect::array_of;
use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::harmless_method;
use crate::scenarios::refusal::{has_code, is_error, refused_in_any_way};

scenario! {
    /// A request at a version that the server does not support is refused with the error for that, which names those that it
    /// supports.
    ///
    /// With it a client finds a common version, over any transport. One version is older than MCP, one comes long after this
    /// program, one is a number, and one exists, but is not among those that `server/discover` names. Another error for that
    /// one is a WARNING, since a server may speak a version with a handshake that it does not name; -32601 is right if it does. Each request has its own
    /// version, also after one at a version that the server supports.
    Server "versioning-unsupported": "A request at an unsupported version is refused",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("unsupported-version-code", "A request at an unsupported version is refused with error -32022",
            [VERSIONING_UNSUPPORTED_VERSION_ERROR]),
        check!("unsupported-version-data", "The error names the supported versions and the one that was requested",
            [VERSIONING_UNSUPPORTED_VERSION_ERROR]).conditional(),
        check!("known-version-unsupported",
            "A request at a version that exists, but that `server/discover` does not name, is refused with error -32022",
            [VERSIONING_UNSUPPORTED_VERSION_ERROR]).conditional()
            .fails_or_warns("a server may speak a version with a handshake that it does not name"),
        check!("version-not-a-string", "A request whose version is a number is refused",
            [JSONRPC_INVALID_PARAMS_ERROR]),
    ],
}

/// Versions that do not exist.
const UNKNOWN: [&str; 2] = ["1999-01-01", "2999-12-31"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // Some servers take the version of the first request for all.
    let served = harmless_method(ctx).await?;
    let _any_reply = ctx.request(served, json!({})).await?.error();
    for version in UNKNOWN {
        let reply = at_version(ctx, json!(version), version).await?;
        let outcome = is_error(&reply)
            .and_then(|()| has_code(&reply, error_code::UNSUPPORTED_PROTOCOL_VERSION));
        let is_refused = outcome.is_ok();
        ctx.check("unsupported-version-code").judge(outcome);
        let error = reply.error().filter(|_| is_refused);
        if let Some(error) = error {
            let data = error.data.clone().unwrap_or_default();
            let part = Part::new("`data` of the error", &data, reply.evidence().last().copied());
            let named = object()
                .member("supported", array_of(string()))
                .member("requested", equals(version));
            ctx.check("unsupported-version-data").expect(&part, named);
        }
    }
    known(ctx).await?;
    let outcome = at_version(ctx, json!(20_260_728), "20260728").await;
    let refused = refused_in_any_way(&ctx.trace(), outcome, is_error);
    ctx.check("version-not-a-string").judge(refused);
    Ok(())
}

/// Requests something at the newest version that the server does not name.
async fn known(ctx: &mut Ctx) -> Result<(), Finding> {
    let discovered = ctx.discover().await?;
    let named = discovered
        .outcome()
        .ok()
        .and_then(|result| result.get("supportedVersions")?.as_array())
        .unwrap_or_default();
    let is_named =
        |revision: &&Revision| named.iter().any(|name| name.as_str() == Some(revision.as_str()));
    let unnamed = Revision::ALL.iter().rev().find(|revision| !is_named(revision));
    let Some(unnamed) = unnamed.filter(|_| !named.is_empty()) else {
        let why = "the server names every version that mcp-test knows, or none";
        ctx.check("known-version-unsupported").info(why);
        return Ok(());
    };
    let outcome = at_version(ctx, json!(unnamed.as_str()), unnamed.as_str()).await;
    let is_unknown_method = |reply: &Reply| {
        reply.error().is_some_and(|error| error.code == error_code::METHOD_NOT_FOUND)
    };
    // Versions with a handshake do not have the method.
    if unnamed.era() == Era::Handshake
        && outcome.as_ref().is_ok_and(is_unknown_method)
        && speaks(ctx, *unnamed).await
    {
        ctx.check("known-version-unsupported")
            .info("the server speaks the newest version that it does not name");
        return Ok(());
    }
    let refused = refused_in_any_way(&ctx.trace(), outcome, |reply| {
        let code = error_code::UNSUPPORTED_PROTOCOL_VERSION;
        is_error(reply).and_then(|()| has_code(reply, code).map_err(Finding::should))
    });
    ctx.check("known-version-unsupported").judge(refused);
    Ok(())
}

/// Whether the server speaks a version that it does not name.
async fn speaks(ctx: &mut Ctx, revision: Revision) -> bool {
    if ctx.has_spoken(revision) {
        return true;
    }
    let same = ctx.options();
    let options = Options::speaking(revision).timeout(same.timeout).until(same.until);
    match ctx.connect(options).await {
        Ok(client) => {
            client.end().await;
            true
        }
        Err(_) => false,
    }
}

/// The reply to a request at a version, which over HTTP its header has as well.
async fn at_version(ctx: &mut Ctx, version: Value, text: &str) -> Result<Reply, Finding> {
    let request = ctx.request("server/discover", json!({})).meta(meta::PROTOCOL_VERSION, version);
    request.header(header::MCP_PROTOCOL_VERSION, text).deliberate().promptly().await
}

proofs! {
    // The reference server without the versions that have a handshake.
    passes on everything().revisions(Revisions::from(Revision::V2026_07_28));
    catches "unsupported-version-code" by misbehavior(Misbehavior::VagueVersion);
    warns "known-version-unsupported" by misbehavior(Misbehavior::VagueVersion);
    catches "known-version-unsupported" by answer("server/discover", discovered());
    catches "unsupported-version-data" by remove("server/discover", "/error/data");
    catches "version-not-a-string" by misbehavior(Misbehavior::SkipsMeta);
}

/// What a server answers that does not look at the version.
fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {},
        "ttlMs": 0,
        "cacheScope": "public",
    })
}
