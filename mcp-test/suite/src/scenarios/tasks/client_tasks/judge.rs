//! Judges `client-tasks`: what the client made of each request about its tasks.

use mcp_test_core::expect::{array_of, non_empty_string};
use mcp_test_core::wire::Request;

use super::tool_as_task::judge_tool_as_task;
use super::{
    CANCELLED, CHOSEN, CREATED, ELICITATION, FAILED, FINAL, IDS, LISTED, MESSAGES, METADATA,
    RESULT, SAMPLING, STATE, TIMES, UNDECLARED, UNKNOWN_TASK,
};
use crate::scenarios::exchange::{ClientReply, Exchange, exchanges};
use crate::scenarios::listing_client::never_listed;
use crate::scenarios::prelude::*;
use crate::scenarios::tasks::task_judging::{
    has_waited, judge_created, judge_ids, judge_no_metadata, judge_related, judge_state,
    judge_timestamps, status_notifications,
};
use crate::scenarios::tasks::task_states::{UNKNOWN, is_terminal, timestamp};

/// The members of what a request for a generation or a form returns.
const OF_RESULTS: [&str; 4] = ["role", "content", "model", "action"];

fn param<'a>(request: &'a Request, pointer: &str) -> Option<&'a Value> {
    request.params.as_ref()?.at(pointer)
}

/// The requests of one method for one task, with their replies.
fn exchanges_of_task(judging: &Judging, method: &str, id: &str) -> Vec<Exchange> {
    exchanges(judging, |request| {
        let names = param(request, "/taskId").is_some_and(|task| *task == *id);
        request.method == method && names && param(request, "/_meta").is_none()
    })
}

/// The first request with a member in `task` that `is_wanted` accepts, and whether it has tools.
fn augmented(
    judging: &Judging,
    has_tools: bool,
    is_wanted: fn(&Value) -> bool,
) -> Option<Exchange> {
    let declared = declared(judging);
    let found = exchanges(judging, |request| {
        let is_declared = tasks_of(&request.method).is_some_and(|it| it.declared_in(&declared));
        is_declared
            && param(request, "/tools").is_some() == has_tools
            && param(request, "/task").is_some_and(is_wanted)
    });
    found.into_iter().next()
}

fn declared(judging: &Judging) -> Value {
    judging.declared_capabilities().into_iter().next_back().unwrap_or_default()
}

/// The capability for tasks of a method.
fn tasks_of(method: &str) -> Option<Capability> {
    match method {
        SAMPLING => Some(Capability::TasksSampling),
        ELICITATION => Some(Capability::TasksElicitation),
        _ => None,
    }
}

fn reply<'a>(method: &'a str, exchange: &'a Exchange) -> ClientReply<'a> {
    ClientReply { method, exchange }
}

fn text<'a>(reply: &ClientReply<'a>, pointer: &str) -> Option<&'a str> {
    match &reply.exchange.1 {
        Some((_, Message::Response(response))) => response.result.at(pointer)?.as_str(),
        _ => None,
    }
}

pub(super) fn judge(judging: &mut Judging) -> Result<(), Finding> {
    if judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    undeclared(judging);
    unknown(judging);
    let first = augmented(judging, false, |task| task.get("ttl").is_none());
    let second = augmented(judging, false, |task| task.get("taskId").is_some());
    created(judging, first.as_ref(), second.as_ref());
    let id = |created: &Option<Exchange>| {
        let created = created.as_ref()?;
        text(&reply("", created), "/task/taskId").map(str::to_owned)
    };
    let (first, second) = (id(&first), id(&second));
    states(judging, first.as_deref(), second.as_deref());
    result(judging, first.as_deref());
    listed(judging, first.as_deref());
    ended(judging, first.as_deref());
    cancelled(judging, second.as_deref());
    ids(judging, first.as_deref(), second.as_deref());
    failed(judging);
    judge_tool_as_task(judging);
    Ok(())
}

