//! The content items of tool results and prompt messages, and the assertions about them.

use super::text::{got_which, quoted, which_differs};
use crate::check::Finding;
use crate::expect::words;
use crate::json::Value;

/// The number of items that a message lists: each may take a line or more.
const LISTED: usize = 8;

/// The content items of one reply, and the finding that a failed assertion returns.
pub(super) struct Content<'a> {
    pub(super) items: Vec<&'a Value>,
    /// For example "unexpected content in the result of tool `add`".
    pub(super) finding: Finding,
}

/// The assertions about content items; `$content` returns the [`Content`] of the subject.
macro_rules! content_assertions {
    ($subject:ty, $content:path) => {
        assertions! { [] $subject {
            /// Asserts that one text item is exactly this text.
            assert_text / try_text (self, text: &str) {
                $content(&self).and_then(|it| it.check_text(text))
            }

            /// Asserts that one text item contains this text.
            assert_text_contains / try_text_contains (self, part: &str) {
                $content(&self).and_then(|it| it.check_text_contains(part))
            }

            /// Asserts that there is an image with this MIME type.
            assert_image / try_image (self, mime_type: &str) {
                $content(&self).and_then(|it| it.check_media("image", mime_type))
            }

            /// Asserts that there is audio with this MIME type.
            assert_audio / try_audio (self, mime_type: &str) {
                $content(&self).and_then(|it| it.check_media("audio", mime_type))
            }

            /// Asserts that there is a link to the resource with this URI.
            assert_resource_link / try_resource_link (self, uri: &str) {
                $content(&self).and_then(|it| it.check_resource_link(uri))
            }

            /// Asserts that the resource with this URI is embedded.
            assert_embedded_resource / try_embedded_resource (self, uri: &str) {
                $content(&self).and_then(|it| it.check_embedded_resource(uri))
            }
        }}
    };
}

pub(super) use content_assertions;

impl<'a> Content<'a> {
    /// One text item is exactly this text.
    pub(super) fn check_text(self, text: &str) -> Result<(), Finding> {
        if self.texts().any(|got| got == text) {
            return Ok(());
        }
        // Only with a single text is it clear which one to compare with.
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
        let article = article(kind);
        let expected = format!("{article}{kind} with MIME type `{mime_type}` and data");
        self.check_any(expected, |item| {
            // Empty data is valid Base64, but not an image or audio.
            let data = item.get("data").and_then(Value::as_str).unwrap_or_default();
            text(item, "type") == kind && text(item, "mimeType") == mime_type && !data.is_empty()
        })
    }

    /// One item is a link to this URI.
    pub(super) fn check_resource_link(self, uri: &str) -> Result<(), Finding> {
        self.check_any(format!("a link to the resource `{uri}`"), |item| {
            text(item, "type") == "resource_link" && text(item, "uri") == uri
        })
    }

    /// One item embeds the resource with this URI, as text or blob.
    pub(super) fn check_embedded_resource(self, uri: &str) -> Result<(), Finding> {
        self.check_any(format!("the embedded resource `{uri}`"), |item| {
            let resource = item.get("resource").unwrap_or(&Value::Null);
            // What MCP's schema calls TextResourceContents and BlobResourceContents.
            let has_data = ["text", "blob"].iter().any(|name| resource.get(name).is_some());
            text(item, "type") == "resource" && text(resource, "uri") == uri && has_data
        })
    }

    /// The text of the only text item.
    pub(super) fn only_text(self) -> Result<&'a str, Finding> {
        let texts: Vec<&'a str> = self.texts().collect();
        match texts.as_slice() {
            [only] => Ok(only),
            _ => Err(self.finding.clone().expected("one text item").got(self.describe())),
        }
    }

    pub(super) fn check_len(self, len: usize) -> Result<(), Finding> {
        if self.items.len() == len {
            return Ok(());
        }
        self.missing(words::count(len, "content item"), None)
    }

    fn check_any(self, expected: String, is: impl Fn(&Value) -> bool) -> Result<(), Finding> {
        if self.items.iter().any(|item| is(item)) {
            return Ok(());
        }
        self.missing(expected, None)
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> {
        let texts = self.items.iter().filter(|item| text(item, "type") == "text");
        texts.filter_map(|item| item.get("text")?.as_str())
    }

    fn missing(self, expected: String, which: Option<String>) -> Result<(), Finding> {
        let got = got_which(&self.describe(), which);
        Err(self.finding.expected(expected).got(got))
    }

    pub(super) fn describe(&self) -> String {
        let shown: Vec<String> =
            self.items.iter().take(LISTED).map(|item| describe(item)).collect();
        match self.items.len().saturating_sub(LISTED) {
            0 if shown.is_empty() => "no content".to_owned(),
            0 => words::list(shown, "and"),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }
}

/// A short description of a content item.
fn describe(item: &Value) -> String {
    match text(item, "type") {
        "text" => format!("the text {}", words::got(item.get("text"))),
        kind @ ("image" | "audio") => {
            let data = item.get("data").and_then(Value::as_str).unwrap_or_default();
            let data = words::count(data.len(), "character");
            let article = article(kind);
            format!("{article}{kind} with MIME type `{}` ({data} of data)", text(item, "mimeType"))
        }
        "resource_link" => format!("a link to `{}`", text(item, "uri")),
        "resource" => {
            let resource = item.get("resource").unwrap_or(&Value::Null);
            format!("the embedded resource `{}`", text(resource, "uri"))
        }
        _ => words::got(Some(item)),
    }
}

fn article(kind: &str) -> &'static str {
    if kind == "image" { "an " } else { "" }
}

/// A string member; empty if there is none.
fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
