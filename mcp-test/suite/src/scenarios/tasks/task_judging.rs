//! Judges tasks of 2025-11-25, whichever side runs them: their creation, their states, their results and notifications.

use mcp_test_core::scenario::Subject;

use super::task_states::{are_guessable, is_terminal, timestamp};
use crate::scenarios::ensure;
use crate::scenarios::prelude::*;

/// Judges the reply that says that a request has become a task; `result` are the members of what the request itself returns.
pub(super) fn judge_created<'a>(
    check: CheckBuilder<'a>,
    reply: &impl Subject,
    result: &[&'static str],
) -> CheckBuilder<'a> {
    let no_result = result.iter().fold(object(), |shape, name| shape.without(*name));
    let id = object().member("taskId", string());
    let working = object().member("status", equals("working"));
    check
        .requires(Requirement::TASKS_CREATE_RESULT_RETURNED)
        .expect(reply, object().member("task", object()))
        .requires(Requirement::TASKS_CREATE_RESULT_NO_OPERATION_RESULT)
        .expect(reply, no_result)
        .requires(Requirement::TASKS_ID_STRING)
        .expect(reply, object().member("task", id))
        .requires(Requirement::TASKS_INITIAL_WORKING)
        .expect(reply, object().member("task", working))
}

/// Judges a state of the task with this id, as `tasks/get` returns it.
pub(super) fn judge_state<'a>(
    check: CheckBuilder<'a>,
    state: &impl Subject,
    id: &str,
) -> CheckBuilder<'a> {
    let ttl = satisfying("an integer or null", |ttl: &Value| {
        *ttl == Value::Null || ttl.as_f64().is_some()
    });
    check
        .requires(Requirement::TASKS_TTL_REPORTED)
        .expect(state, object().member("ttl", ttl).member("taskId", equals(id)))
}

/// Judges the times of a task, which is the member `within` of the reply or the whole of it.
pub(super) fn judge_timestamps<'a>(
    check: CheckBuilder<'a>,
    reply: &impl Subject,
    within: Option<&str>,
) -> CheckBuilder<'a> {
    let times = [
        (Requirement::TASKS_CREATED_AT, "createdAt"),
        (Requirement::TASKS_LAST_UPDATED_AT, "lastUpdatedAt"),
    ];
    times.into_iter().fold(check, |check, (requirement, name)| {
        let task = object().member(name, timestamp());
        match within {
            Some(place) => check.requires(requirement).expect(reply, object().member(place, task)),
            None => check.requires(requirement).expect(reply, task),
        }
    })
}

/// Judges that a state has no related-task metadata.
pub(super) fn judge_no_metadata<'a>(
    check: CheckBuilder<'a>,
    reply: &impl Subject,
) -> CheckBuilder<'a> {
    let none = object().optional("_meta", object().without(meta::RELATED_TASK));
    check.requires(Requirement::TASKS_RELATED_META_NOT_IN_RESULTS).should(reply, none)
}

/// Judges that the result of the task with this id names it.
pub(super) fn judge_related<'a>(
    check: CheckBuilder<'a>,
    result: &impl Subject,
    id: &str,
) -> CheckBuilder<'a> {
    let related = object().member("taskId", equals(id));
    let related = object().member(meta::RELATED_TASK, related);
    check
        .requires(Requirement::TASKS_RESULT_RELATED_META)
        .expect(result, object().member("_meta", related))
}

/// What is judged of a status notification.
pub(super) struct StatusNotification {
    /// It has no related-task metadata.
    pub(super) metadata: Result<(), Finding>,
    /// It does not change the status of a task that has ended.
    pub(super) transition: Result<(), Finding>,
}

/// What one side has notified of the task with this id so far.
pub(super) fn status_notifications(trace: &Trace, by: Party, id: &str) -> Vec<StatusNotification> {
    let mut ended: Option<String> = None;
    let mut judged = Vec::new();
    for (event, message) in trace.messages().filter(|(event, _)| event.party == by) {
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
                .evidence(event.seq)
                .should()
        });
        let status = params.get("status").and_then(Value::as_str).unwrap_or_default();
        let before = ended.clone().unwrap_or_default();
        let changed = ended.as_ref().is_some_and(|ended| ended != status);
        let transition = ensure(!changed, || {
            Finding::peer("a task changes its status after its end")
                .expected(format!("the status `{before}`"))
                .got(format!("the status `{status}`"))
                .evidence(event.seq)
        });
        judged.push(StatusNotification { metadata, transition });
        if is_terminal(status) && ended.is_none() {
            ended = Some(status.to_owned());
        }
    }
    judged
}

/// Judges whether the end of a task was awaited, whose status after its result is this one.
pub(super) fn has_waited(status: &str) -> Result<(), Finding> {
    ensure(is_terminal(status), || {
        Finding::peer("`tasks/result` is answered before the task is finished")
            .expected("no answer until the status is `completed`, `failed` or `cancelled`")
            .got(format!("an answer, and then the status `{status}`"))
    })
}

/// Judges the id of a task by that of the one before; `chosen` is the id that the other side asked for.
///
/// Each outcome has the requirement that it is about.
pub(super) fn judge_ids(
    first: &str,
    second: &str,
    chosen: &str,
    may_be_guessed: bool,
) -> [(&'static Requirement, Result<(), Finding>); 3] {
    let is_guessable = first != second && !may_be_guessed && are_guessable(first, second);
    [
        (
            Requirement::TASKS_ID_UNIQUE,
            ensure(first != second, || {
                Finding::peer("two tasks have the same id")
                    .expected("another id")
                    .got(format!("{second:?}"))
            }),
        ),
        (
            Requirement::TASKS_ID_RECEIVER_GENERATED,
            ensure(second != chosen, || {
                Finding::peer("a task has the id that the other side asked for")
                    .expected("an id of its own")
            }),
        ),
        (
            Requirement::TASKS_ID_ENTROPY,
            ensure(!is_guessable, || {
                Finding::peer("the id of a task can be guessed from the one before")
                    .expected("ids with enough entropy, such as random UUIDs")
                    .got(format!("{first:?} and then {second:?}"))
            }),
        ),
    ]
}
