//! `sep-2322-client-request-state`.

mod faulty_clients;

use mcp_test_core::expect::{ObjectMatcher, boolean};
use mcp_test_core::scenario::ReceivedMessage;

use super::sep_2322_client_request_state::faulty_clients::{
    also_listing_with_the_state, also_with_the_same_id, also_without_input,
    answering_another_question, answering_final_results, changing_the_arguments, inventing_a_state,
    rewriting_the_state, sending_the_state_elsewhere,
};
use crate::scenarios::listing_server::lenient_server;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322_MRTR;

scenario! {
    /// The client answers a result that asks for input by sending the request again, with the input and with the state of the
    /// server exactly as it came. The state is JSON with white space in it, which a client that parses it would lose.
    ///
    /// The official checks take any call with `inputResponses` for such a retry, whatever the input and the arguments are, and
    /// look for input and state in the calls of one other tool. Our own checks compare the input with what was asked for, the
    /// retry with the first call, and look at every request.
    ///
    /// The form is only sent to a client that declares `elicitation`. The official suite sends it to every client.
    Client "sep-2322-client-request-state": "The client retries with the input and the state of the server",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::ElicitationForm)],
    checks: [
        check!(ECHOED, "The retry has exactly the state of the server",
            [MRTR_STATE_ECHOED, MRTR_STATE_OPAQUE]).official(&[SEP_2322_MRTR]).named("MRTRClientRequestStateEchoed"),
        check!(NEW_ID, "The retry has another id than the first call",
            [MRTR_RETRY_NEW_ID, TOOLS_CALL_RETRY_NEW_ID]).official(&[SEP_2322_MRTR]).named("MRTRClientJsonRpcIdDifferent"),
        check!(NO_STATE, "Without a state of the server the retry has none",
            [MRTR_STATE_NOT_INVENTED]).official(&[SEP_2322_MRTR]).named("MRTRClientNoStateOmitted"),
        check!(ISOLATED, "The call of another tool has neither input nor state",
            [MRTR_NO_CROSS_REQUEST]).official(&[SEP_2322_MRTR]).named("MRTRClientParallelIsolation"),
        check!(COMPLETE, "A result without `resultType` is final: the call is not retried",
            [BASE_RESULT_TYPE_ABSENT_COMPLETE]).official(&[SEP_2322_MRTR]).named("DefaultResultTypeComplete"),
        check!(ANSWERS, "The retry answers exactly what the server asked for",
            [MRTR_CLIENT_FULFILS_BEFORE_RETRY, MRTR_RESPONSE_KEYS_MATCH]),
        check!(REPEATS, "The retry has the arguments of the first call",
            [MRTR_RETRY_ORIGINAL_PARAMS]),
        check!(ELSEWHERE, "No other request has input or a state", [MRTR_NO_CROSS_REQUEST]),
    ],
}

const ECHOED: &str = "sep-2322-client-request-state-echoed";
const NEW_ID: &str = "sep-2322-client-jsonrpc-id-different";
const NO_STATE: &str = "sep-2322-client-no-state-omitted";
const ISOLATED: &str = "sep-2322-client-parallel-isolation";
const COMPLETE: &str = "sep-2322-default-result-type-complete";
const ANSWERS: &str = "client-retry-answers-input";
const REPEATS: &str = "client-retry-repeats-arguments";
const ELSEWHERE: &str = "client-sends-input-only-in-retries";

const WITH_STATE: &str = "test_mrtr_echo_state";
const WITHOUT_STATE: &str = "test_mrtr_no_state";
const UNRELATED: &str = "test_mrtr_unrelated";
const UNTYPED: &str = "test_mrtr_no_result_type";

/// JSON with white space, an escape and a number that change when it is parsed and written again.
const STATE: &str = "{ \"nonce\": \"\\u00e9-3.0\",  \"step\": 1.0 }";
const KEY: &str = "confirm";

fn serve(test: &ClientTest) -> Server {
    let asks_every_client = test.profile == Profile::Official;
    lenient_server(test)
        .on("tools/list", |_: Call| async {
            let tools = [WITH_STATE, WITHOUT_STATE, UNRELATED, UNTYPED].map(|name| {
                json!({ "name": name, "description": "Takes no arguments", "inputSchema": { "type": "object" } })
            });
            json!({ "tools": tools })
        })
        .on("tools/call", move |call: Call| async move { answer(&call, asks_every_client).await })
}

