//! A conversation by hand: what comes is looked at step by step, and what the server asks is answered by the caller.
//!
//! For those who know in advance what both sides are to say. The [handlers](super::Handlers) answer all the same, but for
//! methods that they [leave unanswered](super::Handlers::leaving_unanswered).

use super::handlers::Answer;
use super::notice::Notice;
use super::state::GivenUp;
use super::wait::{Pending, Step};
use super::{Client, Reply, RequestOptions};
use crate::check::Finding;
use crate::clock::Deadline;
use crate::json::Value;
use crate::spec::{Era, Revision};
use crate::trace::{Party, Seq, What};
use crate::transport::Sent;
use crate::wire::{ErrorReply, Id, Message, Notification, Request, Response};

impl RequestOptions {
    /// Leaves to the caller what a result asks for as input: each round is a request of its own.
    pub(crate) fn by_hand(mut self) -> Self {
        self.by_hand = true;
        self
    }

    /// Sends the parameters as they are, without what the era adds.
    pub(crate) fn verbatim(mut self) -> Self {
        self.verbatim = true;
        self
    }
}

impl Client {
    /// Answers a request of the server, under its id.
    pub(crate) async fn answer(&mut self, request: &Request, answer: Answer) -> Sent {
        let id = request.id.clone();
        let message = match answer {
            Ok(result) => Message::Response(Response { id, result }),
            Err(error) => Message::Error(ErrorReply { id: Some(id), error }),
        };
        let deadline = self.options.deadline();
        self.link.send(message, deadline).await
    }

    /// Sends what stands for a request and is no message, so that an error without an id may answer it.
    pub(crate) async fn start_unreadable(&mut self, id: Id, method: &str, text: String) -> Pending {
        let pending = self.start_raw(id, method, text).await;
        self.state.has_no_id(pending.id());
        pending
    }

    /// Cancels a request as [`Client::cancel`] does, in these words where there are any: nobody waits for its reply any more
    /// unless `waits`.
    pub(crate) async fn cancel_with(
        &mut self,
        pending: Pending,
        mut told: Notification,
        waits: bool,
    ) -> Result<Option<Pending>, Finding> {
        if self.cancels_by_closing() && !waits {
            self.cancel(pending, None).await;
            return Ok(None);
        }
        if let Some(params) = &mut told.params {
            params.set("/requestId", pending.id().to_value());
        }
        if !waits {
            self.state.give_up(pending.id(), GivenUp::Cancelled);
        }
        let sent = self.tell(told).await?;
        self.mark_deliberate(sent);
        Ok(waits.then_some(pending))
    }

    /// Looks at what the server does next, if it does something until the deadline.
    pub(crate) async fn look(&mut self, deadline: Deadline) -> Step {
        self.step(deadline).await
    }

    /// Looks at what the server does next, if it does something before the reply to a request has to be there.
    pub(crate) async fn look_for(&mut self, pending: &Pending) -> Step {
        self.step(pending.deadline).await
    }

    /// Notes in the trace that a wait was given up.
    pub(crate) fn deadline_has_fired(&self, awaited: String) -> Seq {
        let (link, what) = (&self.link, What::DeadlineFired { awaited });
        link.recorder().record_in(link.connection(), None, Party::Harness, what)
    }

    /// An id that no request of the conversation has.
    pub(crate) fn fresh_id(&mut self) -> Id {
        self.next_id()
    }

    /// Whether the reply to a request is still to come, for all that is known.
    pub(crate) fn is_under_way(&self, pending: &Pending) -> bool {
        pending.sent.written && self.state.is_open(pending.id())
    }

    /// Says that a request is not answered before what it has begun is over.
    pub(crate) fn stays_open(&mut self, pending: &Pending) {
        self.state.stays_open(pending.id());
    }

    /// The requests that the server has sent after the first `known` ones, each with its event.
    pub(crate) fn asked_after(&self, known: usize) -> impl Iterator<Item = (Seq, &Request)> {
        self.state.said().asked().skip(known)
    }

    /// The first notification that fits and was not taken before.
    pub(crate) fn take_notice(&mut self, fits: impl Fn(&Notice) -> bool) -> Option<Notice> {
        self.state.said_mut().take(fits)
    }

    /// The notifications that nobody has taken.
    pub(crate) fn untaken(&self) -> impl Iterator<Item = &Notice> {
        self.state.said().untaken()
    }

    /// How the connection ended, if it has.
    pub(crate) fn has_ended(&self) -> Option<&str> {
        self.state.closed().map(|(_, how)| how.as_str())
    }

    /// The deadline of a wait that begins now.
    pub(crate) fn deadline(&self) -> Deadline {
        self.options.deadline()
    }

    /// Sends a notification as it is, and waits until it is accepted, so that nothing overtakes it.
    pub(crate) async fn tell(&mut self, notification: Notification) -> Result<Sent, Finding> {
        let method = notification.method.clone();
        let deadline = self.options.deadline();
        let sent = self.link.send(Message::Notification(notification), deadline).await;
        self.until_accepted(&method, sent).await?;
        Ok(sent)
    }

    /// Notes that what was sent is as it is on purpose.
    pub(crate) fn mark_deliberate(&self, sent: Sent) {
        self.link.recorder().mark_deliberate(sent.seq);
    }

    /// Goes on in what a reply to `initialize` settles on, if it settles on a revision that has a handshake.
    pub(crate) fn settle_on(&mut self, reply: &Reply) -> Option<Revision> {
        let result = reply.peek()?;
        let version = result.get("protocolVersion").and_then(Value::as_str)?;
        let revision = version.parse().ok().filter(|it: &Revision| it.era() == Era::Handshake)?;
        let result = result.clone();
        self.learn(revision, result);
        self.link.speak(revision);
        Some(revision)
    }
}
