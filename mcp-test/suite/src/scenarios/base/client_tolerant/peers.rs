//! The clients of the proofs: each does one thing wrong.

use mcp_test_core::client::reference::patient::{Reaction, Received, correct};
use mcp_test_core::wire::ErrorReply;

use crate::scenarios::listing_client::{leaving, reacting};
use crate::scenarios::prelude::*;

/// Whether the server has sent a notification of this method.
fn is(received: Received<'_>, method: &str) -> bool {
    matches!(received, Received::Notification(notification) if notification.method == method)
}

/// Whether the server has sent a log message for which this holds.
fn is_log(received: Received<'_>, holds: fn(&Value) -> bool) -> bool {
    let Received::Notification(it) = received else { return false };
    it.method == "notifications/message" && it.params.as_ref().is_some_and(holds)
}

pub(super) fn leaves_at_an_unknown_one() -> ScriptedClient {
    leaving(|received| is(received, "notifications/mcp-test/unknown"))
}

pub(super) fn leaves_at_a_change() -> ScriptedClient {
    leaving(|received| is(received, "notifications/prompts/list_changed"))
}

pub(super) fn leaves_at_a_log_message() -> ScriptedClient {
    leaving(|received| is_log(received, |_| true))
}

pub(super) fn leaves_at_log_data() -> ScriptedClient {
    leaving(|received| is_log(received, |params| params.get("data").is_some_and(Value::is_null)))
}

pub(super) fn leaves_at_meta() -> ScriptedClient {
    leaving(|received| is_log(received, |params| params.get("_meta").is_some()))
}

pub(super) fn refuses_meta() -> ScriptedClient {
    reacting(|client, received| match received {
        Received::Request(ping)
            if ping.params.as_ref().is_some_and(|it| it.get("_meta").is_some()) =>
        {
            let error = RpcError::new(error_code::INVALID_PARAMS, "unknown keys");
            Reaction::Send(ErrorReply::new(ping.id.clone(), error).into())
        }
        received => correct(client, received),
    })
}

pub(super) fn leaves_at_a_cancellation() -> ScriptedClient {
    leaving(|received| is(received, "notifications/cancelled"))
}

pub(super) fn leaves_at_an_elicitation() -> ScriptedClient {
    leaving(|received| is(received, "notifications/elicitation/complete"))
}

pub(super) fn leaves_at_a_task() -> ScriptedClient {
    leaving(|received| is(received, "notifications/tasks/status"))
}

/// Answers notifications of a method that it does not know.
pub(super) fn answers_notifications() -> ScriptedClient {
    reacting(|client, received| match is(received, "notifications/mcp-test/unknown") {
        true => {
            let error = RpcError::new(error_code::METHOD_NOT_FOUND, "unknown notification");
            Reaction::Send(ErrorReply { id: Some(Id::Null), error }.into())
        }
        false => correct(client, received),
    })
}
