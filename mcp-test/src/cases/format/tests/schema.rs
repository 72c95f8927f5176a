//! The JSON Schema agrees with the reader.

use mcp_test_core::json::{Object, Value};
use mcp_test_core::json_schema::{Limits, Validator};
use mcp_test_core::yaml;

use super::bad;
use crate::cases::format::keys::KEYS;
use crate::cases::format::read::load_bytes;
use crate::cases::{Cases, ReadOptions};
use crate::cases::{Diagnostic, json_schema};

fn validator() -> Validator {
    Validator::compile(&json_schema().into(), &Limits::document()).expect("a JSON Schema")
}

/// Diagnostics that the schema can find. It cannot check commands and regular expressions, or whether a name exists.
const FOUND_BY_SCHEMA: [&str; 6] =
    ["not-a-case", "unknown-key", "wrong-value", "not-a-message", "not-json-rpc", "not-json"];

/// Documents with a wrong value that only the reader finds, by file and number.
const FOUND_BY_READER: [(&str, usize); 2] = [
    // A range that ends before it begins.
    ("wrong-revision", 3),
    // An infinite number is read as a string, and JSON has no tags.
    ("beyond-json", 1),
];

fn is_in_schema(diagnostic: &Diagnostic) -> bool {
    FOUND_BY_SCHEMA.contains(&diagnostic.name)
}

#[test]
fn schema_and_reader_reject_the_same_mistakes() {
    let (validator, mut compared) = (validator(), 0);
    for (name, bytes) in bad::files() {
        let Ok(text) = yaml::decode(&bytes) else { continue };
        let diagnostics = load_bytes(&name, &bytes, &ReadOptions::default()).diagnostics;
        let stream = yaml::read(text, &yaml::Limits::default());
        for (number, document) in (1..).zip(&stream.documents) {
            let Ok(document) = document else { continue };
            if document.root.kind == yaml::Kind::Null
                || FOUND_BY_READER.contains(&(name.as_str(), number))
            {
                continue;
            }
            let within = document.span.bytes();
            let is_wrong =
                diagnostics.iter().any(|it| is_in_schema(it) && within.contains(&it.span.start));
            let valid = validator.is_valid(&document.root.to_value()).expect("a verdict");
            assert_eq!(valid, !is_wrong, "{name}, document {number}");
            compared += 1;
        }
    }
    assert!(compared >= 35, "{compared}");
}

/// Whether the reader accepts a case with this value for a key.
fn is_read(key: &str, value: &Value) -> bool {
    let text = format!(
        "case: A\n---\ncase: B\n{key}: {value}\n\
         in: {{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}}\n\
         out: {{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {{\"sessionId\": \"a\"}}}}\n"
    );
    Cases::parse("a.yaml", &text, &ReadOptions::default()).is_ok()
}

fn is_valid(validator: &Validator, key: &str, value: Value) -> bool {
    let document = Object::from_iter([(key, value)]);
    validator.is_valid(&document.into()).expect("a verdict")
}

#[test]
fn examples_in_the_schema_are_valid() {
    let validator = validator();
    for key in KEYS {
        let examples = Value::from((key.examples)());
        for example in examples.as_array().expect("examples") {
            assert!(is_valid(&validator, key.name, example.clone()), "{}: {example}", key.name);
            assert!(is_read(key.name, example), "{}: {example}", key.name);
        }
        assert!(key.summary.ends_with('.'));
    }
}

