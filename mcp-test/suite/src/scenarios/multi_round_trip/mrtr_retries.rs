//! `mrtr-retries`.

use std::sync::atomic::{AtomicBool, Ordering};

use super::input_rounds::{declare_all, method_of};
use super::round::{Round, asking_but, done, first_round, is_call_of, responses, start};
use crate::scenarios::prelude::*;

scenario! {
    /// The server copes with whatever its client does with a result that asks for input.
    ///
    /// A client may never retry, may leave input out, add some that nobody has asked for, send back another state than it got, or send
    /// what is no input at all. Tried on the tools that may be called and that ask for input.
    Server "mrtr-retries": "The server copes with incomplete, superfluous and wrong input",
    revisions: Revisions::from(Revision::V2026_07_28),
    needs: [Need::Capability(Capability::Tools), Need::Any(ItemKind::Tool)],
    shares_connection: Revisions::all(),
    checks: [
        check!("abandoned-round", "The server goes on serving although its requests for input are ignored",
            [
                MRTR_RETRY_NOT_ASSUMED, ELICITATION_SERVER_NO_ASSUMED_SUCCESS, ROOTS_ERROR_SERVER_TOLERATES_NO_RETRY,
                SAMPLING_ERROR_SERVER_TOLERATES_NO_RETRY,
            ]).always_fails("a server that stops serving breaks each of them"),
        check!("input-refused", "The call is answered without an internal error when the user declines or cancels",
            [ELICITATION_SERVER_HANDLES_DECLINE_AND_FAILURE]).conditional(),
        check!("input-missing", "Input that is missing in the retry is asked for again, and is not an error",
            [MRTR_MISSING_INPUT_REASKED]).conditional(),
        check!("input-superfluous", "Input that the server has not asked for is ignored",
            [MRTR_EXTRA_INPUT_IGNORED]).conditional(),
        check!("input-malformed", "An array in place of the object with the input is not taken for input",
            [MRTR_PROTOCOL_ERRORS, MRTR_SERVER_VALIDATES_RESPONSES]).conditional(),
        check!("state-garbage", "The server answers a retry with a state that it has not issued, and goes on serving",
            [MRTR_STATE_UNTRUSTED]).conditional(),
        check!("state-only-retry", "A result with a state alone may be followed by a retry with that state at once",
            [MRTR_STATE_ONLY_RETRY_ACCEPTED]).conditional(),
    ],
}

/// How many tools are called to find one that asks for input: each call costs the time of the tool.
const TOOLS: usize = 10;

/// How many rounds are abandoned.
const ABANDONED: usize = 3;

/// The size of a large state: far above what any server needs, and below what bodies are limited to.
const LARGE: usize = 64 << 10;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let mut tools = ctx.callable_tools().await?;
    tools.truncate(TOOLS);
    let (mut with_input, mut with_state) = (false, false);
    for tool in &tools {
        let Some(round) = first_round(ctx, tool).await? else { continue };
        // One tool of each kind shows how the server handles input.
        match (&round.requests, &round.state) {
            (Some(requests), _) if !with_input => {
                with_input = true;
                abandon(ctx, &round).await;
                let requests = requests.clone();
                retry_with_input(ctx, &round, &requests).await?;
            }
            (None, Some(_)) if !with_state => {
                with_state = true;
                abandon(ctx, &round).await;
                let reply = retry(ctx, &round, None, Change::None).await?;
                ctx.check("state-only-retry").judge(is_not_error(&reply));
            }
            _ => {}
        }
    }
    if !with_input && !with_state {
        ctx.skip_the_rest("no tool that may be called asks for input");
    }
    Ok(())
}

