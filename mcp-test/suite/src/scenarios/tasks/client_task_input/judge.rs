//! Judges `client-task-input`: which requests of a task the client answered, and when.

use mcp_test_core::transport::ClientEnd;

use super::{
    ANSWERS, ASKING, CONTINUES, FURTHER, INSPECTS, LATE_POLLS, MODE, MOST_UNANSWERED, ONCE,
    OUTSTANDING, ROOTS, STALE, UNCANCELLED, UNDECLARED,
};
use crate::scenarios::exchange::AnsweredRequest;
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::prelude::*;
use crate::scenarios::tasks::task_requests::{TaskRequests, calls_with_tasks, state, status};

/// The requests that a state lists.
fn listed(poll: &AnsweredRequest) -> Option<&Object> {
    match state(poll)?.ok()?.get("inputRequests")? {
        Value::Object(requests) => Some(requests),
        _ => None,
    }
}

fn lists(poll: &AnsweredRequest, key: &str) -> bool {
    listed(poll).is_some_and(|requests| requests.contains(key))
}

/// Whether the key of a state is one that no person has to answer.
fn needs_no_person(poll: &AnsweredRequest, key: &str) -> bool {
    let method = listed(poll).and_then(|requests| requests.get(key)?.get("method")?.as_str());
    method == Some(ROOTS)
}

/// The keys that an update answers.
fn answered(update: &AnsweredRequest) -> impl Iterator<Item = &str> {
    let responses = update.request.params().get("inputResponses").and_then(Value::as_object);
    responses.into_iter().flat_map(Object::keys)
}

pub(super) fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let calls = calls_with_tasks(judging);
    let requests = TaskRequests::of(judging, ASKING);
    let asking: Vec<&AnsweredRequest> =
        requests.polls.iter().filter(|it| listed(it).is_some()).collect();
    if asking.is_empty() {
        let why = match calls.is_empty() {
            true => "the client called no tool with the extension",
            false => "the client asked for no state of a task that asks for input",
        };
        for check in [INSPECTS, ANSWERS, OUTSTANDING, ONCE, STALE, FURTHER, CONTINUES] {
            judging.check(check).skip(why);
        }
    } else {
        if requests.updates.is_empty() {
            // A person may have to answer.
            judging.tolerate_failed_exit();
        }
        reacts(judging, &requests, &asking);
        keys(judging, &requests);
        stale(judging, &requests);
        further(judging, &requests);
    }
    undeclared_mode(judging);
    Ok(())
}

/// The finding about the client at a state, after which it sent no `what`.
fn at_state(headline: &str, expected: &str, what: &str, poll: Option<&AnsweredRequest>) -> Finding {
    Finding::peer(headline)
        .expected(expected)
        .got(format!("no {what}"))
        .evidence_all(poll.map(|poll| poll.request.seq))
        .evidence_all(poll.and_then(|poll| poll.reply.as_ref()).map(|reply| reply.0))
}

fn reacts(judging: &mut Judging, requests: &TaskRequests, asking: &[&AnsweredRequest]) {
    let first = asking.first().copied();
    let needs_no_person = first.is_some_and(|first| needs_no_person(first, "first"));
    let has_reacted = !requests.updates.is_empty() || !requests.cancels.is_empty();
    // The call itself is not sent again: the task has its id.
    let since = first.map(|first| first.request.seq);
    let retried = judging
        .requests("tools/call")
        .into_iter()
        .find(|call| Some(call.seq) > since && call.params().get("inputResponses").is_some());
    // A client that is ended from outside may have waited for a person.
    let has_left = *judging.client_end().0 != ClientEnd::TimedOut;
    let last_asks = has_left && requests.polls.last().is_some_and(|last| listed(last).is_some());
    let is_ignored = asking.len() >= MOST_UNANSWERED && needs_no_person;
    let inspects = judging.check(INSPECTS);
    if has_reacted || retried.is_some() {
        inspects.pass();
    } else if is_ignored {
        inspects.fail(at_state(
            "the client asks for the state of a task and does not react to what it asks for",
            "`tasks/update`, since the client declares what the task asks for",
            &format!("answer after {} states", asking.len()),
            first,
        ));
    } else {
        inspects.skip("the client did not answer; a person may have to");
    }
    let answers = judging.check(ANSWERS);
    let has_answer = requests.updates.iter().any(|update| answered(update).next().is_some());
    match retried {
        Some(call) => answers.fail(
            Finding::peer("the client answers a task by another `tools/call`")
                .expected("`tasks/update` with the id of the task")
                .got("`tools/call` with `inputResponses`")
                .evidence(call.seq)
                .should(),
        ),
        None if has_answer => answers.pass(),
        None if !requests.cancels.is_empty() => answers.skip("the client cancelled the task"),
        None if last_asks && !is_ignored => answers.fail(
            at_state(
                "the client leaves a task that asks for input",
                "`tasks/update`, or `tasks/cancel`",
                "request after the state that asks",
                requests.polls.last(),
            )
            .should(),
        ),
        None => answers.skip("the client did not answer; a person may have to"),
    };
}

