//! Assertions of what a resource holds.

use super::assertions;
use super::reply::complete;
use super::text::{quoted, which_differs};
use crate::check::Finding;
use crate::client::ResourceContents;
use crate::expect::{self, Matcher, words};
use crate::json::{Object, Value};

assertions! { [] ResourceContents {
    /// Asserts that an entry holds exactly this text.
    assert_text / try_text (self, text: &str) { check_text(&self, text) }

    /// Asserts that an entry holds a text that contains this one.
    assert_text_contains / try_text_contains (self, part: &str) {
        check(&self, "text", format!("a text that contains {}", quoted(part)), |text| text.contains(part))
    }

    /// Asserts that an entry holds this blob, given in Base64 as it stands on the wire.
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

    /// Asserts how many entries there are.
    assert_len / try_len (self, len: usize) { check_len(&self, len) }
}}

fn entries(contents: &ResourceContents) -> Result<&[Value], Finding> {
    let reply = contents.reply();
    let result = complete(reply)?;
    let wanted = expect::object().member("contents", expect::array_of(expect::object()));
    wanted.check(result).map_err(|mismatch| {
        Finding::mismatch("the result of `resources/read` has no contents", &mismatch)
            .requires("schema.read-resource-result")
            .evidence_all(reply.evidence())
    })?;
    Ok(result.get("contents").and_then(Value::as_array).unwrap_or_default())
}

fn other(contents: &ResourceContents) -> Finding {
    Finding::peer("the resource holds something else than expected")
        .evidence_all(contents.reply().evidence())
}

/// What the member of this name is in each entry, in words.
fn held(entries: &[Value], name: &str) -> String {
    if entries.is_empty() {
        return "no contents at all".to_owned();
    }
    let held = entries.iter().map(|entry| match entry.get(name) {
        Some(value) => format!("`{name}` {}", words::got(Some(value))),
        None => {
            let names = entry.as_object().into_iter().flat_map(Object::keys);
            format!("an entry without `{name}`; it has {}", super::text::names(names))
        }
    });
    words::list(held, "and")
}

fn check(
    contents: &ResourceContents,
    name: &str,
    expected: String,
    holds: impl Fn(&str) -> bool,
) -> Result<(), Finding> {
    let entries = entries(contents)?;
    if entries.iter().any(|entry| entry.get(name).and_then(Value::as_str).is_some_and(&holds)) {
        return Ok(());
    }
    Err(other(contents).expected(expected).got(held(entries, name)))
}

fn check_text(contents: &ResourceContents, text: &str) -> Result<(), Finding> {
    check(contents, "text", format!("the text {}", quoted(text)), |got| got == text).map_err(
        |finding| {
            let only = match entries(contents) {
                Ok([only]) => only.get("text").and_then(Value::as_str),
                _ => None,
            };
            match (only.and_then(|got| which_differs(text, got)), finding.got.clone()) {
                (Some(which), Some(got)) => finding.got(format!("{got}, which {which}")),
                _ => finding,
            }
        },
    )
}

fn check_len(contents: &ResourceContents, len: usize) -> Result<(), Finding> {
    let entries = entries(contents)?;
    if entries.len() == len {
        return Ok(());
    }
    let plural = if len == 1 { "entry" } else { "entries" };
    Err(other(contents).expected(format!("{len} {plural}")).got(format!(
        "{}: {}",
        entries.len(),
        held(entries, "uri")
    )))
}
