//! `tasks-mrtr-composition`.

use mcp_test_core::expect::{first, text_containing};

use super::quick_server::{answering, quick, quick_but};
use super::task_client::{TASKS, has_status, task_id, until_ended};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_2322, SEP_2663};

scenario! {
    /// The tool `test_tool_with_task` asks for a name before it becomes a task, by multiple round trips.
    ///
    /// Until a task exists, input is requested by the result of the call; from then on by the state of the task. A result that does
    /// both would be answered in two ways.
    Server "tasks-mrtr-composition": "A tool asks for input before it becomes a task",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [Need::Capability(Capability::TasksExtension), Need::Tool("test_tool_with_task")],
    checks: [
        check!("sep-2663-mrtr-synchronous-before-task-creation",
            "The call asks for input, becomes a task when it has it, and the task uses the input",
            [EXT_TASKS_RESULT_TYPE_TASK, EXT_TASKS_GET_COMPLETED]).official(&[SEP_2322, SEP_2663]),
    ],
}

const CHECK: &str = "sep-2663-mrtr-synchronous-before-task-creation";

/// What the user is called.
const NAME: &str = "Alice";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut params = json!({ "name": "test_tool_with_task", "arguments": {} });
    let asking = call(ctx, params.clone()).await?;
    let Some(key) = requested(&asking) else {
        let wrong = Finding::peer("the call does not ask for input")
            .expected("the `resultType` \"input_required\", and `inputRequests`")
            .evidence_all(asking.evidence());
        // An error has its own finding.
        ctx.check(CHECK).by_fixture().judge(asking.result().map(drop)).fail(wrong);
        return Ok(());
    };
    let response = json!({ "action": "accept", "content": { "name": NAME } });
    params["inputResponses"] = json!({ key: response });
    if let Some(state) = asking.outcome().ok().and_then(|result| result.get("requestState")) {
        params["requestState"] = state.to_serde();
    }
    let handle = call(ctx, params).await?;
    let id = match task_id(&handle) {
        Ok(id) => id,
        Err(none) => {
            ctx.check(CHECK).by_fixture().fail(none);
            return Ok(());
        }
    };
    let last = until_ended(ctx, &id).await?;
    let text = object().member("text", text_containing(NAME));
    let greeting = object().member("content", first(text));
    flat(ctx.check(CHECK), &asking, &handle)
        .requires(Requirement::EXT_TASKS_GET_COMPLETED)
        .judge(has_status(&last, "completed"))
        .by_fixture()
        .expect(&last, object().member("result", greeting));
    Ok(())
}

async fn call(ctx: &mut Ctx, params: serde_json::Value) -> Result<Reply, Finding> {
    let declared = json!({ "elicitation": {}, "extensions": { TASKS: {} } });
    let request = ctx.request("tools/call", params).meta(meta::CLIENT_CAPABILITIES, declared);
    request.once().await
}

/// The key of the first request for input.
fn requested(reply: &Reply) -> Option<String> {
    let result = reply.outcome().ok()?;
    let asks = result.get("resultType").and_then(Value::as_str) == Some("input_required");
    let requests = result.get("inputRequests").and_then(Value::as_object).filter(|_| asks);
    requests.and_then(|requests| Object::keys(requests).next()).map(str::to_owned)
}

/// Whether each result is of one kind: it asks for input, or stands for a task.
fn flat<'a>(check: CheckBuilder<'a>, asking: &Reply, handle: &Reply) -> CheckBuilder<'a> {
    let other = "a result may have other members";
    check
        .requires(Requirement::EXT_TASKS_RESULT_TYPE_TASK)
        .expect(handle, object().member("resultType", equals("task")))
        .officially(asking, object().without("taskId"), other)
        .officially(handle, object().without("requestState").without("inputRequests"), other)
}

proofs! {
    passes on quick();
    // Answers at once, without a task.
    catches "sep-2663-mrtr-synchronous-before-task-creation"
        on quick_but([answering("test_tool_with_task", json!({ "content": [] }))]);
    catches "sep-2663-mrtr-synchronous-before-task-creation" by reply_error("tasks/get", -32602);
    catches "sep-2663-mrtr-synchronous-before-task-creation"
        by set("tasks/get", "/result/result/content/0/text", json!("Hello!"));
    catches "sep-2663-mrtr-synchronous-before-task-creation"
        by set("tools/call", "/taskId", json!("1")), under Official;
}
