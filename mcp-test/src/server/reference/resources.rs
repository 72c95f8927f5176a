//! The resources of the reference server.

use serde_json::json;

use super::{Answer, Call, text};
use crate::{spec::error_code, wire::RpcError};

const STATIC_TEXT: &str = "test://static-text";

pub(super) fn list() -> serde_json::Value {
    json!({ "resources": [{
        "uri": STATIC_TEXT,
        "name": "static-text",
        "description": "A piece of text that never changes.",
        "mimeType": "text/plain",
    }] })
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
    let uri = match text(call, "uri") {
        Ok(uri) => uri,
        Err(error) => return error.into(),
    };
    if uri == STATIC_TEXT {
        return contents(uri, "text/plain", "This is the content of the static text resource.");
    }
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    match id {
        Some(id) if !id.is_empty() && !id.contains('/') => {
            let data =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            contents(uri, "application/json", &data.to_string())
        }
        _ => {
            let code = error_code::resource_not_found(call.revision());
            RpcError::new(code, "resource not found").with_data(json!({ "uri": uri })).into()
        }
    }
}

fn contents(uri: &str, mime_type: &str, text: &str) -> Answer {
    json!({ "contents": [{ "uri": uri, "mimeType": mime_type, "text": text }] }).into()
}
