//! Scenarios for servers.

mod input_requests;
mod references;
mod server_messages;
pub mod tasks;

use crate::scenario::Scenario;

scenarios![
    server_initialize,
    server_session_lifecycle,
    server_stateless,
    logging_set_level,
    ping,
    completion_complete,
    tools_list,
    tools_call_simple_text,
    tools_call_with_logging,
    tools_call_error,
    tools_call_with_progress,
    tools_call_sampling,
    tools_call_elicitation,
    server_sse_polling,
    server_sse_multiple_streams,
    resources_list,
    resources_read_text,
    resources_subscribe,
    resources_unsubscribe,
    prompts_list,
    prompts_get_simple,
    dns_rebinding_protection,
    http_header_validation,
];

/// Every scenario for servers of the official suite, in its order.
pub(super) fn all() -> impl Iterator<Item = &'static &'static Scenario> {
    [ALL, tasks::ALL].into_iter().flatten()
}
