//! `tools-call-error`.

use mcp_test_core::expect::{first, text_containing};

use crate::scenarios::prelude::*;
use crate::scenarios::references::ERROR_HANDLING;

scenario! {
    /// The tool `test_error_handling`, which always fails, reports that in its result and not as a JSON-RPC error.
    ///
    /// A model sees the result of a tool and can try something else; a protocol error usually never reaches it. The
    /// official check passes on any tool error, even on "unknown tool"; our own check expects the text of this one, to
    /// which an SDK may have added a prefix or suffix.
    Server "tools-call-error": "A failing tool reports its error in the result",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_error_handling")],
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-call-error", "The error of a tool is a result with `isError` and a text",
            [TOOLS_CALL_EXECUTION_ERROR_IS_ERROR]).official(&[ERROR_HANDLING])
            .fails_or_warns("the official suite fails it, and a protocol error breaks more than a SHOULD"),
        check!("tools-call-error-exact", "The text of the error contains that of the fixture",
            [SCHEMA_CALL_TOOL_RESULT, TOOLS_CALL_EXECUTION_ERROR_IS_ERROR])
            .always_fails("the text cannot be compared without the error of the tool"),
    ],
}

const TEXT: &str = "This tool intentionally returns an error for testing";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply =
        ctx.request("tools/call", json!({"name": "test_error_handling", "arguments": {}})).await?;
    ctx.check("tools-call-error")
        .officially_must(
            &reply,
            object().member("isError", equals(true)),
            "that a failure is a result, with `isError`, is only recommended (SHOULD)",
        )
        .officially(&reply, failing_with(truthy()), "the content of an error may be empty");
    // An error reply is a matter of the other check: here there is no text to compare.
    let exact = ctx.check("tools-call-error-exact").by_fixture();
    if reply.error().is_some() {
        exact.skip("the call has no result");
    } else {
        exact.expect(&reply, failing_with(text_containing(TEXT)));
    }
    Ok(())
}

fn failing_with(text: impl Matcher + 'static) -> impl Matcher {
    object().member("content", first(object().member("text", text)))
}

proofs! {
    passes on everything();
    catches "tools-call-error" by reply_error("tools/call", -32603), under Official;
    catches "tools-call-error" by remove("tools/call", "/isError"), under Official;
    catches "tools-call-error" by set("tools/call", "/content", json!([])), under Official;
    warns "tools-call-error" by reply_error("tools/call", -32603);
    warns "tools-call-error" by remove("tools/call", "/isError");
    catches "tools-call-error-exact" by set("tools/call", "/content/0/text", json!("unknown tool"));
}
