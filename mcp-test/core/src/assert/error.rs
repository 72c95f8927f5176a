//! Assertions about JSON-RPC errors.

use super::assertions;
use super::reply::{Replied, last};
use super::text::quoted;
use crate::check::Finding;
use crate::client::reply::{
    Completion, List, ListKind, PromptMessages, Reply, ResourceContents, ToolResult,
};
use crate::expect::{Matcher, Mismatch, words};
use crate::json::{Pointer, Value};
use crate::spec::error_code;
use crate::wire::RpcError;

macro_rules! error_assertions {
    ($([$($generics:tt)*] $subject:ty),* $(,)?) => { $(
        assertions! { [$($generics)*] $subject {
            /// Asserts that the request was answered with a JSON-RPC error.
            assert_error / try_error (self) { error(&self).map(|_| ()) }

            /// Asserts that the request was answered with a JSON-RPC error with this code; see [`error_code`].
            assert_error_code / try_error_code (self, code: i64) { check_code(&self, code) }

            /// Asserts that the request was answered with a JSON-RPC error whose message contains this text.
            assert_error_message / try_error_message (self, part: &str) { check_message(&self, part) }

            /// Asserts that the request was answered with a JSON-RPC error whose `data` matches.
            assert_error_data / try_error_data (self, matcher: impl Matcher) { check_data(&self, &matcher) }
        }}
    )* };
}

error_assertions!(
    [] Reply,
    [] ToolResult,
    [] ResourceContents,
    [] PromptMessages,
    [] Completion,
    [K: ListKind] List<K>,
);

/// The last reply, which has to be an error.
fn error(subject: &impl Replied) -> Result<(&Reply, &RpcError), Finding> {
    // Of a list only the last page can be an error, since fetching ends with it.
    let reply = last(subject)?;
    let result = match reply.outcome() {
        Err(error) => return Ok((reply, error)),
        Ok(result) => result,
    };
    let finding = Finding::peer(format!("`{}` was not refused", reply.method()))
        .expected("a JSON-RPC error")
        .got(format!("the result {}", words::got(Some(result))))
        .evidence_all(reply.evidence());
    // A tool call can fail in two ways (`server/tools`): by an error of the protocol, or with a result that has `isError`.
    Err(if result.get("isError").and_then(Value::as_bool) == Some(true) {
        finding.hint("the tool reported an error in its result; use `assert_tool_error`")
    } else if result.get("resultType").and_then(Value::as_str) == Some("input_required") {
        finding
            .hint("the server asks for input before it decides; the handlers of the test answer it")
    } else {
        finding
    })
}

fn check_code(subject: &impl Replied, code: i64) -> Result<(), Finding> {
    let (reply, error) = error(subject)?;
    if error.code == code {
        return Ok(());
    }
    Err(unexpected(reply, error).expected(format!("error code {}", named(code))))
}

fn check_message(subject: &impl Replied, part: &str) -> Result<(), Finding> {
    let (reply, error) = error(subject)?;
    if error.message.contains(part) {
        return Ok(());
    }
    Err(unexpected(reply, error)
        .expected(format!("an error whose message contains {}", quoted(part))))
}

fn check_data(subject: &impl Replied, matcher: &dyn Matcher) -> Result<(), Finding> {
    let (reply, error) = error(subject)?;
    let checked = match &error.data {
        Some(data) => matcher.check(data),
        None => Err(Mismatch::absent(matcher.describe())),
    };
    checked.map_err(|mismatch| {
        let pointer = Pointer::root().member("error").member("data");
        Finding::mismatch(headline(reply), &mismatch.within(pointer)).evidence_all(reply.evidence())
    })
}

fn headline(reply: &Reply) -> String {
    format!("`{}` was refused with an unexpected error", reply.method())
}

fn unexpected(reply: &Reply, error: &RpcError) -> Finding {
    Finding::peer(headline(reply))
        .got(format!("error code {}: {}", named(error.code), quoted(&error.message)))
        .evidence_all(reply.evidence())
}

/// A code with its name, if it has one.
fn named(code: i64) -> String {
    error_code::name_of(code).map_or_else(|| code.to_string(), |name| format!("{code} ({name})"))
}
