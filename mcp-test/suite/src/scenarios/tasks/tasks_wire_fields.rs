//! `tasks-wire-fields`.

use mcp_test_core::clock::{self, Stopwatch};
use mcp_test_core::expect::{any_of, integer, null};

use super::quick_server::{quick, quick_but};
use super::task_client::{TASKS, request_for_task, task_id, until_ended};
use super::task_states::is_task;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2663;

scenario! {
    /// The members of a task have the names of the extension, and a finished task can be requested for a while.
    ///
    /// The members of 2025-11-25, `ttl` and `pollInterval`, look alike and mean the same, so that an old name goes unnoticed until a
    /// client misses the new one. The official suite also fails what the specification allows: the old members beside the
    /// new ones, and times that are zero.
    Server "tasks-wire-fields": "The members of a task have the names of the extension",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [Need::Capability(Capability::TasksExtension), Need::Tool("slow_compute")],
    checks: [
        check!("tasks-wire-field-renames",
            "A task has `ttlMs`, and not the members that 2025-11-25 had for it and for the interval",
            [EXT_TASKS_TASK_SHAPE]).official(&[SEP_2663]),
        check!("tasks-no-early-ttl-expiry", "A task can be requested half a second after its end",
            [EXT_TASKS_GET_COMPLETED]).official(&[SEP_2663]),
        check!("tasks-no-related-task-meta-on-inlined-result",
            "The result in the state of a task has no related-task metadata",
            [EXT_TASKS_RESULT_FAITHFUL]).official(&[SEP_2663]),
    ],
}

/// How long after its end the task is requested again.
const LATER: Duration = Duration::from_millis(500);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let age = Stopwatch::start();
    let arguments = json!({ "seconds": 1, "label": "wire-fields" });
    let params = json!({ "name": "slow_compute", "arguments": arguments });
    // Here the official client declares the extension and nothing else.
    let declared = json!({ "extensions": { TASKS: {} } });
    let request = ctx.request("tools/call", params).meta(meta::CLIENT_CAPABILITIES, declared);
    let handle = request.once().await?;
    let id = task_id(&handle);
    renamed(ctx, &handle);
    let id = match id {
        Ok(id) => id,
        Err(none) => {
            ctx.check("tasks-no-early-ttl-expiry").missing(none.clone());
            ctx.check("tasks-no-related-task-meta-on-inlined-result").missing(none);
            return Ok(());
        }
    };
    let last = until_ended(ctx, &id).await?;
    // The task may only be deleted by then, which no message shows.
    clock::quiet(LATER).await;
    let later = request_for_task(ctx, "tasks/get", &id).await?;
    let is_over = may_be_deleted(&last, age.elapsed());
    let check = ctx.check("tasks-no-early-ttl-expiry");
    let same = object().member("taskId", equals(id.as_str()));
    match is_over {
        true => check.officially(&later, same, "the time that `ttlMs` promises is over"),
        false => check.expect(&later, same),
    };
    let check = ctx.check("tasks-no-related-task-meta-on-inlined-result");
    match last.outcome().ok().and_then(|state| state.get("result")) {
        Some(result) => {
            let marked = object().optional("_meta", object().without(meta::RELATED_TASK));
            check.officially(result, marked, "the metadata of a result may have any members");
        }
        None => {
            let none = Finding::peer("the task has no result").evidence_all(last.evidence());
            check.missing(none);
        }
    }
    Ok(())
}

/// Judges the names of the members.
fn renamed(ctx: &mut Ctx, handle: &Reply) {
    let check = ctx.check("tasks-wire-field-renames");
    // Whether there is a task is up to the server, but this is what the fixture is for.
    let check = if is_task(handle) { check } else { check.by_fixture() };
    let ttl = || any_of(vec![Box::new(null()), Box::new(integer())]);
    let positive_or_null = any_of(vec![Box::new(null()), Box::new(positive())]);
    check
        .expect(handle, object().member("ttlMs", ttl()).optional("pollIntervalMs", integer()))
        .officially(
            handle,
            object().member("ttlMs", positive_or_null).optional("pollIntervalMs", positive()),
            "a time may be zero",
        )
        .officially(
            handle,
            object().without("ttl").without("pollInterval"),
            "a result may have other members",
        );
}

fn positive() -> impl Matcher {
    satisfying("an integer above zero", |value: &Value| {
        value.as_f64().is_some_and(|number| number > 0.0 && number.fract() == 0.0)
    })
}

/// Whether a task of this age may be deleted, by the last `ttlMs` that the server has stated.
fn may_be_deleted(state: &Reply, age: Duration) -> bool {
    let stated = state.outcome().ok().and_then(|state| state.get("ttlMs")?.as_f64());
    stated.is_some_and(|ttl| ttl / 1000.0 <= age.as_secs_f64())
}

proofs! {
    passes on quick();
    catches "tasks-wire-field-renames" by remove("tools/call", "/ttlMs");
    catches "tasks-wire-field-renames" by set("tools/call", "/pollIntervalMs", json!("100"));
    catches "tasks-wire-field-renames" by set("tools/call", "/ttl", json!(60_000)), under Official;
    catches "tasks-no-early-ttl-expiry" on forgetting_finished_tasks();
    catches "tasks-no-related-task-meta-on-inlined-result"
        by set("tasks/get", "/result/result/_meta", json!({ meta::RELATED_TASK: { "taskId": "1" } })), under Official;
}

/// Says once that the task has ended, and does not know it any more.
fn forgetting_finished_tasks() -> Server {
    let refusal = Answer::error(error_code::INVALID_PARAMS, "unknown task");
    let get = || given(method("tasks/get"));
    let now = "2026-11-23T10:00:00Z";
    let ended = json!({
        "taskId": "1", "status": "completed", "createdAt": now, "lastUpdatedAt": now, "ttlMs": null,
        "result": { "content": [] },
    });
    quick_but([get().respond_with(refusal), get().respond_with(ended).up_to_n_times(1)])
}
