//! `tasks-request-state-removal`.

use super::quick_server::{computing_at_once, quick};
use super::task_client::{call, request_for_task, task_id};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2663;

scenario! {
    /// A task has no `requestState`, which drafts of the extension had.
    ///
    /// The specification says nothing of the member, so that only the official suite fails it. It passes a state without any of the
    /// members of a task; `tasks-extension-calls` looks at those.
    Server "tasks-request-state-removal": "A task has no `requestState`",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [Need::Capability(Capability::TasksExtension), Need::Tool("slow_compute")],
    checks: [
        check!("tasks-request-state-removal-setup", "A task can be created; only a failure is reported",
            [EXT_TASKS_RESULT_TYPE_TASK]).official(&[SEP_2663]).conditional(),
        check!("tasks-create-result-no-request-state", "The result that stands for a task has no `requestState`",
            [EXT_TASKS_TASK_SHAPE]).official(&[SEP_2663]),
        check!("tasks-get-detailed-no-request-state", "The state of a task has no `requestState`",
            [EXT_TASKS_DURABLE_BEFORE_ACK]).official(&[SEP_2663]),
    ],
}

/// Why the member is allowed.
const ALLOWED: &str = "a result may have other members";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let arguments = json!({ "seconds": 60, "label": "request-state-removal" });
    let handle = call(ctx, "slow_compute", arguments).await?;
    let id = match task_id(&handle) {
        Ok(id) => id,
        Err(none) => {
            ctx.check("tasks-request-state-removal-setup").by_fixture().fail(none);
            ctx.skip_the_rest("no task was created");
            return Ok(());
        }
    };
    let stateless = || object().without("requestState");
    ctx.check("tasks-create-result-no-request-state").officially(&handle, stateless(), ALLOWED);
    let state = request_for_task(ctx, "tasks/get", &id).await?;
    let check = ctx.check("tasks-get-detailed-no-request-state");
    check.judge(state.result().map(drop)).officially(&state, stateless(), ALLOWED);
    // Only so that it does not go on; `tasks-lifecycle` judges the reply.
    let _ended = request_for_task(ctx, "tasks/cancel", &id).await?.outcome();
    Ok(())
}

proofs! {
    passes on quick();
    catches "tasks-request-state-removal-setup" on computing_at_once();
    catches "tasks-create-result-no-request-state" by set("tools/call", "/requestState", json!("x")), under Official;
    catches "tasks-get-detailed-no-request-state" by reply_error("tasks/get", -32602);
    catches "tasks-get-detailed-no-request-state" by set("tasks/get", "/requestState", json!("x")), under Official;
}
