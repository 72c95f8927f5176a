//! Our implementations of RFC 3986 (URI) and RFC 6570 (URI template) agree with those of the `jsonschema` crate.

use mcp_test::json;
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas};
use serde_json::{Value, json};

use crate::random::{self, Random};
use crate::shrink::shrink;
use crate::values;

/// The number of strings for each format.
const STRINGS: usize = 60_000;

/// The minimum number of accepted strings, and of rejected ones.
const MIN_PER_VERDICT: usize = 2_000;

/// The pieces of generated strings: tokens with a meaning, and characters that are never allowed.
const PIECES: [&str; 52] = [
    "a", "Z", "http", "1", "0", "65536", "abc", "v1", "f", "g", ":", ":", "//", "/", "?", "#", "@",
    "[", "]", "[::1]", "::", "1.2.3.4", "%", "%20", "%zZ", "{", "}", "{a}", "+", "*", ",", ";",
    "&", "=", "!", "$", "|", ".", "-", "_", "~", "(", "'", "\"", "<", "\\", "^", " ", "\u{0}",
    "\u{7f}", "é", "\u{e000}",
];

/// The text of a list of pieces; the list, unlike the text, can be shrunk.
fn joined(pieces: &Value) -> String {
    pieces.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn implementations_agree(format: &str, definition: &str, member: &str) {
    let schema =
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "format": format});
    let options = jsonschema::options().should_validate_formats(true);
    let theirs = options.build(&schema).expect("a schema");
    let shape = Schemas::ours()
        .definition(definition, Revision::V2025_06_18, Authority::Schema)
        .expect("a definition with that format");
    let ours = |text: &str| shape.is_valid(&json::Value::from(json!({"name": "n", member: text})));
    let differs = |pieces: &Value| {
        let text = joined(pieces);
        ours(&text) != theirs.is_valid(&json!(text))
    };

    let mut random = Random::new(random::seed(), format);
    let valid = values::valid(format).expect("strings of that format");
    let mut accepted = 0;
    let mut found = Vec::new();
    for _ in 0..STRINGS {
        let mut pieces: Vec<String> = Vec::new();
        if random.once_in(2) {
            pieces = random.pick(valid).chars().map(String::from).collect();
        }
        for _ in 0..=random.below(5) {
            let piece = (*random.pick(&PIECES)).to_owned();
            let at = random.below(pieces.len() + 1);
            if at < pieces.len() && random.once_in(2) {
                pieces[at] = piece;
            } else {
                pieces.insert(at, piece);
            }
        }
        let pieces = json!(pieces);
        if theirs.is_valid(&json!(joined(&pieces))) {
            accepted += 1;
        }
        if differs(&pieces) {
            let small = joined(&shrink(pieces, differs));
            if !found.contains(&small) {
                found.push(small);
            }
        }
    }
    let seed = format!("with {}={}", random::VARIABLE, random::seed());
    assert!(found.is_empty(), "validity as {format} differs for {found:?} {seed}");
    assert!(
        (MIN_PER_VERDICT..STRINGS - MIN_PER_VERDICT).contains(&accepted),
        "{accepted} of {STRINGS} accepted as {format} {seed}"
    );
}

#[test]
fn the_same_uris_are_valid() {
    implementations_agree("uri", "Root", "uri");
}

#[test]
fn the_same_uri_templates_are_valid() {
    implementations_agree("uri-template", "ResourceTemplate", "uriTemplate");
}
