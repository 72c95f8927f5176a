//! `input-required-result-capability-check`.

use mcp_test_core::expect::{empty_object, not};

use super::fixture::{Fixture, asking, requests};
use super::input_rounds::method_of;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// The tool `test_input_required_result_capabilities` asks only for the kinds of input that the client declares.
    ///
    /// The official check declares `sampling` and looks for elicitations; our own check declares each kind alone, and looks for
    /// all others.
    Server "input-required-result-capability-check": "Only declared kinds of input are asked for",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(ASKING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-respect-client-capabilities",
            "A client that declares only `sampling` is asked for input, but not for `elicitation/create`",
            [SCHEMA_INPUT_REQUIRED_RESULT, MRTR_UNDECLARED_INPUT_KIND])
            .official(&[SEP_2322]).named("RespectClientCapabilities"),
        check!("input-required-result-capability-check-each",
            "A client that declares one kind of input is asked for no other",
            [MRTR_UNDECLARED_INPUT_KIND]),
    ],
}

const ASKING: Fixture = Fixture::tool("test_input_required_result_capabilities");

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let sampled = request(ctx, "sampling").await?;
    let elicits = methods(&sampled).find(|method| *method == "elicitation/create");
    ctx.check("sep-2322-respect-client-capabilities")
        .requires(Requirement::MRTR_UNDECLARED_INPUT_KIND)
        .judge(elicits.map_or(Ok(()), |method| Err(undeclared(&sampled, method))))
        .by_fixture()
        .expect(&sampled, asking(not(empty_object())));

    let elicited = request(ctx, "elicitation").await?;
    let rooted = request(ctx, "roots").await?;
    let replies = [
        (&sampled, "sampling/createMessage"),
        (&elicited, "elicitation/create"),
        (&rooted, "roots/list"),
    ];
    for (reply, declared) in replies {
        let other = methods(reply).find(|method| *method != declared);
        ctx.check("input-required-result-capability-check-each")
            .judge(other.map_or(Ok(()), |method| Err(undeclared(reply, method))));
    }
    Ok(())
}

/// Sends the request with this capability alone: in profile `official` the client declares more by itself.
async fn request(ctx: &mut Ctx, capability: &str) -> Result<Reply, Finding> {
    let declared = json!({capability: {}});
    ASKING.request(ctx).meta(meta::CLIENT_CAPABILITIES, declared).await
}

/// The methods of the requests for input; an error has none, such as that for a capability that is missing.
fn methods(reply: &Reply) -> impl Iterator<Item = &str> {
    let requests = requests(reply).into_iter().flat_map(Object::iter);
    requests.filter_map(|(_, request)| method_of(request))
}

fn undeclared(reply: &Reply, method: &str) -> Finding {
    Finding::peer("the result asks for input of a kind that the client does not declare")
        .expected("only requests that the declared capabilities of the client allow")
        .got(format!("`{method}`"))
        .evidence_all(reply.evidence())
}

proofs! {
    passes on everything();
    catches "sep-2322-respect-client-capabilities" by reply_error("tools/call", -32602);
    catches "sep-2322-respect-client-capabilities" by set("tools/call", "/inputRequests", json!({}));
    catches "sep-2322-respect-client-capabilities" by set("tools/call", "/inputRequests/user", elicitation());
    catches "input-required-result-capability-check-each"
        by set("tools/call", "/inputRequests/client_roots", json!({"method": "roots/list"}));
}

fn elicitation() -> serde_json::Value {
    let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let params = json!({"message": "What is your name?", "requestedSchema": form});
    json!({"method": "elicitation/create", "params": params})
}
