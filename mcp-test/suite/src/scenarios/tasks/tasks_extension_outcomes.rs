//! `tasks-extension-outcomes`.

use std::collections::{BTreeMap, BTreeSet};

use mcp_test_core::clock;
use mcp_test_core::expect::{integer, non_empty_string};
use mcp_test_core::scenario::CallableTool;

use super::outcomes_peer::{OutcomeFault, outcomes_server};
use super::task::call_of;
use super::task_states::{is_task, is_terminal, member, poll_interval};
use crate::scenarios::prelude::*;

scenario! {
    /// Tasks fail only with the error of their request, and name each request for input once and for as long as it is open.
    ///
    /// A client shows a tool's own failure to the model, and that of a request to the user, so that it must not take one for the
    /// other. It answers requests for input by their keys: one that is used twice gets the answer to another question. Tried on
    /// the tools that may be called, for as long as they answer with tasks.
    Server "tasks-extension-outcomes": "Tasks fail and ask for input as they have to",
    revisions: Revisions::from(Revision::V2026_07_28),
    needs: [Need::Capability(Capability::TasksExtension), Need::CallableTool],
    checks: [
        check!("extension-task-failure",
            "A task fails only where its call fails with a JSON-RPC error, and has that error",
            [EXT_TASKS_FAILED_ONLY_JSONRPC, EXT_TASKS_TOOL_ERROR_COMPLETED, EXT_TASKS_ERROR_FAITHFUL]).conditional(),
        check!("extension-task-failed-message", "A failed task says in `statusMessage` what is wrong",
            [EXT_TASKS_FAILED_STATUS_MESSAGE]).conditional(),
        check!("extension-task-input",
            "A task that waits for input lists every open request, each under a key of its own",
            [EXT_TASKS_GET_INPUT_REQUIRED_COMPLETE_SET, EXT_TASKS_INPUT_KEY_UNIQUE, EXT_TASKS_INPUT_KEY_NO_REUSE])
            .conditional(),
        check!("extension-task-after-input",
            "The result of a task does not ask for the call to be sent again with more input",
            [EXT_TASKS_MRTR_BEFORE_CREATE]).conditional(),
    ],
}

/// How many tools are called at most.
const TOOLS: usize = 3;

/// How many times the state of a task is requested at most.
const POLLS: usize = 12;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut tools = ctx.callable_tools().await?;
    tools.retain(|tool| tool.arguments.is_some());
    let mut has_task = false;
    for tool in tools.iter().take(TOOLS) {
        let handle = send(ctx, "tools/call", call_of(tool), true).await?;
        if !is_task(&handle) {
            let _ = handle.outcome();
            continue;
        }
        has_task = true;
        let Some(id) = member(&handle, "/taskId").map(str::to_owned) else { continue };
        let Some(last) = follow(ctx, &id).await? else { continue };
        ended(ctx, tool, &last).await?;
    }
    let checks = ["extension-task-failure", "extension-task-input", "extension-task-after-input"];
    if !checks.iter().any(|check| ctx.has_checked(check)) {
        let why = match has_task {
            true => "no task of a tool that may be called ends or asks for input in time",
            false => "no tool that may be called becomes a task",
        };
        drop(ctx.check("extension-task-failure").skip(why));
    }
    Ok(())
}

/// Sends a request of a client that can be asked for anything, with the extension or without.
async fn send(
    ctx: &mut Ctx,
    method: &str,
    params: impl Into<Value>,
    with_tasks: bool,
) -> Result<Reply, Finding> {
    let mut declared = json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}});
    if with_tasks {
        declared["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
    }
    let request = ctx.request(method, params).meta(meta::CLIENT_CAPABILITIES, declared);
    request.once().deliberate().await
}

/// The requests for input that a task has made.
#[derive(Default)]
struct Input {
    /// How many states have been read.
    reads: usize,
    /// By key.
    known: BTreeMap<String, serde_json::Value>,
    /// Those that were listed before, and are not in the last state.
    missing: BTreeSet<String>,
    answered: BTreeSet<String>,
}

