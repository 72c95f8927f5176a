//! From the labels of a case to what a client really uses: ids, progress tokens, subscription ids.

use std::collections::HashMap;

use super::line::Line;
use crate::json::Value;
use crate::server::Call;
use crate::spec::meta;
use crate::wire::Id;

/// What a client uses in place of the labels of one request.
#[derive(Debug, Clone, Default)]
pub(super) struct Labels {
    /// The id of the request in the case, and that of the client.
    id: Option<(Value, Value)>,
    /// The token of its progress in the case, and that of the client, if it wants to hear of it.
    token: Option<(Value, Option<Value>)>,
    /// The requests of the server: their ids in the case, and those that were really used.
    asked: HashMap<Id, Id>,
}

impl Labels {
    pub(super) fn of(heard: &Line, call: &Call) -> Self {
        let given = call.param("_meta").and_then(|meta| meta.get(meta::PROGRESS_TOKEN));
        let id = heard.value().get("id").cloned().zip(call.id().map(Id::to_value));
        let token = heard.progress_token().map(|token| (token.clone(), given.cloned()));
        Self { id, token, asked: HashMap::new() }
    }

    /// The same for a request of another case, which the client means as well.
    pub(super) fn relabel(&mut self, heard: &Line) {
        if let (Some((label, _)), Some(other)) = (&mut self.id, heard.value().get("id")) {
            *label = other.clone();
        }
        if let (Some((label, _)), Some(other)) = (&mut self.token, heard.progress_token()) {
            *label = other.clone();
        }
    }

    /// Keeps in mind under which id the client was asked.
    pub(super) fn asked(&mut self, question: &Line, id: Id) {
        if let Some(label) = question.label() {
            self.asked.insert(label, id);
        }
    }

    /// Puts what the client uses into a notification; `false` if the client does not want to hear it.
    pub(super) fn put_into(&self, message: &mut Value) -> bool {
        if let Some((label, used)) = &self.token
            && let Some(token) = message.at_mut("/params/progressToken")
            && token == label
        {
            match used {
                Some(used) => *token = used.clone(),
                None => return false,
            }
        }
        if let Some((label, used)) = &self.id
            && let Some(meta) = message.at_mut("/params/_meta").and_then(Value::as_object_mut)
            && let Some(subscription) = meta.get_mut(meta::SUBSCRIPTION_ID)
            && subscription == label
        {
            *subscription = used.clone();
        }
        if message.get("method").and_then(Value::as_str) == Some("notifications/cancelled")
            && let Some(cancelled) = message.at_mut("/params/requestId")
            && let Some(used) = Id::read(cancelled).and_then(|label| self.asked.get(&label))
        {
            *cancelled = used.to_value();
        }
        true
    }

    /// Puts the client's own id into the result of a subscription.
    pub(super) fn put_into_result(&self, result: &mut Value) {
        if let Some((label, used)) = &self.id
            && let Some(meta) = result.at_mut("/_meta").and_then(Value::as_object_mut)
            && let Some(subscription) = meta.get_mut(meta::SUBSCRIPTION_ID)
            && subscription == label
        {
            *subscription = used.clone();
        }
    }
}