/// Starts rounds that are never continued, and judges whether the server still serves.
async fn abandon(ctx: &mut Ctx, round: &Round) {
    let mut outcome = start_and_forget(ctx, round).await;
    if let Err(finding) = &mut outcome
        && finding.requirements.is_empty()
    {
        let requests = round.requests.iter().flat_map(Object::iter);
        let kinds = requests.filter_map(|(_, request)| match method_of(request)? {
            "elicitation/create" => Some(Requirement::ELICITATION_SERVER_NO_ASSUMED_SUCCESS),
            "roots/list" => Some(Requirement::ROOTS_ERROR_SERVER_TOLERATES_NO_RETRY),
            "sampling/createMessage" => Some(Requirement::SAMPLING_ERROR_SERVER_TOLERATES_NO_RETRY),
            _ => None,
        });
        finding.requirements.push(Requirement::MRTR_RETRY_NOT_ASSUMED);
        finding.requirements.extend(kinds);
    }
    ctx.check("abandoned-round").judge(outcome);
}

async fn start_and_forget(ctx: &mut Ctx, round: &Round) -> Result<(), Finding> {
    for _ in 0..ABANDONED {
        let reply = ctx.request("tools/call", round.call.clone()).once().await?;
        is_not_error(&reply)
            .map_err(|finding| finding.hint("the same call has asked for input before"))?;
    }
    ctx.discover().await?.result().map(|_| ())
}

/// What a retry changes in the round that it continues.
enum Change {
    None,
    /// Another state.
    State(Value),
}

/// Calls the tool again, with this input.
///
/// In a new round each: a state may be good for one retry only.
async fn retry(
    ctx: &mut Ctx,
    round: &Round,
    input: Option<Value>,
    change: Change,
) -> Result<Reply, Finding> {
    let again = start(ctx, round.call.clone()).await?;
    let state = again.and_then(|again| again.state).or_else(|| round.state.clone());
    let mut call = round.call.clone();
    let is_valid = input.as_ref().is_none_or(Value::is_object);
    if let Some(input) = input {
        call.set("/inputResponses", input);
    }
    let (state, is_valid) = match change {
        Change::None => (state, is_valid),
        Change::State(state) => {
            let is_valid = is_valid && state.is_string();
            (Some(state), is_valid)
        }
    };
    if let Some(state) = state {
        call.set("/requestState", state);
    }
    let request = ctx.request("tools/call", call).once();
    let request = if is_valid { request } else { request.deliberate() };
    request.await
}

async fn retry_with_input(ctx: &mut Ctx, round: &Round, requests: &Object) -> Result<(), Finding> {
    let elicits =
        requests.iter().any(|(_, request)| method_of(request) == Some("elicitation/create"));
    let mut is_accepted = false;
    for action in ["decline", "cancel"] {
        let reply =
            retry(ctx, round, Some(responses(requests, action).into()), Change::None).await?;
        is_accepted = reply.error().is_none();
        if elicits {
            ctx.check("input-refused").judge(is_handled(&reply));
        }
    }
    let none = Value::from(Object::new());
    let reply = retry(ctx, round, Some(none), Change::None).await?;
    ctx.check("input-missing").judge(is_not_error(&reply).map_err(Finding::should));
    // Only where the same input without anything superfluous is accepted.
    if is_accepted {
        let mut more = responses(requests, "cancel");
        more.push("no-such-key-of-mcp-test", Value::from(json!({"action": "cancel"})));
        let reply = retry(ctx, round, Some(more.into()), Change::None).await?;
        ctx.check("input-superfluous").judge(is_not_error(&reply).map_err(Finding::should));
    }
    let malformed = Value::from(json!([]));
    let reply = retry(ctx, round, Some(malformed), Change::None).await?;
    ctx.check("input-malformed").judge(is_no_success(&reply).map_err(Finding::should));
    if round.state.is_some() {
        let outcome = send_garbage(ctx, round, requests).await;
        ctx.check("state-garbage").judge(outcome);
    }
    Ok(())
}

/// Sends states that the server has not issued.
async fn send_garbage(ctx: &mut Ctx, round: &Round, requests: &Object) -> Result<(), Finding> {
    let large = "x".repeat(LARGE);
    for state in [json!("not a state of the server"), json!(""), json!(large), json!(7)] {
        let input = responses(requests, "cancel").into();
        // Any answer will do: the state may be of no importance.
        let _ = retry(ctx, round, Some(input), Change::State(state.into())).await?.error();
    }
    ctx.discover().await?.result().map(|_| ())
}

