//! Assertions about the results of tools.

use serde::de::DeserializeOwned;

use super::assertions;
use super::content::{Content, content_assertions};
use super::content_item::{Indexed, ToolContent, item_at};
use super::reply::complete;
use super::rust_types::parse_json;
use crate::check::Finding;
use crate::client::ToolResult;
use crate::expect::{self, Matcher, words};
use crate::json::Value;
use crate::spec::Requirement;
use crate::trace::Trace;

assertions! { [] ToolResult {
    /// Asserts that the tool succeeded: a result with content, neither a JSON-RPC error nor `isError`.
    assert_ok / try_ok (self) { check_ok(&self) }

    /// Asserts that the tool reported an error: a result with content and `isError: true`.
    ///
    /// For a call that is refused with a JSON-RPC error, such as that of an unknown tool, use
    /// [`assert_error`](Self::assert_error).
    assert_tool_error / try_tool_error (self) { check_tool_error(&self) }

    /// Asserts that there is a content item at this index, counted from 0, and returns it; [`ToolContent::and`] returns to the
    /// result.
    assert_content / try_content (self, index: usize) -> ToolContent { content_at(&self, index) }

    /// Asserts that the tool reported an error whose text contains this text; [`assert_tool_error`](Self::assert_tool_error).
    assert_tool_error_contains / try_tool_error_contains (self, part: &str) {
        check_tool_error(&self).and_then(|()| content(&self)?.check_text_contains(part))
    }

    /// Asserts the number of content items.
    assert_content_len / try_content_len (self, len: usize) {
        content(&self).and_then(|it| it.check_len(len))
    }
}}

content_assertions!(ToolResult, content);

impl ToolResult {
    /// The content items.
    ///
    /// # Errors
    ///
    /// A finding against the peer if the reply is an error, requires input, or has no content.
    pub fn content(&self) -> Result<Vec<&Value>, Finding> {
        content(self).map(|content| content.items)
    }

    /// The text of the only text item.
    ///
    /// # Errors
    ///
    /// A finding against the peer if there is none, or more than one; also as [`ToolResult::content`].
    pub fn text(&self) -> Result<&str, Finding> {
        content(self)?.only_text()
    }

    /// Deserializes the text of the only text item, which is JSON.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// let names: Vec<String> = ctx.call("list_names").await?.assert_ok().parse_text()?;
    /// # drop(names);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ToolResult::text`]; also if the text does not have that type.
    pub fn parse_text<T: DeserializeOwned>(&self) -> Result<T, Finding> {
        let content = content(self)?;
        let finding = content.finding.clone();
        parse_json(content.only_text()?, finding)
    }
}

fn content_at(result: &ToolResult, index: usize) -> Result<Indexed, Finding> {
    let content = content(result)?;
    let item = item_at(&content.items, index, || content.finding.clone())?;
    Ok((index, item.clone(), None))
}

fn headline(result: &ToolResult) -> String {
    format!("unexpected content in the result of {}", noun(result))
}

/// The name of the tool in messages: "tool `add`".
pub(super) fn noun(result: &ToolResult) -> String {
    match name(result, &result.reply().recorder().trace()) {
        Some(name) => format!("tool `{name}`"),
        None => "the tool".to_owned(),
    }
}

/// The tool that the request names.
pub(super) fn name(result: &ToolResult, trace: &Trace) -> Option<String> {
    let evidence = result.reply().evidence();
    let exchange = trace.messages().filter(|(event, _)| evidence.contains(&event.seq));
    let mut names = exchange.filter_map(|(_, message)| message.params()?.get("name")?.as_str());
    names.next().map(str::to_owned)
}

/// The content of a result, with or without `isError`.
fn content(result: &ToolResult) -> Result<Content<'_>, Finding> {
    let reply = result.reply();
    let value = complete(reply)?;
    // `content` may be empty, but not absent, even beside structured content.
    let shape = expect::object().member("content", expect::array());
    shape.check(value).map_err(|mismatch| {
        Finding::mismatch(format!("the result of {} has no content", noun(result)), &mismatch)
            .requires(Requirement::SCHEMA_CALL_TOOL_RESULT)
            .evidence_all(reply.evidence())
    })?;
    let items = value.get("content").and_then(Value::as_array).unwrap_or_default();
    let finding = Finding::peer(headline(result)).evidence_all(reply.evidence());
    Ok(Content { items: items.iter().collect(), finding })
}

fn is_tool_error(result: &ToolResult) -> Result<bool, Finding> {
    // By MCP's schema a result without `isError` is not an error.
    Ok(result.reply().result()?.get("isError").and_then(Value::as_bool) == Some(true))
}

fn check_ok(result: &ToolResult) -> Result<(), Finding> {
    let content = content(result)?;
    if !is_tool_error(result)? {
        return Ok(());
    }
    Err(Finding::peer(format!("{} failed", noun(result)))
        .expected("a result without `isError`")
        .got(format!("`isError` is true, with {}", content.describe()))
        .evidence_all(result.reply().evidence()))
}

fn check_tool_error(result: &ToolResult) -> Result<(), Finding> {
    let reply = result.reply();
    let expected = "a result with `isError: true`";
    if let Some(error) = reply.error() {
        return Err(Finding::peer(format!("{} was refused instead of failing", noun(result)))
            .expected(expected)
            .got(format!("the JSON-RPC {error}"))
            .requires(Requirement::TOOLS_CALL_EXECUTION_ERROR_IS_ERROR)
            .hint("if the call should be refused, use `assert_error`")
            .evidence_all(reply.evidence()));
    }
    // A result with `isError` needs its `content` like any other.
    let content = content(result)?;
    if is_tool_error(result)? {
        return Ok(());
    }
    let flag = match reply.result()?.get("isError") {
        None => "a result without `isError`".to_owned(),
        Some(flag) => format!("`isError` is {}", words::got(Some(flag))),
    };
    Err(Finding::peer(format!("{} did not fail", noun(result)))
        .expected(expected)
        .got(format!("{flag}, with {}", content.describe()))
        .evidence_all(reply.evidence()))
}
