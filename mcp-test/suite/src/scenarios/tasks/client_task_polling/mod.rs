//! `client-task-polling`.

mod judge;
mod server;

use mcp_test_core::client::reference::{
    TaskHabits, TaskState, client_with, has_ended, next_pause, stated_interval,
};

use super::client_task_polling::judge::judge;
use super::client_task_polling::server::serve;
use super::task_requests::listing_with_tasks;
use crate::scenarios::prelude::*;

scenario! {
    /// The first call of a tool becomes a task, the second one has a plain result, and the third one becomes a task that expires.
    ///
    /// The first task is at work for a moment, during which the server refuses one request for its state, and raises the interval and the
    /// time to live. It announces nothing, whatever the client subscribes to. A prompt is answered with a task as well, which is not valid.
    /// A client that does not declare the extension, or calls no tool, is not judged.
    Client "client-task-polling": "The client follows tasks to their end",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!(EXTENSION_IDS, "Each extension that the client declares has an identifier with a prefix",
            [VERSIONING_EXTENSION_ID_FORMAT]),
        check!(DECLARES, "Every request for a task declares the extension",
            [EXT_TASKS_CLIENT_DECLARES]),
        check!(BOTH, "The client goes on after a call that becomes a task, and after one with a plain result",
            [EXT_TASKS_CLIENT_HANDLES_BOTH]),
        check!(UNTIL_END, "The client asks for the state of a task until it has ended",
            [EXT_TASKS_CLIENT_POLLS_UNTIL_TERMINAL]),
        check!(INTERVAL, "Between two requests for a state the client waits for at least half of `pollIntervalMs`",
            [EXT_TASKS_CLIENT_POLL_INTERVAL]),
        check!(NEW_INTERVAL, "The client keeps to an interval that has been raised",
            [EXT_TASKS_TOLERATE_POLL_INTERVAL_CHANGE]),
        check!(REFUSED, "The client asks for the state again after one request for it was refused",
            [EXT_TASKS_TOLERATE_RATE_LIMIT]),
        check!(LONGER_TTL, "The client follows a task beyond its first `ttlMs` once a state has a longer one",
            [EXT_TASKS_TOLERATE_TTL_CHANGE]),
        check!(WITHOUT_NEWS, "A client that subscribes to a task asks for its state if no notification comes",
            [EXT_TASKS_TOLERATE_NO_NOTIFICATIONS]),
        check!(EXPIRY, "The client stops asking for a task that has expired",
            [EXT_TASKS_TOLERATE_EXPIRY]),
        check!(UNSUPPORTED, "A task in answer to `prompts/get` is not followed",
            [EXT_TASKS_CLIENT_REJECTS_UNSUPPORTED]),
    ],
}

const EXTENSION_IDS: &str = "client-extension-ids";
const DECLARES: &str = "client-declares-tasks";
const BOTH: &str = "client-takes-results-and-tasks";
const UNTIL_END: &str = "client-polls-until-end";
const INTERVAL: &str = "client-keeps-poll-interval";
const NEW_INTERVAL: &str = "client-adapts-poll-interval";
const REFUSED: &str = "client-survives-refused-poll";
const LONGER_TTL: &str = "client-follows-longer-ttl";
const WITHOUT_NEWS: &str = "client-polls-without-notifications";
const EXPIRY: &str = "client-accepts-expiry";
const UNSUPPORTED: &str = "client-rejects-unsupported-task";

/// The task of the first call.
#[doc(hidden)]
pub const POLLED: &str = "0d9ff2b16f584f51a3a2f8ee7bb1c2a4";
/// The task of the third call.
const EXPIRED: &str = "c1d3f66b7e1d4be09f5b0a9a3e58f7d2";
/// The task in answer to a prompt.
const OF_PROMPT: &str = "57a9e0c84a2b4d0c8f86b1f09d3e6c75";

/// The interval that the handle names.
const FIRST_INTERVAL: Duration = Duration::from_millis(200);
/// The interval that a later state names.
const RAISED_INTERVAL: Duration = Duration::from_millis(600);
/// The time to live that the handle names. It is over after a few requests at the raised interval.
const FIRST_TTL: Duration = Duration::from_millis(1500);

/// How many requests for an expired task are allowed after the first refusal, since some may be on their way.
const LATE_POLLS: usize = 2;

fn with_pause(pause: fn(&[TaskState]) -> Option<Duration>) -> ScriptedClient {
    client_with(TaskHabits { pause, ..TaskHabits::GOOD })
}

fn stops_at_the_first_ttl() -> ScriptedClient {
    with_pause(|states| {
        let waited: Duration =
            (1..=states.len()).filter_map(|seen| next_pause(&states[..seen])).sum();
        next_pause(states).filter(|_| waited < FIRST_TTL)
    })
}

fn asks_for_what_has_expired() -> ScriptedClient {
    with_pause(|states| {
        let is_over = states.last()?.as_ref().is_ok_and(has_ended);
        let refusals = states.iter().filter(|state| state.is_err()).count();
        (!is_over && refusals < 5)
            .then(|| stated_interval(states.iter().rfind(|it| it.is_ok())?))
            .flatten()
    })
}

fn fails_at_a_task() -> ScriptedClient {
    listing_with_tasks(|mut client| async move {
        let reply = client.request("tools/call", json!({ "name": "import" })).await?;
        let content = reply.result()?.get("content").map(drop);
        client.end().await;
        content.ok_or_else(|| "the result has no content".into())
    })
}

fn follows_the_task_of_a_prompt() -> ScriptedClient {
    listing_with_tasks(|mut client| async move {
        let reply = client.request("prompts/get", json!({ "name": "greeting" })).await?;
        let id = reply.result()?.get("taskId").map(Value::to_serde);
        let state = client.request("tasks/get", json!({ "taskId": id })).await?;
        // Refused or not: that it asks is what is wrong.
        let _ = state.outcome();
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-extension-ids"
        by set("tools/list", "/_meta/io.modelcontextprotocol~1clientCapabilities/extensions/my-extension", json!({}));
    catches "client-declares-tasks"
        by set("tasks/get", "/_meta/io.modelcontextprotocol~1clientCapabilities", json!({}));
    catches "client-takes-results-and-tasks" on fails_at_a_task();
    warns "client-polls-until-end" on with_pause(|states| next_pause(states).filter(|_| states.len() != 4));
    warns "client-keeps-poll-interval" on with_pause(|states| next_pause(states).map(|_| Duration::from_millis(1)));
    warns "client-adapts-poll-interval"
        on with_pause(|states| next_pause(states).and_then(|_| stated_interval(states.first()?)));
    warns "client-survives-refused-poll"
        on with_pause(|states| next_pause(states).filter(|_| states.iter().all(Result::is_ok)));
    warns "client-follows-longer-ttl" on stops_at_the_first_ttl();
    warns "client-polls-without-notifications" on with_pause(|_| None);
    warns "client-accepts-expiry" on asks_for_what_has_expired();
    catches "client-rejects-unsupported-task" on follows_the_task_of_a_prompt();
}
