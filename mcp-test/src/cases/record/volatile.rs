//! Finds values that vary from run to run, and the matchers for them.
//!
//! They are recognized by the name of the member, by the form of a text, or because two recordings differ there. The regular
//! expression that finds a part of a text is also its matcher, so that a recorded value always matches.

use std::ops::Range;
use std::sync::LazyLock;

use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::spec::meta;
use mcp_test_core::trace::redact::{SECRET as REDACTED, is_volatile_member};
use regex::Regex;

use crate::cases::{JsonType, Matcher};

/// The form of values that vary from run to run.
struct Shape {
    /// The name of such a value when it is captured.
    name: &'static str,
    pattern: &'static str,
}

/// In order of precedence at one place.
const SHAPES: [Shape; 9] = [
    Shape { name: "secret", pattern: r"\[secret\]" },
    Shape {
        name: "time",
        pattern: r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
    },
    Shape {
        name: "time",
        pattern: r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Za-z0-9]{2,3} [A-Za-z0-9]{2,3} \d{4} \d\d:\d\d:\d\d(?: GMT)?(?:[+-]\d{4})?",
    },
    Shape {
        name: "uuid",
        pattern: r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}",
    },
    Shape { name: "address", pattern: r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d{1,5}" },
    Shape { name: "clock", pattern: r"\d{1,2}:\d\d:\d\d(?:\.\d+)?(?:\s?[AP]M)?" },
    Shape {
        name: "path",
        pattern: r#"(?:/tmp|/private/tmp|/var/folders|/root|/home|/Users|[A-Z]:\\Users)[/\\][^\s"'<>,;)\]}]*"#,
    },
    Shape { name: "path", pattern: r"/proc/\d+" },
    Shape { name: "token", pattern: r"[0-9A-Fa-f]{32,}" },
];

/// The pattern for a secret, whose text a trace does not have.
const ANY_SECRET: &str = ".+";
/// The maximum length of a text that has an expression; nobody could read a longer one.
const MAX_LENGTH: usize = 2000;

/// The names of numbers that are measured.
const MEASURED: [&str; 11] = [
    "pid",
    "port",
    "uptime",
    "elapsed",
    "elapsedMs",
    "duration",
    "durationMs",
    "timestamp",
    "time",
    "ttlMs",
    "latency",
];

static FIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes: Vec<String> = SHAPES.iter().map(|shape| format!("({})", shape.pattern)).collect();
    // Never `None`, because the patterns are constants.
    Regex::new(&shapes.join("|")).ok()
});

/// The matcher for a value at a place; `None` if it is the same in each run.
pub(super) fn matcher(pointer: &Pointer, value: &Value) -> Option<Matcher> {
    let name = pointer.split_last().map(|(_, name)| name).unwrap_or_default();
    match value {
        Value::String(text) => {
            if let Some(matcher) = text_matcher(text, is_address(&name)) {
                return Some(matcher);
            }
            let varies = is_volatile_member(&name) || is_version_of_server(pointer);
            varies.then_some(Matcher::Type(JsonType::String))
        }
        Value::Number(_) => {
            let measured = MEASURED.contains(&name.as_str()) || is_volatile_member(&name);
            measured.then_some(Matcher::Type(JsonType::Number))
        }
        Value::Object(members) => {
            // No pointer leads to a member whose name varies.
            let differs = |name: &str| find(name, false).next().is_some();
            members.keys().any(differs).then_some(Matcher::Type(JsonType::Object))
        }
        Value::Array(_) | Value::Null | Value::Bool(_) => None,
    }
}

/// Whether this is the version of the server's implementation: a contract outlives the release that it was recorded with.
fn is_version_of_server(pointer: &Pointer) -> bool {
    let mut tokens: Vec<String> = pointer.tokens().collect();
    let (version, info) = (tokens.pop(), tokens.pop());
    // In the result of `initialize`, and from 2026-07-28 on in `_meta`.
    version.as_deref() == Some("version")
        && info.is_some_and(|info| ["serverInfo", meta::SERVER_INFO].contains(&&*info))
}

/// Whether a member is an address: a path in it is a part of the contract.
fn is_address(name: &str) -> bool {
    matches!(name, "uri" | "uriTemplate" | "url" | "$ref" | "$id")
}

/// The matcher for a text.
fn text_matcher(text: &str, is_address: bool) -> Option<Matcher> {
    if let Some(first) = before_stack_trace(text) {
        return Some(Matcher::Regex(format!("(?s)^{}", regex::escape(first))));
    }
    let mut pattern = String::from("^");
    let mut end = 0;
    for (shape, found) in find(text, is_address) {
        pattern.push_str(&regex::escape(&text[end..found.start]));
        let own = SHAPES[shape].pattern;
        pattern.push_str(if SHAPES[shape].name == "secret" { ANY_SECRET } else { own });
        end = found.end;
    }
    if end == 0 {
        return None;
    }
    if text.len() > MAX_LENGTH || text == REDACTED {
        return Some(Matcher::Type(JsonType::String));
    }
    pattern.push_str(&regex::escape(&text[end..]));
    pattern.push('$');
    Some(Matcher::Regex(pattern))
}

