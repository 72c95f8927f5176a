//! Judges `client-task-polling`: where the client stopped asking for each task, and what it had got by then.

use mcp_test_core::clock::format_duration;
use mcp_test_core::transport::ClientEnd;

use super::{
    BOTH, DECLARES, EXPIRED, EXPIRY, EXTENSION_IDS, FIRST_INTERVAL, FIRST_TTL, INTERVAL,
    LATE_POLLS, LONGER_TTL, NEW_INTERVAL, OF_PROMPT, POLLED, RAISED_INTERVAL, REFUSED, UNSUPPORTED,
    UNTIL_END, WITHOUT_NEWS,
};
use crate::scenarios::exchange::{AnsweredRequest, answered_requests};
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::prelude::*;
use crate::scenarios::tasks::task_requests::{
    TaskRequests, calls_with_tasks, declares_tasks, state, status,
};
use crate::scenarios::versioning::has_extension_form;

pub(super) fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let calls = calls_with_tasks(judging);
    extension_ids(judging);
    declares(judging);
    let polled = TaskRequests::of(judging, POLLED);
    if calls.is_empty() {
        let why = "the client called no tool with the extension";
        for check in [BOTH, UNTIL_END, INTERVAL, NEW_INTERVAL, REFUSED, LONGER_TTL, WITHOUT_NEWS] {
            judging.check(check).skip(why);
        }
    } else {
        let goes_on = takes_both(judging, &calls);
        let started = calls[0].at;
        polls(judging, &polled, started, goes_on);
        intervals(judging, &polled.polls);
    }
    expiry(judging);
    unsupported(judging);
    Ok(())
}

fn extension_ids(judging: &mut Judging) {
    let messages = judging.messages();
    let mut check = judging.check(EXTENSION_IDS);
    let mut is_any = false;
    for message in &messages {
        let declared = message.meta(meta::CLIENT_CAPABILITIES).and_then(|it| it.get("extensions"));
        for id in declared.and_then(Value::as_object).into_iter().flat_map(Object::keys) {
            is_any = true;
            let outcome = has_extension_form(id);
            check = check.judge(outcome.map_err(|finding| finding.evidence(message.seq)));
        }
    }
    if !is_any {
        check.skip("the client declares no extensions");
    }
}

fn declares(judging: &mut Judging) {
    let mut requests = judging.messages();
    requests.retain(|it| it.method().starts_with("tasks/"));
    let undeclared = requests.iter().find(|it| !declares_tasks(it));
    let check = judging.check(DECLARES);
    match undeclared {
        _ if requests.is_empty() => check.skip("the client sent no request for a task"),
        None => check.pass(),
        Some(request) => check.fail(
            Finding::peer(format!(
                "the client sent `{}` without declaring the extension",
                request.method()
            ))
            .expected(
                "`io.modelcontextprotocol/tasks` among the client capabilities of the request",
            )
            .evidence(request.seq),
        ),
    };
}

/// Judges whether the client fails at one kind of result, after which it gets nothing; returns whether it goes on.
fn takes_both(judging: &mut Judging, calls: &[AnsweredRequest]) -> bool {
    let has_failed = matches!(judging.client_end().0, ClientEnd::Failed(_));
    let trace = judging.trace();
    let replies = trace.messages().filter(|(event, message)| {
        event.party == Party::Server && matches!(message, Message::Response(_) | Message::Error(_))
    });
    let last = replies.last().map(|(event, _)| event.seq);
    let fatal = calls.iter().find(|it| has_failed && it.reply.as_ref().map(|it| it.0) == last);
    let has_both = calls.iter().filter(|it| it.reply.is_some()).count() > 1;
    let check = judging.check(BOTH);
    match fatal {
        Some(call) => check.fail(
            Finding::peer("the client failed at the result of a call")
                .expected("that a client with the extension goes on after a plain result and after a task")
                .got("an error of the client, and no request after this result")
                .evidence(call.request.seq)
                .evidence_all(last),
        ),
        None if has_both => check.pass(),
        None => check.skip("the client made one call only"),
    };
    fatal.is_none()
}

/// Judges where the client stopped asking for the state of the first task.
fn polls(judging: &mut Judging, requests: &TaskRequests, started: Duration, goes_on: bool) {
    let last = requests.polls.last();
    let is_refused = last.is_some_and(|last| matches!(state(last), Some(Err(_))));
    let is_ended = last.and_then(status).is_some_and(|status| status != "working")
        || !requests.cancels.is_empty();
    // A client that keeps to the raised interval would have asked again only after the first time to live.
    let is_due_later = last.is_some_and(|last| last.at + RAISED_INTERVAL >= started + FIRST_TTL);
    let is_extended = requests.polls.len() > 2;
    let is_subscribed = is_subscribed(judging);
    let stopped = |headline: &str, expected: &str| {
        Finding::peer(headline)
            .expected(expected)
            .got(format!("no `tasks/get` after {} of them", requests.polls.len()))
            .evidence_all(last.map(|last| last.request.seq))
            .evidence_all(last.and_then(|last| last.reply.as_ref()).map(|reply| reply.0))
            .should()
    };
    let news = judging.check(WITHOUT_NEWS);
    match (is_subscribed, last) {
        (false, _) => news.skip("the client did not subscribe to the task"),
        (true, Some(_)) => news.pass(),
        (true, None) => news.fail(stopped(
            "the client waited for notifications of a task alone",
            "`tasks/get`, since the server need not notify",
        )),
    };
    let stopped_at_ttl = is_extended && is_due_later && !is_ended && !is_refused;
    let until_end = judging.check(UNTIL_END);
    match last {
        None if !goes_on => until_end.skip("the client failed at the result of a call"),
        None if is_subscribed => until_end.skip("the client waited for notifications"),
        _ if is_ended => until_end.pass(),
        _ if is_refused => until_end.skip("the client stopped at a request that was refused"),
        _ if stopped_at_ttl => until_end.skip("the client stopped at the first `ttlMs`"),
        _ => until_end.fail(stopped(
            "the client did not follow a task to its end",
            "`tasks/get` until the status is `completed`",
        )),
    };
    let refused = judging.check(REFUSED);
    match requests.polls.get(1) {
        None => refused.skip("no request for a state was refused"),
        Some(_) if is_refused => refused.fail(stopped(
            "the client gave a task up when one request for its state was refused",
            "another `tasks/get` later",
        )),
        Some(_) => refused.pass(),
    };
    let ttl = judging.check(LONGER_TTL);
    if stopped_at_ttl {
        ttl.fail(stopped(
            "the client gave a task up at its first `ttlMs`, which a later state has extended",
            "`tasks/get` until the status is `completed`",
        ));
    } else if is_ended && requests.cancels.is_empty() {
        ttl.pass();
    } else {
        ttl.skip("the client stopped before");
    }
}

