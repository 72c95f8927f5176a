//! Every failure message, from real conversations with a scripted server.

mod contents;
mod exchanges;
mod lists;
mod panics;
mod received;
mod replies;
mod results;
mod servers;
mod structured;
mod traces;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use crate::check::{Blame, Finding};
use crate::client::{
    Client, Completion, Options, PromptList, PromptMessages, Reply, RequestOptions,
    ResourceContents, ResourceList, ResourceTemplateList, ToolList, ToolResult,
};
use crate::trace::Recorder;
use crate::transport::{Limits, Target, TransportKind};

/// Answers `initialize`, then each request with the next of these: `{"result": …}` or `{"error": …}`, and before it with the
/// messages in `before`.
async fn serve(io: DuplexStream, answers: Vec<Value>) -> crate::Result {
    let (input, mut output) = tokio::io::split(io);
    let mut lines = BufReader::new(input).lines();
    let hello = json!({"result": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "script", "version": "1"}
    }});
    let mut answers = std::iter::once(hello).chain(answers);
    while let Some(line) = lines.next_line().await? {
        let request: Value = serde_json::from_str(&line)?;
        let Some(id) = request.get("id") else { continue };
        let mut answer = answers.next().ok_or("the script has no more answers")?;
        let before = answer.as_object_mut().and_then(|answer| answer.remove("before"));
        for message in before.iter().filter_map(Value::as_array).flatten() {
            output.write_all(format!("{message}\n").as_bytes()).await?;
        }
        answer["jsonrpc"] = "2.0".into();
        answer["id"] = id.clone();
        output.write_all(format!("{answer}\n").as_bytes()).await?;
    }
    Ok(())
}

/// The replies to one request, all pages of it, from a server that answers as scripted.
fn pages<const N: usize>(method: &str, answers: [Value; N]) -> Vec<Reply> {
    pages_with(method, answers, RequestOptions::new())
}

fn pages_with<const N: usize>(
    method: &str,
    answers: [Value; N],
    options: RequestOptions,
) -> Vec<Reply> {
    let answers = Vec::from(answers);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime
        .block_on(async {
            let target = Target::duplex(move |io| serve(io, answers.clone()));
            let link =
                target.open(TransportKind::Duplex, &Recorder::new(), Limits::default()).await?;
            let mut client = Client::connect(link, Options::default()).await?;
            if N > 1 || method.ends_with("/list") {
                return client.pages(method).await;
            }
            let params = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
            Ok(vec![client.request_with(method, params, options).await?])
        })
        .expect("a conversation")
}

fn reply(method: &str, answer: Value) -> Reply {
    pages(method, [answer]).remove(0)
}

fn call(answer: Value) -> ToolResult {
    reply("tools/call", answer).into()
}

fn texts<const N: usize>(texts: [&str; N]) -> ToolResult {
    let items = texts.map(|text| json!({"type": "text", "text": text})).to_vec();
    call(json!({"result": {"content": items}}))
}

fn refused() -> Value {
    json!({"error": {"code": -32602, "message": "Unknown tool: add", "data": {"known": ["sub"]}}})
}

fn tools() -> ToolList {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": ["number", "null"]}, "digits": {"type": "integer"}},
        "required": ["a", "b"],
    });
    let add = json!({
        "name": "add", "title": "Adder", "description": "Adds two numbers.", "inputSchema": schema,
        "annotations": {"readOnlyHint": true},
    });
    let now = json!({"name": "now", "inputSchema": {"type": "object"}});
    ToolList::new(pages(
        "tools/list",
        [
            json!({"result": {"tools": [add], "nextCursor": "2"}}),
            json!({"result": {"tools": [now]}}),
        ],
    ))
}

/// The message of a failed assertion, with the requirements that it cites.
fn message<T>(outcome: Result<T, Finding>) -> String {
    let Err(finding) = outcome else { panic!("the assertion did not fail") };
    assert_eq!(finding.blame, Blame::Peer);
    let requirements = finding.requirements.iter().map(|id| format!("\n  [{id}]"));
    finding.to_string() + &requirements.collect::<String>()
}

/// The panic message of an assertion.
fn panic_of<T>(assertion: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(assertion)) else {
        panic!("the assertion did not fail")
    };
    *panic.downcast::<String>().expect("a message")
}