fn keys(judging: &mut Judging, requests: &TaskRequests) {
    if requests.updates.is_empty() {
        for check in [OUTSTANDING, ONCE] {
            judging.check(check).skip("the client sent no `tasks/update`");
        }
        return;
    }
    let wrong = |headline: &str, expected: &str, key: &str, update: &AnsweredRequest| {
        Finding::peer(headline)
            .expected(expected)
            .got(format!("the key {key:?}"))
            .evidence(update.request.seq)
    };
    let (mut outstanding, mut once) = (Ok(()), Ok(()));
    for update in &requests.updates {
        let sent = update.request.seq;
        // The last state may have been on its way when the client answered the one before.
        let before = requests.polls.iter().rev().filter(|poll| replied(poll) < Some(sent));
        let states: Vec<&AnsweredRequest> =
            before.filter(|poll| replied(poll).is_some()).take(2).collect();
        let earlier = requests.updates.iter().filter(|it| replied(it).is_some_and(|at| at < sent));
        let earlier: Vec<&str> = earlier.flat_map(answered).collect();
        for key in answered(update) {
            if !states.iter().any(|poll| lists(poll, key)) {
                outstanding = outstanding.and(Err(wrong(
                    "the client answers a request that the task does not list",
                    "keys of `inputRequests` in the newest state",
                    key,
                    update,
                )));
            } else if earlier.contains(&key) {
                once = once.and(Err(wrong(
                    "the client answers a request of a task again",
                    "no second answer once `tasks/update` is acknowledged",
                    key,
                    update,
                )
                .should()));
            }
        }
    }
    judging.check(OUTSTANDING).judge(outstanding);
    judging.check(ONCE).judge(once);
}

/// When the server replied.
fn replied(request: &AnsweredRequest) -> Option<Seq> {
    request.reply.as_ref().map(|reply| reply.0)
}

/// The first state after the first answer shows the requests once more.
fn stale(judging: &mut Judging, requests: &TaskRequests) {
    let answered =
        requests.updates.iter().find(|it| answered(it).next().is_some()).and_then(replied);
    let after =
        requests.polls.iter().filter(|poll| answered.is_some_and(|at| poll.request.seq > at));
    let after: Vec<&AnsweredRequest> = after.collect();
    let check = judging.check(STALE);
    match after[..] {
        [] => check.skip("the client asked for no state after an answer"),
        [only] if requests.cancels.is_empty() => check.fail(
            at_state(
                "the client gives a task up that does not show its answer yet",
                "`tasks/get`, since the status may lag behind",
                "`tasks/get` after the state that shows the answered requests",
                Some(only),
            )
            .should(),
        ),
        _ => check.pass(),
    };
}

/// The request after the first answer, and the states after all of them.
fn further(judging: &mut Judging, requests: &TaskRequests) {
    let asking: Vec<&AnsweredRequest> =
        requests.polls.iter().filter(|poll| lists(poll, "third")).collect();
    let update = requests.updates.iter().find(|update| answered(update).any(|key| key == "third"));
    let last = requests.polls.last();
    let has_left = *judging.client_end().0 != ClientEnd::TimedOut;
    let has_stopped = has_left && last.is_some_and(|last| lists(last, "third"));
    let check = judging.check(FURTHER);
    match asking.first() {
        None => check.skip("the client did not ask for the state with another request"),
        Some(_) if update.is_some() => check.pass(),
        Some(first) if has_stopped || needs_no_person(first, "third") => check.fail(
            at_state(
                "the client does not answer what a task asks for after a first answer",
                "`tasks/update` with the key \"third\"",
                &format!("answer after {} states", asking.len()),
                Some(first),
            )
            .should(),
        ),
        Some(_) => check.skip("the client did not answer; a person may have to"),
    };
    let check = judging.check(CONTINUES);
    let is_ended = last.and_then(status) == Some("completed");
    match update {
        None => check.skip("the client did not answer all requests"),
        Some(_) if is_ended || !requests.cancels.is_empty() => check.pass(),
        Some(update) => check.fail(
            at_state(
                "the client does not follow a task to its end after it has answered",
                "`tasks/get` until the status is `completed`",
                "`tasks/get` after the last state",
                last,
            )
            .evidence(update.request.seq)
            .should(),
        ),
    };
}

fn undeclared_mode(judging: &mut Judging) {
    let requests = TaskRequests::of(judging, UNDECLARED);
    let is_asked = requests.polls.iter().any(|poll| listed(poll).is_some());
    if is_asked {
        // It cannot do what the task asks for.
        judging.tolerate_failed_exit();
    }
    let accepted = requests.updates.iter().find(|update| {
        let action = update.request.params().at("/inputResponses/visit/action");
        action.is_some_and(|action| *action == "accept")
    });
    let check = judging.check(MODE);
    match accepted {
        _ if !is_asked => check.skip("the client was not asked in a mode that it does not declare"),
        None => check.pass(),
        Some(update) => check.fail(
            Finding::peer("the client accepts an elicitation in a mode that it does not declare")
                .expected(
                    "that the client does not accept in a task what it would not accept elsewhere",
                )
                .got("the action \"accept\" in the mode \"url\"")
                .evidence(update.request.seq),
        ),
    };
    let cancelled = requests.cancels.first().and_then(replied);
    let after = |poll: &&AnsweredRequest| cancelled.is_some_and(|at| poll.request.seq > at);
    let states: Vec<&AnsweredRequest> = requests.polls.iter().filter(after).collect();
    let ended = states.iter().position(|poll| status(poll) == Some("completed"));
    let late = ended.map_or(0, |ended| states.len() - ended - 1);
    let has_timed_out = *judging.client_end().0 == ClientEnd::TimedOut;
    let check = judging.check(UNCANCELLED);
    match cancelled {
        None => check.skip("the client cancelled no task"),
        Some(_) if states.is_empty() => {
            check.skip("the client asked for no state after it cancelled the task")
        }
        Some(_) => check.judge(ensure(late <= LATE_POLLS && !has_timed_out, || {
            Finding::peer("the client waits for a task to be cancelled that has ended otherwise")
                .expected("no `tasks/get` after the status `completed`")
                .got(format!("{late} of them"))
                .evidence_all(ended.map(|ended| states[ended].request.seq))
                .should()
        })),
    };
}
