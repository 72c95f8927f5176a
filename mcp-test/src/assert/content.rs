//! Content items, as tool results and prompt messages hold them: which there are, and finding one.

use super::text::{quoted, which_differs};
use crate::check::Finding;
use crate::expect::words;
use crate::json::Value;

/// How many items a message names.
const NAMED: usize = 8;

/// The content items of one reply, with a finding at hand for when they are not as expected.
pub(super) struct Content<'a> {
    pub(super) items: Vec<&'a Value>,
    /// What is not as expected: "the result of `tools/call` holds other content than expected".
    pub(super) finding: Finding,
}

impl Content<'_> {
    /// One text item is exactly this text.
    pub(super) fn check_text(self, text: &str) -> Result<(), Finding> {
        if self.texts().any(|got| got == text) {
            return Ok(());
        }
        // With a single text there is no doubt which one was meant.
        let which = match self.texts().collect::<Vec<_>>().as_slice() {
            [only] => which_differs(text, only),
            _ => None,
        };
        self.missing(format!("the text {}", quoted(text)), which)
    }

    /// One text item contains this text.
    pub(super) fn check_text_contains(self, part: &str) -> Result<(), Finding> {
        if self.texts().any(|got| got.contains(part)) {
            return Ok(());
        }
        self.missing(format!("a text that contains {}", quoted(part)), None)
    }

    /// One item has this `type`, `data`, and this MIME type.
    pub(super) fn check_media(self, kind: &str, mime_type: &str) -> Result<(), Finding> {
        let is = |item: &&&Value| {
            let data = item.get("data").and_then(Value::as_str).unwrap_or_default();
            text(item, "type") == kind && text(item, "mimeType") == mime_type && !data.is_empty()
        };
        if self.items.iter().any(|item| is(&item)) {
            return Ok(());
        }
        let article = if kind == "image" { "an " } else { "" };
        self.missing(format!("{article}{kind} of MIME type `{mime_type}`, with data"), None)
    }

    /// One item is a link to this URI.
    pub(super) fn check_resource_link(self, uri: &str) -> Result<(), Finding> {
        let is = |item: &Value| text(item, "type") == "resource_link" && text(item, "uri") == uri;
        if self.items.iter().any(|item| is(item)) {
            return Ok(());
        }
        self.missing(format!("a link to the resource `{uri}`"), None)
    }

    /// One item embeds the resource with this URI, as text or blob.
    pub(super) fn check_embedded_resource(self, uri: &str) -> Result<(), Finding> {
        let is = |item: &Value| {
            let resource = item.get("resource").unwrap_or(&Value::Null);
            let held = ["text", "blob"].iter().any(|name| resource.get(name).is_some());
            text(item, "type") == "resource" && text(resource, "uri") == uri && held
        };
        if self.items.iter().any(|item| is(item)) {
            return Ok(());
        }
        self.missing(format!("the embedded resource `{uri}`"), None)
    }

    pub(super) fn check_len(self, len: usize) -> Result<(), Finding> {
        if self.items.len() == len {
            return Ok(());
        }
        self.missing(words::count(len, "content item"), None)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.items.iter().filter(|item| text(item, "type") == "text");
        texts.filter_map(|item| item.get("text")?.as_str())
    }

    fn missing(self, expected: String, which: Option<String>) -> Result<(), Finding> {
        let which = which.map_or_else(String::new, |which| format!(", which {which}"));
        let got = format!("{}{which}", self.held());
        Err(self.finding.expected(expected).got(got))
    }

    pub(super) fn held(&self) -> String {
        let shown: Vec<String> =
            self.items.iter().take(NAMED).map(|item| described(item)).collect();
        match self.items.len().saturating_sub(NAMED) {
            0 if shown.is_empty() => "no content at all".to_owned(),
            0 => words::list(shown, "and"),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }
}

/// A content item in a few words.
fn described(item: &Value) -> String {
    match text(item, "type") {
        "text" => format!("the text {}", words::got(item.get("text"))),
        kind @ ("image" | "audio") => {
            let data = item.get("data").and_then(Value::as_str).unwrap_or_default();
            let data = words::count(data.len(), "character");
            let article = if kind == "image" { "an " } else { "" };
            format!("{article}{kind} of MIME type `{}` ({data} of data)", text(item, "mimeType"))
        }
        "resource_link" => format!("a link to `{}`", text(item, "uri")),
        "resource" => {
            let resource = item.get("resource").unwrap_or(&Value::Null);
            format!("the embedded resource `{}`", text(resource, "uri"))
        }
        _ => words::got(Some(item)),
    }
}

/// A string member; empty where there is none.
fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
