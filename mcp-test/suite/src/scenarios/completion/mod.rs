//! Completion.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion>

mod completion_values;
mod targets;

scenarios![
    completion_complete,
    completion_offered,
    completion_context,
    completion_malformed,
    completion_declared,
];
