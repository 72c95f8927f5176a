//! The values of which instances are made: ordinary ones, and edge cases on which validators often differ.

use serde_json::{Value, json};

/// Strings without a format.
pub(crate) const STRINGS: [&str; 9] =
    ["", "a", "text", "user", "get_weather", "2025-06-18", "ü€😀", "1", "line\nbreak \" \\"];

/// Names of members that no shape declares.
pub(crate) const EXTRA: [&str; 7] =
    ["x", "extra", "_meta", "name", "type", "com.example/note", "resultType"];

/// Valid values for a format.
pub(crate) fn valid(format: &str) -> Option<&'static [&'static str]> {
    Some(match format {
        "uri" => &[
            "file:///project/src/main.rs",
            "https://example.com/a?b=c#d",
            "test://static-text",
            "mailto:someone@example.com",
            "urn:isbn:0451450523",
            "x:",
            "http://[::1]:8080/%20",
            "HTTPS://user:pass@EXAMPLE.com:443/a;b/c,d?e=f&g",
            "a+b-c.1:opaque",
        ],
        "uri-template" => &[
            "file:///{path}",
            "{+path}/here{#fragment}",
            "weather://{city}/{day}{?unit,lang*}",
            "a{b:3}{/c*}{;d}{&e}",
            "",
            "plain",
            "http://example.com/%20/{%41b}",
        ],
        "byte" | "base64" => &["", "aGVsbG8=", "AA==", "AAAA", "+/+/"],
        _ => return None,
    })
}

/// Values that are almost valid, or surprisingly valid, for a format.
pub(crate) const BORDERLINE: [&str; 34] = [
    "",
    " ",
    "/relative/path",
    "relative",
    "//host/path",
    "?query",
    "#fragment",
    "no spaces: here",
    "http://a b/",
    "http://example.com/%zz",
    "http://example.com/%2",
    "http://[::1",
    "http://[v1.x]/",
    "http://example.com:port/",
    "http://example.com:99999/",
    "1http://example.com",
    "http:",
    ":",
    "http://exämple.com/",
    "http://example.com/\u{e9}",
    "http://example.com/<a>",
    "http://example.com/{a}",
    "file:///c|/x",
    "{",
    "}",
    "{}",
    "{unclosed",
    "closed}",
    "{a{b}}",
    "{a b}",
    "{=reserved}",
    "{a:0}",
    "aGVsbG8",
    "not base64!",
];

/// Characters that formats restrict.
pub(crate) const CHARACTERS: [char; 16] =
    [' ', '%', '{', '}', '[', ']', '#', '?', ':', '/', '@', '=', '\'', '\\', '\u{7f}', 'é'];

/// Numbers at the edges of integers, of bounds, and of machine types.
pub(crate) fn numbers() -> Vec<Value> {
    let mut numbers = vec![
        json!(0),
        json!(1),
        json!(1.0),
        json!(-0.0),
        json!(1.5),
        json!(0.5),
        json!(-1),
        json!(-0.1),
        json!(1.000_000_1),
        json!(2),
        json!(100),
        json!(101),
        json!(9_007_199_254_740_993_i64),
        json!(1e15),
        json!(1e300),
        json!(-1e-300),
        json!(u64::MAX),
        json!(i64::MIN),
    ];
    numbers.extend([-32700, -32603, -32600, -32602, -32601, -32042].map(|code| json!(code)));
    numbers.extend([-32020, -32021, -32022, -32002].map(|code| json!(code)));
    numbers
}

/// A small value of each kind.
pub(crate) fn kinds() -> [Value; 13] {
    [
        Value::Null,
        json!(true),
        json!(false),
        json!(0),
        json!(7),
        json!(0.5),
        json!(""),
        json!("text"),
        json!([]),
        json!(["text", 1]),
        json!({}),
        json!({"a": 1}),
        json!([{"type": "text", "text": "t"}]),
    ]
}

/// Strings that have a meaning somewhere in the protocol, and are invalid elsewhere.
pub(crate) const LITERALS: [&str; 24] = [
    "2.0",
    "1.0",
    "text",
    "image",
    "audio",
    "resource",
    "resource_link",
    "tool_use",
    "tool_result",
    "assistant",
    "error",
    "warning",
    "object",
    "string",
    "integer",
    "number",
    "array",
    "accept",
    "form",
    "url",
    "ref/prompt",
    "working",
    "complete",
    "input_required",
];
