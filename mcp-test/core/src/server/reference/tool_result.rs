//! The results of tools.

use serde_json::json;

use super::{Answer, Call, invalid};

/// Refuses invalid arguments: with an error result where the revision wants the model to see it, otherwise with a
/// protocol error.
pub(super) fn invalid_arguments(call: &Call, why: &str) -> Answer {
    if call.revision().reports_input_errors_in_results() {
        error_result(why)
    } else {
        invalid(why).into()
    }
}

pub(super) fn text_result(text: &str) -> Answer {
    json!({ "content": [{ "type": "text", "text": text }] }).into()
}

pub(super) fn error_result(text: &str) -> Answer {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true }).into()
}
