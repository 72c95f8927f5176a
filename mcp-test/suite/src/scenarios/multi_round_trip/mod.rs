//! Multi round-trip requests: results that ask for input.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>

mod fixture;
mod input_rounds;
mod round;

scenarios![
    basic_elicitation,
    basic_sampling,
    basic_list_roots,
    request_state,
    multiple_input_requests,
    multi_round,
    missing_input_response,
    non_tool_request,
    result_type,
    unsupported_methods,
    tampered_state,
    capability_check,
    ignore_extra_params,
    validate_input,
    sep_2322_client_request_state,
    mrtr_retries,
    mrtr_state,
    client_input_required,
];
