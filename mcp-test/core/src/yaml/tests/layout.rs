//! Formatting: what changes, and what does not.

use pretty_assertions::assert_eq;

use crate::yaml::{Limits, Node, Stream, format, read, write};

/// Formats a text completely.
fn formatted(text: &str) -> String {
    let formatted = format(text, &Limits::default());
    assert_eq!(formatted.unformatted, [], "{text}");
    assert_eq!(format(&formatted.text, &Limits::default()).text, formatted.text, "once more");
    formatted.text
}

#[track_caller]
fn unchanged(text: &str) {
    assert_eq!(formatted(text), text);
}

#[test]
fn the_example_of_the_format_is_unchanged() {
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
fn comments_keep_their_places() {
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
fn comments_have_no_blanks_at_their_end() {
    let text = "# above \t\na: 1 # beside\t.\t\n";
    let stream = read(text, &Limits::default());
    let document = stream.documents.first().unwrap().as_ref().unwrap();
    // The document has no `---`, so that its first comment belongs to the root.
    let above = document.root.comments().above.first();
    assert_eq!(above.map(|it| it.text.as_str()), Some(" above"), "{document:?}");
    assert_eq!(formatted(text), "# above\na: 1 # beside\t.\n");
}

#[test]
fn indentation_and_blanks_are_normalized() {
    assert_eq!(
        formatted(
            "\n\ncase:   A\n\n\n\n_tags:\n- a\n-   b:   1\n    c: 2\n-\n  - d\nin:\n      jsonrpc:  '2.0'\n      params:\n         - |\n            text\n              more\n\nout: {\"a\":1 ,b : [ 1,2 ],}   \n\n\n---\n\ncase: B"
        ),
        "case: A\n\n_tags:\n  - a\n  - b: 1\n    c: 2\n  - - d\nin:\n  jsonrpc: '2.0'\n  params:\n    - |\n      text\n        more\n\nout: {\"a\": 1, b: [1, 2]}\n\n---\n\ncase: B\n"
    );
}

#[test]
fn line_breaks_in_brackets_are_kept() {
    unchanged("a: [1, 2,\n    3]\n");
    unchanged("a: [\n    1, 2,\n    3\n  ]\nb: [\n  1\n]\n");
    unchanged("- {\n    a: 1\n  }\n- [{a: 1,\n    b: 2}]\n");
    assert_eq!(formatted("a: [1,\n  2\n]\n"), "a: [1,\n    2]\n");
    assert_eq!(
        formatted("a:\n  {\n  b: 1,\n\n\n    c: 2}\n"),
        "a: {\n    b: 1,\n\n    c: 2\n  }\n"
    );
    assert_eq!(formatted("a: {\n}\nb: [ ]\n"), "a: {}\nb: []\n");
}

#[test]
fn scalars_keep_their_spelling() {
    unchanged(
        "a: [~, Null, True, 0x1F, 1_000, +1, .5, 1.0e3, .inf, '', \"\", '\"', \"\\u00e9\\/\\x41\", 'it''s']\n",
    );
    unchanged("a: \"\t\"\nb: 'x\ty'\nc: x\u{2028}y\n");
    unchanged("a: one\n  two\n\n  three\nb: 'one\n  two'\nc: \"one\\\n  \\  two\"\n");
    unchanged("a: |+\n  x\n\nb: |-\n  x\nc: |2\n    x\n  y\nd: >\n  x\n\n    y\n\n  z\ne: |+\n\n");
    unchanged("a: !!str 1\nb: &x [1]\nc: *x\n*x : 1\nd: !!str\ne: &y !!map\n  f: 1\n");
    unchanged("? long\n: 1\n".replace("? long\n", &format!("? {}\n", "a".repeat(1200))).as_str());
}

#[test]
fn documents_that_cannot_be_formatted_are_unchanged() {
    let unformatted = |text: &str| {
        let formatted = format(text, &Limits::default());
        assert_eq!(formatted.text, text);
        formatted.unformatted.len()
    };
    assert_eq!(unformatted("a:   [\n---\nb:  {\n"), 2);
    assert_eq!(unformatted("? - a\n  - b\n:   c\n"), 1, "a list as a key");
    assert_eq!(unformatted("a: >1\n  x\n"), 1, "an explicit indentation indicator");
    assert_eq!(unformatted("[ a ]\nb\n"), 2, "the rest of a broken document");
    assert_eq!(format("a:   1\n---\nb: [\n", &Limits::default()).text, "a: 1\n---\nb: [\n");
}

#[test]
fn line_endings_and_byte_order_marks_are_kept() {
    assert_eq!(formatted("a:  1\r\nb: |\r\n  x\r\n"), "a: 1\r\nb: |\r\n  x\r\n");
    assert_eq!(formatted("\u{feff}a:  1\n"), "\u{feff}a: 1\n");
    assert_eq!(formatted(""), "");
}

#[test]
fn built_documents_read_as_they_were_built() {
    let value = serde_json::json!({
        "a b": ["1", "true", "", " x", "a: b", "#", "- a", "multi\nline", "\u{7f}\u{feff}"],
        "nested": {"deep": [[], {}, [1.5, null, false]]},
    });
    let mut stream = Stream::default();
    stream.documents.push(Ok(crate::yaml::Document::new(Node::json(&value.clone().into()))));
    let text = write(&stream);
    let again = read(&text, &Limits::default()).documents.remove(0).unwrap();
    assert_eq!(again.root.to_value(), crate::json::Value::from(value));
    assert_eq!(text.lines().count(), 1, "{text}");
}
