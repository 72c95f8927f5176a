//! `resources-unsubscribe`.

use mcp_test_core::scenario::empty_result;

use crate::scenarios::prelude::*;
use crate::scenarios::references::UNSUBSCRIBE;

scenario! {
    /// The server lets its client unsubscribe from the resource `test://watched-resource`.
    ///
    /// The official check accepts any result; our own check expects an empty one, as the schema does.
    Server "resources-unsubscribe": "The server accepts the end of a subscription",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::ResourcesSubscribe), Need::Resource("test://watched-resource")],
    checks: [
        check!("resources-unsubscribe",
            "`resources/subscribe` and then `resources/unsubscribe` are answered with results",
            [RESOURCES_UNSUBSCRIBE_STOPS_UPDATES, RESOURCES_SUBSCRIBE_ACCEPT]).official(&[UNSUBSCRIBE]),
        check!("resources-unsubscribe-result", "The result is an empty object",
            [SCHEMA_SUBSCRIBE_RESULT]).only_warns("clients read nothing from the result"),
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
    catches "resources-unsubscribe" by reply_error("resources/subscribe", -32601);
    catches "resources-unsubscribe" by reply_error("resources/unsubscribe", -32601);
    warns "resources-unsubscribe-result" by set("resources/unsubscribe", "/subscribed", json!(false));
}
