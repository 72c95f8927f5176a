//! `input-required-result-request-state`.

use mcp_test_core::expect::{non_empty_string, text_containing};

use super::fixture::{Fixture, accepted, asking, complete, expect_reply, to_first};
use super::input_rounds::declare_all;
use crate::scenarios::matchers::first_text;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// The tool `test_input_required_result_request_state` sends a state with its request for input, and completes when the call
    /// is repeated with both the response and the state.
    ///
    /// The official check of the second reply does not look for the text `state-ok`, by which the tool confirms that it has got
    /// the state; our own check does.
    Server "input-required-result-request-state": "A state is sent back with the response",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(CONFIRMING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-request-state-incomplete", "The result asks for input, and has a state that is not empty",
            [SCHEMA_INPUT_REQUIRED_RESULT]).official(&[SEP_2322]).named("InputRequiredResultRequestStateIncomplete"),
        check!("sep-2322-request-state-complete",
            "The result is complete when the call has the response and the state",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SEP_2322]).named("InputRequiredResultRequestStateComplete"),
        check!("input-required-result-request-state-exact", "The text of the complete result contains `state-ok`",
            [SCHEMA_CALL_TOOL_RESULT]),
    ],
}

const CONFIRMING: Fixture = Fixture::tool("test_input_required_result_request_state");

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let asked = CONFIRMING.request(ctx).await;
    let asks = asking(object()).member("requestState", non_empty_string());
    let asked = expect_reply(ctx, "sep-2322-request-state-incomplete", asked, asks)?;
    let Some(asked) = asked else { return Ok(()) };

    let responses = to_first(&asked, accepted(&json!({"ok": true})));
    let reply = CONFIRMING.retry(ctx, &asked, responses).await;
    let reply = expect_reply(ctx, "sep-2322-request-state-complete", reply, complete())?;
    let Some(reply) = reply else { return Ok(()) };
    ctx.check("input-required-result-request-state-exact")
        .by_fixture()
        .expect(&reply, first_text(text_containing("state-ok")));
    Ok(())
}

proofs! {
    passes on everything();
    catches "sep-2322-request-state-incomplete" by reply_error("tools/call", -32602);
    catches "sep-2322-request-state-incomplete" by remove("tools/call", "/requestState");
    catches "sep-2322-request-state-incomplete" by remove("tools/call", "/inputRequests");
    // Answers retries with an error.
    catches "sep-2322-request-state-complete"
        on CONFIRMING.retried(Answer::error(error_code::INTERNAL_ERROR, "the state is unknown"));
    catches "sep-2322-request-state-complete" on asking_forever();
    catches "input-required-result-request-state-exact" by set("tools/call", "/content/0/text", json!("no state"));
}

/// Answers retries with another request for input.
fn asking_forever() -> Server {
    let roots = json!({"roots": {"method": "roots/list"}});
    CONFIRMING.retried(Answer::input_required(roots, Some("again")))
}
