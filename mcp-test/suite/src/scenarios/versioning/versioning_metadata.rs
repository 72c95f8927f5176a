//! `versioning-metadata`.

use mcp_test_core::client::RequestOptions;
use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// Requests say who asks and at which version, and `server/discover` says who answers.
    ///
    /// `server-stateless` tests this with `server/discover` over HTTP only. A request without its version may be one of a version with a handshake, so
    /// that a server which has these too may refuse it with another code; one that names its version belongs to no other.
    Server "versioning-metadata": "Requests need their metadata over any transport",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("discover-names-server",
            "The result of `server/discover` has the name and version of the server in its `_meta`",
            [DISCOVER_SERVER_INFO_PRESENT]),
        check!("required-meta-missing", "A request without its version or the capabilities of its client is refused",
            [BASE_META_MISSING_FIELD_REJECTED]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let discovered = ctx.discover().await?;
    let result = discovered.result()?;
    let info = result.get("_meta").and_then(|meta| meta.get(meta::SERVER_INFO));
    let info = info.cloned().unwrap_or_default();
    let part = Part::new("the info of the server", &info, discovered.evidence().last().copied());
    let named = object().member("name", string()).member("version", string());
    ctx.check("discover-names-server").should(&part, named);

    let version = json!({ meta::PROTOCOL_VERSION: ctx.revision().as_str() });
    let capabilities = json!({ meta::CLIENT_CAPABILITIES: {} });
    // The code is certain only where the version is.
    for (present, names_version) in
        [(json!({}), false), (capabilities, false), (version.clone(), true)]
    {
        without_metadata(ctx, "server/discover", present, names_version).await?;
    }
    for kind in [ItemKind::Tool, ItemKind::Prompt, ItemKind::Resource] {
        if ctx.declares(kind.capability()).await? {
            // A list that fails anyway may have any code.
            without_metadata(ctx, kind.method(), version.clone(), false).await?;
        }
    }
    Ok(())
}

/// Sends a request with only this metadata.
async fn without_metadata(
    ctx: &mut Ctx,
    method: &str,
    present: Value,
    demands_code: bool,
) -> Result<(), Finding> {
    let options = RequestOptions::new().verbatim().deliberate().promptly();
    let client = ctx.client().await?;
    let reply = client.request_with(method, json!({ "_meta": present }), options).await?;
    let outcome = is_error(&reply).and_then(|()| match demands_code {
        true => has_code(&reply, error_code::INVALID_PARAMS),
        false => Ok(()),
    });
    let cause = Cause::Requirement(Requirement::BASE_META_MISSING_FIELD_REJECTED);
    ctx.check("required-meta-missing").judge(outcome.map_err(|finding| finding.caused_by(cause)));
    Ok(())
}

proofs! {
    passes on everything();
    warns "discover-names-server" by remove("server/discover", "/_meta");
    catches "required-meta-missing" by misbehavior(Misbehavior::SkipsMeta);
    catches "required-meta-missing" by misbehavior(Misbehavior::SkipsMeta), over Router;
    catches "required-meta-missing" on listing_tools_for_anyone();
}

/// Looks at the metadata of `server/discover` only.
fn listing_tools_for_anyone() -> Server {
    let result =
        json!({ "tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "public" });
    everything().faults([Fault::answer("tools/list", result)])
}
