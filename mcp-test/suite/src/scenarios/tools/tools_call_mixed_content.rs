//! `tools-call-mixed-content`.

use mcp_test_core::expect::{item, not};

use crate::scenarios::content::{content_with, png};
use crate::scenarios::prelude::*;
use crate::scenarios::references::TOOLS_CALL;

scenario! {
    /// The tool `test_multiple_content_types`, which takes no arguments, returns a text, an image and a resource.
    ///
    /// The official check looks at the types of the items only; our own check compares the items, and their order.
    Server "tools-call-mixed-content": "A tool returns content of several types",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_multiple_content_types")],
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-call-mixed-content", "The result of the call contains a text, an image and a resource",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[TOOLS_CALL]),
        check!("tools-call-mixed-content-exact",
            "The call succeeds, and its items are those of the fixture, in their order",
            [SCHEMA_CALL_TOOL_RESULT]),
    ],
}

const TEXT: &str = "Multiple content types test:";
const URI: &str = "test://mixed-content-resource";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let call = json!({"name": "test_multiple_content_types", "arguments": {}});
    let reply = ctx.request("tools/call", call).await?;
    reply.result()?;
    let of_type = |kind: &str| object().member("type", equals(kind));
    ctx.check("tools-call-mixed-content")
        .by_fixture()
        .expect(&reply, content_with(of_type("text")))
        .expect(&reply, content_with(of_type("image")))
        .expect(&reply, content_with(of_type("resource")));
    let resource =
        object().member("uri", equals(URI)).member("mimeType", equals("application/json"));
    ctx.check("tools-call-mixed-content-exact")
        .by_fixture()
        .expect(&reply, object().optional("isError", not(equals(true))))
        .expect(&reply, item_of_content(0, of_type("text").member("text", equals(TEXT))))
        .expect(&reply, item_of_content(1, of_type("image").member("data", png())))
        .expect(&reply, item_of_content(2, of_type("resource").member("resource", resource)));
    Ok(())
}

fn item_of_content(index: usize, matcher: impl Matcher + 'static) -> impl Matcher {
    object().member("content", item(index, matcher))
}

proofs! {
    passes on everything();
    catches "tools-call-mixed-content" by reply_error("tools/call", -32602);
    catches "tools-call-mixed-content" by remove("tools/call", "/content/0");
    catches "tools-call-mixed-content" by remove("tools/call", "/content/1");
    catches "tools-call-mixed-content" by remove("tools/call", "/content/2");
    catches "tools-call-mixed-content-exact" by set("tools/call", "/content/1/data", json!("AAAA"));
    catches "tools-call-mixed-content-exact" by set("tools/call", "/content/2/resource/uri", json!("test://other"));
    catches "tools-call-mixed-content-exact" by set("tools/call", "/isError", json!(true));
}
