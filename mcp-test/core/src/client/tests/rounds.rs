//! Results that ask for input, on scripted servers.

use serde_json::{Value, json};

use super::{answering, stateless};
use crate::check::Finding;
use crate::client::{
    ElicitationResponse, Handlers, Options, Reply, RequestOptions, SamplingResponse,
};
use crate::spec::Requirement;
use crate::trace::{Party, Recorder};
use crate::transport::Target;
use crate::wire::Message;

fn elicitation() -> Value {
    json!({"method": "elicitation/create", "params": {"message": "who?", "requestedSchema": {
        "type": "object", "properties": {"name": {"type": "string", "default": "Ada"}}}}})
}

fn result(request: &Value, result: &Value) -> Vec<Value> {
    vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": result})]
}

fn asks(request: &Value, mut asked: Value) -> Vec<Value> {
    asked["resultType"] = "input_required".into();
    result(request, &asked)
}

/// A server that asks before it answers: first for input, then by its state alone.
fn asking_twice() -> Target {
    answering(|request| {
        let params = &request["params"];
        match params["requestState"].as_str() {
            None => asks(
                &request,
                json!({"requestState": " {\"round\":1} ", "inputRequests": {
                    "who": elicitation(), "what": {"method": "sampling/createMessage", "params": {}}}}),
            ),
            Some(" {\"round\":1} ") => asks(&request, json!({"requestState": "2"})),
            Some(_) => result(&request, &json!({"resultType": "complete", "content": []})),
        }
    })
}

fn handlers() -> Handlers {
    Handlers::new()
        .elicitation(|form| form.accept(json!({})))
        .sampling(|_| SamplingResponse::text("4"))
}

async fn call(
    target: &Target,
    handlers: Handlers,
    options: RequestOptions,
) -> (Vec<String>, Result<Reply, Finding>) {
    let recorder = Recorder::new();
    let mut client = stateless(target, &recorder, Options::default().handlers(handlers)).await;
    let reply = client.request_with("tools/call", json!({"name": "x"}), options).await;
    (sent(&recorder), reply)
}

/// The params of the client's requests, without `_meta`, after their ids.
fn sent(recorder: &Recorder) -> Vec<String> {
    let trace = recorder.trace();
    let requests = trace.messages().filter_map(|(event, message)| match message {
        Message::Request(request) if event.party == Party::Client => Some(request),
        _ => None,
    });
    requests
        .map(|request| {
            let mut params = request.params.clone().unwrap_or_default();
            params.remove("/_meta");
            format!("{} {params}", request.id)
        })
        .collect()
}

