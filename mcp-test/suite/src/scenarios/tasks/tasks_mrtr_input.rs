//! `tasks-mrtr-input`.

use super::quick_server::quick;
use super::task_client::{
    OF_UPDATE, acknowledges, call, has_status, request_for_task, send, task_id, until_asking,
    until_ended,
};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_2322, SEP_2663};

scenario! {
    /// A task asks for input in its state, and goes on when `tasks/update` has answered every request.
    ///
    /// The official suite expects an answered request to leave the state at once, which the specification allows to be later. It
    /// does not look at keys that are used twice, and at open requests that come and go; `tasks-extension-outcomes` does.
    Server "tasks-mrtr-input": "A task asks for input and goes on with the answers",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [
        Need::Capability(Capability::TasksExtension),
        Need::Tool("confirm_delete"),
        Need::Tool("multi_input"),
    ],
    checks: [
        check!("sep-2663-tasks-get-status-input-required",
            "The state of a task that waits for input lists its requests",
            [EXT_TASKS_GET_INPUT_REQUIRED]).official(&[SEP_2322, SEP_2663]).named("TasksMRTRInputRequestsOnTasksGet"),
        check!("tasks-mrtr-tasks-update-resumes", "A task whose requests are all answered goes on and completes",
            &OF_UPDATE).official(&[SEP_2322, SEP_2663]).named("TasksMRTRTasksUpdateResumes"),
        check!("tasks-mrtr-partial-fulfillment",
            "A task with two requests goes on waiting for the second when the first is answered",
            [EXT_TASKS_RESULT_TYPE_COMPLETE_UPDATE, EXT_TASKS_GET_INPUT_REQUIRED_COMPLETE_SET])
            .official(&[SEP_2322, SEP_2663]).named("TasksMRTRPartialFulfillment"),
    ],
}

const ASKS: &str = "sep-2663-tasks-get-status-input-required";
const RESUMES: &str = "tasks-mrtr-tasks-update-resumes";
const PARTIAL: &str = "tasks-mrtr-partial-fulfillment";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let handle = call(ctx, "confirm_delete", json!({ "filename": "mrtr-input.txt" })).await?;
    match task_id(&handle) {
        Ok(id) => {
            let state = until_asking(ctx, &id).await?;
            ctx.check(ASKS)
                .judge(has_status(&state, "input_required"))
                .expect(&state, object().member("inputRequests", requests()));
        }
        Err(none) => drop(ctx.check(ASKS).missing(none)),
    }
    let handle = call(ctx, "confirm_delete", json!({ "filename": "mrtr-resume.txt" })).await?;
    match task_id(&handle) {
        Ok(id) => resumes(ctx, &id).await?,
        Err(none) => drop(ctx.check(RESUMES).missing(none)),
    }
    let handle = call(ctx, "multi_input", json!({})).await?;
    match task_id(&handle) {
        Ok(id) => partially(ctx, &id).await?,
        Err(none) => drop(ctx.check(PARTIAL).missing(none)),
    }
    Ok(())
}

/// Matches requests by their keys, of which the official suite looks at the first.
fn requests() -> impl Matcher {
    satisfying("an object whose first member has a `method`", |requests: &Value| {
        let first = requests.as_object().and_then(|requests| requests.iter().next());
        first.is_some_and(|(_, request)| request.get("method").is_some())
    })
}

/// The keys of the requests in a state.
fn open_keys(state: &Reply) -> Vec<String> {
    let requests = state.outcome().ok().and_then(|state| state.get("inputRequests")?.as_object());
    requests.into_iter().flat_map(Object::keys).map(str::to_owned).collect()
}

/// Answers every request of a task.
async fn resumes(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    let state = until_asking(ctx, id).await?;
    if let Err(finding) = has_status(&state, "input_required") {
        ctx.check(RESUMES).missing(finding);
        return Ok(());
    }
    let acknowledgement = answer(ctx, id, &open_keys(&state), &json!({ "confirm": true })).await?;
    let check = match acknowledgement.outcome() {
        Ok(_) => {
            let last = until_ended(ctx, id).await?;
            ctx.check(RESUMES).by_fixture().judge(has_status(&last, "completed"))
        }
        // Without the answers it never ends.
        Err(_) => ctx.check(RESUMES),
    };
    acknowledges(check, &acknowledgement, OF_UPDATE);
    Ok(())
}

/// Answers one of two requests, and then the other.
async fn partially(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    let state = until_asking(ctx, id).await?;
    let keys = open_keys(&state);
    let [first, second] = &keys[..] else {
        let wrong = Finding::peer("the task does not ask for two inputs at once")
            .expected("the status \"input_required\" and two `inputRequests`")
            .got(format!("{} of them", keys.len()))
            .evidence_all(state.evidence());
        ctx.check(PARTIAL).by_fixture().fail(wrong);
        return Ok(());
    };
    let content = |name: &str| json!({ "name": name, "confirm": true });
    let acknowledgement =
        answer(ctx, id, std::slice::from_ref(first), &content("partial-1")).await?;
    let between = request_for_task(ctx, "tasks/get", id).await?;
    // Judged by what becomes of the task.
    let _second =
        answer(ctx, id, std::slice::from_ref(second), &content("partial-2")).await?.outcome();
    let last = match acknowledgement.outcome() {
        Ok(_) => has_status(&until_ended(ctx, id).await?, "completed"),
        Err(_) => Ok(()),
    };
    let waits = object().member("status", equals("input_required"));
    let open = || object().member(second, anything());
    let is_gone = ensure(open_keys(&between) == [second.as_str()], || {
        Finding::peer("an answered request is still listed")
            .expected(format!("{second:?} and no other key"))
            .got(open_keys(&between).join(", "))
            .evidence_all(between.evidence())
    });
    ctx.check(PARTIAL)
        .requires(Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_UPDATE)
        .expect(&acknowledgement, object().member("resultType", equals("complete")))
        .requires(Requirement::EXT_TASKS_GET_INPUT_REQUIRED_COMPLETE_SET)
        .expect(&between, waits.member("inputRequests", open()))
        .officially_judge(is_gone, "a state may be that before an update for a while")
        .by_fixture()
        .judge(last);
    Ok(())
}

/// Accepts some of the requests of a task.
async fn answer(
    ctx: &mut Ctx,
    id: &str,
    keys: &[String],
    content: &serde_json::Value,
) -> Result<Reply, Finding> {
    let response = json!({ "action": "accept", "content": content });
    let responses: serde_json::Map<_, _> =
        keys.iter().map(|key| (key.clone(), response.clone())).collect();
    send(ctx, "tasks/update", json!({ "taskId": id, "inputResponses": responses })).await
}

proofs! {
    passes on quick();
    catches "sep-2663-tasks-get-status-input-required" by remove("tasks/get", "/inputRequests");
    catches "tasks-mrtr-tasks-update-resumes" by set("tasks/update", "/taskId", json!("1"));
    catches "tasks-mrtr-tasks-update-resumes" by reply_error("tasks/update", -32603);
    catches "tasks-mrtr-partial-fulfillment" by remove("tasks/get", "/inputRequests/colour");
}
