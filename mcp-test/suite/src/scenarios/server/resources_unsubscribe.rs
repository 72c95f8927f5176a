//! `resources-unsubscribe`.

use mcp_test_core::check::Finding;
use mcp_test_core::scenario::{CheckSpec, Ctx, Need, Official, empty_result};
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::{Capability, Requirement, Revision, Revisions};
use mcp_test_core::{proofs, scenario};
use serde_json::json;

use super::references::UNSUBSCRIBE;

scenario! {
    /// The server lets its client unsubscribe from the resource `test://watched-resource`.
    ///
    /// The official check accepts any result; our own check expects an empty one, as the schema does.
    Server "resources-unsubscribe": "The server accepts the end of a subscription",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::ResourcesSubscribe), Need::Resource("test://watched-resource")],
    checks: [
        CheckSpec::official(
            "resources-unsubscribe",
            "ResourcesUnsubscribe",
            "`resources/subscribe` and then `resources/unsubscribe` are answered with results",
            &[UNSUBSCRIBE],
        )
        .requires(&[Requirement::RESOURCES_UNSUBSCRIBE_STOPS_UPDATES, Requirement::RESOURCES_SUBSCRIBE_ACCEPT]),
        CheckSpec::own(
            "resources-unsubscribe-result",
            "ResourcesUnsubscribeResult",
            "The result is an empty object",
        )
        .requires(&[Requirement::SCHEMA_SUBSCRIBE_RESULT])
        .warns(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let watched = json!({"uri": "test://watched-resource"});
    // A server need not accept the end of a subscription that does not exist.
    let reply = ctx.request("resources/subscribe", watched.clone()).await?;
    reply.result().map_err(|finding| finding.requires(Requirement::RESOURCES_SUBSCRIBE_ACCEPT))?;
    let reply = ctx.request("resources/unsubscribe", watched).await?;
    reply.result()?;
    ctx.check("resources-unsubscribe").pass();
    ctx.check("resources-unsubscribe-result").should(&reply, empty_result());
    Ok(())
}

proofs! {
    passes on everything();
    catches "resources-unsubscribe" by reply_error("resources/subscribe", -32601),
        also "resources-unsubscribe-result" Skipped;
    catches "resources-unsubscribe" by reply_error("resources/unsubscribe", -32601),
        also "resources-unsubscribe-result" Skipped;
    warns "resources-unsubscribe-result" by set("resources/unsubscribe", "/subscribed", json!(false));
}
