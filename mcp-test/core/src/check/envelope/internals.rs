//! The rule that errors, also those of HTTP, and log messages do not show the inside of a program: stack traces and messages of interpreters.
//!
//! A tool may show such a text in a result that succeeds: it may be what it was asked for.

use super::EnvelopeJudge;
use crate::check::Finding;
use crate::check::cited::{Cited, cites};
use crate::check::walk::JudgedEvent;
use crate::expect::words::quoted;
use crate::json::Value;
use crate::wire::{Notification, RpcError};

cites! {
    JSONRPC_ERROR_MESSAGE_CONCISE, LOGGING_SECURITY_NO_INTERNAL_DETAILS,
    MCP_TEST_NO_INTERNAL_DETAILS,
}

/// Texts that only a runtime writes.
const SIGNS: [&str; 7] = [
    "Traceback (most recent call last)",
    "'NoneType' object ",
    "Cannot read properties of undefined",
    "Cannot read properties of null",
    "Exception in thread \"",
    "at Object.<anonymous> (",
    "thread 'main' panicked at ",
];

/// How much of a text is read, from its start: traces are at the start or follow a short message.
const READ: usize = 16 * 1024;

/// How many values in the data of an error or a log message are read.
const VALUES: usize = 200;

impl EnvelopeJudge {
    /// Judges an error; whether its message holds such a text.
    pub(super) fn internals_of_error(&mut self, event: JudgedEvent<'_>, error: &RpcError) -> bool {
        let in_message = sign(&error.message);
        let found = in_message.or_else(|| error.data.as_ref().and_then(sign_within));
        if let Some(line) = found {
            let mut finding = Finding::peer("an error shows the inside of the program");
            // One finding for both: a trace is not a sentence either.
            if in_message.is_some() && error.message.trim().contains('\n') {
                finding = finding.also(JSONRPC_ERROR_MESSAGE_CONCISE);
            }
            self.internals(event, finding, line, MCP_TEST_NO_INTERNAL_DETAILS);
        }
        in_message.is_some()
    }

    /// Judges the texts of the result of a tool that reports an error.
    pub(super) fn internals_of_result(&mut self, event: JudgedEvent<'_>, result: &Value) {
        if result.get("isError") != Some(&Value::Bool(true)) {
            return;
        }
        let content = result.get("content").and_then(Value::as_array).unwrap_or_default();
        let mut texts = content.iter().filter_map(|item| item.get("text")?.as_str());
        if let Some(line) = texts.find_map(sign) {
            let finding = Finding::peer("the error of a tool shows the inside of the program");
            self.internals(event, finding, line, MCP_TEST_NO_INTERNAL_DETAILS);
        }
    }

    /// Judges a log message.
    pub(super) fn internals_of_log(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        let data = notification.params.as_ref().and_then(|params| params.get("data"));
        let found = data.filter(|_| notification.method == "notifications/message");
        if let Some(line) = found.and_then(sign_within) {
            let finding = Finding::peer("a log message shows the inside of the program");
            self.internals(event, finding, line, LOGGING_SECURITY_NO_INTERNAL_DETAILS);
        }
    }

    /// Judges the body of an HTTP error that is not a message.
    ///
    /// It may have any form; the error pages of web frameworks are HTML.
    pub(super) fn internals_of_page(&mut self, event: JudgedEvent<'_>, body: &[u8]) {
        let start = String::from_utf8_lossy(&body[..body.len().min(READ)]);
        let text = start.replace("<br>", "\n").replace("&nbsp;", " ");
        if let Some(line) = sign(&text) {
            let finding =
                Finding::peer("the body of an HTTP error shows the inside of the program");
            self.internals(event, finding, line, MCP_TEST_NO_INTERNAL_DETAILS);
        }
    }

