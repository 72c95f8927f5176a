//! `client-input-required`.

use mcp_test_core::client::RequestOptions;
use mcp_test_core::scenario::ReceivedMessage;
use serde_json::Value as Json;

use crate::scenarios::listing_client::{fails_after, never_listed};
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;
use crate::scenarios::reaction::{accepts_replies, went_on};

scenario! {
    /// The server answers every `tools/call`, `resources/read` and `prompts/get` with `input_required`, three times: twice with a state
    /// only, then with requests for whatever the client declares, such as its roots.
    ///
    /// A client that sends the request again has to go through all rounds. One that leaves that to its caller, or whose user refuses
    /// the last round, is not judged further.
    Client "client-input-required": "The client goes through several rounds of input for every method that may ask for it",
    revisions: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("client-retries-call", "The client sends `tools/call` again when the result asks for it",
            [TOOLS_CALL_CLIENT_HANDLES_INPUT_REQUIRED, MRTR_CLIENT_HANDLES_ALL_METHODS]),
        check!("client-retries-read", "The client sends `resources/read` again when the result asks for it",
            [RESOURCES_READ_CLIENT_HANDLES_INPUT_REQUIRED, MRTR_CLIENT_HANDLES_ALL_METHODS]),
        check!("client-retries-get", "The client sends `prompts/get` again when the result asks for it",
            [PROMPTS_GET_CLIENT_HANDLES_INPUT_REQUIRED, MRTR_CLIENT_HANDLES_ALL_METHODS]),
        check!("client-goes-through-rounds", "The client sends the request again as often as the server asks for it",
            [MRTR_REPEATED_ROUNDS_TOLERATED]),
        check!("client-sends-all-input",
            "The last retry has the state, and a response of the right kind to each request of the server",
            [
                TOOLS_CALL_RETRY_CARRIES_INPUTS, RESOURCES_READ_RETRY_CARRIES_INPUTS,
                PROMPTS_GET_RETRY_CARRIES_INPUTS, ROOTS_LIST_ANSWER_IN_INPUT_RESPONSES,
                SAMPLING_RESULT_ANSWER_IN_INPUT_RESPONSES, ELICITATION_RESPONSE_ANSWER_IN_INPUT_RESPONSES,
            ]),
    ],
}

/// The methods whose results may ask for input, and the check of each.
const METHODS: [(&str, &str); 3] = [
    ("tools/call", "client-retries-call"),
    ("resources/read", "client-retries-read"),
    ("prompts/get", "client-retries-get"),
];

/// The states of the rounds; the result after the last one is complete.
const STATES: [&str; 3] = ["round 1", "round 2", "round 3"];

const TOOL: &str = "asks";
const PROMPT: &str = "asks";
const URI: &str = "mcp-test://asks";

fn serve(test: &ClientTest) -> Server {
    let tool = json!({ "name": TOOL, "inputSchema": { "type": "object" } });
    let resource = json!({ "name": "asks", "uri": URI });
    let lists = [
        ("tools/list", json!({ "tools": [tool] })),
        ("resources/list", json!({ "resources": [resource] })),
        ("prompts/list", json!({ "prompts": [{ "name": PROMPT }] })),
    ];
    let server = server(test).capabilities(json!({ "tools": {}, "resources": {}, "prompts": {} }));
    let server = lists.into_iter().fold(server, |server, (method, list)| {
        server.on(method, move |_: Call| {
            let list = list.clone();
            async move { list }
        })
    });
    METHODS.iter().fold(server, |server, (method, _)| {
        server.on(*method, |call: Call| async move { answer(&call) })
    })
}

fn answer(call: &Call) -> Answer {
    // A client of both eras may have begun with a handshake.
    if call.revision().era() == Era::Handshake {
        return complete(call);
    }
    match call.request_state().map(|state| STATES.iter().position(|issued| *issued == state)) {
        None => Answer::input_required(Json::Null, Some(STATES[0])),
        Some(Some(0)) => Answer::input_required(Json::Null, Some(STATES[1])),
        Some(Some(1)) => {
            let asked = inputs(call.client_capabilities());
            let requests = asked.map(|input| (input.key.to_owned(), input.request));
            let requests: serde_json::Map<String, Json> = requests.collect();
            match requests.is_empty() {
                true => complete(call),
                false => Answer::input_required(Json::Object(requests), Some(STATES[2])),
            }
        }
        Some(Some(_)) => complete(call),
        Some(None) => Answer::error(error_code::INVALID_PARAMS, "this state was not issued"),
    }
}

fn complete(call: &Call) -> Answer {
    let text = json!({ "type": "text", "text": "done" });
    match call.method() {
        "tools/call" => json!({ "content": [text] }).into(),
        "resources/read" => json!({ "contents": [{ "uri": URI, "text": "done" }] }).into(),
        _ => json!({ "messages": [{ "role": "user", "content": text }] }).into(),
    }
}

/// A request for input, and what tells the response to it from one to another request.
///
/// Whether it is a valid response to any request is judged in every scenario.
struct Input {
    key: &'static str,
    request: Json,
    response: Box<dyn Matcher>,
}