/// Values of every shape that some key accepts, and of shapes that none accepts.
const PROBES: &str = r#"[
    null, true, false, 0, 1, 1.5, 1.0, -1, 3000, "", " ", "x", "true", "two words", "a b c",
    [], {}, [[]], [null], [true], [1], [""], ["x"], ["x", "y"], [["x", "y"]], ["x", 1], [{}],
    {"x": 1}, {"in": 1}, {"out": "x"}, {"out": {}}, {"out": []}, {"other": {}}, {"_out": "exact"},
    "5s", "500ms", "5 s", "0s", "0", "30", "5h", "1.5s", "s", "5S", ["5s"],
    "2025-06-18", "2025-06-18..", "..2025-06-18", "2025-06-18..2025-11-25", "2024-11-05, 2025-11-25..", "..", "all",
    "none", "draft", "2025-06-19", "2025-6-18", "2025-06-18...", ["2025-06-18", "2025-11-25"], ["2025-06-18", "x"],
    "stdio", "http", "HTTP", "tcp", ["stdio", "http"], ["stdio", "tcp"], ["stdio", "stdio"],
    {"run": "x"}, {"run": ""}, {"run": []}, {"run": ["x", "", 1, true]}, {"run": ["", "x"]}, {"run": [["x"]]},
    {"run": null}, {"ready": "x"}, {"run": "x", "ready": "y"}, {"run": "x", "ready": ""}, {"run": "x", "ready": {"line": "y"}},
    {"run": "x", "ready": {"port": 3000}}, {"run": "x", "ready": {"port": "3000"}}, {"run": "x", "ready": {"port": 0}},
    {"run": "x", "ready": {"port": 70000}}, {"run": "x", "ready": {"port": "a:1"}}, {"run": "x", "ready": {"port": ":1"}},
    {"run": "x", "ready": {}}, {"run": "x", "ready": {"line": "a", "port": 1}}, {"run": "x", "ready": 5},
    {"run": "x", "cwd": ".."}, {"run": "x", "cwd": ""}, {"run": "x", "cwd": 1}, {"run": "x", "env": {}},
    {"run": "x", "env": {"A": "b", "C": 1, "D": true}}, {"run": "x", "env": {"A": null}}, {"run": "x", "env": ["A=b"]},
    {"command": "x"}, {"command": ""}, {"command": "x y"}, {"command": "-x"}, {"command": ["x"]}, {"command": 1},
    {"command": "x", "arguments": []}, {"command": "x y", "arguments": ["", 1, true]}, {"command": "x", "arguments": "y"},
    {"command": "x", "arguments": [["y"]]}, {"command": "-x", "arguments": []}, {"arguments": ["x"]},
    {"run": "x", "command": "y"}, {"run": "x", "arguments": ["y"]}, {"command": "x", "ready": "y", "cwd": ".", "timeout": 1},
    [{"command": "start-mcp-server", "arguments": ["--port", "1234"]}, "y"],
    {"run": "x", "timeout": "5s"}, {"run": "x", "timeout": 0}, {"run": "x", "more": 1}, [{"run": "x"}, "y"],
    {"state": "x"}, {"state": ""}, {"state": 1}, {"state": "x", "params": {}}, {"state": "x", "params": []},
    {"params": {}}, {"state": "x", "more": 1}, ["x", {"state": "y"}],
    "token", "my-token.v2_", "2nd", "a b", {"name": "x"}, {"name": "2"}, {"name": 1}, {"about": "x"},
    {"name": "x", "about": "y", "default": [1], "secret": true}, {"name": "x", "about": ""}, {"name": "x", "secret": "yes"},
    {"name": "x", "more": 1}, ["a", {"name": "b"}],
    {"out": "exact"}, {"out": "contains"}, {"out": "unordered"}, {"out": {"mode": "contains"}}, {"out": {"mode": "x"}},
    {"out": {"/result": "any"}}, {"out": {"": "any"}}, {"out": {"result": "any"}}, {"out": {"/~2": "any"}},
    {"out": {"/a~0~1/*": "ignored"}}, {"out": {"/a": "exact"}}, {"out": {"/a": "contains"}}, {"out": {"/a": "unordered"}},
    {"out": {"/a": "x"}}, {"out": {"/a": 1}}, {"out": {"/a": {}}}, {"out": {"/a": {"type": "string"}}},
    {"out": {"/a": {"type": null}}}, {"out": {"/a": {"type": "text"}}}, {"out": {"/a": {"regex": "x"}}},
    {"out": {"/a": {"regex": 1}}}, {"out": {"/a": {"regex": ""}}}, {"out": {"/a": {"one-of": [1]}}},
    {"out": {"/a": {"one-of": []}}}, {"out": {"/a": {"one-of": 1}}}, {"out": {"/a": {"approximate": 1, "within": 0}}},
    {"out": {"/a": {"approximate": 1, "within": -1}}}, {"out": {"/a": {"approximate": 1}}}, {"out": {"/a": {"within": 1}}},
    {"out": {"/a": {"approximate": "1", "within": 1}}}, {"out": {"/a": {"type": "string", "regex": "x"}}},
    {"out": {"/a": {"more": 1}}},
    {"out": {"session": "/result/sessionId"}}, {"out": {"session": ""}}, {"out": {"session": "result"}},
    {"out": {"session": 1}}, {"out": {"2": "/result"}}, {"in": {"m": "/method"}}
]"#;

#[test]
fn schema_and_reader_accept_the_same_values() {
    let validator = validator();
    let probes = Value::parse(PROBES.as_bytes()).expect("JSON").value;
    let probes = probes.as_array().expect("an array");
    let mut wrong = Vec::new();
    for key in KEYS {
        let mut accepted = 0;
        for probe in probes {
            let (read, valid) =
                (is_read(key.name, probe), is_valid(&validator, key.name, probe.clone()));
            accepted += usize::from(read);
            if read != valid {
                let (reader, schema) = (verdict(read), verdict(valid));
                wrong.push(format!(
                    "{}: {probe}: the reader {reader}, the schema {schema}",
                    key.name
                ));
            }
        }
        assert!(accepted > 0 && accepted < probes.len(), "{}", key.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn verdict(accepted: bool) -> &'static str {
    if accepted { "accepts it" } else { "rejects it" }
}

#[test]
fn the_schema_validates_the_root() {
    let validator = validator();
    let valid = |text: &str| {
        let document = Value::parse(text.as_bytes()).expect("JSON").value;
        validator.is_valid(&document).expect("a verdict")
    };
    assert!(valid(r#"{"case": "A", "_own": [1], "input": {"jsonrpc": "2.0", "method": "x"}}"#));
    for wrong in ["[]", "{\"cases\": 1}", "{\"case\": 1}", "{\"out\": 1}", "{\"out\": {}}"] {
        assert!(!valid(wrong), "{wrong}");
    }
}
