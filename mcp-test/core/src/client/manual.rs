//! Manual control of a conversation: the caller processes observations step by step and answers the server's requests.
//!
//! For callers that know both sides of the conversation in advance. The [handlers](super::Handlers) still answer all
//! methods except those that they [leave unanswered](super::Handlers::leaving_unanswered).

#![allow(
    dead_code,
    reason = "each feature that replays a conversation message by message uses a part of it"
)]

use super::handlers::{self, Answer};
use super::notification::ReceivedNotification;
use super::state::Abandoned;
use super::wait::{Pending, Step};
use super::{Client, Reply, RequestOptions};
use crate::check::Finding;
use crate::clock::Deadline;
use crate::json::Value;
use crate::spec::{Era, Revision, header};
use crate::trace::Seq;
use crate::transport::{Outgoing, Sent};
use crate::wire::{Id, Message, Notification, Request};

impl RequestOptions {
    /// Leaves requests for input to the caller: each round is a request of its own.
    #[doc(hidden)]
    pub fn manual(mut self) -> Self {
        self.manual = true;
        self
    }

    /// Sends the parameters unchanged, without what the era adds.
    #[doc(hidden)]
    pub fn verbatim(mut self) -> Self {
        self.verbatim = true;
        self
    }

    /// Waits for the reply no longer than until shortly after the reply to a later `ping`.
    ///
    /// For requests that cost a server no time but that it may ignore, such as invalid ones. A server that is busy, or that does
    /// not answer the `ping` either, has as much time as usual.
    #[doc(hidden)]
    pub fn promptly(mut self) -> Self {
        self.promptly = true;
        self
    }
}

impl Client {
    /// Answers a request of the server, under its id.
    #[doc(hidden)]
    pub async fn answer(&mut self, request: &Request, answer: Answer) -> Sent {
        let deadline = self.options.deadline();
        self.send_without_reply(handlers::message(request, answer), deadline).await
    }

    /// Whether the peer has ended the connection, as far as is known.
    #[doc(hidden)]
    pub fn is_closed(&self) -> bool {
        self.state.closed().is_some()
    }

    /// Whether the peer has sent anything; otherwise its program may not have started yet.
    #[doc(hidden)]
    pub fn has_received(&self) -> bool {
        self.state.received_anything()
    }

    /// Sends text that is not a message in place of a request, so that an error without an id may answer it. The reply is
    /// awaited as with [`RequestOptions::promptly`].
    #[doc(hidden)]
    pub async fn start_unreadable(&mut self, id: Id, method: &str, text: String) -> Pending {
        let sent = Value::parse(text.as_bytes()).ok().map(|document| document.value);
        let named = sent.as_ref().and_then(|sent| sent.get("method")?.as_str());
        let named = named.filter(|_| self.facts.revision.era() == Era::Stateless);
        let mut outgoing = Outgoing::raw(text.clone());
        // Without it, a server over HTTP refuses the headers instead of what is wrong with the text.
        if let Some(named) = named {
            outgoing = outgoing.header(header::MCP_METHOD, named);
        }
        let options = RequestOptions::new().once();
        let pending = self.start_outgoing(id, method, outgoing, (Value::Null, options)).await;
        self.state.mark_id_unreadable(pending.id());
        pending.promptly()
    }

    /// Cancels a request as [`Client::cancel`] does, with this notification where one is sent. With `waits`, the reply is
    /// still awaited.
    #[doc(hidden)]
    pub async fn cancel_with(
        &mut self,
        pending: Pending,
        mut cancellation: Notification,
        waits: bool,
    ) -> Result<Option<Pending>, Finding> {
        if self.cancels_by_closing() && !waits {
            self.cancel(pending, None).await;
            return Ok(None);
        }
        if let Some(params) = &mut cancellation.params {
            // The id in the caller's notification is the one of its script; this conversation may have another.
            params.set("/requestId", pending.id().to_value());
        }
        // Before the notification is sent, as in `Client::cancel`.
        if !waits {
            self.state.abandon(pending.id(), Abandoned::Cancelled);
        }
        let sent = self.notify_accepted(cancellation).await?;
        self.mark_deliberate(sent);
        Ok(waits.then_some(pending))
    }

