//! Clients that reconnect to an event stream in different ways, for the proofs.
//!
//! They send raw HTTP requests: the scripted client waits for the `retry` time and sends the right id.

use serde_json::Value;

use super::TOOL;
use crate::scenarios::prelude::*;

/// A client whose call is followed by this request, built from the response.
fn reconnecting(reconnect: fn(&HttpResponse) -> Option<HttpRequest>) -> ScriptedClient {
    listening(None, reconnect)
}

/// A client whose call is preceded by one request, and followed by another.
fn listening(
    before: Option<fn() -> HttpRequest>,
    reconnect: fn(&HttpResponse) -> Option<HttpRequest>,
) -> ScriptedClient {
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": TOOL}});
    requesting(call, before, reconnect)
}

/// The same with another request in place of the call.
fn requesting(
    request: Value,
    before: Option<fn() -> HttpRequest>,
    reconnect: fn(&HttpResponse) -> Option<HttpRequest>,
) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| {
        let request = request.clone();
        async move {
            let connection = task.open().await?;
            let deadline = Deadline::after(Duration::from_secs(20));
            let mut session = String::new();
            let mut response: Option<HttpResponse> = None;
            let messages = [
                json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                    "protocolVersion": task.revision().as_str(),
                    "capabilities": {},
                    "clientInfo": {"name": "manual", "version": "1.0.0"},
                }}),
                json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            ];
            for message in messages.iter().chain([&request]) {
                if let Some(before) = before.filter(|_| *message == request) {
                    connection.open_http(in_session(before(), &session), deadline).await?;
                }
                let post = HttpRequest::post(message.to_string())
                    .header("Content-Type", "application/json")
                    .header("Accept", "application/json, text/event-stream");
                let answer = connection.http(in_session(post, &session), deadline).await?;
                if let Some(issued) = answer.header(header::MCP_SESSION_ID) {
                    session = issued.to_owned();
                }
                response = Some(answer);
            }
            if let Some(get) = response.as_ref().and_then(reconnect) {
                connection.open_http(in_session(get, &session), deadline).await?;
            }
            Ok(())
        }
    })
}

fn in_session(request: HttpRequest, session: &str) -> HttpRequest {
    // Before the result of `initialize` there is neither a session nor a negotiated revision.
    if session.is_empty() {
        return request;
    }
    request
        .header("Mcp-Session-Id", session)
        .header("MCP-Protocol-Version", Revision::V2025_11_25.as_str())
}

fn get() -> HttpRequest {
    HttpRequest::get().header("Accept", "text/event-stream")
}

/// Does not reconnect.
pub(super) fn never() -> ScriptedClient {
    reconnecting(|_| None)
}

/// Opens a stream before the call, and does not reconnect.
pub(super) fn only_before() -> ScriptedClient {
    listening(Some(get), |_| None)
}

/// Opens a stream, and lists the tools without calling one.
pub(super) fn without_call() -> ScriptedClient {
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    requesting(list, Some(get), |_| None)
}

/// Reconnects without waiting.
pub(super) fn immediately() -> ScriptedClient {
    reconnecting(|response| {
        let last = response.events.iter().rev().find_map(|event| event.id.clone());
        Some(get().header("Last-Event-ID", last.unwrap_or_default()))
    })
}

/// Reconnects without `Last-Event-ID`.
pub(super) fn without_last_event_id() -> ScriptedClient {
    reconnecting(|_| Some(get()))
}

/// Reconnects with the event id of another stream.
pub(super) fn with_foreign_event_id() -> ScriptedClient {
    reconnecting(|_| Some(get().header("Last-Event-ID", "elsewhere")))
}