async fn answer(call: &Call, asks_every_client: bool) -> Answer {
    let done = json!({ "content": [{ "type": "text", "text": "done" }] });
    let state = match call.param("name").and_then(Value::as_str) {
        Some(WITH_STATE) => Some(STATE),
        Some(WITHOUT_STATE) => None,
        Some(UNRELATED) => return done.into(),
        Some(UNTYPED) => return call.reply_exactly(done).await,
        _ => return Answer::error(error_code::INVALID_PARAMS, "no such tool"),
    };
    // Whatever the input is: the checks judge it.
    if call.param("inputResponses").is_some() {
        return done.into();
    }
    if let Err(refusal) = call.require(Capability::ElicitationForm)
        && !asks_every_client
    {
        return refusal;
    }
    let confirmed = json!({ "type": "boolean", "description": "Whether to continue" });
    let form = json!({ "type": "object", "properties": { "confirmed": confirmed } });
    let params = json!({ "message": "Please confirm to continue", "requestedSchema": form });
    let request = json!({ "method": "elicitation/create", "params": params });
    Answer::input_required(json!({ KEY: request }), state)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let with_state = Retry::all_of(&judging.calls(WITH_STATE));
    let without_state = Retry::all_of(&judging.calls(WITHOUT_STATE));
    let not_retried = |tool| format!("the client never called `{tool}` again with input");
    let not_called = |tool| format!("the client never called `{tool}`");
    each(judging, ECHOED, &with_state, &not_retried(WITH_STATE), has_the_state);
    each(judging, NEW_ID, &with_state, &not_retried(WITH_STATE), has_new_id);
    each(judging, NO_STATE, &without_state, &not_retried(WITHOUT_STATE), |retry| {
        has_no(&retry.again, &["requestState"], "a state, although the server gave none")
    });
    let calls = judging.calls(UNRELATED);
    each(judging, ISOLATED, &calls, &not_called(UNRELATED), |call| {
        has_no(call, &INPUT, "what belongs to the retry of another call")
    });
    let mut calls = judging.calls(UNTYPED);
    // As in the official suite, retries take the place of the calls before them.
    if !Retry::all_of(&calls).is_empty() {
        calls.retain(|call| call.params().get("inputResponses").is_some());
    }
    each(judging, COMPLETE, &calls, &not_called(UNTYPED), |call| {
        has_no(call, &["inputResponses"], "input, although the result before it was final")
    });
    let messages = judging.messages();
    if messages.last().is_some_and(|last| last.tool() == Some(UNTYPED)) {
        // Only of older servers does the page say that the member may be missing (`basic/index#resulttype`).
        judging.tolerate_failed_exit();
    }
    let is_request = |received: &&ReceivedMessage| matches!(received.message, Message::Request(_));
    let (mut retries, others): (Vec<_>, Vec<_>) = messages
        .iter()
        .filter(is_request)
        .partition(|received| matches!(received.tool(), Some(WITH_STATE | WITHOUT_STATE)));
    retries.retain(|call| INPUT.iter().any(|member| call.params().get(member).is_some()));
    every(judging.check(ANSWERS), &retries, |check, retry| check.expect(&retry.part(), input()));
    let retries: Vec<&Retry> = with_state.iter().chain(&without_state).collect();
    every(judging.check(REPEATS), &retries, |check, retry| check.judge(has_same_arguments(retry)));
    every(judging.check(ELSEWHERE), &others, |check, received| {
        check.judge(has_no(received, &INPUT, "what belongs to the retry of a call"))
    });
    Ok(())
}

/// The members of a request that only a retry has.
const INPUT: [&str; 2] = ["inputResponses", "requestState"];

/// A call with input, and the last one without it before.
struct Retry {
    first: Option<ReceivedMessage>,
    again: ReceivedMessage,
}

impl Retry {
    /// The retries among the calls of one tool.
    fn all_of(calls: &[ReceivedMessage]) -> Vec<Self> {
        let mut retries = Vec::new();
        let mut first = None;
        for call in calls {
            match call.params().get("inputResponses") {
                Some(_) => retries.push(Self { first: first.clone(), again: call.clone() }),
                None => first = Some(call.clone()),
            }
        }
        retries
    }
}