/// Follows a task to its end, and returns its last state.
async fn follow(ctx: &mut Ctx, id: &str) -> Result<Option<Reply>, Finding> {
    let mut input = Input::default();
    let params = || json!({ "taskId": id });
    let mut state = send(ctx, "tasks/get", params(), true).await?;
    for _ in 0..POLLS {
        match member(&state, "/status") {
            Some("input_required") => {
                let key = input.judge(ctx, &state);
                // The first time the state is only read again: an open request has to stay.
                if let Some((key, answer)) = key.filter(|_| input.was_read_twice()) {
                    input.answered.insert(key.clone());
                    let answers = json!({"taskId": id, "inputResponses": {key: answer}});
                    let _ = send(ctx, "tasks/update", answers, true).await?.outcome();
                } else {
                    clock::quiet(poll_interval(&state)).await;
                }
            }
            Some("working") => clock::quiet(poll_interval(&state)).await,
            _ => break,
        }
        state = send(ctx, "tasks/get", params(), true).await?;
    }
    if state.outcome().is_err() {
        return Ok(None);
    }
    if !member(&state, "/status").is_some_and(is_terminal) {
        let _ = send(ctx, "tasks/cancel", params(), true).await?.outcome();
    }
    Ok(Some(state))
}

impl Input {
    fn was_read_twice(&self) -> bool {
        self.reads > 1
    }

    /// Judges what a task that waits for input lists, and answers one request that has no answer yet.
    fn judge(&mut self, ctx: &mut Ctx, state: &Reply) -> Option<(String, serde_json::Value)> {
        self.reads += 1;
        let requests = state.outcome().ok()?.get("inputRequests")?.as_object()?;
        let wrong = |headline: String, requirement: &'static Requirement| {
            Finding::peer(headline).evidence_all(state.evidence()).requires(requirement)
        };
        let complete = Requirement::EXT_TASKS_GET_INPUT_REQUIRED_COMPLETE_SET;
        let mut outcomes = vec![ensure(!requests.is_empty() || !self.known.is_empty(), || {
            wrong("a task waits for input and does not say for which".to_owned(), complete)
                .expected("`inputRequests` with every request that has no response yet")
                .got("an empty object")
        })];
        let mut next = None;
        for (key, request) in requests.effective() {
            let is_answered = self.answered.contains(key);
            let request_json = request.to_serde();
            let before = self.known.insert(key.to_owned(), request_json.clone());
            let was_missing = self.missing.remove(key);
            match before {
                Some(before) if before != request_json => {
                    let requirement = match is_answered {
                        true => Requirement::EXT_TASKS_INPUT_KEY_NO_REUSE,
                        false => Requirement::EXT_TASKS_INPUT_KEY_UNIQUE,
                    };
                    let headline = format!("the key {key:?} stands for two requests of one task");
                    outcomes.push(Err(wrong(headline, requirement)
                        .expected("a key of its own for each request")
                        .got(request.short(120))));
                }
                _ if was_missing && !is_answered => {
                    let headline = format!("the open request {key:?} is not listed at times");
                    outcomes.push(Err(wrong(headline, complete)
                        .expected("every request that has no response yet, in each state")
                        .got("a state without it, and then one with it")));
                }
                _ => {}
            }
            if !is_answered && next.is_none() {
                next = Some((key.to_owned(), answer(request)));
            }
        }
        let gone = self.known.keys().filter(|key| !requests.contains(key.as_str()));
        let gone = gone.filter(|key| !self.answered.contains(*key)).cloned();
        self.missing.extend(gone);
        let check = ctx.check("extension-task-input");
        outcomes.into_iter().fold(check, CheckBuilder::judge);
        next
    }
}

/// A valid answer to a request for input.
fn answer(request: &Value) -> serde_json::Value {
    match request.get("method").and_then(Value::as_str) {
        Some("elicitation/create") => json!({"action": "decline"}),
        Some("roots/list") => json!({"roots": []}),
        _ => {
            let text = json!({"type": "text", "text": "a text of mcp-test"});
            json!({"role": "assistant", "content": text, "model": "mcp-test"})
        }
    }
}