#[tokio::test]
async fn handlers_provide_the_input_and_the_state_is_echoed() {
    let (said, reply) = call(&asking_twice(), handlers(), RequestOptions::new()).await;
    let reply = reply.expect("a final result");
    assert_eq!((reply.result_type(), reply.earlier().len()), (Some("complete"), 2));
    insta::assert_snapshot!(said.join("\n"), @r#"
    1 {"name":"x"}
    2 {"name":"x","inputResponses":{"what":{"role":"assistant","content":{"text":"4","type":"text"},"model":"mcp-test-model","stopReason":"endTurn"},"who":{"action":"accept","content":{"name":"Ada"}}},"requestState":" {\"round\":1} "}
    3 {"name":"x","requestState":"2"}
    "#);
}

#[tokio::test]
async fn the_raw_result_is_available() {
    let (said, reply) = call(&asking_twice(), handlers(), RequestOptions::new().once()).await;
    assert_eq!(reply.expect("a result").result_type(), Some("input_required"));
    assert_eq!(said.len(), 1);
}

#[tokio::test]
async fn unanswered_input_is_omitted() {
    let target = answering(|request| {
        asks(&request, json!({"inputRequests": {"who": elicitation(), "and": elicitation()}}))
    });
    let handlers = Handlers::new().leaving_unanswered("elicitation/create");
    let (said, reply) = call(&target, handlers, RequestOptions::new()).await;
    assert_eq!(reply.expect("a result").result_type(), Some("input_required"));
    assert_eq!(said.len(), 1);
}

/// The finding that ends a call of which each attempt is answered with this.
async fn ends(asked: fn() -> Value, handlers: Handlers) -> Finding {
    let target = answering(move |request| asks(&request, asked()));
    let (_, reply) = call(&target, handlers, RequestOptions::new()).await;
    reply.map(drop).expect_err("a finding")
}

#[tokio::test]
async fn a_server_that_makes_no_progress_is_reported() {
    let finding = ends(|| json!({"inputRequests": {"who": elicitation()}}), handlers()).await;
    insta::assert_snapshot!(finding, @"
    `tools/call` asks again for input that it has received
      expected another result after the retry, or other input requests
      got the same input requests, with the same requestState
      hint: does the answer of the handler match what the server asked for?
    ");

    let counting = answering(|request| {
        let round: u64 = request["params"]["requestState"]
            .as_str()
            .map_or(0, |state| state.parse().unwrap_or(0));
        asks(&request, json!({"requestState": (round + 1).to_string()}))
    });
    let (said, reply) = call(&counting, handlers(), RequestOptions::new()).await;
    assert_eq!(said.len(), crate::client::MAX_ROUNDS);
    insta::assert_snapshot!(reply.map(drop).expect_err("a finding"), @"
    `tools/call` does not stop asking for input
      expected a final result after at most 16 rounds
      got 16 results that ask for input
    ");

    let refusing = Handlers::new().elicitation(|_| ElicitationResponse::error(-32603, "no user"));
    let finding = ends(|| json!({"inputRequests": {"who": elicitation()}}), refusing).await;
    insta::assert_snapshot!(finding, @"
    `tools/call` cannot continue without the input that it asks for
      expected a handler that answers `elicitation/create` with a result
      got JSON-RPC error -32603: no user, which `inputResponses` cannot carry
      hint: use `Handlers::leaving_unanswered` to leave an input out, `RequestOptions::once` to examine the result as it is
    ");
}

#[tokio::test]
async fn invalid_input_requests_are_reported() {
    let undeclared =
        ends(|| json!({"inputRequests": {"who": elicitation()}}), Handlers::new()).await;
    assert_eq!(undeclared.requirements, [Requirement::MRTR_UNDECLARED_INPUT_KIND]);
    let connection = || {
        json!({"inputRequests": {"go": {"method": "elicitation/create", "params": {
            "mode": "url", "url": "https://a.example/", "message": "go"}}}})
    };
    let undeclared_mode = ends(connection, handlers()).await;
    assert_eq!(undeclared_mode.requirements, [Requirement::MRTR_UNDECLARED_INPUT_KIND]);
    insta::assert_snapshot!(undeclared, @"
    the result of `tools/call` asks for input incorrectly
      expected only what the client declares: {}
      got `/inputRequests/who` with `elicitation/create`, which needs `elicitation`
      hint: a client declares what its handlers serve; if the server may ask, set one for `elicitation/create` before the first request
    ");

    let ping = ends(|| json!({"inputRequests": {"p": {"method": "ping"}}}), handlers()).await;
    assert_eq!(ping.requirements, [Requirement::MRTR_INPUT_KINDS]);
    insta::assert_snapshot!(ping, @r#"
    the result of `tools/call` asks for input incorrectly
      expected `/inputRequests/p` is a request for elicitation/create, sampling/createMessage or roots/list
      got {"method":"ping"}
    "#);

    let nothing = ends(|| json!({}), handlers()).await;
    assert_eq!(nothing.requirements, [Requirement::MRTR_REQUESTS_OR_STATE]);
    insta::assert_snapshot!(nothing, @"
    the result of `tools/call` asks for input incorrectly
      expected `inputRequests` or `requestState`, or both
      got neither
    ");

    let untyped = ends(|| json!({"requestState": 5}), handlers()).await;
    assert_eq!(untyped.requirements, [Requirement::SCHEMA_INPUT_REQUIRED_RESULT]);
    insta::assert_snapshot!(untyped, @"
    the result of `tools/call` asks for input incorrectly
      expected `/requestState` is a string
      got 5, which is a number
    ");

    let recorder = Recorder::new();
    let target = answering(|request| asks(&request, json!({"requestState": "s"})));
    let mut client = stateless(&target, &recorder, Options::default()).await;
    let listed = client.request("tools/list", json!({})).await.map(drop).expect_err("a finding");
    assert_eq!(listed.requirements, [Requirement::MRTR_SUPPORTED_METHODS_ONLY]);
    insta::assert_snapshot!(listed, @"
    the result of `tools/list` asks for input incorrectly
      expected input requests from `prompts/get`, `resources/read` and `tools/call` only
      got input requests from `tools/list`
    ");
}