/// What the server asks a client for that declares these capabilities.
fn inputs(declared: &Value) -> impl Iterator<Item = Input> {
    let message = json!({ "role": "user", "content": { "type": "text", "text": "Say a word." } });
    let form = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let inputs = [
        (
            Capability::Roots,
            Input {
                key: "the roots",
                request: json!({ "method": "roots/list", "params": {} }),
                response: Box::new(object().member("roots", anything())),
            },
        ),
        (
            Capability::Sampling,
            Input {
                key: "a generation",
                request: json!({
                    "method": "sampling/createMessage",
                    "params": { "messages": [message], "maxTokens": 10 },
                }),
                response: Box::new(object().member("content", anything())),
            },
        ),
        (
            Capability::ElicitationForm,
            Input {
                key: "a form",
                request: json!({
                    "method": "elicitation/create",
                    "params": { "message": "Who are you?", "requestedSchema": form },
                }),
                response: Box::new(object().member("action", anything())),
            },
        ),
    ];
    let declared = declared.clone();
    inputs.into_iter().filter(move |(it, _)| it.declared_in(&declared)).map(|(_, input)| input)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let requests: Vec<ReceivedMessage> =
        METHODS.iter().flat_map(|(method, _)| judging.requests(method)).collect();
    if requests.is_empty() && judging.requests("tools/list").is_empty() {
        return Err(never_listed(judging));
    }
    if judging.spoken().is_some_and(|spoken| spoken.era() == Era::Handshake) {
        judging.skip_checks("the version that the client speaks has no such results");
        return Ok(());
    }
    for (method, check) in METHODS {
        let is_retried = requests.iter().any(|it| it.method() == method && round(it) == Some(0));
        match is_retried {
            true => drop(judging.check(check).pass()),
            false => accepts_replies(judging, check, method, "`input_required`"),
        }
    }
    let stopped = requests.iter().find(|it| {
        let has_next = |next: &&ReceivedMessage| {
            next.method() == it.method() && round(next) == Some(1) && next.seq > it.seq
        };
        round(it) == Some(0) && !requests.iter().any(|next| has_next(&next))
    });
    // A client that was ended may have been about to go on.
    let stopped = stopped.map(|request| (request.seq, went_on(judging, request)));
    let check = judging.check("client-goes-through-rounds");
    match stopped {
        _ if !requests.iter().any(|it| round(it) == Some(0)) => {
            check.skip("the client never sent a request again")
        }
        None => check.pass(),
        Some((_, None)) => check.skip("nothing shows whether the client would have gone on"),
        Some((seq, Some(_))) => check.fail(
            Finding::peer("the client stopped after the second `input_required`")
                .expected(format!("the request again, with the state {:?}", STATES[1]))
                .got("no such request")
                .evidence(seq),
        ),
    };
    let last: Vec<&ReceivedMessage> = requests
        .iter()
        .filter(|it| round(it) == Some(2) || it.params().get("inputResponses").is_some())
        .collect();
    let check = judging.check("client-sends-all-input");
    if last.is_empty() {
        check.skip("the client declares nothing to ask for, or did not answer");
        return Ok(());
    }
    last.into_iter().fold(check, |check, request| {
        let declared = request.meta(meta::CLIENT_CAPABILITIES).cloned().unwrap_or_default();
        let none = Object::new().into();
        let given = request.params().get("inputResponses").unwrap_or(&none);
        let expected = inputs(&declared)
            .fold(object(), |expected, input| expected.member(input.key, input.response));
        let state = request.params().get("requestState");
        let what = format!("`inputResponses` of `{}`", request.method());
        check.expect(&Part::new(what, given, Some(request.seq)), expected).judge(
            match state.is_some_and(|state| *state == STATES[2]) {
                true => Ok(()),
                false => Err(Finding::peer("the input comes without the state of the server")
                    .expected(format!("`requestState` {:?}", STATES[2]))
                    .got(state.map_or("no `requestState`".to_owned(), |state| state.short(120)))
                    .evidence(request.seq)),
            },
        )
    });
    Ok(())
}

/// The round that a request answers: the index of its state.
fn round(request: &ReceivedMessage) -> Option<usize> {
    let state = request.params().get("requestState")?;
    STATES.iter().position(|issued| *state == *issued)
}

fn params(method: &str) -> Json {
    match method {
        "resources/read" => json!({ "uri": URI }),
        "prompts/get" => json!({ "name": PROMPT }),
        _ => json!({ "name": TOOL }),
    }
}

/// Sends a request of each method, this one last, and takes the first result for the final one; fails at the last.
fn fails_at(last: &'static str) -> ScriptedClient {
    let mut methods = METHODS.map(|(method, _)| method);
    methods.sort_by_key(|method| *method == last);
    fails_after(methods.map(|method| (method, params(method))))
}

/// Sends a request of each method, and this many retries with the state alone.
fn retries(times: usize) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        for (method, _) in METHODS {
            let mut params = Value::from(params(method));
            for _ in 0..=times {
                let once = RequestOptions::new().once();
                let reply = client.request_with(method, params.clone(), once).await?;
                let Some(state) = reply.result()?.get("requestState") else { break };
                params.set("/requestState", state.clone());
            }
        }
        client.end().await;
        Ok(())
    })
}

proofs! {
    passes on good_client();
    catches "client-retries-call" on fails_at("tools/call");
    catches "client-retries-read" on fails_at("resources/read");
    catches "client-retries-get" on fails_at("prompts/get");
    catches "client-goes-through-rounds" on retries(1);
    catches "client-sends-all-input" by remove("tools/call", "/inputResponses/the roots");
    catches "client-sends-all-input"
        by set("resources/read", "/inputResponses/the roots", json!({ "action": "cancel" }));
    catches "client-sends-all-input" by set("prompts/get", "/inputResponses/a generation", json!({ "roots": [] }));
    catches "client-sends-all-input" by set("tools/call", "/inputResponses/a form", json!({ "roots": [] }));
}
