//! `input-required-result-basic-sampling`.

use super::fixture::{Fixture, asking, complete, expect_reply, first_is, sampled, to_first};
use super::input_rounds::declare_all;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// The tool `test_input_required_result_sampling` requests sampling in its result, and completes when the call is retried with
    /// the answer.
    ///
    /// The text of the complete result is not part of the fixture's contract, so it is not checked.
    Server "input-required-result-basic-sampling": "A result asks the client's model",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(ASKING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-sampling-incomplete", "The result asks for `sampling/createMessage`, under any key",
            [SCHEMA_INPUT_REQUIRED_RESULT]).official(&[SEP_2322]).named("InputRequiredResultSamplingIncomplete"),
        check!("sep-2322-sampling-complete", "The result is complete when the call has the answer of the model",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SEP_2322]).named("InputRequiredResultSamplingComplete"),
    ],
}

const ASKING: Fixture = Fixture::tool("test_input_required_result_sampling");

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let asked = ASKING.request(ctx).await;
    let asks = asking(first_is("sampling/createMessage"));
    let asked = expect_reply(ctx, "sep-2322-sampling-incomplete", asked, asks)?;
    let Some(asked) = asked else { return Ok(()) };

    let responses = to_first(&asked, sampled("The capital of France is Paris."));
    let reply = ASKING.retry(ctx, &asked, responses).await;
    expect_reply(ctx, "sep-2322-sampling-complete", reply, complete())?;
    Ok(())
}

proofs! {
    passes on everything();
    catches "sep-2322-sampling-incomplete" by reply_error("tools/call", -32602);
    catches "sep-2322-sampling-incomplete"
        by set("tools/call", "/inputRequests", json!({"roots": {"method": "roots/list"}}));
    // Answers retries with an error.
    catches "sep-2322-sampling-complete"
        on ASKING.retried(Answer::error(error_code::INTERNAL_ERROR, "the answer was not expected"));
    catches "sep-2322-sampling-complete" by set("tools/call", "/resultType", json!("input_required"));
}
