//! A message that a case demands, and how the search for it ended.

use mcp_test_core::json::{Object, Value};

use super::message_log::LoggedMessage;
use crate::cases::serve::incoming::{ExpectedMessage, Fit, Incoming};
use crate::cases::{Case, CaseMessage, Values};

/// A message of a case.
pub(super) struct DemandedMessage<'a> {
    pub(super) case: &'a Case,
    pub(super) message: &'a CaseMessage,
    /// What the mock expects, if it is a request or notification of the client.
    pub(super) expected: Option<ExpectedMessage>,
}

/// A message that the client did not send.
pub(super) struct MissingMessage {
    /// The index of the message among the demanded ones.
    pub(super) line: usize,
    /// The index in the log from which on it was expected.
    pub(super) from: usize,
    pub(super) values: Values,
    /// What the client sent in its place, if that is certain: its answer to the request.
    pub(super) instead: Option<usize>,
}

impl DemandedMessage<'_> {
    /// Whether a message of the client is the demanded one.
    pub(super) fn fits(
        &self,
        logged: &LoggedMessage,
        incoming: &Incoming,
        values: &Values,
    ) -> bool {
        let value = &self.message.value;
        logged.message.method() == value.get("method").and_then(Value::as_str)
            && logged.message.id().is_some() == value.get("id").is_some()
            && self
                .expected
                .as_ref()
                .is_some_and(|expected| !matches!(expected.fit(incoming, values), Fit::Not))
    }
}

/// A message with this result, for the pointers of `_match`.
pub(super) fn result_message(result: &Value) -> Value {
    let mut message = Object::new();
    message.push("result", result.clone());
    message.into()
}
