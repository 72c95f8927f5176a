//! Cancelled requests, and whether the other side has certainly read the cancellation.
//!
//! A reply may cross its cancellation on the wire. On an ordered transport it cannot have done so once a request that was
//! sent after the cancellation has its reply.

use crate::wire::Id;

/// How many cancelled requests are watched on one connection: each message is compared with each of them.
const WATCHED: usize = 1000;

/// The requests of one side that it has cancelled and that have no reply yet.
#[derive(Debug, Default)]
pub(super) struct Cancelled(Vec<(Id, Read)>);

/// Whether the other side has read the cancellation.
#[derive(Debug)]
enum Read {
    Perhaps,
    /// It has once there is a reply to the request with this id, the first one after the cancellation.
    OnceAnswered(Id),
    Certainly,
}

impl Cancelled {
    /// Adds a request that was cancelled.
    pub(super) fn cancel(&mut self, id: Id) {
        // Beyond the bound a late reply goes unreported, which blames nobody wrongly.
        if self.0.len() < WATCHED {
            self.0.push((id, Read::Perhaps));
        }
    }

    /// Notes a new request, whose reply shows that the cancellations before it were read.
    pub(super) fn ask(&mut self, id: &Id) {
        for (_, read) in &mut self.0 {
            // Only the first one counts: its reply is the earliest proof.
            if matches!(read, Read::Perhaps) {
                *read = Read::OnceAnswered(id.clone());
            }
        }
    }

    /// Notes a reply, and returns whether it is to a request whose cancellation had certainly been read.
    pub(super) fn answer(&mut self, id: &Id) -> bool {
        let mut late = false;
        self.0.retain_mut(|(cancelled, read)| {
            if cancelled == id {
                late |= matches!(read, Read::Certainly);
                // Its one reply has come, so nothing is left to watch.
                return false;
            }
            // The later request was delivered after the cancellation, so its reply shows that both were read.
            if matches!(read, Read::OnceAnswered(later) if later == id) {
                *read = Read::Certainly;
            }
            true
        });
        late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_late_once_a_later_request_has_its_reply() {
        let id = |number: i64| Id::from(number);
        let mut cancelled = Cancelled::default();
        cancelled.cancel(id(1));
        cancelled.ask(&id(2));
        assert!(!cancelled.answer(&id(1)), "it may have crossed the cancellation");
        cancelled.cancel(id(3));
        cancelled.ask(&id(4));
        cancelled.ask(&id(5));
        assert!(!cancelled.answer(&id(5)), "that is the reply to another request");
        assert!(!cancelled.answer(&id(4)));
        assert!(cancelled.answer(&id(3)));
        assert!(!cancelled.answer(&id(3)), "reported once");
    }
}
