//! `input-required-result-multi-round`.

use mcp_test_core::expect::{non_empty_string, not};

use super::fixture::{Fixture, accepted, asking, complete, expect_reply, state, to_first};
use super::input_rounds::declare_all;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// The tool `test_input_required_result_multi_round` asks twice: the first retry is answered with another request for input,
    /// and the second one completes.
    ///
    /// The second retry has only the second response, so that the state has to carry the first one; therefore it has to be
    /// another state than before.
    Server "input-required-result-multi-round": "A call takes two rounds of input",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(ASKING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-multi-round-r1", "The result asks for input, and has a state",
            [SCHEMA_INPUT_REQUIRED_RESULT]).official(&[SEP_2322]).named("InputRequiredResultMultiRoundR1"),
        check!("sep-2322-multi-round-r2", "The result of the first retry asks for input, and has another state",
            [SCHEMA_INPUT_REQUIRED_RESULT]).official(&[SEP_2322]).named("InputRequiredResultMultiRoundR2"),
        check!("sep-2322-multi-round-r3", "The result of the second retry is complete",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SEP_2322]).named("InputRequiredResultMultiRoundR3"),
    ],
}

const ASKING: Fixture = Fixture::tool("test_input_required_result_multi_round");

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let asks = || asking(object()).member("requestState", non_empty_string());
    let first = ASKING.request(ctx).await;
    let Some(first) = expect_reply(ctx, "sep-2322-multi-round-r1", first, asks())? else {
        return Ok(());
    };

    let responses = to_first(&first, accepted(&json!({"name": "Alice"})));
    let second = ASKING.retry(ctx, &first, responses).await;
    let before = state(&first).cloned().unwrap_or(Value::Null);
    let asks = asks().member("requestState", not(equals(before)));
    let Some(second) = expect_reply(ctx, "sep-2322-multi-round-r2", second, asks)? else {
        return Ok(());
    };

    let responses = to_first(&second, accepted(&json!({"color": "blue"})));
    let third = ASKING.retry(ctx, &second, responses).await;
    expect_reply(ctx, "sep-2322-multi-round-r3", third, complete())?;
    Ok(())
}

proofs! {
    passes on everything();
    catches "sep-2322-multi-round-r1" by reply_error("tools/call", -32602);
    catches "sep-2322-multi-round-r1" by remove("tools/call", "/requestState");
    catches "sep-2322-multi-round-r2" by set("tools/call", "/requestState", json!("always the same"));
    // Completes after one round.
    catches "sep-2322-multi-round-r2" on ASKING.retried(json!({"content": []}));
    catches "sep-2322-multi-round-r3" on refusing_the_second_retry();
}

/// Has forgotten the first round in the second one.
fn refusing_the_second_retry() -> Server {
    let second = param("/inputResponses/step2", anything());
    let error = Answer::error(error_code::INTERNAL_ERROR, "the name is unknown");
    reference_server_with([given(method("tools/call")).and(second).respond_with(error)])
}
