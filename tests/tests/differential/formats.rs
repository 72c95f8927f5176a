//! Strings with a format: ours reads RFC 3986 and RFC 6570 as the library does that judges by the official schemas.

use mcp_test::json;
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas};
use serde_json::{Value, json};

use crate::random::{self, Random};
use crate::shrink::shrink;
use crate::words;

/// How many strings are judged for each format.
const STRINGS: usize = 60_000;

/// How many of them are accepted, at least.
const ACCEPTED: usize = 2_000;

/// What strings are put together from, apart from whole ones: what has a meaning somewhere, and what is allowed nowhere.
const PIECES: [&str; 52] = [
    "a", "Z", "http", "1", "0", "65536", "abc", "v1", "f", "g", ":", ":", "//", "/", "?", "#", "@",
    "[", "]", "[::1]", "::", "1.2.3.4", "%", "%20", "%zZ", "{", "}", "{a}", "+", "*", ",", ";",
    "&", "=", "!", "$", "|", ".", "-", "_", "~", "(", "'", "\"", "<", "\\", "^", " ", "\u{0}",
    "\u{7f}", "é", "\u{e000}",
];

/// The text, taken apart so that it can be made smaller.
fn joined(pieces: &Value) -> String {
    pieces.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn agrees(format: &str, definition: &str, member: &str) {
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
    let right = words::right(format).expect("strings of that format");
    let mut accepted = 0;
    let mut found = Vec::new();
    for _ in 0..STRINGS {
        let mut pieces: Vec<String> = Vec::new();
        if random.once_in(2) {
            pieces = random.pick(right).chars().map(String::from).collect();
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
    assert!(found.is_empty(), "as {format} these are judged differently: {found:?} {seed}");
    assert!((ACCEPTED..STRINGS - ACCEPTED).contains(&accepted), "{accepted} {format} {seed}");
}

#[test]
fn uris_agree() {
    agrees("uri", "Root", "uri");
}

#[test]
fn uri_templates_agree() {
    agrees("uri-template", "ResourceTemplate", "uriTemplate");
}