    /// Processes the next observation, if one arrives before the deadline of a request.
    #[doc(hidden)]
    pub async fn step_for(&mut self, pending: &Pending) -> Step {
        self.step(pending.deadline).await
    }

    /// Records in the trace that a wait was abandoned.
    #[doc(hidden)]
    pub fn record_deadline_fired(&self, awaited: String) -> Seq {
        self.deadline_fired(None, awaited)
    }

    /// An id that no request of the conversation has used.
    #[doc(hidden)]
    pub fn new_id(&mut self) -> Id {
        self.next_id()
    }

    /// Whether the reply to a request may still arrive.
    #[doc(hidden)]
    pub fn is_pending(&self, pending: &Pending) -> bool {
        pending.sent.written && self.state.is_open(pending.id())
    }

    /// Gives up a request that the server has ignored: it has answered later ones.
    #[doc(hidden)]
    pub fn give_up(&mut self, pending: &Pending) {
        self.state.abandon(pending.id(), Abandoned::Ignored);
    }

    /// Marks a request that is not answered before the operation that it started has ended.
    #[doc(hidden)]
    pub fn keep_open(&mut self, pending: &Pending) {
        self.state.keep_open(pending.id());
    }

    /// The requests of the server after the first `known` ones, each with its event.
    #[doc(hidden)]
    pub fn server_requests_after(&self, known: usize) -> impl Iterator<Item = (Seq, &Request)> {
        self.state.received().requests_with_seq().skip(known)
    }

    /// Takes the first matching notification that was not taken before.
    #[doc(hidden)]
    pub fn take_notification(
        &mut self,
        matches: impl Fn(&ReceivedNotification) -> bool,
    ) -> Option<ReceivedNotification> {
        self.state.received_mut().take(matches)
    }

    /// The notifications that were not taken yet.
    #[doc(hidden)]
    pub fn untaken_notifications(&self) -> impl Iterator<Item = &ReceivedNotification> {
        self.state.received().untaken_notifications()
    }

    /// How the connection ended, if it has.
    #[doc(hidden)]
    pub fn end_reason(&self) -> Option<&str> {
        self.state.closed().map(|(_, how)| how.as_str())
    }

    /// The deadline of a wait that starts now.
    #[doc(hidden)]
    pub fn deadline(&self) -> Deadline {
        self.options.deadline()
    }

    /// Sends a notification unchanged and waits until it is accepted, so that no later message overtakes it.
    #[doc(hidden)]
    pub async fn notify_accepted(&mut self, notification: Notification) -> Result<Sent, Finding> {
        let method = notification.method.clone();
        let deadline = self.options.deadline();
        let sent = self.send_without_reply(Message::Notification(notification), deadline).await;
        self.until_accepted(&method, sent).await?;
        Ok(sent)
    }

    /// Marks a sent message as deliberately invalid.
    #[doc(hidden)]
    pub fn mark_deliberate(&self, sent: Sent) {
        self.connection.recorder().mark_deliberate(sent.seq);
    }

    /// Adopts the revision of a reply to `initialize`, if it is known and of the handshake era.
    #[doc(hidden)]
    pub fn adopt_revision(&mut self, reply: &Reply) -> Option<Revision> {
        let result = reply.peek()?;
        let version = result.get("protocolVersion").and_then(Value::as_str)?;
        // As in `Client::initialize`, but without a finding: the caller compares the reply with its script.
        let revision =
            version.parse().ok().filter(|revision: &Revision| revision.era() == Era::Handshake)?;
        let result = result.clone();
        self.set_facts(revision, result);
        self.connection.set_revision(revision);
        Some(revision)
    }
}
