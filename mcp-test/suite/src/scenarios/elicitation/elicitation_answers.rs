//! `elicitation-answers`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::client::{ElicitationResponse, FormElicitation};
use mcp_test_core::scenario::CallableTool;
use mcp_test_core::server::AskError;

use crate::scenarios::nothing_tested::is_slow;
use crate::scenarios::prelude::*;
use crate::scenarios::server_messages::receive_requests;

scenario! {
    /// A tool that elicits input is answered in each way that a user has: accept, decline, cancel, and content that does not
    /// fit the form.
    ///
    /// The call has to be answered each time: a tool that waits for consent, or reads content that is not there, fails for
    /// users who say no. Clients are not trusted to validate what the user enters. Tried on the first tool that may be
    /// called and elicits.
    Server "elicitation-answers": "A tool copes with each answer to its elicitation",
    revisions: Revisions::from(Revision::V2025_06_18),
    repeats: OncePerEra,
    needs: [Need::Capability(Capability::Tools), Need::CallableTool],
    // In a handshake the client declares what it needs here.
    shares_connection: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("elicitation-refused",
            "The call is answered without an internal error whether the user accepts, declines or cancels",
            [ELICITATION_SERVER_HANDLES_EACH_ACTION]).conditional(),
        check!("elicitation-validated",
            "Content that lacks a required field, or has one of another type, is not accepted",
            [ELICITATION_RESPONSE_SERVER_VALIDATES]).conditional(),
    ],
}

/// How many tools are called to find one that elicits.
const TOOLS: usize = 5;

/// How many elicitations of one call get an answer other than cancel: a tool may ask again until the content fits.
const ANSWERS: usize = 3;

type User = fn(&FormElicitation) -> ElicitationResponse;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let answered = Arc::new(AtomicUsize::new(0));
    user(ctx, &answered, FormElicitation::accept_examples);
    receive_requests(ctx).await?;
    let tools = ctx.callable_tools().await?;
    for tool in tools.iter().filter(|tool| tool.arguments.is_some()).take(TOOLS) {
        let accepted = call(ctx, tool).await?;
        if answered.load(Ordering::Relaxed) == 0 {
            let _ = accepted.outcome();
            if is_slow(&accepted) {
                break;
            }
            continue;
        }
        ctx.check("elicitation-refused").judge(is_handled(&accepted));
        let mut refused = Vec::new();
        let actions: [User; 2] =
            [|_| ElicitationResponse::decline(), |_| ElicitationResponse::cancel()];
        for action in actions {
            user(ctx, &answered, action);
            let reply = call(ctx, tool).await?;
            ctx.check("elicitation-refused").judge(is_handled(&reply));
            refused.push(outcome(&reply));
        }
        if !succeeded(&accepted) {
            let why = "the call does not succeed with valid content either";
            drop(ctx.check("elicitation-validated").info(why));
            return Ok(());
        }
        user(ctx, &answered, |form| {
            let schema = form.param("requestedSchema");
            ElicitationResponse::accept(schema.map_or_else(Object::new, misfit))
        });
        let reply = call(ctx, tool).await?;
        let is_used = succeeded(&reply) && !refused.contains(&outcome(&reply));
        ctx.check("elicitation-validated").judge(ensure(!is_used, || {
            Finding::peer("the tool uses content that does not fit its form")
                .expected("an error, another elicitation, or the result of a refusal")
                .got(reply.outcome().map_or_else(ToString::to_string, |result| result.short(120)))
                .evidence_all(reply.evidence())
                .should()
        }));
        return Ok(());
    }
    let why = "no tool that may be called elicits input by a form";
    drop(ctx.check("elicitation-refused").skip(why));
    Ok(())
}

/// Sets how the user answers, and counts the answers.
fn user(ctx: &mut Ctx, answered: &Arc<AtomicUsize>, action: User) {
    answered.store(0, Ordering::Relaxed);
    let answered = answered.clone();
    ctx.on_elicitation(move |form| {
        if answered.fetch_add(1, Ordering::Relaxed) < ANSWERS {
            action(form)
        } else {
            ElicitationResponse::cancel()
        }
    });
}

