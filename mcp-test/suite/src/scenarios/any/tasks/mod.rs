//! Tasks: those of 2025-11-25, and the extension from 2026-07-28 on.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks>

mod extension;
mod outcomes_peer;
mod peer;
mod task;
mod task_fault;

scenarios![
    tasks_cancel,
    tasks_errors,
    tasks_extension_calls,
    tasks_extension_outcomes,
    tasks_extension_requests,
    tasks_legacy_capability,
    tasks_run,
    tasks_tool_support,
    tasks_undeclared,
    tasks_unknown,
];