fn is_not_error(reply: &Reply) -> Result<(), Finding> {
    let error = reply.error();
    ensure(error.is_none(), || {
        Finding::peer("a call that asks for input is answered with an error")
            .expected("a result, which may ask for input again")
            .got(error.map(ToString::to_string).unwrap_or_default())
            .evidence_all(reply.evidence())
    })
}

/// Whether the refusal of the user is not a failure of the server.
fn is_handled(reply: &Reply) -> Result<(), Finding> {
    let error = reply.error().filter(|error| error.code == error_code::INTERNAL_ERROR);
    ensure(error.is_none(), || {
        Finding::peer("the tool fails when the user refuses")
            .expected("a result, or an error with a specific code")
            .got(error.map(ToString::to_string).unwrap_or_default())
            .evidence_all(reply.evidence())
    })
}

/// Whether a call did not succeed.
fn is_no_success(reply: &Reply) -> Result<(), Finding> {
    let Ok(result) = reply.outcome() else { return Ok(()) };
    let failed = result.get("isError") == Some(&Value::Bool(true));
    let is_success = reply.result_type() == Some("complete") && !failed;
    ensure(!is_success, || {
        Finding::peer("a retry with malformed input succeeds")
            .expected("an error, or another request for input")
            .got(result.short(120))
            .evidence_all(reply.evidence())
    })
}

proofs! {
    // Two tools: `wait` asks for a retry, `greet` for a name.
    passes on asking_but(|_| None);
    catches "abandoned-round" on waiting_for_the_retry();
    catches "input-refused" on failing_on_refusal();
    warns "input-missing" on refusing_missing_input();
    warns "input-superfluous" on refusing_superfluous_input();
    // Takes any input for consent.
    warns "input-malformed" on asking_but(|call| call.param("inputResponses")?.is_array().then(done));
    catches "state-garbage" on crashing_on_garbage();
    catches "state-only-retry" on demanding_input();
}

fn is_retry(call: &Call) -> bool {
    call.param("requestState").is_some()
}

/// Has one round at a time, which the client must end.
fn waiting_for_the_retry() -> Server {
    let is_open = Arc::new(AtomicBool::new(false));
    asking_but(move |call| {
        if !is_call_of(call, "greet") {
            return None;
        }
        let was_open = is_open.swap(!is_retry(call), Ordering::Relaxed);
        let error = || Answer::error(error_code::INTERNAL_ERROR, "answer the question first");
        (was_open && !is_retry(call)).then(error)
    })
}

/// Fails if the user declines.
fn failing_on_refusal() -> Server {
    asking_but(|call| {
        let action = call.input_response("user")?.get("action")?.as_str()?;
        (action == "decline").then(|| Answer::error(error_code::INTERNAL_ERROR, "no content"))
    })
}

/// The members of the input of a retry.
fn input(call: &Call) -> Option<usize> {
    call.param("inputResponses")?.as_object().map(Object::len)
}

/// Takes missing input for an error.
fn refusing_missing_input() -> Server {
    let error = || Answer::error(error_code::INVALID_PARAMS, "where is the name?");
    asking_but(move |call| (input(call) == Some(0)).then(error))
}

/// Takes superfluous input for an error.
fn refusing_superfluous_input() -> Server {
    let error = || Answer::error(error_code::INVALID_PARAMS, "what is that?");
    asking_but(move |call| (input(call)? > 1).then(error))
}

/// Exits on a state that it cannot read.
fn crashing_on_garbage() -> Server {
    asking_but(|call| {
        let state = call.request_state()?;
        (!["wait", "greet"].contains(&state)).then(Answer::exit)
    })
}

/// Wants input where it has asked for none.
fn demanding_input() -> Server {
    let error = || Answer::error(error_code::INVALID_PARAMS, "no `inputResponses`");
    asking_but(move |call| (is_call_of(call, "wait") && is_retry(call)).then(error))
}
