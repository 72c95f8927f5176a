//! `base-unknown-capability`.

use serde_json::json;

use crate::check::Finding;
use crate::expect::{anything, object};
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::everything_but;
use crate::server::reference::everything;
use crate::server::{Answer, Server, given, meta as of_meta, method, param};
use crate::spec::{Era, Revisions, error_code, meta};
use crate::{proofs, scenario};

scenario! {
    /// A client that declares capabilities which the server does not know is served.
    ///
    /// The set of capabilities is open: newer clients declare more than an older server knows. A server that validates them
    /// as a closed set refuses these clients altogether.
    Server "base-unknown-capability": "Unknown capabilities of the client are accepted",
    revisions: Revisions::all(),
    checks: [
        CheckSpec::own(
            "unknown-capability-tolerated",
            "UnknownCapabilityTolerated",
            "A client with unknown and experimental capabilities is served",
        )
        .requires(&["base.unknown-capability-tolerated"]),
    ],
}

/// The name of a capability that no server knows.
const UNKNOWN: &str = "com.example/mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let declared = json!({ UNKNOWN: {"a": true}, "experimental": {"mcp-test": {}} });
    let outcome = match ctx.revision().era() {
        Era::Handshake => {
            let options = ctx.options().capabilities(declared);
            match ctx.connect(options).await {
                Ok(mut client) => {
                    let reply = client.request("ping", json!({})).await;
                    reply.and_then(|reply| reply.result().map(drop))
                }
                Err(finding) => Err(finding),
            }
        }
        Era::Stateless => {
            let request = ctx.request("server/discover", json!({}));
            let reply = request.meta(meta::CLIENT_CAPABILITIES, declared).await;
            reply.and_then(|reply| reply.result().map(drop))
        }
    };
    let requirement = "base.unknown-capability-tolerated";
    ctx.check("unknown-capability-tolerated")
        .judge(outcome.map_err(|finding| finding.requires(requirement)));
    Ok(())
}

proofs! {
    passes on everything();
    catches "unknown-capability-tolerated" on with_closed_capabilities();
    catches "unknown-capability-tolerated" on with_closed_capabilities(), at V2025_11_25;
}

/// Knows all capabilities.
fn with_closed_capabilities() -> Server {
    let error = || Answer::error(error_code::INVALID_PARAMS, "unrecognized key in `capabilities`");
    let unknown = || object().member(UNKNOWN, anything());
    let initialize = given(method("initialize")).and(param("/capabilities", unknown()));
    let discover =
        given(method("server/discover")).and(of_meta(meta::CLIENT_CAPABILITIES, unknown()));
    everything_but([initialize.respond_with(error()), discover.respond_with(error())])
}
