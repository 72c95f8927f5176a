//! Reading: values, spans and problems.

use super::*;
use crate::json::Pointer;

mod layout;
mod properties;

fn stream(text: &str) -> Stream {
    read(text, &Limits::default())
}

fn root(text: &str) -> Node {
    match stream(text).documents.swap_remove(0) {
        Ok(document) => document.root,
        Err(broken) => panic!("{text:?}: {}", broken.problem),
    }
}

/// The problems of all documents, in order.
fn problems(text: &str) -> Vec<String> {
    let of = |document: &Result<Document, Broken>| match document {
        Ok(document) => document.problems.iter().map(ToString::to_string).collect(),
        Err(broken) => vec![format!("broken {}", broken.problem)],
    };
    stream(text).documents.iter().flat_map(of).collect()
}

#[test]
fn scalars_are_resolved_by_the_core_schema() {
    for (text, means) in [
        ("[~, null, Null, NULL, '', 'null']", r#"[null,null,null,null,"","null"]"#),
        ("[true, False, TRUE, yes, on, 'true']", r#"[true,false,true,"yes","on","true"]"#),
        ("[1, -1.50, 1e3, 1E+3, 9007199254740993]", "[1,-1.50,1e3,1E+3,9007199254740993]"),
        ("[+12, 012, -007, .5, 5., -.5e1, 0x1F, 0o17]", "[12,12,-7,0.5,5,-0.5e1,31,15]"),
        (
            "[1_000, 0b1, 0x, 0x+1, +., 1e, 12:30:45, 1.2.3]",
            r#"["1_000","0b1","0x","0x+1","+.","1e","12:30:45","1.2.3"]"#,
        ),
        ("[2025-06-18, 2.0, '2.0', 08]", r#"["2025-06-18",2.0,"2.0",8]"#),
        (
            "[!!str 1, !!int '1', !!float '1.5', !!bool 'true', !!null '', ! 1]",
            r#"["1",1,1.5,true,null,"1"]"#,
        ),
        ("{1: a, true: b, ~: c, 0x1: d}", r#"{"1":"a","true":"b","~":"c","0x1":"d"}"#),
        ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", r#"{"a":"x\ny\n","b":"x y"}"#),
        (r#"["\u00e9\ud83d\ude00\/\n", 'it''s']"#, r#"["é😀/\n","it's"]"#),
    ] {
        assert_eq!(root(text).to_value().to_string(), means, "{text}");
    }
}

#[test]
fn problems_have_their_place() {
    for (text, expected) in [
        ("a: 1\nb: 2\na: 3\n", &["3:1: the key `a` occurs twice"][..]),
        ("in: {\"a\": 1, \"a\": 2}", &["1:14: the key `a` occurs twice"]),
        ("a: !x 1\n", &["1:7: the tag `!x` has no meaning here"]),
        ("a: !!int x\n", &["1:10: the tag `!!int` does not fit its value"]),
        ("<<: {a: 1}\n", &["1:1: `<<` does not merge in YAML 1.2 and is an ordinary key"]),
        ("[a]: 1\n", &["1:1: a key is a list, but JSON keys are strings"]),
        ("a: .inf\n", &["1:4: `.inf` is not a number in JSON and is read as a string"]),
        ("&a [1, *a]\n", &["broken 1:8: an alias is used inside the node that it names"]),
        (
            "a: 1\n---\nb: *c\n---\nd: 1",
            &["broken 3:4: not YAML: while parsing node, found unknown anchor"],
        ),
        ("\u{feff}a: \0", &["broken 1:4: the character U+0000 is not allowed in YAML"]),
        ("a: 1\n---\nb: \"ä\u{1}\"", &["broken 3:6: the character U+0001 is not allowed in YAML"]),
        ("# a\0", &["broken 1:4: the character U+0000 is not allowed in YAML"]),
        ("a: 1\n...\n# \0", &["broken 3:3: the character U+0000 is not allowed in YAML"]),
        ("a: 1\rb: 2", &["1:5: a carriage return without a line feed, which ends a line in YAML"]),
    ] {
        assert_eq!(problems(text), expected, "{text:?}");
    }
}

#[test]
fn a_broken_document_does_not_hide_others() {
    let text = "a: 1\n---\nb: [\n---\nc: 1\n...\n# d\n--- \nd: 1\n";
    let stream = stream(text);
    let bounds = |document: &Result<Document, Broken>| match document {
        Ok(document) => (true, document.span),
        Err(broken) => (false, broken.span),
    };
    let cut: Vec<(bool, &str, usize)> = stream
        .documents
        .iter()
        .map(bounds)
        .map(|(whole, span)| (whole, &text[span.bytes()], span.line))
        .collect();
    assert_eq!(
        cut,
        [
            (true, "a: 1\n", 1),
            (false, "---\nb: [\n", 2),
            (true, "---\nc: 1\n...", 4),
            (true, "\n# d\n--- \nd: 1\n", 6)
        ]
    );
}

#[test]
fn bytes_that_are_not_utf_8_are_reported_with_their_place() {
    let problem = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
    assert_eq!(problem(b"a: 1\nb: \xff"), "2:4: byte 8 (0xff) is not UTF-8");
    assert_eq!(problem(b"\xff\xfea\0"), "1:1: the text is UTF-16, expected UTF-8");
    assert_eq!(decode("ä".as_bytes()), Ok("ä"));
}

#[test]
fn an_index_has_no_sign_and_no_leading_zero() {
    let root = root("items: [a, b]");
    let steps = |pointer: &str| root.nearest(&Pointer::parse(pointer).expect("a pointer")).1;
    assert_eq!(steps("/items/1"), 2);
    for pointer in ["/items/+1", "/items/01", "/items/2"] {
        assert_eq!(steps(pointer), 1, "{pointer}");
    }
}

#[test]
fn a_lone_carriage_return_ends_the_line_above_a_document() {
    for (text, texts) in [
        ("[x\r---\ny: 1\n", &["[x\r", "---\ny: 1\n"][..]),
        ("x: [1\r# c\r--- \ry: 1", &["x: [1\r# c\r", "--- \ry: 1"]),
        ("a: 1\r...\r%YAML 1.2\r---\rb: 2\r", &["a: 1\r...", "\r%YAML 1.2\r---\rb: 2\r"]),
    ] {
        let spans = stream(text).documents.into_iter().map(|document| match document {
            Ok(document) => document.span,
            Err(broken) => broken.span,
        });
        let found: Vec<&str> = spans.map(|span| &text[span.bytes()]).collect();
        assert_eq!(found, texts, "{text:?}");
    }
}

#[test]
fn formatting_loses_no_text_above_a_lone_carriage_return() {
    for text in
        ["[x\r---\ny:   1\n", "\"x\r---\ny:   1\n", "x: {a\r--- y\n", "x: [1\r# c\r---\ny:   1"]
    {
        let formatted = format(text, &Limits::default()).text;
        for letter in ["x", "y"] {
            assert_eq!(
                text.matches(letter).count(),
                formatted.matches(letter).count(),
                "{text:?} {formatted:?}"
            );
        }
    }
}