/// The name for capturing a text, if it varies or its member is known to.
pub(super) fn kind(pointer: &Pointer, text: &str) -> Option<&'static str> {
    let name = pointer.split_last().map(|(_, name)| name).unwrap_or_default();
    if is_volatile_member(&name) {
        return Some(match name.as_str() {
            "cursor" | "nextCursor" => "cursor",
            "taskId" => "task",
            "requestState" => "state",
            "elicitationId" => "elicitation",
            "sessionId" => "session",
            "progressToken" => "token",
            _ => "value",
        });
    }
    let (shape, _) = find(text, false).next()?;
    Some(SHAPES[shape].name)
}

/// The parts of a text that vary from run to run, with the indices of their shapes.
fn find(text: &str, is_address: bool) -> impl Iterator<Item = (usize, Range<usize>)> {
    let captures = FIND.as_ref().map(|find| find.captures_iter(text));
    captures.into_iter().flatten().filter_map(move |captures| {
        let (shape, found) =
            (0..SHAPES.len()).find_map(|shape| Some((shape, captures.get(shape + 1)?)))?;
        let range = found.range();
        // A part of a longer word or number is not such a value; a path may end anywhere.
        let is_boundary = |at: Option<char>| !at.is_some_and(char::is_alphanumeric);
        let is_path = SHAPES[shape].name == "path";
        let is_whole = is_boundary(text[..range.start].chars().next_back())
            && (is_path || is_boundary(text[range.end..].chars().next()));
        // Digits alone may be a number that someone chose.
        let is_random = SHAPES[shape].name != "token"
            || (found.as_str().contains(|it: char| it.is_ascii_digit())
                && found.as_str().contains(|it: char| it.is_ascii_alphabetic()));
        (is_random && is_whole && !(is_address && is_path)).then_some((shape, range))
    })
}

/// The first line of a text that continues with a stack trace.
fn before_stack_trace(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    let is_frame = |line: &str| {
        let line = line.trim_start();
        line.starts_with("at ")
            || line.starts_with("File \"")
            || line.starts_with("stack backtrace:")
    };
    (!first.is_empty() && rest.lines().any(is_frame)).then_some(first)
}

/// Whether a secret was removed from a text.
pub(super) fn holds_secret(text: &str) -> bool {
    text.contains(REDACTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regex(text: &str) -> Option<String> {
        match text_matcher(text, false)? {
            Matcher::Regex(pattern) => {
                let found = text.replace(REDACTED, "hunter22");
                assert!(Regex::new(&pattern).expect("an expression").is_match(&found), "{pattern}");
                Some(pattern)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_the_version_of_the_server_itself_varies() {
        let varies = |pointer: &str| {
            let pointer = Pointer::parse(pointer).expect("a pointer");
            matcher(&pointer, &"1.0.0".into()).is_some()
        };
        assert!(varies("/result/serverInfo/version"));
        assert!(varies("/result/_meta/io.modelcontextprotocol~1serverInfo/version"));
        assert!(!varies("/result/structuredContent/observerInfo/version"));
        assert!(!varies("/result/serverInfo/name"));
        assert!(!varies("/result/version"));
    }

    #[test]
    fn volatile_parts_of_a_text_are_matched_by_their_shape() {
        insta::assert_snapshot!(regex("Done (2026-11-21T21:37:43.473Z).").unwrap_or_default(), @r"^Done \(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\)\.$");
        for text in [
            "id 67e55044-10b1-426f-9247-bb680e5fe0c8",
            "created at 9:20:01 AM",
            "http://localhost:43123/mcp",
            "wrote /tmp/x-12/a.txt, and more",
            "Sun, 22 Nov 2026 08:27:30 GMT",
            "Sun Nov 22 2026 08:27:30 GMT+0000 (UTC)",
            "d41d8cd98f00b204e9800998ecf8427e",
            "your key is [secret]",
            "Error: no\n    at Server.call (file:///srv/a.js:1:2)\n",
        ] {
            assert!(regex(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_compared_as_it_is() {
        for text in
            ["2025-11-25", "1.2.3", "10:30", "/etc/passwd", "12345678901234567890123456789012", ""]
        {
            assert_eq!(text_matcher(text, false), None, "{text}");
        }
        assert_eq!(
            text_matcher("file:///home/me/a.txt", true),
            None,
            "a resource is known by its place"
        );
    }
}
