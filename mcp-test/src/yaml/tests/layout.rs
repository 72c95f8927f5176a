//! Laying out: what changes, what does not, and what stands as it stood.

use pretty_assertions::assert_eq;

use super::super::{Limits, Node, Stream, format, read, write};

/// The text, laid out without anything that had to stand as it stood.
fn laid_out(text: &str) -> String {
    let formatted = format(text, &Limits::default());
    assert_eq!(formatted.kept, [], "{text}");
    assert_eq!(format(&formatted.text, &Limits::default()).text, formatted.text, "once more");
    formatted.text
}

#[track_caller]
fn unchanged(text: &str) {
    assert_eq!(laid_out(text), text);
}

#[test]
fn the_example_of_the_format_stays_as_it_is() {
    unchanged(
        r#"case: Initialization lifecycle
in_request_to_initialize: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"name": "server", "version": "1.0.0"}}}
in_notification_initialized: {"jsonrpc": "2.0", "method": "notifications/initialized"}
---
case: List tools
in: {"jsonrpc": "2.0", "method": "tools/list", "id": 1}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
"#,
    );
}

#[test]
fn comments_stay_wherever_they_stand() {
    unchanged(
        r#"# Of the whole file.

# Above the first case.
--- # beside the marker
# Above the key.

# Once more, after an empty line.
case: A sum # beside the name
_tags: # beside a key
  # above a value
  - fast # beside an item

  # above an item
  - tools
  # below the items
in: { # behind the bracket
  "jsonrpc": "2.0", # behind the comma
  # above a member
  "id": 1, "method": "tools/call",

  "params": {
    "name": "add" # beside the last member
    # below the members
  }
  # below them all
} # behind the bracket that closes
out: {"jsonrpc": "2.0", # in the first line
      # between the lines
      "id": 1,
      # between the lines, once more
      "result": {"content": []}} # at the end
_note: | # behind the bar
  # no comment
  text
_folded: >- # behind the sign
  a
  b
  # no comment either
# below everything
---
# Nothing but a comment.
---
# Above a message in YAML.
in:
  # above its first key
  method: ping # beside
  # below its last key
# below the last document
...
# Behind the last document.
"#,
    );
    unchanged("# Only a comment.\n\n# And another one.\n");
    unchanged("a: # nothing\nb:\n# end\n");
    unchanged("a: 1   # comments that are aligned\nbc: 2  # stay aligned\n");
    unchanged("case: a\n...\n# of the next one\n%YAML 1.2\n---\ncase: b\n");
}

#[test]
fn indentation_and_blanks_are_ours() {
    assert_eq!(
        laid_out(
            "\n\ncase:   A\n\n\n\n_tags:\n- a\n-   b:   1\n    c: 2\n-\n  - d\nin:\n      jsonrpc:  '2.0'\n      params:\n         - |\n            text\n              more\n\nout: {\"a\":1 ,b : [ 1,2 ],}   \n\n\n---\n\ncase: B"
        ),
        "case: A\n\n_tags:\n  - a\n  - b: 1\n    c: 2\n  - - d\nin:\n  jsonrpc: '2.0'\n  params:\n    - |\n      text\n        more\n\nout: {\"a\": 1, b: [1, 2]}\n\n---\n\ncase: B\n"
    );
}

#[test]
fn lines_in_brackets_stay_lines() {
    unchanged("a: [1, 2,\n    3]\n");
    unchanged("a: [\n    1, 2,\n    3\n  ]\nb: [\n  1\n]\n");
    unchanged("- {\n    a: 1\n  }\n- [{a: 1,\n    b: 2}]\n");
    assert_eq!(laid_out("a: [1,\n  2\n]\n"), "a: [1,\n    2]\n");
    assert_eq!(laid_out("a:\n  {\n  b: 1,\n\n\n    c: 2}\n"), "a: {\n    b: 1,\n\n    c: 2\n  }\n");
    assert_eq!(laid_out("a: {\n}\nb: [ ]\n"), "a: {}\nb: []\n");
}

#[test]
fn scalars_stay_as_they_were_spelled() {
    unchanged(
        "a: [~, Null, True, 0x1F, 1_000, +1, .5, 1.0e3, .inf, '', \"\", '\"', \"\\u00e9\\/\\x41\", 'it''s']\n",
    );
    unchanged("a: one\n  two\n\n  three\nb: 'one\n  two'\nc: \"one\\\n  \\  two\"\n");
    unchanged("a: |+\n  x\n\nb: |-\n  x\nc: |2\n    x\n  y\nd: >\n  x\n\n    y\n\n  z\ne: |+\n\n");
    unchanged("a: !!str 1\nb: &x [1]\nc: *x\n*x : 1\nd: !!str\ne: &y !!map\n  f: 1\n");
    unchanged("? long\n: 1\n".replace("? long\n", &format!("? {}\n", "a".repeat(1200))).as_str());
}

#[test]
fn what_cannot_be_laid_out_stands_as_it_stood() {
    let kept = |text: &str| {
        let formatted = format(text, &Limits::default());
        assert_eq!(formatted.text, text);
        formatted.kept.len()
    };
    assert_eq!(kept("a:   [\n---\nb:  {\n"), 2);
    assert_eq!(kept("? - a\n  - b\n:   c\n"), 1, "a list as a key");
    assert_eq!(kept("a: >1\n  x\n"), 1, "an indentation that is told");
    assert_eq!(kept("[ a ]\nb\n"), 2, "what is no document of its own");
    assert_eq!(format("a:   1\n---\nb: [\n", &Limits::default()).text, "a: 1\n---\nb: [\n");
}

#[test]
fn line_ends_and_byte_order_marks_stay() {
    assert_eq!(laid_out("a:  1\r\nb: |\r\n  x\r\n"), "a: 1\r\nb: |\r\n  x\r\n");
    assert_eq!(laid_out("\u{feff}a:  1\n"), "\u{feff}a: 1\n");
    assert_eq!(laid_out(""), "");
}

#[test]
fn what_was_built_is_written_so_that_it_reads_as_it_was_built() {
    let value = serde_json::json!({
        "a b": ["1", "true", "", " x", "a: b", "#", "- a", "multi\nline", "\u{7f}\u{feff}"],
        "nested": {"deep": [[], {}, [1.5, null, false]]},
    });
    let mut stream = Stream::default();
    stream.documents.push(Ok(super::super::Document::new(Node::json(&value.clone().into()))));
    let text = write(&stream);
    let again = read(&text, &Limits::default()).documents.remove(0).unwrap();
    assert_eq!(again.root.to_value(), crate::json::Value::from(value));
    assert_eq!(text.lines().count(), 1, "{text}");
}