/// Judges the last state of a task.
async fn ended(ctx: &mut Ctx, tool: &CallableTool, last: &Reply) -> Result<(), Finding> {
    if member(last, "/status") == Some("completed") {
        let result = last.outcome().ok().and_then(|state| state.get("result"));
        let asks = result.is_some_and(|result| {
            result.get("resultType").and_then(Value::as_str) == Some("input_required")
        });
        ctx.check("extension-task-after-input").judge(ensure(!asks, || {
            Finding::peer("the result of a task asks for input")
                .expected("requests for input before the task is created, or in its state")
                .got(result.map(|result| result.short(120)).unwrap_or_default())
                .evidence_all(last.evidence())
                .should()
        }));
    }
    if member(last, "/status") != Some("failed") {
        return Ok(());
    }
    ctx.check("extension-task-failed-message")
        .should(last, object().member("statusMessage", non_empty_string()));
    let error = object().member("code", integer()).member("message", string());
    ctx.check("extension-task-failure")
        .requires(Requirement::EXT_TASKS_ERROR_FAITHFUL)
        .expect(last, object().member("error", error));
    // Twice, since a tool that is limited to some calls, or uses the network, may fail for another reason each time.
    let first = send(ctx, "tools/call", call_of(tool), false).await?;
    let second = send(ctx, "tools/call", call_of(tool), false).await?;
    let finding = |headline: &str| Finding::peer(headline).evidence_all(last.evidence());
    match (first.outcome(), second.outcome()) {
        (Ok(first), Ok(second)) if is_tool_error(first) && is_tool_error(second) => {
            drop(
                ctx.check("extension-task-failure").fail(
                    finding("a task has failed whose call returns a result with `isError`")
                        .expected("the status \"completed\", and that result")
                        .got("the status \"failed\"")
                        .requires(Requirement::EXT_TASKS_FAILED_ONLY_JSONRPC)
                        .requires(Requirement::EXT_TASKS_TOOL_ERROR_COMPLETED),
                ),
            );
        }
        (Err(first), Err(second))
            if first.code == second.code
                && first.code != error_code::MISSING_REQUIRED_CLIENT_CAPABILITY =>
        {
            let code = last.outcome().ok().and_then(|state| state.at("/error/code"));
            let expected = Value::from(first.code);
            let is_same = code.is_none_or(|code| *code == expected);
            ctx.check("extension-task-failure")
                .requires(Requirement::EXT_TASKS_ERROR_FAITHFUL)
                .judge(ensure(is_same, || {
                    finding("the error of a task is not the one of its call")
                        .expected(format!("the code {}", first.code))
                        .got(format!("the code {}", code.map(Value::to_string).unwrap_or_default()))
                }));
        }
        _ => {}
    }
    Ok(())
}

fn is_tool_error(result: &Value) -> bool {
    result.get("isError").and_then(Value::as_bool) == Some(true)
}

proofs! {
    passes on outcomes_server(OutcomeFault::None);
    catches "extension-task-failure" on outcomes_server(OutcomeFault::FailsForToolErrors);
    catches "extension-task-failure" on outcomes_server(OutcomeFault::ErrorIsText);
    catches "extension-task-failure" on outcomes_server(OutcomeFault::OtherCode);
    warns "extension-task-failed-message" on outcomes_server(OutcomeFault::SaysNothing);
    catches "extension-task-input" on outcomes_server(OutcomeFault::HidesRequests);
    catches "extension-task-input" on outcomes_server(OutcomeFault::SkipsRequests);
    catches "extension-task-input" on outcomes_server(OutcomeFault::ReusesKey);
    catches "extension-task-input" on outcomes_server(OutcomeFault::ReplacesRequest);
    warns "extension-task-after-input" on outcomes_server(OutcomeFault::AsksForRetry);
}