/// A request with `task` for which the client declares no tasks.
fn undeclared(judging: &mut Judging) {
    let declared = declared(judging);
    let is_undeclared =
        |method: &&str| tasks_of(method).is_some_and(|it| !it.declared_in(&declared));
    let mut augmented = [SAMPLING, ELICITATION].into_iter().filter(is_undeclared).map(|method| {
        let augmented = exchanges(judging, |request| {
            request.method == method && param(request, "/task").is_some()
        });
        (method, augmented.into_iter().next())
    });
    let found = augmented.find_map(|(method, exchange)| Some((method, exchange?)));
    drop(augmented);
    let Some((method, exchange)) = found else {
        judging
            .check(UNDECLARED)
            .skip("the client serves no request for which it declares no tasks");
        return;
    };
    let plain = exchanges(judging, |request| {
        request.method == method
            && ["/task", "/_meta", "/tools"].iter().all(|it| param(request, it).is_none())
    });
    let succeeds = plain.iter().any(|plain| reply(method, plain).result().is_some());
    let answered = reply(method, &exchange);
    let wrong = |headline: &str| {
        Finding::peer(headline)
            .expected("the result of the request, as without `task`")
            .evidence_all(answered.evidence())
    };
    // A person may have to answer, who may also be why the client fails.
    if answered.result().is_none() {
        judging.tolerate_failed_exit();
    }
    let check = judging.check(UNDECLARED);
    match (answered.result(), answered.error()) {
        (Some(result), _)
            if result.get("task").is_some()
                && OF_RESULTS.iter().all(|it| result.get(it).is_none()) =>
        {
            let headline = "a request becomes a task although the client declares no tasks for it";
            check
                .requires(Requirement::TASKS_CAPABILITY_DECLARED)
                .fail(wrong(headline).got(result.short(120)))
        }
        (Some(_), _) => check.pass(),
        (None, Some(error)) if succeeds => {
            check.requires(Requirement::TASKS_UNDECLARED_AUGMENTATION_IGNORED).fail(
                wrong("a request with `task` is refused, and succeeds without")
                    .got(error.to_string()),
            )
        }
        (None, Some(_)) => check.skip("the client refuses the request without `task` as well"),
        (None, None) => check.skip("the client did not answer; a person may have to"),
    };
}

/// Requests for what does not exist.
fn unknown(judging: &mut Judging) {
    let mut requests = Vec::new();
    for method in ["tasks/get", "tasks/cancel", "tasks/result"] {
        requests
            .extend(exchanges_of_task(judging, method, UNKNOWN).into_iter().map(|it| (method, it)));
    }
    let cursor = exchanges(judging, |request| {
        request.method == "tasks/list" && param(request, "/cursor").is_some_and(|it| *it == UNKNOWN)
    });
    requests.extend(cursor.into_iter().map(|it| ("tasks/list", it)));
    if requests.is_empty() {
        for check in [UNKNOWN_TASK, MESSAGES] {
            judging.check(check).skip(NO_TASKS);
        }
        return;
    }
    let mut check = judging.check(UNKNOWN_TASK);
    for (method, exchange) in &requests {
        let requirement = match *method {
            "tasks/list" => Requirement::TASKS_INVALID_CURSOR_ERROR,
            _ => Requirement::TASKS_INVALID_ID_ERROR,
        };
        check = check.requires(requirement).judge(is_invalid(&reply(method, exchange)));
    }
    drop(check);
    let mut check = judging.check(MESSAGES);
    for (method, exchange) in &requests {
        let answered = reply(method, exchange);
        let is_empty = answered.error().is_some_and(|error| error.message.trim().is_empty());
        check = check.judge(ensure(!is_empty, || {
            Finding::peer(format!("the error of `{method}` has an empty message"))
                .expected("a message that says what is wrong")
                .evidence_all(answered.evidence())
                .should()
        }));
    }
}

/// Whether a request is refused with -32602.
fn is_invalid(reply: &ClientReply<'_>) -> Result<(), Finding> {
    let code = reply.error().map(|error| error.code);
    ensure(code == Some(error_code::INVALID_PARAMS), || {
        let got = match (reply.result(), reply.error()) {
            (Some(result), _) => format!("the result {}", result.short(120)),
            (None, Some(error)) => error.to_string(),
            (None, None) => "no reply before the client exited".to_owned(),
        };
        Finding::peer(format!("`{}` is not refused as it should be", reply.method))
            .expected(format!("error {}", error_code::INVALID_PARAMS))
            .got(got)
            .evidence_all(reply.evidence())
    })
}