async fn call(ctx: &mut Ctx, tool: &CallableTool) -> Result<Reply, Finding> {
    let arguments = tool.arguments.as_ref().map(Value::to_serde);
    ctx.request("tools/call", json!({"name": tool.name, "arguments": arguments})).await
}

/// Content that does not fit: nothing, where the form requires something, or else values of other types.
fn misfit(schema: &Value) -> Object {
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    let mut content = Object::new();
    if required.is_empty() {
        let fields = schema.get("properties").and_then(Value::as_object);
        for (name, field) in fields.into_iter().flat_map(Object::effective) {
            let is_text = field.get("type").and_then(Value::as_str) == Some("string");
            let value = if is_text { json!(7) } else { json!("mcp-test") };
            content.push(name, Value::from(value));
        }
    }
    content
}

fn succeeded(reply: &Reply) -> bool {
    let result = reply.outcome();
    result.is_ok_and(|result| result.get("isError").and_then(Value::as_bool) != Some(true))
}

/// What a call has resulted in, to be compared.
fn outcome(reply: &Reply) -> Result<(Option<Value>, Option<Value>), i64> {
    let result = reply.outcome().map_err(|error| error.code)?;
    Ok((result.get("content").cloned(), result.get("structuredContent").cloned()))
}

/// Whether the answer of the user is not a failure of the server.
fn is_handled(reply: &Reply) -> Result<(), Finding> {
    let error = reply.error().filter(|error| error.code == error_code::INTERNAL_ERROR);
    ensure(error.is_none(), || {
        Finding::peer("the tool fails at the answer of the user")
            .expected("a result, or an error with a specific code")
            .got(error.map(ToString::to_string).unwrap_or_default())
            .evidence_all(reply.evidence())
            .should()
    })
}

proofs! {
    // A tool that asks for a name.
    passes on asking_but(|_| None);
    warns "elicitation-refused" on failing_on_refusal();
    warns "elicitation-refused" on failing_on_refusal(), at V2025_11_25;
    warns "elicitation-validated" on accepting_anything();
    warns "elicitation-validated" on accepting_anything(), at V2025_06_18;
}

/// The same server, with other results for some answers of the user.
fn asking_but(other: fn(&Value) -> Option<Answer>) -> Server {
    let harmless = json!({"readOnlyHint": true});
    let tool = json!({"name": "greet", "inputSchema": {"type": "object"}, "annotations": harmless});
    let server = everything().on("tools/list", move |_: Call| {
        let tool = tool.clone();
        async move { json!({"tools": [tool]}) }
    });
    server.on("tools/call", move |call: Call| async move {
        if let Err(instead) = call.require(Capability::Elicitation) {
            return instead;
        }
        let name = json!({"type": "string", "description": "A name"});
        let form = json!({"type": "object", "properties": {"name": name}, "required": ["name"]});
        let asked = json!({"message": "What is your name?", "requestedSchema": form});
        match call.ask("elicitation/create", asked).await {
            Ok(user) => other(&user).unwrap_or_else(|| greet(&user)),
            Err(AskError::InputRequired(answer)) => answer,
            Err(error) => error.into(),
        }
    })
}

fn greet(user: &Value) -> Answer {
    let action = user.get("action").and_then(Value::as_str);
    match (action, user.at("/content/name").and_then(Value::as_str)) {
        (Some("accept"), Some(name)) => said(&format!("Hello {name}!"), false),
        (Some("accept"), None) => said("The name is missing.", true),
        _ => said("Hello, whoever you are!", false),
    }
}

fn said(text: &str, is_error: bool) -> Answer {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error}).into()
}

/// Fails if the user declines.
fn failing_on_refusal() -> Server {
    asking_but(|user| {
        let declines = user.get("action").and_then(Value::as_str) == Some("decline");
        declines.then(|| Answer::error(error_code::INTERNAL_ERROR, "no `content`"))
    })
}

/// Takes any content for a name.
fn accepting_anything() -> Server {
    asking_but(|user| {
        let name =
            user.at("/content")?.get("name").map_or("undefined".to_owned(), Value::to_string);
        Some(said(&format!("Hello {name}!"), false))
    })
}
