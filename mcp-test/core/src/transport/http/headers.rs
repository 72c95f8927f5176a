//! The headers that a revision requires of each request.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata>

use crate::spec::{Era, Revision, header, method};
use crate::wire::Message;

/// The headers of a POST at this revision.
pub(super) fn for_message(
    message: Option<&Message>,
    revision: Option<Revision>,
    session: Option<&str>,
) -> Vec<(String, String)> {
    let mut headers = vec![
        pair("Content-Type", "application/json"),
        // The client must accept both, since the server chooses between them.
        pair("Accept", "application/json, text/event-stream"),
    ];
    if let Some(session) = session {
        headers.push(pair(header::MCP_SESSION_ID, session));
    }
    if let Some(revision) = revision {
        headers.extend(version(revision));
        if revision.era() == Era::Stateless {
            headers.extend(mirrored(message));
        }
    }
    headers
}

/// The headers of a GET that opens a stream, or resumes one after this event.
pub(super) fn for_get(
    revision: Option<Revision>,
    session: Option<&str>,
    after: Option<&str>,
) -> Vec<(String, String)> {
    let mut headers = vec![pair("Accept", "text/event-stream")];
    // Clients must repeat the session id in every request of the session.
    headers.extend(session.map(|session| pair(header::MCP_SESSION_ID, session)));
    headers.extend(revision.and_then(version));
    headers.extend(after.map(|after| pair(header::LAST_EVENT_ID, after)));
    headers
}

/// The version header, which 2025-06-18 introduced.
pub(super) fn version(revision: Revision) -> Option<(String, String)> {
    revision.sends_version_header().then(|| pair(header::MCP_PROTOCOL_VERSION, revision.as_str()))
}

/// The headers that mirror the body for intermediaries, which read only headers.
fn mirrored(message: Option<&Message>) -> Vec<(String, String)> {
    // The specification requires `Mcp-Method` of requests only.
    let Some(Message::Request(request)) = message else { return Vec::new() };
    let mut headers = vec![pair(header::MCP_METHOD, &request.method)];
    let name = method(&request.method)
        .and_then(|method| method.name_param)
        .and_then(|member| request.params.as_ref()?.get(member)?.as_str());
    if let Some(name) = name {
        // Names and URIs need not be ASCII; header values of 2026-07-28 carry others as Base64.
        headers.push((header::MCP_NAME.to_owned(), header::encode_value(name)));
    }
    headers
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Id, Request};

    fn call() -> Message {
        let params = serde_json::json!({"name": "überall"}).into();
        Message::Request(Request {
            id: Id::from(1),
            method: "tools/call".to_owned(),
            params: Some(params),
        })
    }

    fn show(revision: Option<Revision>, session: Option<&str>) -> String {
        let headers = for_message(Some(&call()), revision, session);
        headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
    }

    #[test]
    fn each_revision_gets_the_headers_that_it_asks_for() {
        insta::assert_snapshot!(show(None, None), @r"
        Content-Type: application/json
        Accept: application/json, text/event-stream
        ");
        insta::assert_snapshot!(show(Some(Revision::V2025_03_26), Some("s1")), @r"
        Content-Type: application/json
        Accept: application/json, text/event-stream
        Mcp-Session-Id: s1
        ");
        insta::assert_snapshot!(show(Some(Revision::V2025_06_18), Some("s1")), @r"
        Content-Type: application/json
        Accept: application/json, text/event-stream
        Mcp-Session-Id: s1
        MCP-Protocol-Version: 2025-06-18
        ");
        let get = for_get(Some(Revision::V2025_11_25), Some("s1"), Some("e7"));
        let get: Vec<String> = get.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        insta::assert_snapshot!(get.join("\n"), @r"
        Accept: text/event-stream
        Mcp-Session-Id: s1
        MCP-Protocol-Version: 2025-11-25
        Last-Event-ID: e7
        ");
        insta::assert_snapshot!(show(Some(Revision::V2026_07_28), None), @r"
        Content-Type: application/json
        Accept: application/json, text/event-stream
        MCP-Protocol-Version: 2026-07-28
        Mcp-Method: tools/call
        Mcp-Name: =?base64?w7xiZXJhbGw=?=
        ");
    }
}
