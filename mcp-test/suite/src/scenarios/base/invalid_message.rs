//! Sends messages that are not valid requests, and observes whether the server answers requests after each.

use mcp_test_core::client::{Client, RequestOptions};
use mcp_test_core::scenario::Connected;

use crate::scenarios::prelude::*;

/// How long the replies to requests after an invalid message may take: a server that does not read on will not answer at all.
const USABLE: Duration = Duration::from_secs(5);

/// How a server reacts to an invalid message.
pub(super) enum Reaction {
    /// It does not answer requests any more.
    Unusable(Finding),
    /// It answers only requests after the message, which was sent then.
    Ignored(Seq),
    /// The message was not sent: the server kept running without answering any more after it, at this other revision.
    NotSent(Revision),
    /// It answers, or over HTTP the exchange ends.
    Reply(Result<Reply, Finding>),
}

/// Where invalid messages are sent: after one that ends the server, the others go to a connection of their own.
#[derive(Default)]
pub(super) struct InvalidMessages {
    own: Option<Connected>,
    /// The kind of the message that has ended the server.
    ended_at: Option<String>,
}

impl InvalidMessages {
    /// Sends a text that is not a valid request; `None` if the server has ended and is not started again. `kind` is the
    /// same for such a text at any revision.
    pub(super) async fn send(
        &mut self,
        ctx: &mut Ctx,
        kind: &str,
        id: Id,
        text: String,
    ) -> Result<Option<Reaction>, Finding> {
        if let Some(revision) = ctx.ending_messages().hung_at_another(kind, ctx.revision()) {
            return Ok(Some(Reaction::NotSent(revision)));
        }
        if let Some(kind) = self.ended_at.take() {
            let Some(client) = ctx.connect_again(&kind).await else { return Ok(None) };
            self.own = Some(client);
        }
        let known = always_answered(ctx.revision());
        let revision = ctx.revision();
        let ending = ctx.ending_messages().clone();
        let client = self.client(ctx).await?;
        let reaction = send(client, id, text, known).await;
        if matches!(reaction, Reaction::Unusable(_)) {
            if !client.is_closed() {
                ending.note_hang(kind, revision);
            }
            self.ended_at = Some(kind.to_owned());
        }
        Ok(Some(reaction))
    }

    /// Whether the server answers a request after the messages; `None` if the last one has ended it.
    pub(super) async fn is_usable(
        &mut self,
        ctx: &mut Ctx,
    ) -> Result<Option<Result<(), Finding>>, Finding> {
        if self.ended_at.is_some() {
            return Ok(None);
        }
        let known = always_answered(ctx.revision());
        let reply = self.client(ctx).await?.request(known, json!({})).await;
        Ok(Some(reply.map(|reply| drop(reply.error().cloned())).map_err(Finding::should)))
    }

    async fn client<'a>(&'a mut self, ctx: &'a mut Ctx) -> Result<&'a mut Client, Finding> {
        match &mut self.own {
            Some(client) => Ok(client),
            None => ctx.client().await,
        }
    }
}

/// Puts those last at which the server has ended at another revision, so that it is not started again for the others.
pub(super) fn put_ending_last<T>(ctx: &Ctx, messages: &mut [T], kind: impl Fn(&T) -> &str) {
    messages.sort_by_key(|message| ctx.ending_messages().has_restarted(kind(message)));
}

async fn send(client: &mut Client, id: Id, text: String, known: &str) -> Reaction {
    let pending = client.start_unreadable(id, "an invalid message", text).await;
    if client.transport().is_lines() {
        // Two requests, since a server that answers messages out of order hardly waits for both.
        for _ in 0..2 {
            let options = RequestOptions::new().timeout(USABLE);
            let usable = client.request_with(known, json!({}), options).await;
            if let Err(finding) = usable.map(|reply| drop(reply.error().cloned())) {
                return Reaction::Unusable(finding);
            }
        }
        if client.is_pending(&pending) {
            client.give_up(&pending);
            return Reaction::Ignored(pending.sent().seq);
        }
    }
    Reaction::Reply(client.wait(pending).await)
}

/// Why a message is not sent after which the server kept running at another revision.
pub(super) fn did_not_answer(revision: Revision) -> String {
    format!("not sent again: the server did not answer any more after it at {revision}")
}
