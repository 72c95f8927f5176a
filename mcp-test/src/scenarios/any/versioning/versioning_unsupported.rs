//! `versioning-unsupported`.

use serde_json::{Value, json};

use crate::check::Finding;
use crate::client::Reply;
use crate::expect::{array_of, equals, object, string};
use crate::scenario::{CheckSpec, Ctx, Part};
use crate::scenarios::refusal::{has_code, is_error, refused_in_any_way};
use crate::server::reference::everything;
use crate::spec::{Revision, Revisions, error_code, header, meta};
use crate::transport::fault::Misbehavior;
use crate::{proofs, scenario};

scenario! {
    /// A request at a version that the server does not support is refused with the error for that, which names those that it
    /// supports.
    ///
    /// With it a client finds a common version, over any transport. One version is older than MCP, one comes long after this
    /// program, and one is a number.
    Server "versioning-unsupported": "A request at an unsupported version is refused",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "unsupported-version-code",
            "UnsupportedVersionCode",
            "A request at an unsupported version is refused with error -32022",
        )
        .requires(&["versioning.unsupported-version-error"]),
        CheckSpec::own(
            "unsupported-version-data",
            "UnsupportedVersionData",
            "The error names the supported versions and the one that was requested",
        )
        .requires(&["versioning.unsupported-version-error"])
        .conditional(),
        CheckSpec::own(
            "version-not-a-string",
            "VersionNotAString",
            "A request whose version is a number is refused",
        )
        .requires(&["jsonrpc.invalid-params-error"]),
    ],
}

/// Versions that do not exist.
const UNKNOWN: [&str; 2] = ["1999-01-01", "2999-12-31"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
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
    let outcome = at_version(ctx, json!(20_260_728), "20260728").await;
    let refused = refused_in_any_way(&ctx.trace(), outcome, is_error);
    ctx.check("version-not-a-string").judge(refused);
    Ok(())
}

/// The reply to a request at a version, which over HTTP its header has as well.
async fn at_version(ctx: &mut Ctx, version: Value, text: &str) -> Result<Reply, Finding> {
    let request = ctx.request("server/discover", json!({})).meta(meta::PROTOCOL_VERSION, version);
    request.header(header::MCP_PROTOCOL_VERSION, text).deliberate().promptly().await
}

proofs! {
    passes on everything();
    catches "unsupported-version-code" by misbehavior(Misbehavior::VagueVersion),
        also "unsupported-version-data" Info;
    catches "unsupported-version-data" by remove("server/discover", "/error/data"),
        also "wire-schema-valid" Failure;
    catches "version-not-a-string" by misbehavior(Misbehavior::SkipsMeta);
}
