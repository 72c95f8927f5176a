//! `tasks-required-task-error`.

use super::quick_server::{answering, quick, quick_but};
use super::task_client::{TASKS, refused_undeclared, send_undeclared};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_2575_PAGE, SEP_2663};

scenario! {
    /// A call that can only be a task is refused with -32021 if its request does not declare the extension.
    ///
    /// The error tells the client what it lacks. The official suite only notes an error that does not, although the specification
    /// requires it.
    Server "tasks-required-task-error": "A call that can only be a task needs the declaration",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [Need::Capability(Capability::TasksExtension), Need::Tool("failing_job")],
    checks: [
        check!("sep-2663-server-returns-missing-capability-when-required",
            "A call of `failing_job` without the declaration is refused with -32021",
            [EXT_TASKS_MISSING_CAPABILITY_ERROR]).official(&[SEP_2575_PAGE, SEP_2663]),
        check!("sep-2663-server-returns-missing-capability-data-shape",
            "The data of the error name the extension; made if the code is right",
            [EXT_TASKS_MISSING_CAPABILITY_DATA]).official(&[SEP_2575_PAGE, SEP_2663]).conditional(),
    ],
}

const DATA: &str = "sep-2663-server-returns-missing-capability-data-shape";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let params = json!({ "name": "failing_job", "arguments": {} });
    let reply = send_undeclared(ctx, "tools/call", params).await?;
    let outcome = refused_undeclared(&reply);
    let is_refused = outcome.is_ok();
    ctx.check("sep-2663-server-returns-missing-capability-when-required").judge(outcome);
    let Some(error) = reply.error().filter(|_| is_refused) else { return Ok(()) };
    let data = error.data.clone();
    if data.is_none() && ctx.profile() == Profile::Official {
        ctx.check(DATA).info("the error has no data");
        return Ok(());
    }
    let data = data.unwrap_or_default();
    let part = Part::new("the data of the error", &data, reply.evidence().last().copied());
    let extensions = object().member("extensions", object().member(TASKS, anything()));
    ctx.check(DATA).expect(&part, object().member("requiredCapabilities", extensions));
    Ok(())
}

proofs! {
    passes on quick();
    catches "sep-2663-server-returns-missing-capability-when-required" on failing_at_once();
    catches "sep-2663-server-returns-missing-capability-when-required"
        by reply_error("tools/call", error_code::INTERNAL_ERROR);
    catches "sep-2663-server-returns-missing-capability-data-shape" by remove("tools/call", "/error/data");
    catches "sep-2663-server-returns-missing-capability-data-shape"
        by set("tools/call", "/error/data/requiredCapabilities", json!({ "extensions": {} }));
}

/// Runs the job although its client cannot follow a task.
fn failing_at_once() -> Server {
    let text = json!({ "type": "text", "text": "This job fails every time" });
    quick_but([answering("failing_job", json!({ "content": [text], "isError": true }))])
}
