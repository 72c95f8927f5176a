//! `tools-call-embedded-resource`.

use mcp_test_core::expect::{any_of, not};

use crate::scenarios::content::content_with;
use crate::scenarios::prelude::*;
use crate::scenarios::references::TOOLS_CALL;

scenario! {
    /// The tool `test_embedded_resource`, which takes no arguments, returns a resource.
    ///
    /// The official check expects members of any value; our own check compares them.
    Server "tools-call-embedded-resource": "A tool returns a resource",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_embedded_resource")],
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-call-embedded-resource",
            "The result of the call contains a resource with a URI, a MIME type and a text or blob",
            [SCHEMA_CALL_TOOL_RESULT, TOOLS_CONTENT_EMBEDDED_RESOURCE]).official(&[TOOLS_CALL]),
        check!("tools-call-embedded-resource-exact", "The call succeeds, and the resource is that of the fixture",
            [SCHEMA_CALL_TOOL_RESULT, TOOLS_CONTENT_EMBEDDED_RESOURCE]),
    ],
}

const URI: &str = "test://embedded-resource";
const TEXT: &str = "This is an embedded resource content.";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let call = json!({"name": "test_embedded_resource", "arguments": {}});
    let reply = ctx.request("tools/call", call).await?;
    reply.result()?;
    let text_or_blob = any_of(vec![
        Box::new(object().member("text", truthy())),
        Box::new(object().member("blob", truthy())),
    ]);
    ctx.check("tools-call-embedded-resource")
        .by_fixture()
        .expect(&reply, embedded(object()))
        .requires(Requirement::TOOLS_CONTENT_EMBEDDED_RESOURCE)
        .expect(&reply, embedded(object().member("uri", truthy())))
        .expect(&reply, embedded(text_or_blob))
        .officially(
            &reply,
            embedded(object().member("mimeType", truthy())),
            "the MIME type is optional",
        );
    let exact = object().member("uri", equals(URI)).member("text", equals(TEXT));
    ctx.check("tools-call-embedded-resource-exact")
        .by_fixture()
        .expect(&reply, object().optional("isError", not(equals(true))))
        .expect(&reply, embedded(exact));
    Ok(())
}

fn embedded(resource: impl Matcher + 'static) -> impl Matcher {
    content_with(object().member("type", equals("resource")).member("resource", resource))
}

proofs! {
    passes on everything();
    catches "tools-call-embedded-resource" by reply_error("tools/call", -32602);
    catches "tools-call-embedded-resource" by set("tools/call", "/content", json!([]));
    catches "tools-call-embedded-resource" by remove("tools/call", "/content/0/resource/uri");
    catches "tools-call-embedded-resource" by remove("tools/call", "/content/0/resource/text");
    catches "tools-call-embedded-resource" by remove("tools/call", "/content/0/resource/mimeType"), under Official;
    catches "tools-call-embedded-resource-exact" by set("tools/call", "/content/0/resource/text", json!("other"));
    catches "tools-call-embedded-resource-exact" by set("tools/call", "/isError", json!(true));
}