/// Makes a row of an official check for each item; without any, the client did not do its task.
fn each<T>(
    judging: &mut Judging,
    id: &'static str,
    items: &[T],
    not_done: &str,
    verdict: impl Fn(&T) -> Result<(), Finding>,
) {
    if items.is_empty() {
        let finding = Finding::peer(not_done)
            .expected("a call of each listed tool, again with input where the result asks for it")
            .got("no such call in the whole conversation");
        // As the official suite names the row of a check that it could not make.
        judging.check(id).named(id).by_task().fail(finding);
    }
    for item in items {
        judging.check(id).judge(verdict(item));
    }
}

/// Makes one check of all items; without any, it is skipped.
fn every<'a, T>(
    check: CheckBuilder<'a>,
    items: &[T],
    judge: impl Fn(CheckBuilder<'a>, &T) -> CheckBuilder<'a>,
) {
    match items {
        [] => drop(check.skip("the client sends no such request")),
        items => drop(items.iter().fold(check, judge)),
    }
}

fn has_the_state(retry: &Retry) -> Result<(), Finding> {
    let got = retry.again.params().get("requestState");
    ensure(got.and_then(Value::as_str) == Some(STATE), || {
        Finding::peer("the retry does not have the state of the server")
            .expected(format!("`requestState` {STATE:?}, byte by byte"))
            .got(got.map_or("no `requestState`".to_owned(), |state| state.short(120)))
            .evidence(retry.again.seq)
    })
}

fn has_new_id(retry: &Retry) -> Result<(), Finding> {
    let id = |call: &ReceivedMessage| -> Option<Id> { call.message.id().cloned() };
    let first = retry.first.as_ref();
    ensure(first.is_none_or(|first| id(first) != id(&retry.again)), || {
        Finding::peer("the retry has the id of the first call")
            .expected("a new id, since the retry is a request of its own")
            .got(id(&retry.again).map_or_else(String::new, |id| format!("{id} again")))
            .evidence_all(first.map(|first| first.seq))
            .evidence(retry.again.seq)
    })
}

fn has_same_arguments(retry: &Retry) -> Result<(), Finding> {
    // Empty arguments may be left out.
    let arguments = |call: &ReceivedMessage| {
        let given = call.params().get("arguments").cloned();
        given.unwrap_or_else(|| json!({}).into())
    };
    let Some(first) = &retry.first else { return Ok(()) };
    let (expected, got) = (arguments(first), arguments(&retry.again));
    ensure(expected == got, || {
        Finding::peer("the retry has other arguments than the first call")
            .expected(expected.short(120))
            .got(got.short(120))
            .evidence_all([first.seq, retry.again.seq])
    })
}

fn has_no(received: &ReceivedMessage, members: &[&str], what: &str) -> Result<(), Finding> {
    let found = members.iter().find(|member| received.params().get(member).is_some());
    found.map_or(Ok(()), |member| {
        Err(Finding::peer(format!("`{}` has {what}", received.method()))
            .expected(format!("no `{member}`"))
            .got(format!("`{member}` in the parameters"))
            .evidence(received.seq))
    })
}

/// What the parameters of a retry contain: one response, to the form.
fn input() -> ObjectMatcher {
    let content = object().optional("confirmed", boolean());
    let response = object().member("action", string()).optional("content", content);
    object().member("inputResponses", object().member(KEY, response).and_nothing_else())
}

proofs! {
    passes on good_client();
    catches "sep-2322-client-request-state-echoed" on rewriting_the_state();
    catches "sep-2322-client-request-state-echoed" by remove("tools/call", "/requestState");
    catches "sep-2322-client-jsonrpc-id-different" on also_with_the_same_id();
    catches "sep-2322-client-no-state-omitted" on inventing_a_state();
    catches "sep-2322-client-parallel-isolation" on sending_the_state_elsewhere();
    catches "sep-2322-default-result-type-complete" on answering_final_results();
    catches "client-retry-answers-input" on answering_another_question();
    catches "client-retry-answers-input" on also_without_input();
    catches "client-retry-repeats-arguments" on changing_the_arguments();
    catches "client-sends-input-only-in-retries" on also_listing_with_the_state();
}