const NO_TASKS: &str = "the client declares no tasks";
const NO_TASK: &str = "no request became a task of the client";

fn created(judging: &mut Judging, first: Option<&Exchange>, second: Option<&Exchange>) {
    let Some(first) = first else {
        judging.check(CREATED).skip(NO_TASKS);
        return;
    };
    let created = reply("a request with `task`", first);
    let second = second.map(|second| reply("a request with `task`", second));
    let has_second = second.is_some_and(|second| second.result().is_some());
    if first.1.is_none() {
        judging.tolerate_failed_exit();
    }
    let check = judging.check(CREATED);
    match (created.result(), created.error()) {
        (Some(_), _) => {
            judge_created(check, &created, &OF_RESULTS);
        }
        (None, Some(error)) if has_second => {
            check.requires(Requirement::TASKS_TTL_OPTIONAL).fail(
                Finding::peer("a task without `ttl` is refused, and one with `ttl` is not")
                    .expected("a task")
                    .got(error.to_string())
                    .evidence_all(created.evidence()),
            );
        }
        (None, Some(_)) => drop(check.skip("the client refuses the request")),
        (None, None) => drop(check.skip("the client did not answer; a person may have to")),
    }
    if created.result().is_some_and(|created| created.get("task").is_some()) {
        judge_timestamps(judging.check(TIMES), &created, Some("task"));
    }
}

/// What `tasks/get` and `tasks/cancel` return.
fn states(judging: &mut Judging, first: Option<&str>, second: Option<&str>) {
    judge_states(judging, first.into_iter().chain(second));
    let Some(id) = first else {
        judging.check(STATE).skip(NO_TASK);
        return;
    };
    for exchange in exchanges_of_task(judging, "tasks/get", id) {
        judge_state(judging.check(STATE), &reply("tasks/get", &exchange), id);
    }
    let contradicted = exchanges(judging, |request| {
        let names = param(request, "/taskId").is_some_and(|task| *task == *id);
        request.method == "tasks/get" && names && param(request, "/_meta").is_some()
    });
    if let Some(exchange) = contradicted.first() {
        judging
            .check(STATE)
            .requires(Requirement::TASKS_TASKID_PARAM_AUTHORITATIVE)
            .expect(&reply("tasks/get", exchange), object().member("taskId", equals(id)));
    }
}

/// The times and the metadata of the states of these tasks.
fn judge_states<'a>(judging: &mut Judging, ids: impl Iterator<Item = &'a str>) {
    let mut is_any = false;
    for id in ids {
        for method in ["tasks/get", "tasks/cancel"] {
            for exchange in exchanges_of_task(judging, method, id) {
                let state = reply(method, &exchange);
                if state.result().is_some() {
                    is_any = true;
                    judge_timestamps(judging.check(TIMES), &state, None);
                    judge_no_metadata(judging.check(METADATA), &state);
                }
            }
        }
        for notification in status_notifications(&judging.trace(), Party::Client, id) {
            judging
                .check(METADATA)
                .requires(Requirement::TASKS_STATUS_NOTIFICATION_NO_RELATED_META)
                .judge(notification.metadata);
            judging
                .check(FINAL)
                .requires(Requirement::TASKS_TRANSITIONS_VALID)
                .judge(notification.transition);
        }
    }
    if !is_any {
        for check in [TIMES, METADATA] {
            judging.check(check).skip(NO_TASK);
        }
    }
}

/// The status of the task after its result.
fn status_after(judging: &Judging, id: &str) -> Option<String> {
    let result = exchanges_of_task(judging, "tasks/result", id).into_iter().next()?;
    let states = exchanges_of_task(judging, "tasks/get", id);
    let after = states.iter().find(|state| state.0 > result.0)?;
    text(&reply("tasks/get", after), "/status").map(str::to_owned)
}

