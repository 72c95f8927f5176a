//! Elicitation.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>

scenarios![
    tools_call_elicitation,
    elicitation_sep1034_defaults,
    elicitation_sep1330_enums,
    elicitation_sep1034_client_defaults,
    elicitation_answers,
    client_elicitation,
];
