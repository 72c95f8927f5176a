//! Scenarios for clients.

mod references;

/// Declares a module per scenario and lists the scenarios, so that none can be forgotten.
macro_rules! scenarios {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// The scenarios for clients, in official order.
        pub(super) static ALL: &[&crate::scenario::Scenario] = &[$(&$name::SCENARIO),+];
    };
}

scenarios![
    initialize,
    tools_call,
    elicitation_sep1034_client_defaults,
    sse_retry,
    request_metadata,
    http_standard_headers,
];