fn result(judging: &mut Judging, id: Option<&str>) {
    let results = id.map(|id| exchanges_of_task(judging, "tasks/result", id)).unwrap_or_default();
    let (Some(id), Some(first)) = (id, results.first()) else {
        judging.check(RESULT).skip(NO_TASK);
        return;
    };
    let answered = reply("tasks/result", first);
    let status = status_after(judging, id);
    let Some(status) = status.filter(|_| first.1.is_some()) else {
        judging.check(RESULT).skip("the task did not end while the server waited");
        return;
    };
    let evidence = |finding: Finding| finding.evidence_all(answered.evidence());
    let waited = has_waited(&status).map_err(evidence);
    let check = judging.check(RESULT).requires(Requirement::TASKS_RESULT_BLOCKS).judge(waited);
    if answered.result().is_none() && status != "completed" {
        return;
    }
    // A generation has a role, a form an action.
    let has_result =
        answered.result().is_some_and(|it| OF_RESULTS.iter().any(|name| it.get(name).is_some()));
    let check = check.requires(Requirement::TASKS_RESULT_SUCCESS_PASSTHROUGH).judge(ensure(
        has_result,
        || {
            evidence(
                Finding::peer("`tasks/result` lacks the result of the request")
                    .expected("what the request would have returned without `task`"),
            )
        },
    ));
    let check = judge_related(check, &answered, id);
    let Some(again) = results.get(1).map(|again| reply("tasks/result", again)) else { return };
    let is_same = content(&answered) == content(&again);
    check.requires(Requirement::TASKS_RESULT_TERMINAL_RETURNED).judge(ensure(is_same, || {
        Finding::peer("`tasks/result` of a finished task differs when it is sent again")
            .expected("the same result")
            .evidence_all(again.evidence())
    }));
}

/// The result without its metadata, which may differ.
fn content<'a>(reply: &ClientReply<'a>) -> [Option<&'a Value>; 4] {
    let result = match &reply.exchange.1 {
        Some((_, Message::Response(response))) => Some(&response.result),
        _ => None,
    };
    OF_RESULTS.map(|name| result.and_then(|result| result.get(name)))
}

fn listed(judging: &mut Judging, id: Option<&str>) {
    let pages = exchanges(judging, |request| {
        request.method == "tasks/list" && param(request, "/cursor").is_none_or(|it| *it != UNKNOWN)
    });
    let pages: Vec<ClientReply<'_>> = pages.iter().map(|it| reply("tasks/list", it)).collect();
    let results: Vec<&ClientReply<'_>> = pages.iter().filter(|it| it.result().is_some()).collect();
    let (Some(id), Some(last)) = (id, results.last()) else {
        judging.check(LISTED).skip("the client listed no tasks");
        return;
    };
    let has_id = |page: &&ClientReply<'_>| {
        let tasks = page.result().and_then(|page| page.get("tasks")?.as_array());
        tasks.unwrap_or_default().iter().any(|task| task.get("taskId").is_some_and(|it| *it == *id))
    };
    let is_listed = results.iter().any(has_id);
    for page in &results {
        let times = object().member("createdAt", timestamp()).member("lastUpdatedAt", timestamp());
        judging.check(TIMES).expect(*page, object().member("tasks", array_of(times)));
        judge_no_metadata(judging.check(METADATA), *page);
    }
    let has_more = last.result().is_some_and(|page| page.get("nextCursor").is_some());
    let check = judging.check(LISTED);
    if has_more && !is_listed {
        check.skip("the client has more tasks than the server asked for");
        return;
    }
    check.judge(ensure(is_listed, || {
        Finding::peer("`tasks/list` lacks a task that `tasks/get` finds")
            .expected(format!("a task with the id {id:?}"))
            .evidence_all(last.evidence())
    }));
}

