//! Bad replies of which it is not clear yet which request they were meant for.
//!
//! Only on line transports: over HTTP the exchange shows it. What a reply with the right id settles is in `correlate.rs`.

use super::State;
use super::bad_reply::BadReply;
use super::open_request::{OpenRequest, UnmatchedReply};
use crate::trace::Seq;
use crate::wire::Id;

/// How many bad replies are kept until it is clear which request each was meant for.
const KEPT_UNMATCHED: usize = 100;

impl State {
    /// The only open request that an observation without a usable id can belong to.
    pub(super) fn only_candidate(&self, exchange: Option<u64>) -> Option<usize> {
        let mut candidates = self.open.iter().enumerate().filter(|(_, open)| {
            let possible = match exchange {
                // The reply to a subscription is due when it ends, so a bad one is meant for another.
                None => !open.is_long_lived,
                exchange => open.sent.exchange == exchange,
            };
            open.settled.is_none() && possible
        });
        match (candidates.next(), candidates.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        }
    }

    /// Keeps a bad reply to one of several open requests.
    pub(super) fn keep_unmatched(&mut self, seq: Seq, reply: BadReply) {
        // With one open request or none, it will not become clear later which request was meant.
        let several = self.open.iter().filter(|open| open.settled.is_none()).count() > 1;
        if several && self.unmatched.len() < KEPT_UNMATCHED {
            self.unmatched.push(UnmatchedReply { seq, reply, may_answer_non_request: false });
            self.match_remaining();
        }
    }

    /// Whether a reply without an id may answer a message that is not a request, as some servers answer notifications.
    ///
    /// Not after the reply to a later request: servers that read on before they have answered at all do not write a reply without
    /// an id after that either.
    pub(super) fn may_answer_non_request(&self, exchange: Option<u64>) -> bool {
        exchange.is_none() && self.non_request.may_be_answered()
    }

    /// Keeps a reply without an id until it is known whether the open requests have replies of their own.
    pub(super) fn keep_doubtful(&mut self, seq: Seq, reply: BadReply) {
        let first = self.open.iter().filter(|open| open.settled.is_none()).map(|it| it.sent.seq);
        // What arrived before a request was sent cannot answer it.
        let Some(first) = first.filter(|sent| *sent < seq).min() else {
            self.answers_non_requests = true;
            return;
        };
        // A request fails with the first one that came after it.
        self.unmatched.retain(|it| !it.may_answer_non_request || it.seq > first);
        if self.unmatched.len() < KEPT_UNMATCHED {
            self.unmatched.push(UnmatchedReply { seq, reply, may_answer_non_request: true });
        }
    }

    /// Notes that the reply to the oldest open request comes after a reply without an id, which was not meant for it then.
    pub(super) fn note_if_answers_non_requests(&mut self, id: &Id) {
        let open = self.open.iter().filter(|open| open.settled.is_none());
        let oldest = open.min_by_key(|open| open.sent.seq);
        self.answers_non_requests |=
            oldest.is_some_and(|open| open.id == *id) && self.is_doubtful(id);
    }

    /// Whether a reply without an id has arrived that may be meant for this request.
    pub(in crate::client) fn is_doubtful(&self, id: &Id) -> bool {
        self.doubtful(id).is_some()
    }

    /// Fails a request with the reply without an id that may be meant for it, since no other one has come.
    pub(in crate::client) fn fail_with_doubtful(&mut self, id: &Id) -> bool {
        let Some((index, position)) = self.doubtful(id) else { return false };
        let UnmatchedReply { seq, reply, .. } = self.unmatched.remove(position);
        self.fail(index, seq, reply);
        true
    }

    /// The places of an open request and of the first such reply after it.
    fn doubtful(&self, id: &Id) -> Option<(usize, usize)> {
        if self.answers_non_requests {
            return None;
        }
        let is_meant = |open: &OpenRequest| open.id == *id && open.settled.is_none();
        let index = self.open.iter().position(is_meant)?;
        let sent = self.open[index].sent.seq;
        let position =
            self.unmatched.iter().position(|it| it.may_answer_non_request && it.seq > sent)?;
        Some((index, position))
    }

    /// Fails the open requests with the bad replies that were not matched before, once there is one for each: then no other replies
    /// are to come. They are matched in order.
    pub(super) fn match_remaining(&mut self) {
        // Called for every reply.
        if self.unmatched.is_empty() {
            return;
        }
        let is_candidate = |open: &OpenRequest| open.settled.is_none() && !open.is_long_lived;
        let mut candidates: Vec<(Seq, Id)> = self
            .open
            .iter()
            .filter(|open| is_candidate(open))
            .map(|open| (open.sent.seq, open.id.clone()))
            .collect();
        candidates.sort_by_key(|(sent, _)| *sent);
        let Some((first, _)) = candidates.first() else { return };
        // A reply that arrived before the request was sent cannot be meant for it.
        let later: Vec<Seq> = self
            .unmatched
            .iter()
            .filter(|it| !it.may_answer_non_request && it.seq > *first)
            .map(|it| it.seq)
            .collect();
        let mut pairs = candidates.iter().zip(&later);
        if later.len() < candidates.len() || !pairs.all(|((sent, _), reply)| reply > sent) {
            return;
        }
        for ((_, id), seq) in candidates.iter().zip(later) {
            let unmatched = self.unmatched.iter().position(|unmatched| unmatched.seq == seq);
            let open = self.open.iter().position(|open| open.id == *id);
            if let (Some(position), Some(index)) = (unmatched, open) {
                let UnmatchedReply { seq, reply, .. } = self.unmatched.remove(position);
                self.fail(index, seq, reply);
            }
        }
    }
}
