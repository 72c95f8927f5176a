//! Assertions of refusals: that a reply is a JSON-RPC error, and which.

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

            /// Asserts that the request was answered with a JSON-RPC error of this code; see [`error_code`].
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

/// The error that the last reply is.
fn error(subject: &impl Replied) -> Result<(&Reply, &RpcError), Finding> {
    let reply = last(subject)?;
    let result = match reply.outcome() {
        Err(error) => return Ok((reply, error)),
        Ok(result) => result,
    };
    let finding = Finding::peer(format!("`{}` was not refused", reply.method()))
        .expected("a JSON-RPC error")
        .got(format!("the result {}", words::got(Some(result))))
        .evidence_all(reply.evidence());
    Err(if result.get("isError").and_then(Value::as_bool) == Some(true) {
        finding.hint("the tool says itself that it failed; `assert_tool_error` looks at that")
    } else {
        finding
    })
}

fn check_code(subject: &impl Replied, code: i64) -> Result<(), Finding> {
    let (reply, error) = error(subject)?;
    if error.code == code {
        return Ok(());
    }
    Err(other(reply, error).expected(format!("error code {}", named(code))))
}

fn check_message(subject: &impl Replied, part: &str) -> Result<(), Finding> {
    let (reply, error) = error(subject)?;
    if error.message.contains(part) {
        return Ok(());
    }
    Err(other(reply, error).expected(format!("an error whose message contains {}", quoted(part))))
}

fn check_data(subject: &impl Replied, matcher: &dyn Matcher) -> Result<(), Finding> {
    let (reply, error) = error(subject)?;
    let checked = match &error.data {
        Some(data) => matcher.check(data),
        None => Err(Mismatch::absent(matcher.describe())),
    };
    checked.map_err(|mismatch| {
        let place = Pointer::root().member("error").member("data");
        Finding::mismatch(headline(reply), &mismatch.within(place)).evidence_all(reply.evidence())
    })
}

fn headline(reply: &Reply) -> String {
    format!("`{}` was refused with another error than expected", reply.method())
}

fn other(reply: &Reply, error: &RpcError) -> Finding {
    Finding::peer(headline(reply))
        .got(format!("error code {}: {}", named(error.code), quoted(&error.message)))
        .evidence_all(reply.evidence())
}

/// A code with its name, where it has one.
fn named(code: i64) -> String {
    error_code::name_of(code).map_or_else(|| code.to_string(), |name| format!("{code} ({name})"))
}
