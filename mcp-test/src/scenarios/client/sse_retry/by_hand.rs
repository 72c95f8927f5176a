//! Clients that come back for the rest of an event stream in ways of their own, for the proofs.

use std::time::Duration;

use serde_json::json;

use super::TOOL;
use crate::client::{Errand, Visitor};
use crate::clock::Deadline;
use crate::spec::{Revision, header};
use crate::transport::{HttpAnswer, HttpRequest};

/// A client that has its own way of coming back for the answer.
fn coming_back(way: fn(&HttpAnswer) -> Option<HttpRequest>) -> Visitor {
    Visitor::new(move |errand: Errand| async move {
        let link = errand.open().await?;
        let deadline = Deadline::after(Duration::from_secs(20));
        let mut session = String::new();
        let mut said = None;
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": errand.revision().as_str(),
                "capabilities": {},
                "clientInfo": {"name": "by-hand", "version": "1.0.0"},
            }}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": TOOL}}),
        ] {
            let request = HttpRequest::post(message.to_string())
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream");
            let answer = link.http(in_session(request, &session), deadline).await?;
            if let Some(issued) = answer.header(header::MCP_SESSION_ID) {
                session = issued.to_owned();
            }
            said = Some(answer);
        }
        if let Some(get) = said.as_ref().and_then(way) {
            link.open_http(in_session(get, &session), deadline).await?;
        }
        Ok(())
    })
}

fn in_session(request: HttpRequest, session: &str) -> HttpRequest {
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

/// Takes the end of the stream for the end of the call.
pub(super) fn never() -> Visitor {
    coming_back(|_| None)
}

/// Cannot wait.
pub(super) fn at_once() -> Visitor {
    coming_back(|said| {
        let last = said.events.iter().rev().find_map(|event| event.id.clone());
        Some(get().header("Last-Event-ID", last.unwrap_or_default()))
    })
}

/// Comes back for whatever there may be.
pub(super) fn anew() -> Visitor {
    coming_back(|_| Some(get()))
}

/// Comes back for the rest of another stream.
pub(super) fn astray() -> Visitor {
    coming_back(|_| Some(get().header("Last-Event-ID", "elsewhere")))
}
