//! What is judged of a task: its states, its result, the list of tasks, and notifications.

use mcp_test_core::client::MAX_PAGES;
use mcp_test_core::expect::{array, array_of, non_empty_string};

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};
use crate::scenarios::tasks::task::{PROGRESS, request_for_task};
use crate::scenarios::tasks::task_judging::{
    has_waited, judge_no_metadata, judge_related, judge_state, judge_timestamps,
    status_notifications,
};
use crate::scenarios::tasks::task_states::timestamp;

pub(super) fn judge_state_of(ctx: &mut Ctx, state: &Reply, id: &str) {
    judge_state(ctx.check("task-state"), state, id);
    if state.outcome().is_ok() {
        judge_timestamps(ctx.check("task-timestamps"), state, None);
        judge_no_metadata(ctx.check("task-metadata"), state);
    }
}

pub(super) fn judge_result(ctx: &mut Ctx, result: &Reply, status: &str, id: &str) {
    let mut check = ctx.check("task-result");
    let waited = has_waited(status).map_err(|finding| finding.evidence_all(result.evidence()));
    check = check.requires(Requirement::TASKS_RESULT_BLOCKS).judge(waited);
    // The error of a task that has failed carries no metadata.
    if result.outcome().is_ok() {
        let check = check
            .requires(Requirement::TASKS_RESULT_SUCCESS_PASSTHROUGH)
            .expect(result, object().member("content", array()));
        judge_related(check, result, id);
    }
}

pub(super) fn is_same(first: &Reply, again: &Reply) -> Result<(), Finding> {
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

pub(super) fn judge_failure(ctx: &mut Ctx, result: &Reply, ended: &Reply, status: &str) {
    let is_error = |result: &Value| result.get("isError").and_then(Value::as_bool) == Some(true);
    match result.outcome() {
        Err(_) if status != "cancelled" => {
            ctx.check("task-failed")
                .requires(Requirement::TASKS_FAILURE_SETS_FAILED)
                .expect(ended, object().member("status", equals("failed")));
        }
        Ok(result) if is_error(result) && status != "cancelled" => {
            ctx.check("task-failed")
                .requires(Requirement::TASKS_IS_ERROR_SETS_FAILED)
                .should(ended, object().member("status", equals("failed")));
        }
        _ => {}
    }
    if status == "failed" {
        let message = non_empty_string();
        ctx.check("task-failed")
            .requires(Requirement::TASKS_FAILED_STATUS_MESSAGE)
            .should(ended, object().member("statusMessage", message));
    }
}

pub(super) async fn listed(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    let (pages, has_more) = ctx.client().await?.first_pages("tasks/list", MAX_PAGES).await?;
    let mut is_listed = false;
    for page in pages.iter().filter(|page| page.outcome().is_ok()) {
        let times = object().member("createdAt", timestamp()).member("lastUpdatedAt", timestamp());
        ctx.check("task-timestamps").expect(page, object().member("tasks", array_of(times)));
        judge_no_metadata(ctx.check("task-metadata"), page);
        let tasks = page.outcome().ok().and_then(|page| page.get("tasks")?.as_array());
        let tasks = tasks.unwrap_or_default();
        is_listed |=
            tasks.iter().any(|task| task.get("taskId").and_then(Value::as_str) == Some(id));
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

pub(super) async fn finished(ctx: &mut Ctx, id: &str, status: &str) -> Result<(), Finding> {
    if ctx.declares(Capability::TasksCancel).await? {
        let reply = request_for_task(ctx, "tasks/cancel", id).await?;
        let outcome = is_error(&reply);
        let outcome = outcome.and_then(|()| has_code(&reply, error_code::INVALID_PARAMS));
        ctx.check("finished-task-final")
            .requires(Requirement::TASKS_CANCEL_TERMINAL_REJECTED)
            .judge(outcome);
    }
    let state = request_for_task(ctx, "tasks/get", id).await?;
    if state.outcome().is_ok() {
        ctx.check("finished-task-final")
            .requires(Requirement::TASKS_TERMINAL_FINAL)
            .expect(&state, object().member("status", equals(status)));
    }
    Ok(())
}

/// What the server has notified of the task so far.
pub(super) fn notifications(ctx: &mut Ctx, id: &str) {
    for notification in status_notifications(&ctx.trace(), Party::Server, id) {
        ctx.check("task-metadata")
            .requires(Requirement::TASKS_STATUS_NOTIFICATION_NO_RELATED_META)
            .judge(notification.metadata);
        ctx.check("finished-task-final")
            .requires(Requirement::TASKS_TRANSITIONS_VALID)
            .judge(notification.transition);
    }
}

/// Whether the progress of the task says that it belongs to the task.
pub(super) fn progress(ctx: &mut Ctx, id: &str) {
    let trace = ctx.trace();
    for (event, message) in trace.messages() {
        let Message::Notification(notification) = message else { continue };
        let Some(params) = &notification.params else { continue };
        let token = params.get("progressToken").and_then(Value::as_str);
        if notification.method != "notifications/progress" || token != Some(PROGRESS) {
            continue;
        }
        let related = params.at("/_meta").and_then(|meta| meta.get(meta::RELATED_TASK));
        let related = related.and_then(|related| related.get("taskId")?.as_str());
        ctx.check("task-progress-related")
            .requires(Requirement::TASKS_RELATED_META_EVERYWHERE)
            .judge(ensure(related == Some(id), || {
                // The token says as well what the progress is of, so that a client can do without the metadata.
                Finding::peer("the progress of a task does not name the task in its metadata")
                    .expected(format!("`{}` with the id {id:?}", meta::RELATED_TASK))
                    .got(related.map_or("no id".to_owned(), |got| format!("the id {got:?}")))
                    .evidence_all(Some(event.seq))
                    .should()
            }));
    }
}
