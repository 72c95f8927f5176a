//! `resources-subscribe`.

use mcp_test_core::scenario::empty_result;

use crate::scenarios::prelude::*;
use crate::scenarios::references::SUBSCRIBE;

scenario! {
    /// The server lets its client subscribe to the resource `test://watched-resource`.
    ///
    /// The official check accepts any result; our own check expects an empty one, as the schema does.
    Server "resources-subscribe": "The server accepts a subscription to a resource",
    revisions: Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::ResourcesSubscribe), Need::Resource("test://watched-resource")],
    checks: [
        check!("resources-subscribe", "`resources/subscribe` is answered with a result",
            [RESOURCES_SUBSCRIBE_ACCEPT]).official(&[SUBSCRIBE]),
        check!("resources-subscribe-result", "The result is an empty object",
            [SCHEMA_SUBSCRIBE_RESULT]).only_warns("clients read nothing from the result"),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply =
        ctx.request("resources/subscribe", json!({"uri": "test://watched-resource"})).await?;
    reply.result()?;
    ctx.check("resources-subscribe").pass();
    ctx.check("resources-subscribe-result").should(&reply, empty_result());
    Ok(())
}

proofs! {
    passes on everything();
    catches "resources-subscribe" by reply_error("resources/subscribe", -32601);
    warns "resources-subscribe-result" by set("resources/subscribe", "/subscribed", json!(true));
}
