//! The resources of the reference server.

use serde_json::json;

use super::{Answer, Call, PIXEL, demo, skills, text};
use crate::spec::{Revision, error_code};
use crate::wire::RpcError;

const STATIC_TEXT: &str = "test://static-text";
const STATIC_BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";

pub(super) fn list(revision: Revision) -> serde_json::Value {
    let mut resources = vec![
        json!({
            "uri": STATIC_TEXT,
            "name": "static-text",
            "description": "A piece of text that never changes.",
            "mimeType": "text/plain",
        }),
        json!({
            "uri": STATIC_BINARY,
            "name": "static-binary",
            "description": "A picture that never changes.",
            "mimeType": "image/png",
        }),
        json!({
            "uri": WATCHED,
            "name": "watched-resource",
            "description": "A piece of text of which clients can be told when it changes.",
            "mimeType": "text/plain",
        }),
    ];
    resources.extend(demo::resources());
    resources.extend(skills::at(revision).resources());
    json!({ "resources": resources })
}

pub(super) fn templates(_: Revision) -> serde_json::Value {
    let mut templates = vec![json!({
        "uriTemplate": "test://template/{id}/data",
        "name": "template-data",
        "description": "Some data about the thing with that id.",
        "mimeType": "application/json",
    })];
    templates.extend(demo::templates());
    json!({ "resourceTemplates": templates })
}

pub(super) fn read(call: &Call) -> Answer {
    found(call).map(|contents| json!({ "contents": [contents] })).into()
}

/// The server records subscriptions itself, so this only checks that the resource exists.
pub(super) fn subscribe(call: &Call) -> Answer {
    found(call).map(|_| json!({})).into()
}

/// The contents of the requested resource.
fn found(call: &Call) -> Result<serde_json::Value, RpcError> {
    let uri = text(call, "uri")?;
    let plain = |text: &str| Ok(json!({ "uri": uri, "mimeType": "text/plain", "text": text }));
    match uri {
        STATIC_TEXT => return plain("This is the content of the static text resource."),
        STATIC_BINARY => return Ok(json!({ "uri": uri, "mimeType": "image/png", "blob": PIXEL })),
        WATCHED => return plain("This is the content of the watched resource."),
        _ => {}
    }
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    if let Some(id) = id.filter(|id| !id.is_empty() && !id.contains('/')) {
        let data = format!("Data for ID: {id}");
        let data = json!({ "id": id, "templateTest": true, "data": data });
        let text = data.to_string();
        return Ok(json!({ "uri": uri, "mimeType": "application/json", "text": text }));
    }
    demo::read(uri).or_else(|| skills::at(call.revision()).read(uri)).ok_or_else(|| {
        let code = error_code::resource_not_found(call.revision());
        RpcError::new(code, "resource not found").with_data(json!({ "uri": uri }))
    })
}
