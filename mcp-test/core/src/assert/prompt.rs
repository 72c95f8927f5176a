//! Assertions about the messages of a prompt.

use super::assertions;
use super::content::{Content, content_assertions};
use super::content_item::{Indexed, PromptContent, item_at};
use super::reply::{check_shape, complete};
use super::text::quoted;
use crate::check::Finding;
use crate::client::PromptMessages;
use crate::expect::{self, words};
use crate::json::Value;
use crate::spec::Requirement;

assertions! { [] PromptMessages {
    /// Asserts that the message at this index, counted from 0, has this role and exactly this text.
    assert_message / try_message (self, index: usize, role: &str, text: &str) {
        check_message(&self, index, role, text)
    }

    /// Asserts that there is a message at this index, counted from 0, and returns its content; [`PromptContent::and`] returns to
    /// the prompt.
    assert_content / try_content (self, index: usize) -> PromptContent { content_at(&self, index) }

    /// Asserts the number of messages.
    assert_len / try_len (self, len: usize) { check_len(&self, len) }

    /// Asserts that the description contains this text.
    assert_description / try_description (self, part: &str) { check_description(&self, part) }
}}

content_assertions!(PromptMessages, content);

impl PromptMessages {
    /// The messages, each with its role and content.
    ///
    /// # Errors
    ///
    /// A finding against the peer if the reply is an error, requires input, or has no valid messages.
    pub fn messages(&self) -> Result<&[Value], Finding> {
        messages(self)
    }

    /// The text of the message at this index, counted from 0.
    ///
    /// # Errors
    ///
    /// As [`PromptMessages::messages`]; also if there is no such message, or if it is not a text.
    pub fn text(&self, index: usize) -> Result<&str, Finding> {
        let content = content(self)?;
        let item = item_at(&content.items, index, || content.finding.clone())?;
        Content { items: vec![item], finding: content.finding }.only_text()
    }
}

fn content_at(prompt: &PromptMessages, index: usize) -> Result<Indexed, Finding> {
    let content = content(prompt)?;
    let item = item_at(&content.items, index, || content.finding.clone())?;
    let role = messages(prompt)?.get(index).and_then(|message| message.get("role"));
    Ok((index, item.clone(), role.cloned()))
}

fn unexpected(prompt: &PromptMessages) -> Finding {
    Finding::peer("unexpected messages in the prompt").evidence_all(prompt.reply().evidence())
}

fn messages(prompt: &PromptMessages) -> Result<&[Value], Finding> {
    let reply = prompt.reply();
    let result = complete(reply)?;
    // Unlike the result of a tool, a message has one content item, not a list.
    let message =
        expect::object().member("role", expect::string()).member("content", expect::object());
    let shape = expect::object().member("messages", expect::array_of(message));
    let headline = "the result of `prompts/get` has no valid messages";
    check_shape(reply, result, &shape, headline, Requirement::SCHEMA_GET_PROMPT_RESULT)?;
    Ok(result.get("messages").and_then(Value::as_array).unwrap_or_default())
}

fn content(prompt: &PromptMessages) -> Result<Content<'_>, Finding> {
    let items = messages(prompt)?.iter().filter_map(|message| message.get("content")).collect();
    Ok(Content { items, finding: unexpected(prompt) })
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn check_message(
    prompt: &PromptMessages,
    index: usize,
    expected_role: &str,
    text: &str,
) -> Result<(), Finding> {
    let messages = messages(prompt)?;
    let Some(message) = messages.get(index) else {
        return Err(unexpected(prompt)
            .expected(format!("a message {index} with the role `{expected_role}`"))
            .got(format!("{}, counted from 0", words::count(messages.len(), "message"))));
    };
    // Before the text: a message of another role is another message.
    if role(message) != expected_role {
        return Err(unexpected(prompt)
            .expected(format!("message {index} with the role `{expected_role}`"))
            .got(format!("the role `{}`", role(message))));
    }
    let items = message.get("content").into_iter().collect();
    let finding = Finding::peer(format!("unexpected content in message {index} of the prompt"))
        .evidence_all(prompt.reply().evidence());
    Content { items, finding }.check_text(text)
}

fn check_len(prompt: &PromptMessages, len: usize) -> Result<(), Finding> {
    let messages = messages(prompt)?;
    if messages.len() == len {
        return Ok(());
    }
    let content = content(prompt)?;
    Err(unexpected(prompt).expected(words::count(len, "message")).got(format!(
        "{}: {}",
        words::count(messages.len(), "message"),
        content.describe()
    )))
}

fn check_description(prompt: &PromptMessages, part: &str) -> Result<(), Finding> {
    let description = prompt.reply().result()?.get("description");
    if description.and_then(Value::as_str).is_some_and(|text| text.contains(part)) {
        return Ok(());
    }
    Err(unexpected(prompt)
        .expected(format!("a `description` that contains {}", quoted(part)))
        .got(words::got(description)))
}
