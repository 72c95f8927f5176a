//! The resources of the reference server.

use serde_json::json;

use super::{Answer, Call, text};
use crate::{spec::error_code, wire::RpcError};

const STATIC_TEXT: &str = "test://static-text";
const WATCHED: &str = "test://watched-resource";

pub(super) fn list() -> serde_json::Value {
    json!({ "resources": [
        {
            "uri": STATIC_TEXT,
            "name": "static-text",
            "description": "A piece of text that never changes.",
            "mimeType": "text/plain",
        },
        {
            "uri": WATCHED,
            "name": "watched-resource",
            "description": "A piece of text of which clients can be told when it changes.",
            "mimeType": "text/plain",
        },
    ] })
}

pub(super) fn templates() -> serde_json::Value {
    json!({ "resourceTemplates": [{
        "uriTemplate": "test://template/{id}/data",
        "name": "template-data",
        "description": "Some data about the thing with that id.",
        "mimeType": "application/json",
    }] })
}

pub(super) fn read(call: &Call) -> Answer {
    found(call)
        .map(|(uri, mime_type, text)| {
            json!({ "contents": [{ "uri": uri, "mimeType": mime_type, "text": text }] })
        })
        .into()
}

/// Nothing changes by itself, so there is nothing to keep in mind about who wants to know.
pub(super) fn subscribe(call: &Call) -> Answer {
    found(call).map(|_| json!({})).into()
}

/// The resource that is asked for: its URI, its MIME type and its text.
fn found(call: &Call) -> Result<(&str, &'static str, String), RpcError> {
    let uri = text(call, "uri")?;
    let plain = |text: &str| Ok((uri, "text/plain", text.to_owned()));
    match uri {
        STATIC_TEXT => return plain("This is the content of the static text resource."),
        WATCHED => return plain("This is the content of the watched resource."),
        _ => {}
    }
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    match id {
        Some(id) if !id.is_empty() && !id.contains('/') => {
            let data = format!("Data for ID: {id}");
            let data = json!({ "id": id, "templateTest": true, "data": data });
            Ok((uri, "application/json", data.to_string()))
        }
        _ => {
            let code = error_code::resource_not_found(call.revision());
            Err(RpcError::new(code, "resource not found").with_data(json!({ "uri": uri })))
        }
    }
}
