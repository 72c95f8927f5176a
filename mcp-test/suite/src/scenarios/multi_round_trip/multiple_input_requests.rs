//! `input-required-result-multiple-input-requests`.

use mcp_test_core::expect::non_empty_string;

use super::fixture::{
    Fixture, accepted, asking, complete, expect_reply, requests, rooted, sampled, to_first,
};
use super::input_rounds::{declare_all, method_of, responses};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// The tool `test_input_required_result_multiple_inputs` asks for input of every kind at once, and completes when the call is
    /// repeated with all of it.
    ///
    /// The official suite never leaves a part out; our own check does.
    Server "input-required-result-multiple-input-requests": "A result asks for several inputs at once",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(ASKING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-multiple-inputs-incomplete",
            "The result has a state, and asks for `elicitation/create`, `sampling/createMessage` and `roots/list`",
            [SCHEMA_INPUT_REQUIRED_RESULT])
            .official(&[SEP_2322]).named("InputRequiredResultMultipleInputsIncomplete"),
        check!("sep-2322-multiple-inputs-complete", "The result is complete when the call has all responses",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SEP_2322]).named("InputRequiredResultMultipleInputsComplete"),
        check!("input-required-result-multiple-input-requests-partial",
            "With one response only, the result asks for input again",
            [MRTR_MISSING_INPUT_REASKED]),
    ],
}

const ASKING: Fixture = Fixture::tool("test_input_required_result_multiple_inputs");

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let asked = ASKING.request(ctx).await;
    let asks = asking(every_kind()).member("requestState", non_empty_string());
    let asked = expect_reply(ctx, "sep-2322-multiple-inputs-incomplete", asked, asks)?;
    let Some(asked) = asked else { return Ok(()) };

    let all = responses(&requests(&asked).cloned().unwrap_or_default(), response);
    let reply = ASKING.retry(ctx, &asked, all.clone()).await;
    let reply = expect_reply(ctx, "sep-2322-multiple-inputs-complete", reply, complete())?;
    if reply.is_none() {
        return Ok(());
    }

    // In a round of its own, since a state may be good for one retry only.
    let asked = ASKING.request(ctx).await?;
    let first = all.iter().next().map(|(_, response)| response.to_serde()).unwrap_or_default();
    let reply = ASKING.retry(ctx, &asked, to_first(&asked, first)).await?;
    ctx.check("input-required-result-multiple-input-requests-partial")
        .should(&reply, object().member("resultType", equals("input_required")));
    Ok(())
}

/// Matches requests of all three methods.
fn every_kind() -> impl Matcher {
    let methods = ["elicitation/create", "sampling/createMessage", "roots/list"];
    satisfying("an object with a request of each kind", move |requests| {
        let requests = requests.as_object();
        let has = |method: &str| {
            requests
                .is_some_and(|it| it.iter().any(|(_, request)| method_of(request) == Some(method)))
        };
        methods.into_iter().all(has)
    })
}

fn response(method: Option<&str>) -> serde_json::Value {
    match method {
        Some("elicitation/create") => accepted(&json!({"name": "Alice"})),
        Some("roots/list") => rooted(),
        _ => sampled("Hello there!"),
    }
}

proofs! {
    passes on everything();
    catches "sep-2322-multiple-inputs-incomplete" by reply_error("tools/call", -32602);
    catches "sep-2322-multiple-inputs-incomplete" by remove("tools/call", "/inputRequests/greeting");
    catches "sep-2322-multiple-inputs-incomplete" by remove("tools/call", "/requestState");
    // Answers retries with an error.
    catches "sep-2322-multiple-inputs-complete"
        on ASKING.retried(Answer::error(error_code::INTERNAL_ERROR, "the responses were not expected"));
    // Completes whatever the retry contains.
    warns "input-required-result-multiple-input-requests-partial" on ASKING.retried(json!({"content": []}));
}
