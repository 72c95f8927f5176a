//! `versioning-metadata`.

use mcp_test_core::check::{Cause, Finding};
use mcp_test_core::client::RequestOptions;
use mcp_test_core::expect::{object, string};
use mcp_test_core::scenario::{CheckSpec, Ctx, Part};
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::{Revision, Revisions, error_code, meta};
use mcp_test_core::transport::fault::Misbehavior;
use mcp_test_core::{proofs, scenario};
use serde_json::json;

use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// Over stdio too, requests say who asks and at which version, and `server/discover` says who answers.
    ///
    /// `server-stateless` tests this over HTTP only. A request without its version may be one of a version with a handshake, so
    /// that a server which has these too may refuse it with another code; one that names its version belongs to no other.
    Server "versioning-metadata": "Requests need their metadata over stdio, too",
    revisions: Revisions::from(Revision::V2026_07_28),
    transports: Only [Duplex, Stdio],
    shares_connection: Revisions::all(),
    checks: [
        CheckSpec::own(
            "discover-names-server",
            "DiscoverNamesServer",
            "The result of `server/discover` has the name and version of the server in its `_meta`",
        )
        .requires(&["discover.server-info-present"])
        .warns(),
        CheckSpec::own(
            "required-meta-missing",
            "RequiredMetaMissing",
            "A request without its version or the capabilities of its client is refused",
        )
        .requires(&["base.meta-missing-field-rejected"]),
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
    for (present, names_version) in [(json!({}), false), (capabilities, false), (version, true)] {
        let options = RequestOptions::new().verbatim().deliberate().promptly();
        let client = ctx.client().await?;
        let params = json!({ "_meta": present });
        let reply = client.request_with("server/discover", params, options).await?;
        let outcome = is_error(&reply).and_then(|()| match names_version {
            true => has_code(&reply, error_code::INVALID_PARAMS),
            false => Ok(()),
        });
        let cause = Cause::Requirement("base.meta-missing-field-rejected");
        let outcome = outcome.map_err(|finding| finding.caused_by(cause));
        ctx.check("required-meta-missing").judge(outcome);
    }
    Ok(())
}

proofs! {
    passes on everything();
    warns "discover-names-server" by remove("server/discover", "/_meta");
    catches "required-meta-missing" by misbehavior(Misbehavior::SkipsMeta);
}
