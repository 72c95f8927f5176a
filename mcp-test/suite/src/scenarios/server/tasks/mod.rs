//! The official scenarios for the tasks extension, with fixtures of known names.
//!
//! Those for any server are in [`any::tasks`](crate::scenarios::any::tasks). Where the official suite has a check for a connection
//! that cannot be opened, whose id ends with `-bootstrap`, there is none here: without a handshake nothing is opened, so that it
//! could never fail.
//!
//! <https://modelcontextprotocol.io/seps/2663-tasks-extension>

mod peers;
mod task_client;

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
];
