//! The tools that return content of each kind.

use serde_json::json;

use crate::server::Answer;
use crate::server::reference::PIXEL;
use crate::spec::Revision;

/// A WAV file with two samples of silence, in Base64.
const SILENCE: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";

/// Names and descriptions of these tools, none of which takes arguments.
pub(super) fn tools(revision: Revision) -> impl Iterator<Item = (&'static str, &'static str)> {
    let tools = [
        ("test_image_content", "Answers with a picture."),
        ("test_audio_content", "Answers with a sound."),
        ("test_embedded_resource", "Answers with a resource."),
        ("test_multiple_content_types", "Answers with text, a picture and a resource."),
    ];
    let has_audio = revision.has_audio_content();
    tools.into_iter().filter(move |(name, _)| has_audio || *name != "test_audio_content")
}

/// Calls a tool, if it is one of these.
pub(super) fn call(name: &str, revision: Revision) -> Option<Answer> {
    let (name, _) = tools(revision).find(|(known, _)| *known == name)?;
    let image = json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" });
    let content = match name {
        "test_image_content" => json!([image]),
        "test_audio_content" => {
            json!([{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }])
        }
        "test_embedded_resource" => json!([embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )]),
        "test_multiple_content_types" => {
            let data = json!({ "test": "data", "value": 123 }).to_string();
            let resource = embedded("test://mixed-content-resource", "application/json", &data);
            let text = json!({ "type": "text", "text": "Multiple content types test:" });
            json!([text, image, resource])
        }
        _ => return None,
    };
    Some(json!({ "content": content }).into())
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> serde_json::Value {
    let resource = json!({ "uri": uri, "mimeType": mime_type, "text": text });
    json!({ "type": "resource", "resource": resource })
}
