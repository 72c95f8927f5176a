//! `tools-call-simple-text`.

use mcp_test_core::expect::{non_empty_array, not};

use crate::scenarios::matchers::first_text;
use crate::scenarios::prelude::*;
use crate::scenarios::references::TOOLS_CALL;

scenario! {
    /// A call of the tool `test_simple_text`, which takes no arguments, returns a text.
    ///
    /// The official check passes on any text, even on that of an error such as "unknown tool"; our own check expects the
    /// text of the fixture.
    Server "tools-call-simple-text": "A tool returns a text",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_simple_text")],
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-call-simple-text", "The result of the call contains a text",
            [TOOLS_CALL_ARGUMENTS_OPTIONAL, SCHEMA_CALL_TOOL_RESULT, TOOLS_CONTENT_TEXT]).official(&[TOOLS_CALL]),
        check!("tools-call-simple-text-exact", "The call succeeds, and its text is that of the fixture",
            [SCHEMA_CALL_TOOL_RESULT, TOOLS_CALL_ARGUMENTS_OPTIONAL]),
    ],
}

const TEXT: &str = "This is a simple text response for testing.";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // Without `arguments`, which a tool without required ones must not need (`schema#calltoolrequestparams`).
    let reply = ctx.request("tools/call", json!({"name": "test_simple_text"})).await?;
    reply.result()?;
    ctx.check("tools-call-simple-text")
        .requires(Requirement::SCHEMA_CALL_TOOL_RESULT)
        .expect(&reply, object().member("content", non_empty_array()))
        .requires(Requirement::TOOLS_CONTENT_TEXT)
        .expect(&reply, first_text(truthy()));
    ctx.check("tools-call-simple-text-exact")
        .by_fixture()
        .expect(&reply, object().optional("isError", not(equals(true))))
        .expect(&reply, first_text(equals(TEXT)));
    Ok(())
}

proofs! {
    passes on everything();
    catches "tools-call-simple-text" by reply_error("tools/call", -32602);
    catches "tools-call-simple-text" by set("tools/call", "/content", json!([]));
    catches "tools-call-simple-text" by set("tools/call", "/content/0/text", json!(""));
    catches "tools-call-simple-text-exact" by set("tools/call", "/isError", json!(true));
    catches "tools-call-simple-text-exact" by set("tools/call", "/content/0/text", json!("unknown tool"));
}
