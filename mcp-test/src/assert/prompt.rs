//! Assertions of the messages that a prompt gives.

use super::assertions;
use super::content::Content;
use super::reply::complete;
use super::text::quoted;
use crate::check::Finding;
use crate::client::PromptMessages;
use crate::expect::{self, Matcher, words};
use crate::json::Value;

assertions! { [] PromptMessages {
    /// Asserts that the message at this place, counted from 0, has this role and exactly this text.
    assert_message / try_message (self, index: usize, role: &str, text: &str) {
        check_message(&self, index, role, text)
    }

    /// Asserts that a message holds a text that contains this one.
    assert_text_contains / try_text_contains (self, part: &str) {
        content(&self).and_then(|it| it.check_text_contains(part))
    }

    /// Asserts that a message holds an image of this MIME type.
    assert_image / try_image (self, mime_type: &str) {
        content(&self).and_then(|it| it.check_media("image", mime_type))
    }

    /// Asserts that a message holds audio of this MIME type.
    assert_audio / try_audio (self, mime_type: &str) {
        content(&self).and_then(|it| it.check_media("audio", mime_type))
    }

    /// Asserts that a message embeds the resource with this URI.
    assert_embedded_resource / try_embedded_resource (self, uri: &str) {
        content(&self).and_then(|it| it.check_embedded_resource(uri))
    }

    /// Asserts how many messages there are.
    assert_len / try_len (self, len: usize) { check_len(&self, len) }

    /// Asserts that the description contains this text.
    assert_description / try_description (self, part: &str) { check_description(&self, part) }
}}

fn other(prompt: &PromptMessages) -> Finding {
    Finding::peer("the prompt says something else than expected")
        .evidence_all(prompt.reply().evidence())
}

fn messages(prompt: &PromptMessages) -> Result<&[Value], Finding> {
    let reply = prompt.reply();
    let result = complete(reply)?;
    let message =
        expect::object().member("role", expect::string()).member("content", expect::object());
    let wanted = expect::object().member("messages", expect::array_of(message));
    wanted.check(result).map_err(|mismatch| {
        Finding::mismatch("the result of `prompts/get` has no proper messages", &mismatch)
            .requires("schema.get-prompt-result")
            .evidence_all(reply.evidence())
    })?;
    Ok(result.get("messages").and_then(Value::as_array).unwrap_or_default())
}

fn content(prompt: &PromptMessages) -> Result<Content<'_>, Finding> {
    let items = messages(prompt)?.iter().filter_map(|message| message.get("content")).collect();
    Ok(Content { items, finding: other(prompt) })
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn check_message(
    prompt: &PromptMessages,
    index: usize,
    wanted: &str,
    text: &str,
) -> Result<(), Finding> {
    let messages = messages(prompt)?;
    let Some(message) = messages.get(index) else {
        return Err(other(prompt).expected(format!("a message {index} by `{wanted}`")).got(
            format!("{}, the first being message 0", words::count(messages.len(), "message")),
        ));
    };
    if role(message) != wanted {
        return Err(other(prompt)
            .expected(format!("message {index} by `{wanted}`"))
            .got(format!("one by `{}`", role(message))));
    }
    let items = message.get("content").into_iter().collect();
    let finding =
        Finding::peer(format!("message {index} of the prompt says something else than expected"))
            .evidence_all(prompt.reply().evidence());
    Content { items, finding }.check_text(text)
}

fn check_len(prompt: &PromptMessages, len: usize) -> Result<(), Finding> {
    let messages = messages(prompt)?;
    if messages.len() == len {
        return Ok(());
    }
    let content = content(prompt)?;
    Err(other(prompt).expected(words::count(len, "message")).got(format!(
        "{}: {}",
        words::count(messages.len(), "message"),
        content.held()
    )))
}

fn check_description(prompt: &PromptMessages, part: &str) -> Result<(), Finding> {
    let description = prompt.reply().result()?.get("description");
    if description.and_then(Value::as_str).is_some_and(|text| text.contains(part)) {
        return Ok(());
    }
    Err(other(prompt)
        .expected(format!("a `description` that contains {}", quoted(part)))
        .got(words::got(description)))
}
