//! The tools whose calls become tasks, and one whose calls never do.

use std::time::Duration;

use serde_json::json;

use super::{Ending, Tasks, Work};
use crate::clock::{self, Deadline};
use crate::json::{Object, Value};
use crate::server::reference::client_input::ask;
use crate::server::reference::tool_result::{invalid_arguments, text_result};
use crate::server::{Answer, Call};
use crate::spec::{Capability, Revision, error_code};
use crate::wire::RpcError;

/// The longest time that a client can make a tool take, in its seconds.
const MOST_SECONDS: f64 = 600.0;

/// Whether the revision has the extension; without it the tools would have nothing to show.
fn exist_at(revision: Revision) -> bool {
    Capability::TasksExtension.revisions().contains(revision)
}

/// The tools, if the revision has the extension.
pub(in crate::server::reference) fn list(revision: Revision) -> Vec<serde_json::Value> {
    let (text, number) = (json!({ "type": "string" }), json!({ "type": "number" }));
    let compute = json!({ "seconds": number, "label": text });
    let file = json!({ "filename": text });
    let tools = [
        ("greet", "Greets, and never as a task.", json!({ "name": text }), vec!["name"]),
        ("slow_compute", "Takes some time.", compute, vec![]),
        ("failing_job", "Fails, and only as a task.", json!({}), vec![]),
        (
            "protocol_error_job",
            "Ends with a protocol error, and only as a task.",
            json!({}),
            vec![],
        ),
        ("confirm_delete", "Asks for a confirmation. It deletes nothing.", file, vec!["filename"]),
        ("multi_input", "Asks two questions at once.", json!({}), vec![]),
        ("test_tool_with_task", "Asks for a name before it becomes a task.", json!({}), vec![]),
    ];
    let tool = |(name, description, properties, required)| {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        json!({ "name": name, "description": description, "inputSchema": schema })
    };
    if exist_at(revision) { tools.map(tool).into() } else { Vec::new() }
}

/// Calls a tool, if it is one of these.
pub(in crate::server::reference) async fn call(
    tasks: &Tasks,
    call: &Call,
    name: &str,
    arguments: &Value,
) -> Option<Answer> {
    if !exist_at(call.revision()) {
        return None;
    }
    let called = match name {
        "greet" => greet(call, arguments),
        "slow_compute" => slow_compute(tasks, call, arguments).await,
        "failing_job" => only_as_task(tasks, call, failure()),
        "protocol_error_job" => {
            let error = RpcError::new(error_code::INTERNAL_ERROR, "the disk is full");
            only_as_task(tasks, call, Ending::Failed(error))
        }
        "confirm_delete" => confirm_delete(tasks, call, arguments).await,
        "multi_input" => multi_input(tasks, call),
        "test_tool_with_task" => after_input(tasks, call),
        _ => return None,
    };
    // Either way it is the answer.
    Some(called.unwrap_or_else(|instead| instead))
}

fn greet(call: &Call, arguments: &Value) -> Result<Answer, Answer> {
    let name = string(call, arguments, "name")?;
    Ok(text_result(&format!("Hello, {name}!")))
}

async fn slow_compute(tasks: &Tasks, call: &Call, arguments: &Value) -> Result<Answer, Answer> {
    let seconds = match arguments.get("seconds") {
        None => 0.0,
        Some(seconds) => {
            seconds.as_f64().ok_or_else(|| invalid_arguments(call, "`seconds` must be a number"))?
        }
    };
    let label = match arguments.get("label") {
        None => "nothing",
        Some(_) => string(call, arguments, "label")?,
    };
    let text = format!("Computed {label} in {seconds} s");
    let time = tasks.second.mul_f64(seconds.clamp(0.0, MOST_SECONDS));
    if call.require(Capability::TasksExtension).is_ok() {
        return Ok(tasks.start(Work::Until(Deadline::after(time), Ending::text(&text))));
    }
    // A client that has disconnected must not keep the server running.
    tokio::select! {
        () = call.over() => {}
        () = clock::quiet(time) => {}
    }
    Ok(text_result(&text))
}

/// A task that takes a second.
fn only_as_task(tasks: &Tasks, call: &Call, ending: Ending) -> Result<Answer, Answer> {
    call.require(Capability::TasksExtension)?;
    Ok(tasks.start(Work::Until(Deadline::after(tasks.second), ending)))
}

/// The failure of a tool.
fn failure() -> Ending {
    let text = json!({ "type": "text", "text": "This job fails every time" });
    Ending::Completed(json!({ "content": [text], "isError": true }).into())
}

async fn confirm_delete(tasks: &Tasks, call: &Call, arguments: &Value) -> Result<Answer, Answer> {
    let file = string(call, arguments, "filename")?;
    let question = form(&format!("Delete {file}?"), "confirm", "boolean");
    let about = format!("Deletion of {file}");
    if call.require(Capability::TasksExtension).is_err() {
        let asked = ask(call, "elicitation/create", Capability::Elicitation, question).await?;
        return Ok(text_result(&format!("{about}: {asked}")));
    }
    call.require(Capability::Elicitation)?;
    Ok(tasks.start(asking([("confirm", question)], about)))
}

fn multi_input(tasks: &Tasks, call: &Call) -> Result<Answer, Answer> {
    call.require(Capability::TasksExtension)?;
    call.require(Capability::Elicitation)?;
    let questions = [
        ("name", form("What is your name?", "name", "string")),
        ("colour", form("What is your favourite colour?", "colour", "string")),
    ];
    Ok(tasks.start(asking(questions, "Responses".to_owned())))
}

/// Asks for a name before the task is created, by multiple round trips.
fn after_input(tasks: &Tasks, call: &Call) -> Result<Answer, Answer> {
    /// The key of the request, and the member of the form.
    const NAME: &str = "user_name";
    call.require(Capability::TasksExtension)?;
    call.require(Capability::Elicitation)?;
    let Some(response) = call.input_response(NAME) else {
        let request = elicitation(&form("What is your name?", "name", "string"));
        return Ok(Answer::input_required(json!({ NAME: request }), Some(NAME)));
    };
    let Some(name) = response.at("/content/name").and_then(Value::as_str) else {
        return Ok(text_result("Nobody is greeted without a name"));
    };
    let ending = Ending::text(&format!("Hello, {name}!"));
    let soon = Deadline::after(Duration::min(tasks.second, Duration::from_millis(100)));
    Ok(tasks.start(Work::Until(soon, ending)))
}

/// An argument that must be a string.
fn string<'a>(call: &Call, arguments: &'a Value, name: &str) -> Result<&'a str, Answer> {
    let text = arguments.get(name).and_then(Value::as_str);
    text.ok_or_else(|| invalid_arguments(call, &format!("`{name}` must be a string")))
}

/// A task that asks these questions.
fn asking<const N: usize>(questions: [(&str, serde_json::Value); N], about: String) -> Work {
    let open = questions.map(|(key, question)| (key, Value::from(elicitation(&question))));
    Work::Asking { open: open.into_iter().collect(), responses: Object::new(), about }
}

/// The parameters of an elicitation with one field.
fn form(message: &str, field: &str, kind: &str) -> serde_json::Value {
    let properties = json!({ field: { "type": kind } });
    let schema = json!({ "type": "object", "properties": properties, "required": [field] });
    json!({ "message": message, "requestedSchema": schema })
}

/// An elicitation in the form of `inputRequests`.
fn elicitation(params: &serde_json::Value) -> serde_json::Value {
    json!({ "method": "elicitation/create", "params": params })
}
