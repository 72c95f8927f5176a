//! Assertions of the results of tools.

use super::assertions;
use super::content::Content;
use super::reply::complete;
use crate::check::Finding;
use crate::client::ToolResult;
use crate::expect::{self, Matcher, words};
use crate::json::Value;
use crate::trace::Trace;

assertions! { [] ToolResult {
    /// Asserts that the tool did its work: a result with content, neither a JSON-RPC error nor `isError`.
    assert_ok / try_ok (self) { check_ok(&self) }

    /// Asserts that the tool says itself that it failed: a result with content and `isError: true`.
    ///
    /// For a call that is refused with a JSON-RPC error, such as one of an unknown tool, there is
    /// [`assert_error`](Self::assert_error).
    assert_tool_error / try_tool_error (self) { check_tool_error(&self) }

    /// Asserts that a text item of the content is exactly this text.
    assert_text / try_text (self, text: &str) { content(&self).and_then(|it| it.check_text(text)) }

    /// Asserts that a text item of the content contains this text.
    assert_text_contains / try_text_contains (self, part: &str) {
        content(&self).and_then(|it| it.check_text_contains(part))
    }

    /// Asserts that the content has an image of this MIME type.
    assert_image / try_image (self, mime_type: &str) {
        content(&self).and_then(|it| it.check_media("image", mime_type))
    }

    /// Asserts that the content has audio of this MIME type.
    assert_audio / try_audio (self, mime_type: &str) {
        content(&self).and_then(|it| it.check_media("audio", mime_type))
    }

    /// Asserts that the content has a link to the resource with this URI.
    assert_resource_link / try_resource_link (self, uri: &str) {
        content(&self).and_then(|it| it.check_resource_link(uri))
    }

    /// Asserts that the content embeds the resource with this URI.
    assert_embedded_resource / try_embedded_resource (self, uri: &str) {
        content(&self).and_then(|it| it.check_embedded_resource(uri))
    }

    /// Asserts how many content items there are.
    assert_content_len / try_content_len (self, len: usize) {
        content(&self).and_then(|it| it.check_len(len))
    }
}}

fn headline(result: &ToolResult) -> String {
    format!("the result of {} holds other content than expected", called(result))
}

/// "tool `add`", by what the request asked for.
pub(super) fn called(result: &ToolResult) -> String {
    match name(result, &result.reply().recorder().trace()) {
        Some(name) => format!("tool `{name}`"),
        None => "the tool".to_owned(),
    }
}

/// The tool that the request asked for.
pub(super) fn name(result: &ToolResult, trace: &Trace) -> Option<String> {
    let evidence = result.reply().evidence();
    let said = trace.messages().filter(|(event, _)| evidence.contains(&event.seq));
    let mut names = said.filter_map(|(_, message)| message.params()?.get("name")?.as_str());
    names.next().map(str::to_owned)
}

/// The content of a result, be it marked as an error or not.
fn content(result: &ToolResult) -> Result<Content<'_>, Finding> {
    let reply = result.reply();
    let value = complete(reply)?;
    let wanted = expect::object().member("content", expect::array());
    wanted.check(value).map_err(|mismatch| {
        Finding::mismatch(format!("the result of {} has no content", called(result)), &mismatch)
            .requires("schema.call-tool-result")
            .evidence_all(reply.evidence())
    })?;
    let items = value.get("content").and_then(Value::as_array).unwrap_or_default();
    let finding = Finding::peer(headline(result)).evidence_all(reply.evidence());
    Ok(Content { items: items.iter().collect(), finding })
}

fn says_it_failed(result: &ToolResult) -> Result<bool, Finding> {
    Ok(result.reply().result()?.get("isError").and_then(Value::as_bool) == Some(true))
}

fn check_ok(result: &ToolResult) -> Result<(), Finding> {
    let content = content(result)?;
    if !says_it_failed(result)? {
        return Ok(());
    }
    Err(Finding::peer(format!("{} failed", called(result)))
        .expected("a result without `isError`")
        .got(format!("`isError` is true, with {}", content.held()))
        .evidence_all(result.reply().evidence()))
}

fn check_tool_error(result: &ToolResult) -> Result<(), Finding> {
    let reply = result.reply();
    let expected = "a result with `isError: true`";
    if let Some(error) = reply.error() {
        return Err(Finding::peer(format!("{} was refused instead of failing", called(result)))
            .expected(expected)
            .got(format!("the JSON-RPC {error}"))
            .requires("tools.call.execution-error-is-error")
            .hint("if the call should be refused, `assert_error` looks at that")
            .evidence_all(reply.evidence()));
    }
    let content = content(result)?;
    if says_it_failed(result)? {
        return Ok(());
    }
    let flag = match reply.result()?.get("isError") {
        None => "a result without `isError`".to_owned(),
        Some(flag) => format!("`isError` is {}", words::got(Some(flag))),
    };
    let finding = Finding::peer(format!("{} did not fail", called(result)))
        .expected(expected)
        .got(format!("{flag}, with {}", content.held()))
        .evidence_all(reply.evidence());
    Err(finding)
}
