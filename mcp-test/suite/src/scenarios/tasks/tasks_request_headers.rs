//! `tasks-request-headers`.

use mcp_test_core::expect::first;

use super::quick_server::{answering, quick, quick_but};
use super::task_client::{call, declared, refused, request_for_task, task_id};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_2243, SEP_2663};

scenario! {
    /// Requests for tasks mirror the id of the task in a header, and are refused if it is another one.
    ///
    /// A gateway finds the server that holds a task by the header. If the server executed what the body says, it would
    /// serve a task that the gateway did not see. The official checks look at the code of a refusal, not at its HTTP status;
    /// `http-header-validation` does for other methods.
    Server "tasks-request-headers": "The headers of requests for tasks match their bodies",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    transports: StreamableHttp,
    needs: [
        Need::Capability(Capability::TasksExtension),
        Need::Tool("greet"),
        Need::Tool("slow_compute"),
    ],
    checks: [
        check!("tasks-headers-tolerate-mcp-method-on-tools-call",
            "A call of `greet` with the right `Mcp-Method` returns its result",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SEP_2243]),
        check!("sep-2663-routing-headers-accepted-on-tasks-get",
            "`tasks/get` with the right `Mcp-Method` and `Mcp-Name` returns the state of the task",
            [EXT_TASKS_DURABLE_BEFORE_ACK, EXT_TASKS_TASK_SHAPE]).official(&[SEP_2243]),
        check!("tasks-headers-reject-mismatched-method",
            "`tools/call` with the `Mcp-Method` of another method is refused with -32020",
            [TRANSPORT_HTTP_MCP_METHOD_MISMATCH_REJECTED, TRANSPORT_HTTP_HEADER_ERROR_CODE]).official(&[SEP_2243]),
        check!("sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get",
            "`tasks/get` with the `Mcp-Name` of another task is refused with -32020",
            [EXT_TASKS_SERVER_CHECKS_MCP_NAME, TRANSPORT_HTTP_HEADER_ERROR_CODE]).official(&[SEP_2243, SEP_2663]),
    ],
}

const ACCEPTED: &str = "sep-2663-routing-headers-accepted-on-tasks-get";
const NAME: &str = "sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get";

/// An `Mcp-Name` that is the id of no task.
const WRONG_NAME: &str = "sep-2663-wrong-task-id-for-routing-header-mismatch";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let greet = json!({ "name": "greet", "arguments": { "name": "sep-2243" } });
    // The header that the client sends anyway is the right one.
    let greeting = call(ctx, "greet", json!({ "name": "sep-2243" })).await?;
    let text = object().member("text", equals("Hello, sep-2243!"));
    ctx.check("tasks-headers-tolerate-mcp-method-on-tools-call")
        .expect(&greeting, object().member("resultType", equals("complete")))
        .by_fixture()
        .expect(&greeting, object().member("content", first(text)));

    let arguments = json!({ "seconds": 60, "label": "headers-tasks-get" });
    let handle = call(ctx, "slow_compute", arguments).await?;
    let id = task_id(&handle);
    match &id {
        Ok(id) => {
            let state = request_for_task(ctx, "tasks/get", id).await?;
            ctx.check(ACCEPTED)
                .requires(Requirement::EXT_TASKS_DURABLE_BEFORE_ACK)
                .expect(&state, object().member("taskId", equals(id.as_str())))
                .requires(Requirement::EXT_TASKS_TASK_SHAPE)
                .expect(&state, object().member("status", truthy()));
        }
        Err(none) => drop(ctx.check(ACCEPTED).missing(none.clone())),
    }

    let reply = with_header(ctx, "tools/call", greet, (header::MCP_METHOD, "tasks/get")).await?;
    ctx.check("tasks-headers-reject-mismatched-method")
        .judge(refused(&reply, error_code::HEADER_MISMATCH));
    match id {
        Ok(id) => {
            let params = json!({ "taskId": id });
            let reply =
                with_header(ctx, "tasks/get", params, (header::MCP_NAME, WRONG_NAME)).await?;
            ctx.check(NAME).judge(refused(&reply, error_code::HEADER_MISMATCH));
        }
        Err(none) => drop(ctx.check(NAME).missing(none)),
    }
    Ok(())
}

/// Sends a request with another value of a header that mirrors its body.
async fn with_header(
    ctx: &mut Ctx,
    method: &str,
    params: serde_json::Value,
    (name, value): (&str, &str),
) -> Result<Reply, Finding> {
    let request = ctx.request(method, params).meta(meta::CLIENT_CAPABILITIES, declared());
    request.header(name, value).once().deliberate().await
}

proofs! {
    passes on quick();
    catches "tasks-headers-tolerate-mcp-method-on-tools-call" on greeting_somebody_else();
    catches "sep-2663-routing-headers-accepted-on-tasks-get" by reply_error("tasks/get", -32020);
    catches "tasks-headers-reject-mismatched-method" by misbehavior(Misbehavior::SkipsMirrors);
    catches "sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get" by misbehavior(Misbehavior::VagueMirrors);
}

fn greeting_somebody_else() -> Server {
    let text = json!({ "type": "text", "text": "Hello, World!" });
    quick_but([answering("greet", json!({ "content": [text] }))])
}
