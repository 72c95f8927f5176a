//! Tasks: those of 2025-11-25, and the extension from 2026-07-28 on.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks>

mod extension;
mod outcomes_peer;
mod peer;
mod quick_server;
mod task;
mod task_client;
mod task_fault;
mod task_judging;
mod task_requests;
mod task_states;

scenarios![
    tasks_lifecycle,
    tasks_capability_negotiation,
    tasks_wire_fields,
    tasks_request_state_removal,
    tasks_mrtr_input,
    tasks_request_headers,
    tasks_dispatch_and_envelope,
    tasks_status_notifications,
    tasks_required_task_error,
    tasks_mrtr_composition,
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
    client_task_polling,
    client_task_input,
    client_tasks,
];
