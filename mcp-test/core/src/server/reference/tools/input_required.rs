//! The tools that ask for input in their result, which exists since 2026-07-28.

use std::sync::LazyLock;

use serde_json::json;

use super::interactive::texts;
use super::{Answer, Call};
use crate::json::Object;
use crate::server::reference::client_input::field_form;
use crate::server::reference::tool_result::text_result;
use crate::server::{InputRequest, RequestStates};

const ELICITATION: &str = "test_input_required_result_elicitation";
const SAMPLING: &str = "test_input_required_result_sampling";
const LIST_ROOTS: &str = "test_input_required_result_list_roots";
const REQUEST_STATE: &str = "test_input_required_result_request_state";
const MULTIPLE_INPUTS: &str = "test_input_required_result_multiple_inputs";
const MULTI_ROUND: &str = "test_input_required_result_multi_round";
const TAMPERED_STATE: &str = "test_input_required_result_tampered_state";
const CAPABILITIES: &str = "test_input_required_result_capabilities";

/// The states of all servers of the process, so that a client can continue with another one.
static STATES: LazyLock<RequestStates> = LazyLock::new(RequestStates::new);

/// The names and descriptions of the tools, which take no arguments.
pub(super) const TOOLS: [(&str, &str); 8] = [
    (ELICITATION, "Asks the user for a name and greets."),
    (SAMPLING, "Asks a model for the capital of France."),
    (LIST_ROOTS, "Asks the client for its roots and lists them."),
    (REQUEST_STATE, "Asks the user to confirm, and wants its state back."),
    (MULTIPLE_INPUTS, "Asks the user, a model and the client at once."),
    (MULTI_ROUND, "Asks the user twice, one question after the other."),
    (TAMPERED_STATE, "Asks the user to confirm, and refuses a state that was changed."),
    (CAPABILITIES, "Asks for every kind of input that the client declares."),
];

/// Calls a tool, if it is one of these.
pub(super) fn call(call: &Call, name: &str) -> Option<Answer> {
    // As in the list, which other revisions get without them.
    if !call.revision().has_input_requests() {
        return None;
    }
    let answer = match name {
        ELICITATION => greet(call),
        SAMPLING => ask_model(call),
        LIST_ROOTS => list_roots(call),
        REQUEST_STATE | TAMPERED_STATE => confirm(call, name),
        MULTIPLE_INPUTS => ask_all(call),
        MULTI_ROUND => ask_twice(call),
        CAPABILITIES => ask_declared(call),
        _ => return None,
    };
    Some(answer.unwrap_or_else(|instead| instead))
}

fn user_name() -> InputRequest {
    field_form("user_name", "What is your name?", ("name", "string"))
}

fn question(key: &str, text: &str) -> InputRequest {
    let content = json!({ "type": "text", "text": text });
    let message = json!({ "role": "user", "content": content });
    InputRequest::sampling(key, json!({ "messages": [message], "maxTokens": 100 }))
}

fn client_roots() -> InputRequest {
    InputRequest::roots("client_roots")
}

fn all_kinds() -> [InputRequest; 3] {
    let greeting = question("greeting", "How do you greet somebody?");
    [user_name(), greeting, client_roots()]
}

fn greet(call: &Call) -> Result<Answer, Answer> {
    let given = call.input_responses(&[user_name()], None)?;
    Ok(greeting(given))
}

fn ask_model(call: &Call) -> Result<Answer, Answer> {
    let question = question("capital_question", "What is the capital of France?");
    let given = call.input_responses(&[question], None)?;
    let answer = given.get("capital_question").and_then(|response| response.get("content"));
    Ok(text_result(&format!("LLM response: {}", texts(answer))))
}

fn list_roots(call: &Call) -> Result<Answer, Answer> {
    let given = call.input_responses(&[client_roots()], None)?;
    let roots = given.get("client_roots").and_then(|response| response.get("roots")?.as_array());
    let uris = roots.unwrap_or_default().iter().filter_map(|root| root.get("uri")?.as_str());
    Ok(text_result(&format!("Roots: {}", Vec::from_iter(uris).join(", "))))
}

fn confirm(call: &Call, tool: &str) -> Result<Answer, Answer> {
    let requests = [field_form("confirm", "Do you want to continue?", ("ok", "boolean"))];
    let state = STATES.seal(tool, "confirm");
    // Without its state it is a first call, whatever responses it has.
    if STATES.open(call, tool)?.is_none() {
        return Ok(call.input_required(&requests, Some(&state)));
    }
    call.input_responses(&requests, Some(&state))?;
    Ok(text_result("state-ok"))
}

fn ask_all(call: &Call) -> Result<Answer, Answer> {
    let requests = all_kinds();
    let state = STATES.seal(MULTIPLE_INPUTS, "all");
    if STATES.open(call, MULTIPLE_INPUTS)?.is_none() {
        return Ok(call.input_required(&requests, Some(&state)));
    }
    let given = call.input_responses(&requests, Some(&state))?;
    Ok(greeting(given))
}

fn ask_twice(call: &Call) -> Result<Answer, Answer> {
    let first = [field_form("step1", "What is your name?", ("name", "string"))];
    let second = [field_form("step2", "What is your favorite color?", ("color", "string"))];
    let begun = STATES.seal(MULTI_ROUND, "step1");
    let Some(state) = STATES.open(call, MULTI_ROUND)? else {
        return Ok(call.input_required(&first, Some(&begun)));
    };
    // The second state has the name in it, since the second retry has only the color.
    let Some(name) = state.strip_prefix("step2 ") else {
        let given = call.input_responses(&first, Some(&begun))?;
        let Some(name) = text(given, "step1", "name") else { return Ok(refused()) };
        let state = STATES.seal(MULTI_ROUND, &format!("step2 {name}"));
        return Ok(call.input_required(&second, Some(&state)));
    };
    let given = call.input_responses(&second, Some(&STATES.seal(MULTI_ROUND, state)))?;
    let color = text(given, "step2", "color");
    Ok(color.map_or_else(refused, |color| text_result(&format!("{name} likes {color}"))))
}

fn ask_declared(call: &Call) -> Result<Answer, Answer> {
    let mut requests = Vec::from(all_kinds());
    requests.retain(|request| request.capability().declared_in(call.client_capabilities()));
    if requests.is_empty() {
        return Ok(text_result("The client declares no kind of input"));
    }
    call.input_responses(&requests, None)?;
    Ok(text_result("The client has responded"))
}

/// Greets the user by the name in the responses.
fn greeting(given: &Object) -> Answer {
    let name = text(given, "user_name", "name");
    name.map_or_else(refused, |name| text_result(&format!("Hello, {name}!")))
}

/// The text that the user has entered; `None` if the user has refused.
fn text<'a>(given: &'a Object, key: &str, field: &str) -> Option<&'a str> {
    given.get(key).and_then(|response| InputRequest::accepted(response, field)?.as_str())
}

fn refused() -> Answer {
    text_result("The user has not answered")
}
