//! `client-task-polling`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::exchange::{AnsweredRequest, answered_requests};
use super::never_listed;
use super::task_requests::{TaskRequests, declares_tasks, server_with_tasks, state, status};
use crate::check::Finding;
use crate::client::{Client, ClientTask, ScriptedClient};
use crate::client::reference::{
    TaskHabits, TaskState, client_with, good_client, has_ended, interval, next_pause,
};
use crate::clock::{self, Stopwatch, format_duration};
use crate::json::Value;
use crate::scenario::{CheckSpec, ClientTest, Judging};
use crate::scenarios::ensure;
use crate::server::{Answer, Call, Server};
use crate::spec::{Capability, Revision, Revisions, error_code};
use crate::trace::{Party, Seq};
use crate::transport::ClientEnd;
use crate::wire::Message;
use crate::{proofs, scenario};

scenario! {
    /// The first call of a tool becomes a task, the second one has a plain result, and the third one becomes a task that expires.
    ///
    /// The first task is at work for a moment, during which the server refuses one request for its state, and raises the interval and the
    /// time to live. It announces nothing, whatever the client subscribes to. A prompt is answered with a task as well, which is not valid.
    /// A client that does not declare the extension, or calls no tool, is not judged.
    Client "client-task-polling": "The client follows tasks to their end",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        CheckSpec::own(
            DECLARES,
            "ClientDeclaresTasks",
            "Every request for a task declares the extension",
        )
        .requires(&["ext.tasks.client-declares"]),
        CheckSpec::own(
            BOTH,
            "ClientTakesResultsAndTasks",
            "The client goes on after a call that becomes a task, and after one with a plain result",
        )
        .requires(&["ext.tasks.client-handles-both"]),
        CheckSpec::own(
            UNTIL_END,
            "ClientPollsUntilEnd",
            "The client asks for the state of a task until it has ended",
        )
        .requires(&["ext.tasks.client-polls-until-terminal"])
        .warns(),
        CheckSpec::own(
            INTERVAL,
            "ClientKeepsPollInterval",
            "Between two requests for a state the client waits for at least half of `pollIntervalMs`",
        )
        .requires(&["ext.tasks.client-poll-interval"])
        .warns(),
        CheckSpec::own(
            NEW_INTERVAL,
            "ClientAdaptsPollInterval",
            "The client keeps to an interval that has been raised",
        )
        .requires(&["ext.tasks.tolerate-poll-interval-change"])
        .warns(),
        CheckSpec::own(
            REFUSED,
            "ClientSurvivesRefusedPoll",
            "The client asks for the state again after one request for it was refused",
        )
        .requires(&["ext.tasks.tolerate-rate-limit"])
        .warns(),
        CheckSpec::own(
            LONGER_TTL,
            "ClientFollowsLongerTtl",
            "The client follows a task beyond its first `ttlMs` once a state has a longer one",
        )
        .requires(&["ext.tasks.tolerate-ttl-change"])
        .warns(),
        CheckSpec::own(
            WITHOUT_NEWS,
            "ClientPollsWithoutNotifications",
            "A client that subscribes to a task asks for its state if no notification comes",
        )
        .requires(&["ext.tasks.tolerate-no-notifications"])
        .warns(),
        CheckSpec::own(
            EXPIRY,
            "ClientAcceptsExpiry",
            "The client stops asking for a task that has expired",
        )
        .requires(&["ext.tasks.tolerate-expiry"])
        .warns(),
        CheckSpec::own(
            UNSUPPORTED,
            "ClientRejectsUnsupportedTask",
            "A task in answer to `prompts/get` is not followed",
        )
        .requires(&["ext.tasks.client-rejects-unsupported"]),
    ],
}

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
const POLLED: &str = "0d9ff2b16f584f51a3a2f8ee7bb1c2a4";
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
const LONG_TTL: Duration = Duration::from_secs(600);

/// How many requests for its state the first task takes at least.
const LEAST_POLLS: usize = 5;
/// How many it takes at most: a client that does not wait must not fill the trace.
const MOST_POLLS: usize = 60;
/// How many requests for an expired task are allowed after the first refusal, since some may be on their way.
const LATE_POLLS: usize = 2;

/// What the server has done so far.
#[derive(Debug, Default)]
struct Progress {
    calls: usize,
    /// Since the first task was made.
    working: Option<Stopwatch>,
    polls: usize,
    expired_polls: usize,
}

