//! The tools whose calls become tasks, and one whose calls never do.

use std::time::Duration;

use serde_json::json;

use super::client_input::{ask, field_form, field_schema};
use super::tool_result::{invalid_arguments, text_result};
use crate::clock;
use crate::json::Value;
use crate::server::{Answer, Call, InputRequest, TaskEnd, TaskWork, Tasks};
use crate::spec::{Capability, Revision, error_code};

/// The longest time that a client can make a tool take, in its seconds.
const MOST_SECONDS: f64 = 600.0;

/// The tasks, and what the tools that start them need.
#[derive(Debug, Clone)]
pub(super) struct TaskStarter {
    pub(super) tasks: Tasks,
    /// How long a second of a tool takes, so that proofs do not have to wait for whole ones.
    pub(super) second: Duration,
}

impl TaskStarter {
    /// Answers with a task that ends after this time.
    fn start(&self, time: Duration, end: TaskEnd) -> Answer {
        self.tasks.start(TaskWork::until(time, end))
    }

    /// Answers with a task that asks these questions, and ends with a text about all responses.
    fn ask(&self, questions: &[InputRequest], about: String) -> Answer {
        self.tasks.start(TaskWork::asking(questions, move |responses| {
            TaskEnd::text(&format!("{about}: {}", Value::Object(responses)))
        }))
    }
}

/// Whether the revision has the extension; without it the tools would have nothing to show.
fn exist_at(revision: Revision) -> bool {
    Capability::TasksExtension.revisions().contains(revision)
}

/// The tools, if the revision has the extension.
pub(super) fn list(revision: Revision) -> Vec<serde_json::Value> {
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
pub(super) async fn call(
    tasks: &TaskStarter,
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
            let end = TaskEnd::failed(error_code::INTERNAL_ERROR, "the disk is full");
            only_as_task(tasks, call, end)
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

async fn slow_compute(
    tasks: &TaskStarter,
    call: &Call,
    arguments: &Value,
) -> Result<Answer, Answer> {
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
        return Ok(tasks.start(time, TaskEnd::text(&text)));
    }
    // A client that has disconnected must not keep the server running.
    tokio::select! {
        () = call.over() => {}
        () = clock::quiet(time) => {}
    }
    Ok(text_result(&text))
}

/// A task that takes a second.
fn only_as_task(tasks: &TaskStarter, call: &Call, end: TaskEnd) -> Result<Answer, Answer> {
    call.require(Capability::TasksExtension)?;
    Ok(tasks.start(tasks.second, end))
}

/// The failure of a tool.
fn failure() -> TaskEnd {
    let text = json!({ "type": "text", "text": "This job fails every time" });
    TaskEnd::completed(json!({ "content": [text], "isError": true }))
}

async fn confirm_delete(
    tasks: &TaskStarter,
    call: &Call,
    arguments: &Value,
) -> Result<Answer, Answer> {
    let file = string(call, arguments, "filename")?;
    let message = format!("Delete {file}?");
    let about = format!("Deletion of {file}");
    if call.require(Capability::TasksExtension).is_err() {
        let schema = field_schema("confirm", "boolean");
        let params = json!({ "message": message, "requestedSchema": schema });
        let asked = ask(call, "elicitation/create", Capability::Elicitation, params).await?;
        return Ok(text_result(&format!("{about}: {asked}")));
    }
    call.require(Capability::Elicitation)?;
    let question = field_form("confirm", &message, ("confirm", "boolean"));
    Ok(tasks.ask(&[question], about))
}

fn multi_input(tasks: &TaskStarter, call: &Call) -> Result<Answer, Answer> {
    call.require(Capability::TasksExtension)?;
    call.require(Capability::Elicitation)?;
    let questions = [
        field_form("name", "What is your name?", ("name", "string")),
        field_form("colour", "What is your favourite colour?", ("colour", "string")),
    ];
    Ok(tasks.ask(&questions, "Responses".to_owned()))
}

/// Asks for a name before the task is created, by multiple round trips.
fn after_input(tasks: &TaskStarter, call: &Call) -> Result<Answer, Answer> {
    /// The key of the request, and the state.
    const NAME: &str = "user_name";
    call.require(Capability::TasksExtension)?;
    let question = field_form(NAME, "What is your name?", ("name", "string"));
    let responses = call.input_responses(&[question], Some(NAME))?;
    let response = responses.get(NAME).unwrap_or(&Value::Null);
    let Some(name) = InputRequest::accepted(response, "name").and_then(Value::as_str) else {
        return Ok(text_result("Nobody is greeted without a name"));
    };
    let soon = Duration::min(tasks.second, Duration::from_millis(100));
    Ok(tasks.start(soon, TaskEnd::text(&format!("Hello, {name}!"))))
}

/// An argument that must be a string.
fn string<'a>(call: &Call, arguments: &'a Value, name: &str) -> Result<&'a str, Answer> {
    let text = arguments.get(name).and_then(Value::as_str);
    text.ok_or_else(|| invalid_arguments(call, &format!("`{name}` must be a string")))
}
