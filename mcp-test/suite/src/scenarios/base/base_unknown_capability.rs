//! `base-unknown-capability`.

use mcp_test_core::server::meta as of_meta;

use crate::scenarios::lifecycle::UNKNOWN_CAPABILITY;
use crate::scenarios::prelude::*;

scenario! {
    /// A request that declares capabilities which the server does not know is served.
    ///
    /// The set of capabilities is open: newer clients declare more than an older server knows. A server that validates them
    /// as a closed set refuses these clients altogether. With a handshake, `lifecycle-order` tests the same.
    Server "base-unknown-capability": "Unknown capabilities of the client are accepted",
    revisions: Revisions::from(Revision::V2026_07_28),
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-capability-tolerated", "A client with unknown and experimental capabilities is served",
            [BASE_UNKNOWN_CAPABILITY_TOLERATED]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let declared = json!({ UNKNOWN_CAPABILITY: {"a": true}, "experimental": {"mcp-test": {}} });
    let request = ctx.request("server/discover", json!({}));
    let reply = request.meta(meta::CLIENT_CAPABILITIES, declared).await;
    let outcome = reply.and_then(|reply| reply.result().map(drop));
    let requirement = Requirement::BASE_UNKNOWN_CAPABILITY_TOLERATED;
    ctx.check("unknown-capability-tolerated")
        .judge(outcome.map_err(|finding| finding.requires(requirement)));
    Ok(())
}

proofs! {
    passes on everything();
    catches "unknown-capability-tolerated" on with_closed_capabilities();
}

/// Knows all capabilities.
fn with_closed_capabilities() -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "unrecognized key in `capabilities`");
    let unknown = object().member(UNKNOWN_CAPABILITY, anything());
    let discover =
        given(method("server/discover")).and(of_meta(meta::CLIENT_CAPABILITIES, unknown));
    reference_server_with([discover.respond_with(error)])
}
