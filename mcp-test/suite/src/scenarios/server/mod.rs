//! Scenarios for servers.

mod content;
mod input_requests;
pub mod input_required_result;
mod references;
mod server_messages;
mod skills;
pub mod tasks;

use mcp_test_core::scenario::Scenario;

scenarios![
    server_initialize,
    server_session_lifecycle,
    server_stateless,
    logging_set_level,
    ping,
    completion_complete,
    tools_list,
    tools_call_simple_text,
    tools_call_image,
    tools_call_audio,
    tools_call_embedded_resource,
    tools_call_mixed_content,
    tools_call_with_logging,
    tools_call_error,
    tools_call_with_progress,
    tools_call_sampling,
    tools_call_elicitation,
    json_schema_2020_12,
    elicitation_sep1034_defaults,
    server_sse_polling,
    server_sse_multiple_streams,
    elicitation_sep1330_enums,
    resources_list,
    resources_read_text,
    resources_read_binary,
    resources_templates_read,
    resources_subscribe,
    resources_unsubscribe,
    sep_2164_resource_not_found,
    sep_2640_skills_directory,
    sep_2640_skills_enumeration,
    sep_2640_skills_manifest,
    prompts_list,
    prompts_get_simple,
    prompts_get_with_args,
    prompts_get_embedded_resource,
    prompts_get_with_image,
    dns_rebinding_protection,
    caching,
    http_header_validation,
    http_custom_header_server_validation,
];

/// Every scenario for servers of the official suite, in its order.
pub(super) fn all() -> impl Iterator<Item = &'static &'static Scenario> {
    [ALL, tasks::ALL, input_required_result::ALL].into_iter().flatten()
}
