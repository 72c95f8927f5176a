//! Results that ask for input, by the fixtures of the official suite: the scenarios `input-required-result-*`.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>

mod fixture;

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
];
