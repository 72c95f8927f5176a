//! `tasks-run`.

use serde_json::json;

use super::peer::{Flaw, flawed, tasks_server};
use super::task::{
    NO_TOOL, UNKNOWN, call_as_task, is_terminal, member, of_task, timestamp, tool_with,
};
use crate::check::Finding;
use crate::client::{MAX_PAGES, Reply};
use crate::expect::{array, array_of, equals, object};
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Need};
use crate::scenarios::ensure;
use crate::scenarios::refusal::{has_code, is_error};
use crate::server::Server;
use crate::spec::{Capability, Revision, Revisions, error_code, meta};
use crate::wire::Message;
use crate::{proofs, scenario};

scenario! {
    /// A tool is called as a task, whose state and result are fetched.
    ///
    /// The reply to the call only says that the task is at work; `tasks/result` waits for its end and has what the call would
    /// have returned. A finished task changes no more. The tool is one that may be called, states valid arguments, and
    /// supports tasks.
    Server "tasks-run": "A task runs, and its result is fetched",
    revisions: Revisions::only(Revision::V2025_11_25),
    needs: [Need::Capability(Capability::TasksToolsCall), Need::CallableTool],
    checks: [
        CheckSpec::own(
            "task-created",
            "TaskCreated",
            "The reply to a call with `task` has a task at work, and nothing of the tool's result",
        )
        .requires(&[
            "tasks.create-result-returned",
            "tasks.create-result-no-operation-result",
            "tasks.id-string",
            "tasks.initial-working",
        ])
        .conditional(),
        CheckSpec::own("task-without-ttl", "TaskWithoutTtl", "A task needs no `ttl`")
            .requires(&["tasks.ttl-optional"])
            .conditional(),
        CheckSpec::own(
            "task-state",
            "TaskState",
            "`tasks/get` has the state of the task that its parameter names, with its `ttl`",
        )
        .requires(&["tasks.ttl-reported", "tasks.taskid-param-authoritative"])
        .conditional(),
        CheckSpec::own(
            "task-timestamps",
            "TaskTimestamps",
            "Each task says in ISO 8601 when it was created and last updated",
        )
        .requires(&["tasks.created-at", "tasks.last-updated-at"])
        .conditional(),
        CheckSpec::own(
            "task-result",
            "TaskResult",
            "`tasks/result` waits for the end of the task, and has the result of the tool and the id of the task",
        )
        .requires(&[
            "tasks.result-terminal-returned",
            "tasks.result-blocks",
            "tasks.result-related-meta",
            "tasks.result-success-passthrough",
        ])
        .conditional(),
        CheckSpec::own(
            "task-failed",
            "TaskFailed",
            "A task that ends with an error or with `isError` has failed, and says why",
        )
        .requires(&[
            "tasks.failure-sets-failed",
            "tasks.is-error-sets-failed",
            "tasks.failed-status-message",
        ])
        .conditional()
        .also_warns(),
        CheckSpec::own("task-listed", "TaskListed", "`tasks/list` has the task that `tasks/get` finds")
            .requires(&["tasks.list-complete"])
            .conditional(),
        CheckSpec::own(
            "finished-task-final",
            "FinishedTaskFinal",
            "A finished task is not cancelled, and keeps its status",
        )
        .requires(&["tasks.cancel-terminal-rejected", "tasks.terminal-final", "tasks.transitions-valid"])
        .conditional(),
        CheckSpec::own(
            "task-metadata",
            "TaskMetadata",
            "States of tasks have no related-task metadata, neither in results nor in notifications",
        )
        .requires(&["tasks.related-meta-not-in-results", "tasks.status-notification-no-related-meta"])
        .conditional()
        .warns(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(tool) = tool_with(ctx, &["required", "optional"]).await? else {
        drop(ctx.check("task-created").skip(NO_TOOL));
        return Ok(());
    };
    let mut created = call_as_task(ctx, &tool, json!({})).await?;
    if let Some(refusal) = created.error().cloned() {
        let second = call_as_task(ctx, &tool, json!({"ttl": 60_000})).await?;
        if second.outcome().is_err() {
            let why = format!("the call of `{}` as a task is refused: {refusal}", tool.name);
            drop(ctx.check("task-created").skip(why));
            return Ok(());
        }
        let headline = "a task without `ttl` is refused, and one with `ttl` is not";
        let finding = Finding::peer(headline).expected("a task").got(refusal.to_string());
        drop(ctx.check("task-without-ttl").fail(finding.evidence_all(created.evidence())));
        created = second;
    } else {
        drop(ctx.check("task-without-ttl").pass());
    }
    ctx.check("task-created")
        .requires("tasks.create-result-returned")
        .expect(&created, object().member("task", object()))
        .requires("tasks.create-result-no-operation-result")
        .expect(&created, object().without("content").without("structuredContent"))
        .requires("tasks.id-string")
        .expect(&created, task_with("taskId", crate::expect::string()))
        .requires("tasks.initial-working")
        .expect(&created, task_with("status", equals("working")));
    let Some(id) = member(&created, "/task/taskId").map(str::to_owned) else { return Ok(()) };
    timestamps(ctx, &created, Some("task"));
    follow(ctx, &id).await?;
    notifications(ctx, &id);
    Ok(())
}

fn task_with(name: &str, matcher: impl crate::expect::Matcher + 'static) -> impl crate::expect::Matcher {
    object().member("task", object().member(name, matcher))
}

/// From the first request for the state of the task to those after its end.
async fn follow(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    let state = of_task(ctx, "tasks/get", id).await?;
    judge_state(ctx, &state, id);
    if member(&state, "/status") == Some("input_required") {
        drop(ctx.check("task-result").skip("the task waits for input, which nobody gives"));
        let _ended = of_task(ctx, "tasks/cancel", id).await?;
        return Ok(());
    }
    let related = json!({"taskId": UNKNOWN});
    let request = ctx.request("tasks/get", json!({"taskId": id})).meta(meta::RELATED_TASK, related);
    let same = request.deliberate().await?;
    ctx.check("task-state")
        .requires("tasks.taskid-param-authoritative")
        .expect(&same, object().member("taskId", equals(id)));
    let result = match of_task(ctx, "tasks/result", id).await {
        Ok(result) => result,
        Err(silence) => return unfinished(ctx, id, silence).await,
    };
    let ended = of_task(ctx, "tasks/get", id).await?;
    let Some(status) = member(&ended, "/status").map(str::to_owned) else {
        // Its time to live may be over.
        drop(ctx.check("task-result").info("the task is gone after its result was fetched"));
        return Ok(());
    };
    judge_state(ctx, &ended, id);
    judge_result(ctx, &result, &status, id);
    if !is_terminal(&status) {
        return Ok(());
    }
    let again = of_task(ctx, "tasks/result", id).await?;
    ctx.check("task-result").requires("tasks.result-terminal-returned").judge(is_same(&result, &again));
    judge_failure(ctx, &result, &ended, &status);
    if ctx.declares(Capability::TasksList).await? {
        listed(ctx, id).await?;
    }
    finished(ctx, id, &status).await
}

/// What is known of a task whose result does not arrive in time.
async fn unfinished(ctx: &mut Ctx, id: &str, silence: Finding) -> Result<(), Finding> {
    let state = of_task(ctx, "tasks/get", id).await?;
    let check = ctx.check("task-result").requires("tasks.result-terminal-returned");
    if member(&state, "/status").is_some_and(is_terminal) {
        drop(check.fail(silence));
    } else {
        drop(check.skip("the task does not end within the time of a request"));
        let _ended = of_task(ctx, "tasks/cancel", id).await?;
    }
    Ok(())
}

fn judge_state(ctx: &mut Ctx, state: &Reply, id: &str) {
    let ttl = crate::expect::satisfying("an integer or null", |ttl: &Value| {
        *ttl == Value::Null || ttl.as_f64().is_some()
    });
    ctx.check("task-state")
        .requires("tasks.ttl-reported")
        .expect(state, object().member("ttl", ttl).member("taskId", equals(id)));
    if state.outcome().is_ok() {
        timestamps(ctx, state, None);
        no_metadata(ctx, state);
    }
}

fn timestamps(ctx: &mut Ctx, reply: &Reply, within: Option<&str>) {
    let mut check = ctx.check("task-timestamps");
    for (requirement, name) in
        [("tasks.created-at", "createdAt"), ("tasks.last-updated-at", "lastUpdatedAt")]
    {
        let task = object().member(name, timestamp());
        check = match within {
            Some(place) => check.requires(requirement).expect(reply, object().member(place, task)),
            None => check.requires(requirement).expect(reply, task),
        };
    }
}

fn no_metadata(ctx: &mut Ctx, reply: &Reply) {
    let none = object().optional("_meta", object().without(meta::RELATED_TASK));
    ctx.check("task-metadata").requires("tasks.related-meta-not-in-results").should(reply, none);
}

fn judge_result(ctx: &mut Ctx, result: &Reply, status: &str, id: &str) {
    let mut check = ctx.check("task-result");
    check = check.requires("tasks.result-blocks").judge(ensure(is_terminal(status), || {
        Finding::peer("`tasks/result` is answered before the task is finished")
            .expected("no answer until the status is `completed`, `failed` or `cancelled`")
            .got(format!("an answer, and then the status `{status}`"))
            .evidence_all(result.evidence())
    }));
    // The error of a task that has failed carries no metadata.
    if result.outcome().is_ok() {
        let related = object().member("taskId", equals(id));
        check
            .requires("tasks.result-success-passthrough")
            .expect(result, object().member("content", array()))
            .requires("tasks.result-related-meta")
            .expect(result, object().member("_meta", object().member(meta::RELATED_TASK, related)));
    }
}

fn is_same(first: &Reply, again: &Reply) -> Result<(), Finding> {
    // Metadata may differ.
    let content = |reply: &Reply| {
        let result = reply.outcome().map_err(|error| error.code)?;
        Ok::<_, i64>((result.get("content").cloned(), result.get("structuredContent").cloned()))
    };
    ensure(content(first) == content(again), || {
        let text = |reply: &Reply| match reply.outcome() {
            Ok(result) => result.short(120),
            Err(error) => error.to_string(),
        };
        Finding::peer("`tasks/result` of a finished task differs when it is sent again")
            .expected(text(first))
            .got(text(again))
            .evidence_all(again.evidence())
    })
}

fn judge_failure(ctx: &mut Ctx, result: &Reply, ended: &Reply, status: &str) {
    let is_error = |result: &Value| result.get("isError").and_then(Value::as_bool) == Some(true);
    match result.outcome() {
        Err(_) if status != "cancelled" => {
            ctx.check("task-failed")
                .requires("tasks.failure-sets-failed")
                .expect(ended, object().member("status", equals("failed")));
        }
        Ok(result) if is_error(result) && status != "cancelled" => {
            ctx.check("task-failed")
                .requires("tasks.is-error-sets-failed")
                .should(ended, object().member("status", equals("failed")));
        }
        _ => {}
    }
    if status == "failed" {
        let message = crate::expect::non_empty_string();
        ctx.check("task-failed")
            .requires("tasks.failed-status-message")
            .should(ended, object().member("statusMessage", message));
    }
}

async fn listed(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    let (pages, has_more) = ctx.client().await?.first_pages("tasks/list", MAX_PAGES).await?;
    let mut is_listed = false;
    for page in pages.iter().filter(|page| page.outcome().is_ok()) {
        let times = object().member("createdAt", timestamp()).member("lastUpdatedAt", timestamp());
        ctx.check("task-timestamps").expect(page, object().member("tasks", array_of(times)));
        no_metadata(ctx, page);
        let tasks = page.outcome().ok().and_then(|page| page.get("tasks")?.as_array());
        let tasks = tasks.unwrap_or_default();
        is_listed |= tasks.iter().any(|task| task.get("taskId").and_then(Value::as_str) == Some(id));
    }
    if is_listed || !has_more {
        let evidence = pages.iter().flat_map(Reply::evidence);
        let outcome = ensure(is_listed, || {
            Finding::peer("`tasks/list` lacks a task that `tasks/get` finds")
                .expected(format!("a task with the id {id:?}"))
                .evidence_all(evidence)
        });
        ctx.check("task-listed").judge(outcome);
    }
    Ok(())
}

async fn finished(ctx: &mut Ctx, id: &str, status: &str) -> Result<(), Finding> {
    if ctx.declares(Capability::TasksCancel).await? {
        let reply = of_task(ctx, "tasks/cancel", id).await?;
        let outcome = is_error(&reply);
        let outcome = outcome.and_then(|()| has_code(&reply, error_code::INVALID_PARAMS));
        ctx.check("finished-task-final").requires("tasks.cancel-terminal-rejected").judge(outcome);
    }
    let state = of_task(ctx, "tasks/get", id).await?;
    if state.outcome().is_ok() {
        ctx.check("finished-task-final")
            .requires("tasks.terminal-final")
            .expect(&state, object().member("status", equals(status)));
    }
    Ok(())
}

/// What the server has notified of the task so far.
fn notifications(ctx: &mut Ctx, id: &str) {
    let trace = ctx.trace();
    let mut ended: Option<String> = None;
    for (event, message) in trace.messages() {
        let Message::Notification(notification) = message else { continue };
        let Some(params) = &notification.params else { continue };
        let is_of_task = params.get("taskId").and_then(Value::as_str) == Some(id);
        if notification.method != "notifications/tasks/status" || !is_of_task {
            continue;
        }
        let related = params.at("/_meta").and_then(|meta| meta.get(meta::RELATED_TASK));
        let metadata = ensure(related.is_none(), || {
            Finding::peer("a status notification has related-task metadata")
                .expected("none, since the parameters have the id")
                .evidence_all(Some(event.seq))
                .should()
        });
        ctx.check("task-metadata")
            .requires("tasks.status-notification-no-related-meta")
            .judge(metadata);
        let status = params.get("status").and_then(Value::as_str).unwrap_or_default();
        let before = ended.clone().unwrap_or_default();
        let changed = ended.as_ref().is_some_and(|ended| ended != status);
        ctx.check("finished-task-final").requires("tasks.transitions-valid").judge(ensure(
            !changed,
            || {
                Finding::peer("a task changes its status after its end")
                    .expected(format!("the status `{before}`"))
                    .got(format!("the status `{status}`"))
                    .evidence_all(Some(event.seq))
            },
        ));
        if is_terminal(status) && ended.is_none() {
            ended = Some(status.to_owned());
        }
    }
}

proofs! {
    passes on tasks_server();
    catches "task-created" by set("tools/call", "/content", json!([]));
    catches "task-created" by set("tools/call", "/task/status", json!("completed"));
    catches "task-without-ttl" on with_required_ttl();
    catches "task-state" by remove("tasks/get", "/ttl"), also "wire-schema-valid" Failure;
    catches "task-state" on reading_metadata();
    catches "task-timestamps" by set("tasks/get", "/createdAt", json!("1764000000"));
    catches "task-timestamps" by set("tools/call", "/task/lastUpdatedAt", json!("today"));
    catches "task-timestamps" by set("tasks/list", "/tasks/0/createdAt", json!("today"));
    catches "task-result" on answering_early(), also "task-listed" Info, also "finished-task-final" Info;
    catches "task-result" by remove("tasks/result", "/_meta");
    catches "task-result" by set("tasks/result", "", json!({"result": {"content": []}}));
    catches "task-result" on forgetting_results();
    warns "task-failed" on completing_failed_tasks();
    catches "task-failed" by reply_error("tasks/result", -32603);
    catches "task-listed" on listing_unfinished_tasks();
    catches "finished-task-final" on cancelling_finished_tasks();
    catches "finished-task-final" by reply_error("tasks/cancel", -32603);
    catches "finished-task-final" on notifying_after_the_end();
    warns "task-metadata" by set("tasks/get", "/_meta", json!({"io.modelcontextprotocol/related-task": {"taskId": "x"}}));
    warns "task-metadata" on notifying_with_metadata();
}

fn with_required_ttl() -> Server {
    flawed(Flaw::RequiresTtl)
}

fn reading_metadata() -> Server {
    flawed(Flaw::ReadsMetadata)
}

fn answering_early() -> Server {
    flawed(Flaw::AnswersEarly)
}

fn forgetting_results() -> Server {
    flawed(Flaw::ForgetsResult)
}

fn completing_failed_tasks() -> Server {
    flawed(Flaw::CompletesFailed)
}

fn listing_unfinished_tasks() -> Server {
    flawed(Flaw::ListsUnfinished)
}

fn cancelling_finished_tasks() -> Server {
    flawed(Flaw::CancelsFinished)
}

fn notifying_after_the_end() -> Server {
    flawed(Flaw::NotifiesAfterEnd)
}

fn notifying_with_metadata() -> Server {
    flawed(Flaw::NotifiesWithMetadata)
}
