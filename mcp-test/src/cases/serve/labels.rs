//! Replaces the labels of a case by the ids, progress tokens and subscription ids of the client.

use std::collections::HashMap;

use mcp_test_core::json::Value;
use mcp_test_core::server::Call;
use mcp_test_core::spec::meta;
use mcp_test_core::wire::Id;

use super::message_ref::MessageRef;

/// The values for the labels of one request.
#[derive(Debug, Clone, Default)]
pub(super) struct Labels {
    /// The id of the request in the case, and the client's.
    id: Option<(Value, Value)>,
    /// Its progress token in the case, and the one of the client, if it requested progress.
    token: Option<(Value, Option<Value>)>,
    /// The server's requests: their ids in the case, and the real ones.
    requests: HashMap<Id, Id>,
}

impl Labels {
    pub(super) fn new(incoming: &MessageRef, call: &Call) -> Self {
        let given = call.param("_meta").and_then(|meta| meta.get(meta::PROGRESS_TOKEN));
        let id = incoming.value().get("id").cloned().zip(call.id().map(Id::to_value));
        let token = incoming.progress_token().map(|token| (token.clone(), given.cloned()));
        Self { id, token, requests: HashMap::new() }
    }

    /// Takes the labels of the same request in another case.
    pub(super) fn relabel(&mut self, incoming: &MessageRef) {
        if let (Some((label, _)), Some(other)) = (&mut self.id, incoming.value().get("id")) {
            *label = other.clone();
        }
        if let (Some((label, _)), Some(other)) = (&mut self.token, incoming.progress_token()) {
            *label = other.clone();
        }
    }

    /// Remembers the real id of a request of the server.
    pub(super) fn add_request(&mut self, request: &MessageRef, id: Id) {
        if let Some(label) = request.label() {
            self.requests.insert(label, id);
        }
    }

    /// Puts the real ids into a notification; `false` if the client did not ask for it.
    pub(super) fn apply_to(&self, message: &mut Value) -> bool {
        if let Some((label, requested)) = &self.token
            && let Some(token) = message.at_mut("/params/progressToken")
            && token == label
        {
            match requested {
                Some(requested) => *token = requested.clone(),
                // Progress notifications MUST only reference tokens of active requests (basic/utilities/progress).
                None => return false,
            }
        }
        self.apply_to_subscription(message.at_mut("/params/_meta"));
        if message.get("method").and_then(Value::as_str) == Some("notifications/cancelled")
            && let Some(cancelled) = message.at_mut("/params/requestId")
            && let Some(id) = Id::read(cancelled).and_then(|label| self.requests.get(&label))
        {
            *cancelled = id.to_value();
        }
        true
    }

    /// Puts the real id into the result of a subscription.
    pub(super) fn apply_to_result(&self, result: &mut Value) {
        self.apply_to_subscription(result.at_mut("/_meta"));
    }

    /// Puts the real id into `_meta`, if it names this request as its subscription.
    fn apply_to_subscription(&self, fields: Option<&mut Value>) {
        if let Some((label, id)) = &self.id
            && let Some(fields) = fields.and_then(Value::as_object_mut)
            && let Some(subscription) = fields.get_mut(meta::SUBSCRIPTION_ID)
            && subscription == label
        {
            *subscription = id.clone();
        }
    }
}
