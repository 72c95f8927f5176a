//! `input-required-result-result-type`.

use super::fixture::GREETING;
use super::input_rounds::declare_all;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// A result that asks for input says so in its `resultType`.
    ///
    /// A client that does not find it there takes the result for the complete one, and a tool without content for one that has
    /// nothing to say.
    Server "input-required-result-result-type": "A result that asks for input says so",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(GREETING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-result-type-included", "The `resultType` is \"input_required\"",
            [MRTR_RESULT_TYPE]).official(&[SEP_2322]).named("ResultTypeIncluded"),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let reply = GREETING.request(ctx).await?;
    let check = ctx.check("sep-2322-result-type-included");
    let typed = object().member("resultType", equals("input_required"));
    // A result without requests is complete: the fixture asks for nothing, but its type may be right.
    match reply.outcome() {
        Ok(result) if result.get("inputRequests").is_some() => check.expect(&reply, typed),
        _ => check.by_fixture().expect(&reply, typed),
    };
    Ok(())
}

proofs! {
    passes on everything();
    catches "sep-2322-result-type-included" by reply_error("tools/call", -32602);
    catches "sep-2322-result-type-included" by set("tools/call", "/resultType", json!("complete"));
    catches "sep-2322-result-type-included" by remove("tools/call", "/resultType");
    // Greets without a name.
    catches "sep-2322-result-type-included"
        on everything().on("tools/call", |_: Call| async { json!({"content": []}) });
}