/// Requests after the end of the task.
fn ended(judging: &mut Judging, id: Option<&str>) {
    let status = id.and_then(|id| status_after(judging, id)).filter(|status| is_terminal(status));
    let (Some(id), Some(status)) = (id, status) else {
        judging.check(FINAL).skip("no task of the client has ended");
        return;
    };
    if let Some(exchange) = exchanges_of_task(judging, "tasks/cancel", id).first() {
        let outcome = is_invalid(&reply("tasks/cancel", exchange));
        judging.check(FINAL).requires(Requirement::TASKS_CANCEL_TERMINAL_REJECTED).judge(outcome);
    }
    if let Some(exchange) = exchanges_of_task(judging, "tasks/get", id).last() {
        let state = reply("tasks/get", exchange);
        judging
            .check(FINAL)
            .requires(Requirement::TASKS_TERMINAL_FINAL)
            .expect(&state, object().member("status", equals(status)));
    }
}

fn cancelled(judging: &mut Judging, id: Option<&str>) {
    let cancels = id.map(|id| exchanges_of_task(judging, "tasks/cancel", id)).unwrap_or_default();
    let first = cancels.first().map(|it| reply("tasks/cancel", it));
    let (Some(id), Some(first)) = (id, first.filter(|it| it.result().is_some())) else {
        judging.check(CANCELLED).skip("the client cancelled no task");
        return;
    };
    let is_cancelled = || object().member("status", equals("cancelled"));
    judging
        .check(CANCELLED)
        .requires(Requirement::TASKS_CANCEL_STATUS_BEFORE_RESPONSE)
        .expect(&first, is_cancelled());
    // A cancelled task may be deleted.
    for exchange in exchanges_of_task(judging, "tasks/get", id) {
        let state = reply("tasks/get", &exchange);
        if state.result().is_some() {
            judging
                .check(CANCELLED)
                .requires(Requirement::TASKS_CANCELLED_STAYS)
                .expect(&state, is_cancelled());
        }
    }
    if let Some(again) = cancels.get(1) {
        let outcome = is_invalid(&reply("tasks/cancel", again));
        judging
            .check(CANCELLED)
            .requires(Requirement::TASKS_CANCEL_TERMINAL_REJECTED)
            .judge(outcome);
    }
}

fn ids(judging: &mut Judging, first: Option<&str>, second: Option<&str>) {
    let (Some(first), Some(second)) = (first, second) else {
        judging.check(IDS).skip("fewer than two requests became tasks of the client");
        return;
    };
    for (requirement, outcome) in judge_ids(first, second, CHOSEN, false) {
        judging.check(IDS).requires(requirement).judge(outcome);
    }
}

/// The task whose request fails, as it does without `task`.
fn failed(judging: &mut Judging) {
    let created = augmented(judging, true, |_| true);
    let id =
        created.as_ref().and_then(|it| text(&reply("", it), "/task/taskId")).map(str::to_owned);
    let Some(id) = id else {
        judging.check(FAILED).skip("no request that fails became a task of the client");
        return;
    };
    let plain = exchanges(judging, |request| {
        param(request, "/tools").is_some() && param(request, "/task").is_none()
    });
    let code = plain.first().and_then(|plain| reply(SAMPLING, plain).error().map(|it| it.code));
    let results = exchanges_of_task(judging, "tasks/result", &id);
    let states = exchanges_of_task(judging, "tasks/get", &id);
    let answered = results.first().filter(|it| it.1.is_some()).map(|it| reply("tasks/result", it));
    let Some(answered) = answered else {
        judging.check(FAILED).skip("the task did not end while the server waited");
        return;
    };
    let got = answered.error().map(|error| error.code);
    judging.check(FAILED).requires(Requirement::TASKS_RESULT_ERROR_PASSTHROUGH).judge(ensure(
        got == code,
        || {
            Finding::peer("a request fails with an error, and its task does not")
                .expected(format!("error {}", code.unwrap_or_default()))
                .got(got.map_or_else(|| "a result".to_owned(), |code| format!("error {code}")))
                .evidence_all(answered.evidence())
        },
    ));
    if let Some(state) = states.first().map(|it| reply("tasks/get", it)) {
        let check = judging
            .check(FAILED)
            .requires(Requirement::TASKS_FAILURE_SETS_FAILED)
            .expect(&state, object().member("status", equals("failed")));
        if text(&state, "/status") == Some("failed") {
            check
                .requires(Requirement::TASKS_FAILED_STATUS_MESSAGE)
                .should(&state, object().member("statusMessage", non_empty_string()));
        }
    }
}
