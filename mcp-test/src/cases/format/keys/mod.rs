//! The keys with `_`: their meaning, readers and JSON Schemas, in [one table](KEYS).
//!
//! | file | keys |
//! |---|---|
//! | `run_options` | `_tags` `_skip` `_only` `_revision` `_transport` `_timeout` `_handshake` `_continues` |
//! | `setup` | `_before` `_after` `_given` `_inputs` |
//! | `matching` | `_match` `_capture` |

mod extensions;
mod matching;
mod run_options;
mod schemas;
mod setup;

use serde_json::json;

pub(super) use self::extensions::Extensions;
use self::extensions::Key;
use self::schemas::{flag, one_or_many, text, time};

/// All known keys with `_`.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "_tags",
        summary: "Tags by which cases are selected: one, or a list.",
        examples: || json!([["tools", "fast"]]),
        schema: || one_or_many(&text()),
        read: run_options::tags,
    },
    Key {
        name: "_skip",
        summary: "Why the case does not run.",
        examples: || json!(["the server cannot do it yet"]),
        schema: text,
        read: run_options::skip,
    },
    Key {
        name: "_only",
        summary: "If any case has this, only cases that have it run.",
        examples: || json!([true]),
        schema: flag,
        read: run_options::only,
    },
    Key {
        name: "_revision",
        summary: "The MCP revisions to which the case applies: one, a range, or a list.",
        examples: || json!(["2025-06-18", "2025-06-18..", "..2025-11-25"]),
        schema: run_options::revision_schema,
        read: run_options::revision,
    },
    Key {
        name: "_transport",
        summary: "The transports to which the case applies: one, or a list.",
        examples: || json!(["stdio", ["stdio", "http"]]),
        schema: run_options::transport_schema,
        read: run_options::transport,
    },
    Key {
        name: "_timeout",
        summary: "The time limit of the case: milliseconds, or a number with a unit.",
        examples: || json!(["5s", "500ms", 3000]),
        schema: time,
        read: run_options::timeout,
    },
    Key {
        name: "_handshake",
        summary: "With `false` only the messages of the case are sent. Otherwise a case without `initialize` gets the \
               handshake, or the `_meta` of the stateless era, automatically.",
        examples: || json!([false]),
        schema: flag,
        read: run_options::handshake,
    },
    Key {
        name: "_continues",
        summary: "The case continues the conversation of the previous case in the file.",
        examples: || json!([true]),
        schema: flag,
        read: run_options::continues,
    },
    Key {
        name: "_given",
        summary: "States that the server must be in, set up by a hook of the caller: one, or a list.",
        examples: || json!(["a user named Ada", {"state": "a repository", "params": {"name": "x"}}]),
        schema: setup::given_schema,
        read: setup::given,
    },
    Key {
        name: "_before",
        summary: "Commands to start before the case: one, or a list. They only run if commands are allowed.",
        examples: || {
            json!([
                "node server.js",
                {"run": "node server.js", "ready": "listening on"},
                {"command": "start-mcp-server", "arguments": ["--port", "1234"]},
            ])
        },
        schema: setup::hooks_schema,
        read: setup::before,
    },
    Key {
        name: "_after",
        summary: "Commands to run after the case, whatever its result: one, or a list. They only run if commands are \
               allowed.",
        examples: || json!(["./clean-up.sh"]),
        schema: setup::hooks_schema,
        read: setup::after,
    },
    Key {
        name: "_inputs",
        summary: "Values supplied from outside, used as `${name}`: one, or a list.",
        examples: || json!([["token", {"name": "key", "secret": true}]]),
        schema: setup::inputs_schema,
        read: setup::inputs,
    },
    Key {
        name: "_match",
        summary: "How messages are compared, by message key: `exact` or `contains`, and matchers by JSON Pointer, in which \
               `*` stands for every item or member.",
        examples: || json!([{"out": {"mode": "contains", "/result/content/0/text": {"regex": "^[0-9]+$"}}}]),
        schema: matching::match_schema,
        read: matching::matches,
    },
    Key {
        name: "_capture",
        summary: "Values to keep from received messages, by message key: names with JSON Pointers. Later messages use them \
               as `${name}`.",
        examples: || json!([{"out": {"session": "/result/sessionId"}}]),
        schema: matching::capture_schema,
        read: matching::capture,
    },
];

/// The key with a name.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}
