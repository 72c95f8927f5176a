//! `input-required-result-non-tool-request`.

use super::fixture::{Fixture, accepted, asking, complete, expect_reply, to_first};
use super::input_rounds::declare_all;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// The prompt `test_input_required_result_prompt` asks the user for input, as a tool may do, and returns its messages when
    /// the request is repeated with the response.
    ///
    /// The official check does not look into the messages, which the contract of the fixture does not describe.
    Server "input-required-result-non-tool-request": "A prompt asks for input",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Prompts), Need::Prompt(ASKING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-non-tool-incomplete", "The result of `prompts/get` asks for input",
            [SCHEMA_INPUT_REQUIRED_RESULT]).official(&[SEP_2322]).named("InputRequiredResultNonToolIncomplete"),
        check!("sep-2322-non-tool-complete",
            "The result is complete when the request has the response, and has messages",
            [SCHEMA_GET_PROMPT_RESULT]).official(&[SEP_2322]).named("InputRequiredResultNonToolComplete"),
    ],
}

const ASKING: Fixture = Fixture::prompt("test_input_required_result_prompt");

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let asked = ASKING.request(ctx).await;
    let asked = expect_reply(ctx, "sep-2322-non-tool-incomplete", asked, asking(object()))?;
    let Some(asked) = asked else { return Ok(()) };

    let responses = to_first(&asked, accepted(&json!({"context": "test context"})));
    let reply = ASKING.retry(ctx, &asked, responses).await;
    let completes = complete().member("messages", anything());
    expect_reply(ctx, "sep-2322-non-tool-complete", reply, completes)?;
    Ok(())
}

proofs! {
    passes on everything();
    catches "sep-2322-non-tool-incomplete" by reply_error("prompts/get", -32602);
    // Returns its messages at once.
    catches "sep-2322-non-tool-incomplete"
        on everything().on("prompts/get", |_: Call| async { json!({"messages": []}) });
    // Answers retries with an error.
    catches "sep-2322-non-tool-complete"
        on ASKING.retried(Answer::error(error_code::INTERNAL_ERROR, "the context was not expected"));
    catches "sep-2322-non-tool-complete" by remove("prompts/get", "/messages");
}
