//! `client-task-input`.

mod judge;
mod server;

use mcp_test_core::client::reference::{TaskHabits, client_with, next_pause};

use super::client_task_input::judge::judge;
use super::client_task_input::server::serve;
use super::task_requests::listing_with_tasks;
use crate::scenarios::prelude::*;

scenario! {
    /// The first call of a tool becomes a task that asks for input, and the second one becomes a task that asks in a mode which the
    /// client does not declare.
    ///
    /// The first task asks for two things. After an answer it shows its old state once more; then it lists an answered request
    /// together with a new one, and withdraws the other one. After the second answer it reports `working` twice, and completes. The
    /// client is asked only for what it declares: roots, elicitation in form mode, or sampling. A person may have to answer the
    /// last two, so a missing answer to them is reported only if the client exits on its own while the task still asks.
    Client "client-task-input": "The client answers what tasks ask for",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!(INSPECTS, "The client reacts to what a task asks for",
            [EXT_TASKS_CLIENT_INSPECTS_INPUT]),
        check!(ANSWERS, "The client answers by `tasks/update`, under the keys of the requests",
            [EXT_TASKS_CLIENT_ANSWERS_INPUT]),
        check!(OUTSTANDING, "Every key in `tasks/update` is one that the task lists",
            [EXT_TASKS_CLIENT_UPDATE_KEYS_OUTSTANDING]),
        check!(ONCE, "Each request of a task is answered once, also if it is still listed afterwards",
            [EXT_TASKS_CLIENT_NO_DOUBLE_ANSWER]),
        check!(STALE, "The client goes on after a state that does not show its answer yet",
            [EXT_TASKS_TOLERATE_STALE_STATUS]),
        check!(FURTHER, "After a first answer the client answers what a task still asks for",
            [EXT_TASKS_TOLERATE_PARTIAL_UPDATE]),
        check!(CONTINUES, "After its answers the client follows the task to its end",
            [EXT_TASKS_CLIENT_CONTINUES_AFTER_UPDATE]),
        check!(MODE, "Elicitation in a mode that the client does not declare is not accepted in a task either",
            [EXT_TASKS_CLIENT_SAME_TRUST]),
        check!(UNCANCELLED, "The client accepts that a task which it cancels ends otherwise",
            [EXT_TASKS_TOLERATE_UNCANCELLED]),
    ],
}

const INSPECTS: &str = "client-inspects-task-input";
const ANSWERS: &str = "client-answers-task-input";
const OUTSTANDING: &str = "client-answers-outstanding-keys";
const ONCE: &str = "client-answers-task-input-once";
const STALE: &str = "client-tolerates-stale-task";
const FURTHER: &str = "client-answers-further-input";
const CONTINUES: &str = "client-continues-after-input";
const MODE: &str = "client-distrusts-task-input";
const UNCANCELLED: &str = "client-tolerates-uncancelled-task";

/// The task of the first call.
const ASKING: &str = "8be1c5a40f3d4b6fa1d2c7e95b60f483";
/// The task of the second call.
const UNDECLARED: &str = "e20c94d7ab584d3c9f61a87b05e3d6f1";

const INTERVAL: Duration = Duration::from_millis(50);
/// After how many unanswered `tasks/get` results the client counts as ignoring them.
const MOST_UNANSWERED: usize = 4;
/// How many polls of a finished task are allowed, since some may be in flight.
const LATE_POLLS: usize = 2;

const ROOTS: &str = "roots/list";

const GOOD: TaskHabits = TaskHabits::GOOD;

fn leaves_a_task_that_asks() -> ScriptedClient {
    client_with(TaskHabits {
        answers: |_, _| false,
        pause: |states| next_pause(states).filter(|_| states.len() < 2),
        ..GOOD
    })
}

fn answers_the_first() -> ScriptedClient {
    client_with(TaskHabits {
        answers: |key, answered| key == "first" && answered.is_empty(),
        ..GOOD
    })
}

fn stops_at_a_stale_state() -> ScriptedClient {
    client_with(TaskHabits {
        pause: |states| next_pause(states).filter(|_| states.len() != 3),
        ..GOOD
    })
}

fn stops_after_its_answers() -> ScriptedClient {
    client_with(TaskHabits {
        pause: |states| next_pause(states).filter(|_| states.len() < 5),
        ..GOOD
    })
}

fn waits_for_cancelled() -> ScriptedClient {
    let pause = |states: &[_]| next_pause(states).or((states.len() < 12).then_some(INTERVAL));
    client_with(TaskHabits { pause, ..GOOD })
}

fn accepts_an_undeclared_mode() -> ScriptedClient {
    listing_with_tasks(|mut client| async move {
        for _ in 0..2 {
            client.request("tools/call", json!({ "name": "visit" })).await?.result()?;
        }
        client.request("tasks/get", json!({ "taskId": UNDECLARED })).await?.result()?;
        let responses = json!({ "visit": { "action": "accept" } });
        let params = json!({ "taskId": UNDECLARED, "inputResponses": responses });
        client.request("tasks/update", params).await?.result()?;
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-inspects-task-input" on client_with(TaskHabits { answers: |_, _| false, ..GOOD });
    warns "client-answers-task-input" on leaves_a_task_that_asks();
    catches "client-answers-outstanding-keys"
        by set("tasks/update", "/inputResponses/unknown", json!({ "action": "decline" }));
    warns "client-answers-task-input-once" on client_with(TaskHabits { answers: |key, _| key != "visit", ..GOOD });
    warns "client-tolerates-stale-task" on stops_at_a_stale_state();
    warns "client-answers-further-input" on answers_the_first();
    warns "client-continues-after-input" on stops_after_its_answers();
    catches "client-distrusts-task-input" on accepts_an_undeclared_mode();
    warns "client-tolerates-uncancelled-task" on waits_for_cancelled();
}
