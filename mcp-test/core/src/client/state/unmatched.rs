//! Bad replies of which it is not clear yet which request they were meant for.
//!
//! Only on line transports: over HTTP the exchange shows it. What a reply with the right id settles is in `correlate.rs`.

use super::State;
use super::open_request::{BadReply, OpenRequest, UnmatchedReply};
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
            self.unmatched.push(UnmatchedReply { seq, reply });
            self.match_remaining();
        }
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
        let later: Vec<Seq> =
            self.unmatched.iter().map(|it| it.seq).filter(|seq| seq > first).collect();
        let mut pairs = candidates.iter().zip(&later);
        if later.len() < candidates.len() || !pairs.all(|((sent, _), reply)| reply > sent) {
            return;
        }
        for ((_, id), seq) in candidates.iter().zip(later) {
            let unmatched = self.unmatched.iter().position(|unmatched| unmatched.seq == seq);
            let open = self.open.iter().position(|open| open.id == *id);
            if let (Some(position), Some(index)) = (unmatched, open) {
                let UnmatchedReply { seq, reply } = self.unmatched.remove(position);
                self.fail(index, seq, reply);
            }
        }
    }
}
