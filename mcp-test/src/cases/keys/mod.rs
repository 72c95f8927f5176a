//! The keys with `_`: what each says, how it is read, and its JSON Schema, in [one table](KEYS).
//!
//! | file | keys |
//! |---|---|
//! | `when` | `_tags` `_skip` `_only` `_revision` `_transport` `_timeout` `_handshake` `_continues` |
//! | `around` | `_before` `_after` `_given` `_inputs` |
//! | `rules` | `_match` `_capture` |

mod around;
mod rules;
mod when;

use serde_json::{Value, json};

use super::reading::Reading;
use super::{Capture, Rule, Settings};
use crate::yaml::{Node, Span};

/// A key with `_`.
pub(super) struct Key {
    pub(super) name: &'static str,
    /// What it says, in a sentence.
    pub(super) says: &'static str,
    /// What it may look like, as JSON.
    pub(super) examples: fn() -> Value,
    /// What its value has to be, as JSON Schema.
    pub(super) schema: fn() -> Value,
    /// Takes in its value.
    pub(super) read: fn(&mut Reading<'_>, &Node, &mut Extensions),
}

/// What the keys with `_` of one case say.
#[derive(Default)]
pub(super) struct Extensions {
    pub(super) settings: Settings,
    /// By the key of the message, with the place of that.
    pub(super) rules: Vec<(String, Span, Rule)>,
    pub(super) captures: Vec<(String, Span, Vec<Capture>)>,
}

/// All keys with `_` that mean something.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "_tags",
        says: "Words by which cases are chosen: one, or a list.",
        examples: || json!([["tools", "fast"]]),
        schema: || one_or_many(&text()),
        read: when::tags,
    },
    Key {
        name: "_skip",
        says: "Why the case is not run.",
        examples: || json!(["the server cannot do it yet"]),
        schema: text,
        read: when::skip,
    },
    Key {
        name: "_only",
        says: "While a case has this, the cases that do not have it are not run.",
        examples: || json!([true]),
        schema: flag,
        read: when::only,
    },
    Key {
        name: "_revision",
        says: "The revisions of MCP at which the case holds: one, a range, or a list.",
        examples: || json!(["2025-06-18", "2025-06-18..", "..2025-11-25"]),
        schema: when::revision_schema,
        read: when::revision,
    },
    Key {
        name: "_transport",
        says: "The transports over which the case holds: one, or a list.",
        examples: || json!(["stdio", ["stdio", "http"]]),
        schema: when::transport_schema,
        read: when::transport,
    },
    Key {
        name: "_timeout",
        says: "How long the case may take: milliseconds, or a number with a unit.",
        examples: || json!(["5s", "500ms", 3000]),
        schema: time,
        read: when::timeout,
    },
    Key {
        name: "_handshake",
        says: "With `false` nothing is said but what the case has. Otherwise a case without `initialize` gets the \
               handshake, or the `_meta` of the stateless era, done for it.",
        examples: || json!([false]),
        schema: flag,
        read: when::handshake,
    },
    Key {
        name: "_continues",
        says: "The case goes on in the conversation of the case before it in the file.",
        examples: || json!([true]),
        schema: flag,
        read: when::continues,
    },
    Key {
        name: "_given",
        says: "States that the server is to be in, which a hook of the caller sets up: one, or a list.",
        examples: || json!(["a user named Ada", {"state": "a repository", "params": {"name": "x"}}]),
        schema: around::given_schema,
        read: around::given,
    },
    Key {
        name: "_before",
        says: "Commands that are started before the case: one, or a list. They are run only where that is allowed.",
        examples: || json!(["node server.js", {"run": "node server.js", "ready": "listening on"}]),
        schema: around::hooks_schema,
        read: around::before,
    },
    Key {
        name: "_after",
        says: "Commands that are run after the case, whatever came of it: one, or a list. They are run only where that \
               is allowed.",
        examples: || json!(["./clean-up.sh"]),
        schema: around::hooks_schema,
        read: around::after,
    },
    Key {
        name: "_inputs",
        says: "Values from outside, used as `${name}`: one, or a list.",
        examples: || json!([["token", {"name": "key", "secret": true}]]),
        schema: around::inputs_schema,
        read: around::inputs,
    },
    Key {
        name: "_match",
        says: "How messages are compared, by the keys of the messages: `exact` or `contains`, and matchers by JSON \
               Pointer, in which `*` stands for every item or member.",
        examples: || json!([{"out": {"mode": "contains", "/result/content/0/text": {"regex": "^[0-9]+$"}}}]),
        schema: rules::match_schema,
        read: rules::matches,
    },
    Key {
        name: "_capture",
        says: "Values that are kept of messages, by the keys of the messages: names, and JSON Pointers into what really \
               came. Later messages use them as `${name}`.",
        examples: || json!([{"out": {"session": "/result/sessionId"}}]),
        schema: rules::capture_schema,
        read: rules::capture,
    },
];

/// The key of that name.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The items of a list, or what is no list by itself.
fn each(node: &Node) -> &[Node] {
    node.as_list().unwrap_or(std::slice::from_ref(node))
}

/// What [`is_name`] holds of, as JSON Schema has it.
const NAME: &str = "^[A-Za-z_][A-Za-z0-9_.-]*$";

fn text() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn time() -> Value {
    json!({"anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "string", "pattern": "^0*[1-9][0-9]*\\s*(ms|s|m)?$"},
    ]})
}

fn one_or_many(schema: &Value) -> Value {
    json!({"anyOf": [schema, {"type": "array", "items": schema}]})
}
