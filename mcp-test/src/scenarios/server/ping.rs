//! `ping`.

use serde_json::json;

use super::references::PING;
use crate::check::Finding;
use crate::expect::empty_object;
use crate::scenario::{CheckSpec, Ctx, Official, empty_result};
use crate::server::reference::everything;
use crate::spec::{Revision, Revisions};
use crate::{proofs, scenario};

scenario! {
    /// The server answers `ping` with an empty result.
    ///
    /// Clients ping to find out whether a connection is alive; they take an error, or silence, for a dead one.
    Server "ping": "The server answers a ping",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    shares_connection: true,
    checks: [
        CheckSpec::official("ping", "Ping", "The result of `ping` is an empty object", &[PING])
            .requires(&["ping.responds-promptly", "ping.result-empty"]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = ctx.ping().await?;
    ctx.check("ping").requires("ping.result-empty").expect(&reply, empty_result()).officially(
        &reply,
        empty_object(),
        "every result may have `_meta`",
    );
    Ok(())
}

proofs! {
    passes on everything();
    catches "ping" by reply_error("ping", -32601);
    catches "ping" by set("ping", "/pong", json!(true));
    catches "ping" by set("ping", "/_meta", json!({})), under Official;
    catches "ping" by wrong_id("ping"), also "wire-well-formed" Failure;
}