fn serve(test: &ClientTest) -> Server {
    let progress: Arc<Mutex<Progress>> = Arc::default();
    let with = |answer: fn(&mut Progress, &Call) -> Answer| {
        let progress = Arc::clone(&progress);
        move |call: Call| {
            let answer = answer(&mut progress.lock().unwrap_or_else(PoisonError::into_inner), &call);
            async move { answer }
        }
    };
    server_with_tasks(test)
        .on("tools/list", |_: Call| async { three_tools() })
        .on("tools/call", with(Progress::call))
        .on("tasks/get", with(Progress::state))
        .on("tasks/update", |_: Call| async { json!({}) })
        .on("tasks/cancel", |_: Call| async { json!({}) })
        .on("prompts/list", |_: Call| async { json!({ "prompts": [{ "name": "greeting" }] }) })
        .on("prompts/get", |_: Call| async { handle(OF_PROMPT, FIRST_TTL) })
}

/// One for each kind of result; which tool is called does not matter.
fn three_tools() -> Json {
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    json!({ "tools": [tool("import"), tool("add"), tool("export")] })
}

fn task(id: &str, status: &str, interval: Duration, ttl: Duration) -> Json {
    let now = clock::utc_now();
    json!({
        "taskId": id, "status": status, "createdAt": now, "lastUpdatedAt": now,
        "ttlMs": milliseconds(ttl), "pollIntervalMs": milliseconds(interval),
    })
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn handle(id: &str, ttl: Duration) -> Json {
    let mut handle = task(id, "working", FIRST_INTERVAL, ttl);
    handle["resultType"] = json!("task");
    handle
}

fn output() -> Json {
    json!({ "content": [{ "type": "text", "text": "called" }] })
}

impl Progress {
    fn call(&mut self, call: &Call) -> Answer {
        if call.require(Capability::TasksExtension).is_err() {
            return output().into();
        }
        self.calls += 1;
        match self.calls {
            1 => {
                self.working = Some(Stopwatch::start());
                handle(POLLED, FIRST_TTL).into()
            }
            3 => handle(EXPIRED, FIRST_TTL).into(),
            _ => output().into(),
        }
    }

    fn state(&mut self, call: &Call) -> Answer {
        match call.param("taskId").and_then(Value::as_str) {
            Some(POLLED) => self.polled(),
            Some(EXPIRED) => {
                self.expired_polls += 1;
                match self.expired_polls {
                    1 => task(EXPIRED, "working", FIRST_INTERVAL, FIRST_TTL).into(),
                    _ => Answer::error(error_code::INVALID_PARAMS, "the task has expired"),
                }
            }
            _ => Answer::error(error_code::INVALID_PARAMS, "there is no task with this id"),
        }
    }

    fn polled(&mut self) -> Answer {
        self.polls += 1;
        let elapsed = self.working.as_ref().map(Stopwatch::elapsed).unwrap_or_default();
        let is_over = self.polls >= LEAST_POLLS && elapsed >= FIRST_TTL;
        match self.polls {
            1 => task(POLLED, "working", FIRST_INTERVAL, FIRST_TTL).into(),
            2 => Answer::error(error_code::INTERNAL_ERROR, "too many requests, try again later"),
            polls if is_over || polls >= MOST_POLLS => {
                let mut ended = task(POLLED, "completed", RAISED_INTERVAL, LONG_TTL);
                ended["result"] = output();
                ended.into()
            }
            _ => task(POLLED, "working", RAISED_INTERVAL, LONG_TTL).into(),
        }
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    let calls: Vec<AnsweredRequest> = answered_requests(judging)
        .into_iter()
        .filter(|it| it.request.method() == "tools/call" && declares_tasks(&it.request))
        .collect();
    declares(judging);
    let polled = TaskRequests::of(judging, POLLED);
    if calls.is_empty() {
        let why = "the client called no tool with the extension";
        for check in
            [BOTH, UNTIL_END, INTERVAL, NEW_INTERVAL, REFUSED, LONGER_TTL, WITHOUT_NEWS]
        {
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
            .expected("`io.modelcontextprotocol/tasks` among the client capabilities of the request")
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
    let is_ended =
        last.and_then(status).is_some_and(|status| status != "working") || !requests.cancels.is_empty();
    // At the interval that it was told the client would have asked again only after the first time to live.
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
    // The second request is refused, after which the client waits as long as it likes.
    let first = gaps.first();
    let keeps = first.map(|gap| is_kept(gap, FIRST_INTERVAL));
    let is_hasty = matches!(keeps, Some(Err(_)));
    let check = judging.check(INTERVAL);
    match keeps {
        None => check.skip("the client asked for the state less than twice"),
        Some(keeps) => check.judge(keeps),
    };
    // The median, since a busy machine may make any single one longer.
    let mut later: Vec<_> = gaps.iter().skip(2).collect();
    later.sort_by_key(|(gap, _)| *gap);
    let check = judging.check(NEW_INTERVAL);
    match later.get(later.len() / 2) {
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
    judging.may_give_up();
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
    judging.may_give_up();
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

fn with_pause(pause: fn(&[TaskState]) -> Option<Duration>) -> ScriptedClient {
    client_with(TaskHabits { pause, ..TaskHabits::GOOD })
}

fn stops_after_two_states() -> ScriptedClient {
    with_pause(|states| next_pause(states).filter(|_| states.len() != 4))
}

fn does_not_wait() -> ScriptedClient {
    with_pause(|states| next_pause(states).map(|_| Duration::from_millis(1)))
}

fn keeps_the_first_interval() -> ScriptedClient {
    with_pause(|states| next_pause(states).and_then(|_| interval(states.first()?)))
}

fn stops_when_refused() -> ScriptedClient {
    with_pause(|states| next_pause(states).filter(|_| states.iter().all(Result::is_ok)))
}

fn stops_at_the_first_ttl() -> ScriptedClient {
    with_pause(|states| {
        let waited: Duration = (1..=states.len()).filter_map(|seen| next_pause(&states[..seen])).sum();
        next_pause(states).filter(|_| waited < FIRST_TTL)
    })
}

fn waits_for_notifications() -> ScriptedClient {
    with_pause(|_| None)
}

fn asks_for_what_has_expired() -> ScriptedClient {
    with_pause(|states| {
        let is_over = states.last()?.as_ref().is_ok_and(has_ended);
        let refusals = states.iter().filter(|state| state.is_err()).count();
        (!is_over && refusals < 5).then(|| interval(states.iter().rfind(|it| it.is_ok())?)).flatten()
    })
}

/// Connects with the extension, lists the tools, and does something else.
fn listing<F>(then: fn(Client) -> F) -> ScriptedClient
where
    F: Future<Output = crate::Result> + 'static,
{
    ScriptedClient::new(move |task: ClientTask| async move {
        let declared = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
        let mut client = task.connect(task.options().capabilities(declared)).await?;
        client.request("tools/list", json!({})).await?.result()?;
        then(client).await
    })
}

fn fails_at_a_task() -> ScriptedClient {
    listing(|mut client| async move {
        let reply = client.request("tools/call", json!({ "name": "import" })).await?;
        let content = reply.result()?.get("content").map(drop);
        client.end().await;
        content.ok_or_else(|| "the result has no content".into())
    })
}

fn follows_the_task_of_a_prompt() -> ScriptedClient {
    listing(|mut client| async move {
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
    catches "client-declares-tasks" by set("tasks/get", "/_meta/io.modelcontextprotocol~1clientCapabilities", json!({}));
    catches "client-takes-results-and-tasks" on fails_at_a_task(),
        also "client-declares-tasks" Skipped, also "client-polls-until-end" Skipped,
        also "client-keeps-poll-interval" Skipped, also "client-adapts-poll-interval" Skipped,
        also "client-survives-refused-poll" Skipped, also "client-follows-longer-ttl" Skipped,
        also "client-polls-without-notifications" Skipped, also "client-accepts-expiry" Skipped,
        also "client-rejects-unsupported-task" Skipped, also "client-left-well" Failure;
    warns "client-polls-until-end" on stops_after_two_states(),
        also "client-adapts-poll-interval" Skipped, also "client-follows-longer-ttl" Skipped;
    warns "client-keeps-poll-interval" on does_not_wait(), also "client-adapts-poll-interval" Skipped;
    warns "client-adapts-poll-interval" on keeps_the_first_interval();
    warns "client-survives-refused-poll" on stops_when_refused(),
        also "client-polls-until-end" Skipped, also "client-adapts-poll-interval" Skipped,
        also "client-follows-longer-ttl" Skipped;
    warns "client-follows-longer-ttl" on stops_at_the_first_ttl(), also "client-polls-until-end" Skipped;
    warns "client-polls-without-notifications" on waits_for_notifications(),
        also "client-declares-tasks" Skipped, also "client-polls-until-end" Skipped,
        also "client-keeps-poll-interval" Skipped, also "client-adapts-poll-interval" Skipped,
        also "client-survives-refused-poll" Skipped, also "client-follows-longer-ttl" Skipped,
        also "client-accepts-expiry" Skipped;
    warns "client-accepts-expiry" on asks_for_what_has_expired();
    catches "client-rejects-unsupported-task" on follows_the_task_of_a_prompt(),
        also "client-takes-results-and-tasks" Skipped, also "client-polls-until-end" Skipped,
        also "client-keeps-poll-interval" Skipped, also "client-adapts-poll-interval" Skipped,
        also "client-survives-refused-poll" Skipped, also "client-follows-longer-ttl" Skipped,
        also "client-polls-without-notifications" Skipped, also "client-accepts-expiry" Skipped;
}
