//! Assertions about the contents of a resource.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;

use super::assertions;
use super::content_item::{Indexed, ResourceContent, item_at};
use super::reply::{check_shape, complete};
use super::rust_types::parse_json;
use super::text::{got_which, quoted, which_differs};
use crate::check::Finding;
use crate::client::ResourceContents;
use crate::expect::{self, words};
use crate::json::{Object, Value};
use crate::spec::Requirement;

assertions! { [] ResourceContents {
    /// Asserts that the text of an entry is exactly this.
    assert_text / try_text (self, text: &str) { check_text(&self, text) }

    /// Asserts that the text of an entry contains this text.
    assert_text_contains / try_text_contains (self, part: &str) {
        check(&self, "text", format!("a text that contains {}", quoted(part)), |text| text.contains(part))
    }

    /// Asserts that an entry has this blob, in Base64 as on the wire.
    assert_blob / try_blob (self, base64: &str) {
        check(&self, "blob", format!("the blob {}", quoted(base64)), |blob| blob == base64)
    }

    /// Asserts that an entry has this MIME type.
    assert_mime_type / try_mime_type (self, mime_type: &str) {
        check(&self, "mimeType", format!("the MIME type `{mime_type}`"), |got| got == mime_type)
    }

    /// Asserts that an entry has this URI.
    assert_uri / try_uri (self, uri: &str) {
        check(&self, "uri", format!("the URI `{uri}`"), |got| got == uri)
    }

    /// Asserts that there is an entry at this index, counted from 0, and returns it; [`ResourceContent::and`] returns to the
    /// contents.
    assert_content / try_content (self, index: usize) -> ResourceContent { content_at(&self, index) }

    /// Asserts the number of entries.
    assert_len / try_len (self, len: usize) { check_len(&self, len) }
}}

impl ResourceContents {
    /// The entries, each with its URI and its text or blob.
    ///
    /// # Errors
    ///
    /// A finding against the peer if the reply is an error, requires input, or has no contents.
    pub fn entries(&self) -> Result<&[Value], Finding> {
        entries(self)
    }

    /// The text of the only entry.
    ///
    /// # Errors
    ///
    /// As [`ResourceContents::entries`]; also if there is more than one entry, or if it is not a text.
    pub fn text(&self) -> Result<&str, Finding> {
        let text = only(self)?.get("text");
        text.and_then(Value::as_str).ok_or_else(|| {
            unexpected(self).expected("an entry with a text").got(words::got(only(self).ok()))
        })
    }

    /// Deserializes the text of the only entry, which is JSON.
    ///
    /// # Errors
    ///
    /// As [`ResourceContents::text`]; also if the text does not have that type.
    pub fn parse_text<T: DeserializeOwned>(&self) -> Result<T, Finding> {
        parse_json(self.text()?, unexpected(self))
    }

    /// The decoded blob of the only entry.
    ///
    /// # Errors
    ///
    /// As [`ResourceContents::entries`]; also if there is more than one entry, or if it has no blob in Base64.
    pub fn bytes(&self) -> Result<Vec<u8>, Finding> {
        let blob = only(self)?.get("blob");
        let bytes = blob.and_then(Value::as_str).and_then(|text| STANDARD.decode(text).ok());
        bytes.ok_or_else(|| {
            unexpected(self)
                .expected("an entry with a blob in Base64")
                .got(words::got(only(self).ok()))
        })
    }
}

fn only(contents: &ResourceContents) -> Result<&Value, Finding> {
    match entries(contents)? {
        [only] => Ok(only),
        several => Err(unexpected(contents).expected("one entry").got(describe(several, "uri"))),
    }
}

fn content_at(contents: &ResourceContents, index: usize) -> Result<Indexed, Finding> {
    let items: Vec<&Value> = entries(contents)?.iter().collect();
    let item = item_at(&items, index, || unexpected(contents))?;
    Ok((index, item.clone(), None))
}

fn entries(contents: &ResourceContents) -> Result<&[Value], Finding> {
    let reply = contents.reply();
    let result = complete(reply)?;
    let shape = expect::object().member("contents", expect::array_of(expect::object()));
    let headline = "the result of `resources/read` has no contents";
    check_shape(reply, result, &shape, headline, Requirement::SCHEMA_READ_RESOURCE_RESULT)?;
    Ok(result.get("contents").and_then(Value::as_array).unwrap_or_default())
}

fn unexpected(contents: &ResourceContents) -> Finding {
    Finding::peer("unexpected contents of the resource").evidence_all(contents.reply().evidence())
}

/// Describes the member with this name in each entry.
fn describe(entries: &[Value], name: &str) -> String {
    if entries.is_empty() {
        return "no contents".to_owned();
    }
    let members = entries.iter().map(|entry| match entry.get(name) {
        Some(value) => format!("`{name}` {}", words::got(Some(value))),
        None => {
            let names = entry.as_object().into_iter().flat_map(Object::keys);
            format!("an entry without `{name}`; it has {}", super::text::names(names))
        }
    });
    words::list(members, "and")
}

fn check(
    contents: &ResourceContents,
    name: &str,
    expected: String,
    matches: impl Fn(&str) -> bool,
) -> Result<(), Finding> {
    let entries = entries(contents)?;
    if entries.iter().any(|entry| entry.get(name).and_then(Value::as_str).is_some_and(&matches)) {
        return Ok(());
    }
    Err(unexpected(contents).expected(expected).got(describe(entries, name)))
}

fn check_text(contents: &ResourceContents, text: &str) -> Result<(), Finding> {
    let checked = check(contents, "text", format!("the text {}", quoted(text)), |got| got == text);
    // Only with a single entry is it clear which text to compare with.
    let Ok([only]) = entries(contents) else { return checked };
    checked.map_err(|finding| {
        let only = only.get("text").and_then(Value::as_str);
        let which = only.and_then(|got| which_differs(text, got));
        let got = got_which(finding.got.as_deref().unwrap_or_default(), which);
        finding.got(got)
    })
}

fn check_len(contents: &ResourceContents, len: usize) -> Result<(), Finding> {
    let entries = entries(contents)?;
    if entries.len() == len {
        return Ok(());
    }
    let plural = if len == 1 { "entry" } else { "entries" };
    Err(unexpected(contents).expected(format!("{len} {plural}")).got(format!(
        "{}: {}",
        entries.len(),
        describe(entries, "uri")
    )))
}
