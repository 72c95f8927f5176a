//! `input-required-result-basic-elicitation`.

use mcp_test_core::expect::non_empty_array;

use super::fixture::{GREETING, USER_NAME, accepted, asking, complete, expect_reply};
use super::input_rounds::declare_all;
use crate::scenarios::matchers::first_text;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// The tool `test_input_required_result_elicitation` asks the user for a name in its result, and greets the user when the
    /// call is repeated with the name.
    ///
    /// The official check of the second reply passes on any content; our own check expects the greeting.
    Server "input-required-result-basic-elicitation": "A result asks the user for input",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(GREETING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-elicitation-incomplete",
            "The result asks for `elicitation/create` under the key `user_name`",
            [SCHEMA_INPUT_REQUIRED_RESULT]).official(&[SEP_2322]).named("InputRequiredResultElicitationIncomplete"),
        check!("sep-2322-elicitation-complete", "The result is complete when the call has the name, and has content",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SEP_2322]).named("InputRequiredResultElicitationComplete"),
        check!("input-required-result-basic-elicitation-exact",
            "The text of the complete result greets the user by name",
            [SCHEMA_CALL_TOOL_RESULT]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let elicits = object().member("method", equals("elicitation/create"));
    let asked = GREETING.request(ctx).await;
    let asks = asking(object().member(USER_NAME, elicits));
    let asked = expect_reply(ctx, "sep-2322-elicitation-incomplete", asked, asks)?;
    let Some(asked) = asked else { return Ok(()) };

    let responses = json!({USER_NAME: accepted(&json!({"name": "Alice"}))});
    let reply = GREETING.retry(ctx, &asked, responses).await;
    let completes = complete().member("content", non_empty_array());
    let reply = expect_reply(ctx, "sep-2322-elicitation-complete", reply, completes)?;
    let Some(reply) = reply else { return Ok(()) };
    ctx.check("input-required-result-basic-elicitation-exact")
        .by_fixture()
        .expect(&reply, first_text(equals("Hello, Alice!")));
    Ok(())
}

proofs! {
    passes on everything();
    catches "sep-2322-elicitation-incomplete" by reply_error("tools/call", -32602);
    catches "sep-2322-elicitation-incomplete"
        by set("tools/call", "/inputRequests", json!({"name": {"method": "roots/list"}}));
    // Answers retries with an error.
    catches "sep-2322-elicitation-complete"
        on GREETING.retried(Answer::error(error_code::INTERNAL_ERROR, "the name was not expected"));
    catches "sep-2322-elicitation-complete" by set("tools/call", "/content", json!([]));
    catches "input-required-result-basic-elicitation-exact"
        by set("tools/call", "/content/0/text", json!("Hello, user!"));
}
