//! `tasks-status-notifications`.

use super::quick_server::quick;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2663;

scenario! {
    /// Nothing yet: the official suite has this scenario only as a placeholder, which sends nothing and is always SKIPPED.
    ///
    /// It is here so that lists, baselines and reports have the same scenarios. Notifications of tasks are optional for servers;
    /// `tasks-extension-requests` checks that a client without the extension cannot subscribe to them.
    Server "tasks-status-notifications": "The server notifies of the states of tasks (a placeholder)",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    checks: [
        // The requirement about them that another scenario checks: none can be checked here.
        check!("tasks-status-notifications", "Always SKIPPED, as in the official suite",
            [EXT_TASKS_LISTEN_MISSING_CAPABILITY])
            .official(&[SEP_2663]).named("TasksStatusNotificationsScenario").informs(),
    ],
}

// `async` like the body of every scenario.
#[allow(clippy::unused_async, reason = "the scenario sends nothing")]
async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let why = "the official suite does not check notifications of tasks yet";
    ctx.check("tasks-status-notifications").skip(why);
    Ok(())
}

proofs! {
    passes on quick();
}
