//! What the content of results must be beyond its shape: annotations, embedded resources, and structured content as text.

use crate::check::Finding;
use crate::check::cited::{Cited, cites};
use crate::expect::words::{self, excerpt};
use crate::json::Value;
use crate::spec::Requirement;

cites! {
    MCP_TEST_MIME_TYPES, PROMPTS_CONTENT_AUDIO_BASE64_MIME, PROMPTS_CONTENT_EMBEDDED_MIME,
    PROMPTS_CONTENT_IMAGE_BASE64_MIME, RESOURCES_ANNOTATIONS_LAST_MODIFIED_ISO8601,
    TOOLS_CONTENT_EMBEDDED_NEEDS_RESOURCES_CAPABILITY, TOOLS_STRUCTURED_TEXT_MIRROR,
}

/// What is wrong with the content of a result, whatever the revision.
///
/// `has_resources` says whether the server declares them, if that is known.
pub(super) fn judge(
    method: &str,
    result: &Value,
    has_resources: Option<bool>,
) -> Vec<(Finding, Cited)> {
    let mut found = Vec::new();
    let items = items(method, result);
    found.extend(items.iter().filter_map(|item| last_modified(item)));
    if method != "prompts/get" {
        found.extend(mime_type(method, result));
    }
    match method {
        "tools/call" => {
            if has_resources == Some(false) {
                found.extend(items.iter().find_map(|item| embedded(item)));
            }
            found.extend(unrepeated(result));
        }
        "prompts/get" => found.extend(items.iter().filter_map(|item| prompt_content(item))),
        _ => {}
    }
    found
}

/// The items of a result that may have annotations.
fn items<'a>(method: &str, result: &'a Value) -> Vec<&'a Value> {
    let of = |member: &str| result.get(member).and_then(Value::as_array).unwrap_or_default().iter();
    match method {
        "tools/call" => of("content").collect(),
        "prompts/get" => of("messages").filter_map(|message| message.get("content")).collect(),
        "resources/list" => of("resources").collect(),
        "resources/templates/list" => of("resourceTemplates").collect(),
        _ => Vec::new(),
    }
}

fn is(item: &Value, kind: &str) -> bool {
    item.get("type").and_then(Value::as_str) == Some(kind)
}

/// That it is a string is a matter of its shape.
fn last_modified(item: &Value) -> Option<(Finding, Cited)> {
    let time = item.get("annotations")?.get("lastModified")?.as_str()?;
    let finding = Finding::peer("`lastModified` is not a time in ISO 8601")
        .expected("a date, or a date and a time, like `2025-01-12T15:00:58Z`")
        .got(excerpt(time).into_owned());
    (!may_be_iso_8601(time)).then_some((finding, RESOURCES_ANNOTATIONS_LAST_MODIFIED_ISO8601))
}

/// Whether a text is not evidently something else: ISO 8601 has many forms, all of which begin with a year of four digits.
fn may_be_iso_8601(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let is_valid = |it: char| it.is_ascii_digit() || "-:.,+TWZtwz ".contains(it);
    // Of only digits there are a year and a date; other numbers are seconds.
    let begins =
        if digits == text.len() { [4, 8].contains(&digits) } else { [4, 7, 8].contains(&digits) };
    begins && text.chars().all(is_valid)
}

fn embedded(item: &Value) -> Option<(Finding, Cited)> {
    let uri = item.get("resource")?.get("uri")?.as_str()?;
    let finding =
        Finding::peer("a tool embeds a resource, and the server does not declare `resources`")
            .expected("`resources` among the capabilities of the server")
            .got(format!("the resource {}", excerpt(uri)));
    is(item, "resource").then_some((finding, TOOLS_CONTENT_EMBEDDED_NEEDS_RESOURCES_CAPABILITY))
}

/// Structured content that no text repeats, for clients that read only texts.
#[doc(hidden)]
pub fn unrepeated_structured_content(result: &Value) -> Option<(Finding, &'static Requirement)> {
    unrepeated(result).map(|(finding, rule)| (finding.should(), rule.0))
}

fn unrepeated(result: &Value) -> Option<(Finding, Cited)> {
    let structured = result.get("structuredContent")?;
    if result.get("isError") == Some(&Value::Bool(true)) {
        return None;
    }
    let items = items("tools/call", result);
    let texts = items.iter().filter(|item| is(item, "text"));
    let mut texts = texts.filter_map(|item| item.get("text")?.as_str());
    let repeats =
        |text: &str| Value::parse(text.as_bytes()).is_ok_and(|it| it.value == *structured);
    let finding = Finding::peer("no text of a result repeats its structured content")
        .expected("the same value as JSON in a text item of `content`")
        .got(format!("{} only in `structuredContent`", structured.short(80)));
    (!texts.any(repeats)).then_some((finding, TOOLS_STRUCTURED_TEXT_MIRROR))
}

