//! The resources of the demo server: a static one, and one of each kind for every number.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

const DOCUMENT: &str = "demo://resource/static/document/structure.md";

/// The kind of content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Blob,
}

impl Kind {
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Text, Self::Blob].into_iter().find(|kind| kind.name() == name)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Text => "Text",
            Self::Blob => "Blob",
        }
    }

    /// The URI of resources of the kind, without their number.
    pub(super) const fn base(self) -> &'static str {
        match self {
            Self::Text => "demo://resource/dynamic/text/",
            Self::Blob => "demo://resource/dynamic/blob/",
        }
    }

    pub(super) fn uri(self, id: u64) -> String {
        format!("{}{id}", self.base())
    }
}

pub(in crate::server::reference) fn resources() -> Vec<serde_json::Value> {
    vec![json!({
        "uri": DOCUMENT,
        "name": "structure.md",
        "description": "A document.",
        "mimeType": "text/markdown",
    })]
}

pub(in crate::server::reference) fn templates() -> Vec<serde_json::Value> {
    [(Kind::Text, "text/plain"), (Kind::Blob, "text/plain")]
        .map(|(kind, mime_type)| {
            json!({
                "uriTemplate": format!("{}{{resourceId}}", kind.base()),
                "name": format!("Dynamic {} Resource", kind.name()),
                "description": "One for each number.",
                "mimeType": mime_type,
            })
        })
        .into()
}

/// The contents of a resource of the demo server.
pub(in crate::server::reference) fn read(uri: &str) -> Option<serde_json::Value> {
    if uri == DOCUMENT {
        let text = "# Structure\n\nThis document never changes.\n";
        return Some(json!({ "uri": uri, "mimeType": "text/markdown", "text": text }));
    }
    let of = |kind: Kind| Some((kind, uri.strip_prefix(kind.base())?.parse().ok()?));
    let (kind, id) = of(Kind::Text).or_else(|| of(Kind::Blob))?;
    // As in the everything server, the numbers start at 1.
    (id > 0).then(|| dynamic(kind, id))
}

/// The contents of the resource with a number.
pub(super) fn dynamic(kind: Kind, id: u64) -> serde_json::Value {
    let text = format!("Resource {id}: always the same");
    let uri = kind.uri(id);
    match kind {
        Kind::Text => json!({ "uri": uri, "mimeType": "text/plain", "text": text }),
        Kind::Blob => {
            let bytes = STANDARD.encode(&text);
            json!({ "uri": uri, "mimeType": "text/plain", "blob": bytes })
        }
    }
}
