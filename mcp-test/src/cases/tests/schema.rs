//! The JSON Schema says of a document what the reader says of it.

use super::bad;
use super::{Cases, ReadOptions};
use crate::cases::keys::KEYS;
use crate::cases::read::of_bytes;
use crate::cases::{Complaint, json_schema};
use crate::json::{Object, Value};
use crate::json_schema::{Limits, Validator};
use crate::yaml;

fn validator() -> Validator {
    Validator::compile(&json_schema().into(), &Limits::document()).expect("it is a JSON Schema")
}

/// What the schema can see. It cannot tell that a text is no command or no expression, or that a name is not there.
const SEEN: [&str; 6] =
    ["not-a-case", "unknown-key", "wrong-value", "not-a-message", "not-json-rpc", "not-json"];

/// Documents with a wrong value that only the reader sees, by file and number.
const UNSEEN: [(&str, usize); 2] = [
    // A range that ends before it begins.
    ("wrong-revision", 3),
    // An infinite number is read as a text, and a tag is none in JSON.
    ("beyond-json", 1),
];

fn is_seen(complaint: &Complaint) -> bool {
    SEEN.contains(&complaint.name)
}

#[test]
fn the_schema_refuses_the_mistakes_that_the_reader_refuses() {
    let (validator, mut held) = (validator(), 0);
    for (name, bytes) in bad::files() {
        let Ok(text) = yaml::decode(&bytes) else { continue };
        let complaints = of_bytes(&name, &bytes, &ReadOptions::default()).complaints;
        let stream = yaml::read(text, &yaml::Limits::default());
        for (number, document) in (1..).zip(&stream.documents) {
            let Ok(document) = document else { continue };
            if document.root.kind == yaml::Kind::Null || UNSEEN.contains(&(name.as_str(), number)) {
                continue;
            }
            let within = document.span.bytes();
            let told = complaints.iter().any(|it| is_seen(it) && within.contains(&it.span.start));
            let valid = validator.is_valid(&document.root.to_value()).expect("it is decided");
            assert_eq!(valid, !told, "{name}, document {number}");
            held += 1;
        }
    }
    assert!(held >= 35, "{held}");
}

/// What the reader says of a case with this value for a key.
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
    validator.is_valid(&document.into()).expect("it is decided")
}

#[test]
fn every_example_of_the_schema_is_valid_and_can_be_read() {
    let validator = validator();
    for key in KEYS {
        let examples = Value::from((key.examples)());
        for example in examples.as_array().expect("examples") {
            assert!(is_valid(&validator, key.name, example.clone()), "{}: {example}", key.name);
            assert!(is_read(key.name, example), "{}: {example}", key.name);
        }
        assert!(key.says.ends_with('.'));
    }
}

/// Values of every form that some key has, and of forms that none has.
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
fn the_schema_takes_the_values_that_the_reader_takes() {
    let validator = validator();
    let probes = Value::parse(PROBES.as_bytes()).expect("JSON").value;
    let probes = probes.as_array().expect("an array");
    let mut wrong = Vec::new();
    for key in KEYS {
        let mut taken = 0;
        for probe in probes {
            let (read, valid) =
                (is_read(key.name, probe), is_valid(&validator, key.name, probe.clone()));
            taken += usize::from(read);
            if read != valid {
                let (reader, schema) = (said(read), said(valid));
                wrong.push(format!(
                    "{}: {probe}: the reader {reader}, the schema {schema}",
                    key.name
                ));
            }
        }
        assert!(taken > 0 && taken < probes.len(), "{}", key.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn said(taken: bool) -> &'static str {
    if taken { "takes it" } else { "refuses it" }
}

#[test]
fn the_root_is_told_as_the_reader_tells_it() {
    let validator = validator();
    let valid = |text: &str| {
        let document = Value::parse(text.as_bytes()).expect("JSON").value;
        validator.is_valid(&document).expect("it is decided")
    };
    assert!(valid(r#"{"case": "A", "_own": [1], "input": {"jsonrpc": "2.0", "method": "x"}}"#));
    for wrong in ["[]", "{\"cases\": 1}", "{\"case\": 1}", "{\"out\": 1}", "{\"out\": {}}"] {
        assert!(!valid(wrong), "{wrong}");
    }
}
