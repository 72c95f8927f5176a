//! An open request, and what can happen to its reply.

use super::bad_reply::BadReply;
use crate::check::Finding;
use crate::json::Value;
use crate::spec::LISTEN;
use crate::trace::Seq;
use crate::transport::Sent;
use crate::wire::{Id, RpcError};

/// What a reply contains.
pub(in crate::client) type Outcome = Result<Value, RpcError>;

/// A request whose reply has not been handed out yet.
#[derive(Debug)]
pub(in crate::client) struct OpenRequest {
    pub(super) id: Id,
    pub(super) method: String,
    pub(super) sent: Sent,
    /// How many unexpected observations there were before.
    pub(super) unexpected_before: u64,
    /// How many requests the peer had sent before.
    pub(super) requests_before: u64,
    /// It is not answered before its subscription ends.
    pub(super) is_long_lived: bool,
    /// A wait for its reply has begun, or nothing can come since the connection was closed on purpose.
    pub(super) is_awaited: bool,
    /// The peer cannot read its id and has to answer without one.
    pub(super) id_unreadable: bool,
    /// The reply, or why it cannot arrive.
    pub(super) settled: Option<Result<(Seq, Outcome), Finding>>,
}

impl OpenRequest {
    /// Whether the test has overlooked it.
    pub(super) fn is_overlooked(&self) -> bool {
        // Nobody waits for the end of a subscription; that it was refused is another matter.
        let stays_open = self.is_long_lived || self.method == LISTEN;
        let is_refused = matches!(self.settled, Some(Ok((_, Err(_)))));
        !self.is_awaited && (!stays_open || is_refused)
    }

    /// A finding against the test, which has not awaited the reply.
    pub(in crate::client) fn unawaited(&self) -> Finding {
        let (got, reply) = match &self.settled {
            Some(Ok((reply, Ok(result)))) => {
                (format!("the result {}", result.short(200)), Some(*reply))
            }
            Some(Ok((reply, Err(error)))) => (error.to_string(), Some(*reply)),
            Some(Err(finding)) => (finding.headline.clone(), None),
            None => ("neither".to_owned(), None),
        };
        Finding::test(format!("the test never awaited the reply to `{}`", self.method))
            .expected("the test to await each request that it starts, or to cancel it")
            .got(got)
            .hint("`ctx.wait(started).await?`, or `ctx.cancel(started).await?`")
            .evidence_all([self.sent.seq].into_iter().chain(reply))
    }
}

/// Why nobody waits for a reply any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) enum Abandoned {
    TimedOut,
    /// A later request was answered.
    Ignored,
    Cancelled,
}

/// An unexpected observation that does not end a wait.
#[derive(Debug)]
pub(super) struct Unexpected {
    pub(super) seq: Seq,
    pub(super) text: String,
}

/// A bad reply to one of several open requests, or to none; which one is not known yet.
#[derive(Debug)]
pub(super) struct UnmatchedReply {
    pub(super) seq: Seq,
    pub(super) reply: BadReply,
    /// It may answer what is not a request.
    pub(super) may_answer_non_request: bool,
}
