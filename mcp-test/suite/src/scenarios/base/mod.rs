//! The base protocol: messages, ids, errors, `_meta` and capabilities.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic>

mod invalid_message;

scenarios![
    base_unknown_method,
    base_invalid_params,
    base_request_ids,
    base_concurrent_requests,
    base_notifications,
    base_invalid_messages,
    base_invalid_ids,
    base_large_messages,
    base_batch,
    base_meta,
    base_capabilities,
    base_unknown_capability,
    base_stateless,
    client_answers_requests,
    client_features,
    client_tolerant,
    client_malformed,
    client_batches,
    client_unusual_results,
    client_result_types,
    client_icons,
];

use crate::scenarios::prelude::*;

/// The cause of all findings that a feature works which is not declared, whatever the method.
pub(super) fn undeclared_served(capability: Capability) -> Cause {
    Cause::RequirementFor(Requirement::BASE_SERVER_FEATURES_ADVERTISED, capability.to_string())
}