/// Whether the client has subscribed to the states of the first task.
fn is_subscribed(judging: &Judging) -> bool {
    judging.requests("subscriptions/listen").iter().any(|listen| {
        let ids = listen.params().at("/notifications/taskIds").and_then(Value::as_array);
        ids.unwrap_or_default().iter().any(|id| id.as_str() == Some(POLLED))
    })
}

/// The times between requests for the state, by the interval in force.
fn intervals(judging: &mut Judging, polls: &[AnsweredRequest]) {
    let gap = |pair: &[AnsweredRequest]| pair[1].at.saturating_sub(pair[0].at);
    let evidence = |pair: &[AnsweredRequest]| pair.iter().map(|it| it.request.seq).collect();
    let gaps: Vec<(Duration, Vec<Seq>)> =
        polls.windows(2).map(|pair| (gap(pair), evidence(pair))).collect();
    // The second request is refused, after which the client waits as long as it likes. Of the others the median counts, since a busy
    // machine may make any single gap longer.
    let mut later: Vec<_> = gaps.iter().skip(2).collect();
    later.sort_by_key(|(gap, _)| *gap);
    let median = later.get(later.len() / 2).copied();
    // On a busy machine the first gap alone may be long enough by accident.
    let mut shortest = [gaps.first(), median].into_iter().flatten();
    let keeps = shortest.try_for_each(|gap| is_kept(gap, FIRST_INTERVAL));
    let is_hasty = keeps.is_err();
    let check = judging.check(INTERVAL);
    match gaps.first() {
        None => check.skip("the client asked for the state less than twice"),
        Some(_) => check.judge(keeps),
    };
    let check = judging.check(NEW_INTERVAL);
    match median {
        None => check.skip("the client asked for no state after the interval was raised"),
        Some(_) if is_hasty => check.skip("the client does not keep to the first interval either"),
        Some(gap) => check.judge(is_kept(gap, RAISED_INTERVAL)),
    };
}

/// Half of the interval is enough, so that no clock and no busy machine makes a finding.
fn is_kept((gap, evidence): &(Duration, Vec<Seq>), interval: Duration) -> Result<(), Finding> {
    ensure(*gap >= interval / 2, || {
        Finding::peer("the client asks for the state of a task more often than it should")
            .expected(format!("at least half of the interval of {}", format_duration(interval)))
            .got(format!("{} between two `tasks/get`", format_duration(*gap)))
            .evidence_all(evidence.iter().copied())
            .should()
    })
}

fn expiry(judging: &mut Judging) {
    let polls = TaskRequests::of(judging, EXPIRED).polls;
    let refused = polls.iter().position(|poll| matches!(state(poll), Some(Err(_))));
    let Some(refused) = refused else {
        judging.check(EXPIRY).skip("the client did not ask for the task that expired");
        return;
    };
    // A call whose task has expired may be an error of the client.
    judging.tolerate_failed_exit();
    let later = &polls[refused + 1..];
    judging.check(EXPIRY).judge(ensure(later.len() <= LATE_POLLS, || {
        Finding::peer("the client goes on asking for a task that has expired")
            .expected(format!("no `tasks/get` after error {}", error_code::INVALID_PARAMS))
            .got(format!("{} of them", later.len()))
            .evidence_all(later.iter().map(|poll| poll.request.seq).take(LATE_POLLS + 1))
            .should()
    }));
}

fn unsupported(judging: &mut Judging) {
    let has_asked = answered_requests(judging)
        .iter()
        .any(|it| it.request.method() == "prompts/get" && it.reply.is_some());
    if !has_asked {
        judging.check(UNSUPPORTED).skip("the client got no prompt");
        return;
    }
    // What is not a valid result may be an error of the client.
    judging.tolerate_failed_exit();
    let requests = TaskRequests::of(judging, OF_PROMPT);
    let all = [&requests.polls, &requests.updates, &requests.cancels];
    let first = all.into_iter().flatten().min_by_key(|it| it.request.seq);
    let check = judging.check(UNSUPPORTED);
    match first {
        None => check.pass(),
        Some(first) => check.fail(
            Finding::peer("the client follows a task in answer to `prompts/get`")
                .expected("no request for it, since a prompt does not become a task")
                .got(format!("`{}`", first.request.method()))
                .evidence(first.request.seq),
        ),
    };
}
