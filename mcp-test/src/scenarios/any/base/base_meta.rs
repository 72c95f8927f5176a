//! `base-meta`.

use serde_json::json;

use super::always_answered;
use crate::check::Finding;
use crate::client::Reply;
use crate::expect::anything;
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::everything_but;
use crate::server::reference::everything;
use crate::server::{Answer, Server, given, meta as of_meta, method};
use crate::spec::{ItemKind, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// Keys of `_meta` that a server does not know do no harm, and neither does an unknown parameter.
    ///
    /// Clients, proxies and extensions put their own data into `_meta`, such as the context of a trace. A server that
    /// validates it as a closed object refuses all their requests.
    Server "base-meta": "Unknown keys of `_meta` are accepted",
    revisions: Revisions::all(),
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "unknown-meta-tolerated",
            "UnknownMetaTolerated",
            "A request is answered in the same way with unknown keys in its `_meta`",
        )
        .requires(&["base.meta-unknown-keys-tolerated"]),
    ],
}

/// A key in the form of a vendor's.
const KEY: &str = "com.example/mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut methods = vec![always_answered(ctx.revision())];
    for kind in ItemKind::ALL {
        if ctx.declares(kind.capability()).await? {
            methods.push(kind.method());
        }
    }
    for method in methods {
        let plain = ctx.request(method, json!({})).await?;
        if plain.error().is_some() {
            // Whatever is wrong with it is not about `_meta`.
            continue;
        }
        let strange = json!({"a": [1, null, {"b": "ä"}]});
        let request = ctx.request(method, json!({})).meta(KEY, strange).meta("baggage", "a=1");
        let reply = request.await?;
        ctx.check("unknown-meta-tolerated").judge(is_served(&reply));
    }
    if !ctx.has_checked("unknown-meta-tolerated") {
        ctx.check("unknown-meta-tolerated").skip("the server refuses every request that was tried");
    }
    Ok(())
}

fn is_served(reply: &Reply) -> Result<(), Finding> {
    let Err(error) = reply.outcome() else { return Ok(()) };
    let headline = format!("`{}` was refused for an unknown key of `_meta`", reply.method());
    Err(Finding::peer(headline)
        .expected("a result, as without that key")
        .got(error.to_string())
        .evidence_all(reply.evidence()))
}

proofs! {
    passes on everything();
    catches "unknown-meta-tolerated" on with_closed_meta();
}

/// Knows all keys of `_meta`.
fn with_closed_meta() -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "unrecognized key in `_meta`");
    let is_strange = of_meta(KEY, anything());
    everything_but([given(method("resources/list")).and(is_strange).respond_with(error)])
}