    fn internals(&mut self, event: JudgedEvent<'_>, finding: Finding, line: &str, rule: Cited) {
        let start: String = line.trim().chars().take(80).collect();
        // Whether it helps an attacker depends on the program.
        let finding = finding
            .expected("what went wrong, in words; stack traces are for stderr")
            .got(quoted(start.as_bytes()))
            .should();
        self.find(event, finding, rule);
    }
}

/// The first line with a sign in any text within a value.
fn sign_within(value: &Value) -> Option<&str> {
    let (mut open, mut read) = (vec![value], 0);
    while let Some(value) = open.pop() {
        read += 1;
        if read > VALUES {
            return None;
        }
        if let Some(line) = value.as_str().and_then(sign) {
            return Some(line);
        }
        open.extend(value.as_array().into_iter().flatten().take(VALUES));
        if let Some(members) = value.as_object() {
            open.extend(members.iter().map(|(_, member)| member).take(VALUES));
        }
    }
    None
}

/// The first line that is a message of an interpreter or part of a stack trace.
fn sign(text: &str) -> Option<&str> {
    let mut end = text.len().min(READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end)?.lines().find(|line| is_sign(line))
}

fn is_sign(line: &str) -> bool {
    SIGNS.iter().any(|sign| line.contains(sign))
        || line.contains("panicked at ") && line.contains(".rs:")
        || line.starts_with("goroutine ") && line.contains('[')
        || is_frame(line)
}

/// Whether a line is a frame of a stack trace of JavaScript, Java or .NET.
fn is_frame(line: &str) -> bool {
    let Some(frame) = line.trim_start().strip_prefix("at ") else { return false };
    let frame = frame.trim_end();
    // `f (/path/file.js:1:2)` and `/path/file.js:1:2`.
    let place = frame.strip_suffix(')').unwrap_or(frame);
    let mut parts = place.rsplitn(3, ':');
    let mut is_number = || {
        parts.next().is_some_and(|part| {
            !part.is_empty() && part.len() < 8 && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let has_column = is_number() && is_number();
    let has_path = place.contains('/') || place.contains('\\') || place.contains("node:");
    // `a.B.c(B.java:1)`, and `A.B.C(D) in /path/File.cs:line 1`, or without its place, but indented.
    has_column && has_path
        || frame.contains(".java:") && frame.ends_with(')')
        || frame.contains(") in ") && frame.contains(":line ")
        || line.starts_with("   at ") && frame.ends_with(')') && is_dotted(frame)
}

/// Whether a frame begins with a method under its full name, and its parameters follow at once.
fn is_dotted(frame: &str) -> bool {
    let name = frame.split('(').next().unwrap_or_default();
    name.contains('.') && !name.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_and_messages_of_interpreters_are_recognized() {
        for text in [
            "TypeError: Cannot read properties of undefined (reading 'x')",
            "AttributeError: 'NoneType' object has no attribute 'get'",
            "Error: x\nTraceback (most recent call last):\n  File \"a.py\", line 1",
            "Error: x\n    at Object.<anonymous> (/srv/a.js:10:7)",
            "Error: x\n    at async run (file:///srv/a.js:10:7)",
            "Error: x\n    at /srv/a.js:10:7",
            "thread 'main' panicked at src/main.rs:3:5:",
            "panic: x\n\ngoroutine 1 [running]:\nmain.main()",
            "Exception in thread \"main\" java.lang.Error: x",
            "java.lang.Error: x\n\tat com.example.A.b(A.java:12)",
            "System.Exception: x\n   at My.Server.Tool.Run(String a) in /src/Tool.cs:line 12",
            "System.Exception: x\n   at My.Server.Tool.Run()",
        ] {
            assert!(sign(text).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_are_not() {
        for text in [
            "Unknown tool: add",
            "the value at position 1:2 is not a number",
            "at 10:15:30 the server was stopped",
            "   at least one of (a, b) is required",
            "Invalid arguments:\n  at /items/0: expected string",
            "look at https://example.com/a:1",
            "the goroutine is stopped",
        ] {
            assert_eq!(sign(text), None, "{text}");
        }
    }
}
