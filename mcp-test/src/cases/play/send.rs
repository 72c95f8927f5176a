//! Sends an `in` of the case, with real ids in place of labels.

use mcp_test_core::check::Finding;
use mcp_test_core::client::RequestOptions;
use mcp_test_core::json::Value;
use mcp_test_core::spec::LISTEN;
use mcp_test_core::wire::{Id, Message, Notification, Request};

use super::conversation::{CaseConversation, ClientRequest, ServerRequest};
use super::roles::{CANCELLED, Role, label_of};
use super::stop::Stop;
use crate::cases::format::message::read_lenient;

impl CaseConversation<'_> {
    /// Sends the message of the current line.
    pub(super) async fn send(&mut self) -> Result<(), Stop> {
        let value = self.expanded()?;
        // What is not JSON-RPC in the case is sent unchanged: completing it would test something else.
        if self.line().message.message.is_none() {
            return self.send_invalid(value).await;
        }
        match read_lenient(&value) {
            Some(Message::Request(request)) => self.request(request).await,
            Some(Message::Notification(notification)) => self.notify(notification).await,
            Some(Message::Response(reply)) => self.answer(Ok(reply.result)).await,
            Some(Message::Error(reply)) => self.answer(Err(reply.error)).await,
            None => self.send_invalid(value).await,
        }
    }

    async fn request(&mut self, request: Request) -> Result<(), Stop> {
        let Request { id: label, method, params } = request;
        // Deliberate: the case decides what is sent, even what the specification forbids.
        let mut options = RequestOptions::new().manual().deliberate();
        if self.bare {
            options = options.verbatim();
        }
        let params = params.unwrap_or(Value::Null);
        let pending = self.client.start_with(&method, params, options).await;
        if method == LISTEN {
            // Its result only comes when the subscription ends.
            self.client.keep_open(&pending);
        }
        let id = pending.id().clone();
        let is_initialize = method == "initialize";
        let (line, label) = (self.at, Some(label));
        self.client_requests.push(ClientRequest {
            line,
            label,
            method,
            id,
            pending: Some(pending),
        });
        let is_answered =
            matches!(self.roles[self.at], Role::ClientRequest { answered: Some(_), .. });
        // The messages that follow need the revision that was agreed.
        if is_initialize && !is_answered {
            let reply = self.reply_to(self.client_requests.len() - 1).await?;
            self.require_result(self.at, &reply).map_err(Stop::Here)?;
            self.client.adopt_revision(&reply);
        }
        Ok(())
    }

    async fn notify(&mut self, notification: Notification) -> Result<(), Stop> {
        if notification.method == CANCELLED
            && let Some(label) =
                notification.params.as_ref().and_then(|params| params.get("requestId"))
            && let Some(label) = Id::read(label)
            && let Some(index) = self.pending_with(&label)
        {
            return self.cancel(index, notification).await;
        }
        let method = notification.method.clone();
        let sent = self.client.notify_accepted(notification).await.map_err(Stop::Here)?;
        self.client.mark_deliberate(sent);
        // As client SDKs do: they open the stream once `initialized` was accepted.
        if method == "notifications/initialized" {
            self.open_stream().await;
        }
        Ok(())
    }

    /// Cancels a request, and keeps waiting for its reply only if the case has one.
    async fn cancel(&mut self, index: usize, notification: Notification) -> Result<(), Stop> {
        let Role::ClientRequest { answered, .. } = &self.roles[self.client_requests[index].line]
        else {
            return Ok(());
        };
        let waits = answered.is_some_and(|answered| answered > self.at);
        let Some(pending) = self.client_requests[index].pending.take() else { return Ok(()) };
        let pending =
            self.client.cancel_with(pending, notification, waits).await.map_err(Stop::Here)?;
        self.client_requests[index].pending = pending;
        Ok(())
    }

    async fn answer(&mut self, answer: mcp_test_core::client::Answer) -> Result<(), Stop> {
        let Role::ClientReply(Some(request_line)) = self.roles[self.at] else {
            let key = &self.line().message.key;
            return Err(Stop::Here(
                Finding::test(format!("`{key}` answers no request of the server"))
                    .expected("an `out` before it that has a `method` and the same `id`")
                    .got(format!("none in the case ({})", self.line().place())),
            ));
        };
        let is_it = |received: &&ServerRequest| {
            received.matched.as_ref().is_some_and(|(line, _)| *line == request_line)
        };
        if let Some(received) = self.server_requests.iter().find(is_it) {
            let request = received.request.clone();
            let sent = self.client.answer(&request, answer).await;
            self.client.mark_deliberate(sent);
        }
        Ok(())
    }

    /// Sends something that is not a message unchanged, except for its id.
    async fn send_invalid(&mut self, mut value: Value) -> Result<(), Stop> {
        let (method, label) = match &self.roles[self.at] {
            Role::ClientRequest { method, label, .. } => (method.clone(), label.clone()),
            _ => match label_of(&value) {
                // With a fresh id, a reply cannot be mistaken for that to another request.
                Some(label) => (String::new(), Some(label)),
                None => {
                    self.client.send_raw(value.to_string()).await;
                    return Ok(());
                }
            },
        };
        let id = self.client.new_id();
        if label.is_some() {
            value.set("/id", id.to_value());
        }
        let text = value.to_string();
        let pending = self.client.start_unreadable(id.clone(), &method, text).await;
        self.client_requests.push(ClientRequest {
            line: self.at,
            label,
            method,
            id,
            pending: Some(pending),
        });
        Ok(())
    }

    /// The latest pending request with this label.
    fn pending_with(&self, label: &Id) -> Option<usize> {
        let is_it = |request: &ClientRequest| {
            request.label.as_ref() == Some(label) && request.pending.is_some()
        };
        self.client_requests.iter().rposition(is_it)
    }
}