/// The MIME type of an image, audio or embedded resource in a prompt.
fn prompt_content(item: &Value) -> Option<(Finding, Cited)> {
    let mime = |value: &Value| value.get("mimeType").and_then(Value::as_str).map(str::to_owned);
    if is(item, "resource") {
        let resource = item.get("resource").filter(|resource| resource.as_object().is_some())?;
        let mime = mime(resource);
        let finding = Finding::peer("a resource that a prompt embeds has no MIME type")
            .expected("`mimeType` like `text/plain`")
            .got(mime.as_deref().map_or("none".to_owned(), |mime| excerpt(mime).into_owned()));
        let is_valid = mime.is_some_and(|mime| is_mime_type(&mime));
        return (!is_valid).then_some((finding, PROMPTS_CONTENT_EMBEDDED_MIME));
    }
    let rule = match (is(item, "image"), is(item, "audio")) {
        (true, _) => PROMPTS_CONTENT_IMAGE_BASE64_MIME,
        (_, true) => PROMPTS_CONTENT_AUDIO_BASE64_MIME,
        _ => return None,
    };
    // Without one, the shape is wrong.
    let mime = mime(item)?;
    let finding = Finding::peer("the MIME type in the content of a prompt is not one")
        .expected("a type and a subtype, like `image/png`")
        .got(excerpt(&mime).into_owned());
    (!is_mime_type(&mime)).then_some((finding, rule))
}

/// The first MIME type that is not one: of resources and templates as listed, of what was read, of images and audio of tools.
///
/// Those of prompts have requirements of their own.
fn mime_type(method: &str, result: &Value) -> Option<(Finding, Cited)> {
    let of = |member: &str| result.get(member).and_then(Value::as_array).unwrap_or_default().iter();
    let parts: Vec<&Value> = match method {
        "resources/read" => of("contents").collect(),
        "tools/call" => {
            of("content").filter_map(|item| item.get("resource").or(Some(item))).collect()
        }
        _ => items(method, result),
    };
    let mut types = parts.into_iter().filter_map(|part| part.get("mimeType")?.as_str());
    let wrong = types.find(|mime| !is_mime_type(mime))?;
    let finding = Finding::peer(format!("a MIME type in the result of `{method}` is not one"))
        .expected("a type and a subtype, like `text/plain`")
        .got(words::quoted(wrong.as_bytes()));
    Some((finding, MCP_TEST_MIME_TYPES))
}

/// RFC 6838, section 4.2: a type and a subtype; parameters may follow.
fn is_mime_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim();
    let is_name = |name: &str| {
        let is_valid = |it: char| it.is_ascii_alphanumeric() || "!#$&-^_.+".contains(it);
        !name.is_empty() && name.chars().all(is_valid)
    };
    essence.split_once('/').is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::spec::Requirement;

    fn broken(
        method: &str,
        result: serde_json::Value,
        has_resources: bool,
    ) -> Vec<&'static Requirement> {
        let found = judge(method, &result.into(), Some(has_resources));
        found.into_iter().map(|(_, rule)| rule.0).collect()
    }

    #[test]
    fn structured_content_is_repeated_as_json() {
        let result = |text: &str| json!({ "content": [{ "type": "text", "text": text }], "structuredContent": { "a": 1 } });
        assert!(broken("tools/call", result(r#"{ "a": 1 }"#), true).is_empty());
        assert_eq!(
            broken("tools/call", result("a: 1"), true),
            [Requirement::TOOLS_STRUCTURED_TEXT_MIRROR]
        );
        let failed = json!({ "content": [], "structuredContent": {}, "isError": true });
        assert!(broken("tools/call", failed, true).is_empty());
    }

    #[test]
    fn embedded_resources_need_the_capability_and_in_prompts_a_type() {
        let item = json!({ "type": "resource", "resource": { "uri": "a:b", "text": "" } });
        let result =
            json!({ "content": [item], "messages": [{ "role": "user", "content": item }] });
        assert!(broken("tools/call", result.clone(), true).is_empty());
        assert_eq!(
            broken("tools/call", result.clone(), false),
            [Requirement::TOOLS_CONTENT_EMBEDDED_NEEDS_RESOURCES_CAPABILITY]
        );
        assert_eq!(
            broken("prompts/get", result, true),
            [Requirement::PROMPTS_CONTENT_EMBEDDED_MIME]
        );
    }

    #[test]
    fn mime_types_of_other_results_are_judged() {
        let png = json!({ "uri": "a:b", "mimeType": "png" });
        let image = json!({ "type": "image", "data": "", "mimeType": "png" });
        let embedded = json!({ "type": "resource", "resource": png });
        for (method, result) in [
            ("resources/list", json!({ "resources": [{ "uri": "a:a" }, png] })),
            ("resources/templates/list", json!({ "resourceTemplates": [png] })),
            ("resources/read", json!({ "contents": [png] })),
            ("tools/call", json!({ "content": [image] })),
            ("tools/call", json!({ "content": [embedded] })),
        ] {
            assert_eq!(
                broken(method, result, true),
                [Requirement::MCP_TEST_MIME_TYPES],
                "{method}"
            );
        }
        let read = json!({ "contents": [{ "uri": "a:b", "mimeType": "inode/directory" }] });
        assert!(broken("resources/read", read, true).is_empty());
    }

    #[test]
    fn times_and_types_are_recognized() {
        for time in [
            "2025-01-12T15:00:58Z",
            "2025-01-12",
            "20250112T150058Z",
            "2025-W03",
            "2025",
            "2025-01-12 15:00:58+01:00",
        ] {
            assert!(may_be_iso_8601(time), "{time}");
        }
        for time in ["yesterday", "1736694058", "Sun, 12 Jan 2025", "12.01.2025", ""] {
            assert!(!may_be_iso_8601(time), "{time}");
        }
        for (mime, is_valid) in [
            ("image/svg+xml", true),
            ("text/plain; charset=utf-8", true),
            ("png", false),
            ("image/", false),
        ] {
            assert_eq!(is_mime_type(mime), is_valid, "{mime}");
        }
    }
}
