//! Requests that were cancelled, and when it is certain that the judged party has read so.
//!
//! A reply may cross its cancellation. On an ordered carrier it has not crossed it once something was answered that was
//! asked after the cancellation.

use crate::wire::Id;

/// How many cancelled requests are watched on one connection.
const WATCHED: usize = 1000;

/// The requests of one side that it has cancelled.
#[derive(Default)]
pub(super) struct Cancelled(Vec<(Id, Read)>);

/// Whether the cancellation was read.
enum Read {
    Perhaps,
    /// It was when the request with this id is answered.
    Before(Id),
    Certainly,
}

impl Cancelled {
    /// Notes that a request was cancelled.
    pub(super) fn cancel(&mut self, id: Id) {
        if self.0.len() < WATCHED {
            self.0.push((id, Read::Perhaps));
        }
    }

    /// Notes a request that comes after those cancellations.
    pub(super) fn ask(&mut self, id: &Id) {
        for (_, read) in &mut self.0 {
            if matches!(read, Read::Perhaps) {
                *read = Read::Before(id.clone());
            }
        }
    }

    /// Notes an answer; whether it answers a request of which it was known that it is cancelled.
    pub(super) fn answer(&mut self, id: &Id) -> bool {
        let mut late = false;
        self.0.retain_mut(|(cancelled, read)| {
            if cancelled == id {
                late |= matches!(read, Read::Certainly);
                return false;
            }
            if matches!(read, Read::Before(later) if later == id) {
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
    fn an_answer_is_late_once_something_later_was_answered() {
        let id = |number: i64| Id::from(number);
        let mut cancelled = Cancelled::default();
        cancelled.cancel(id(1));
        cancelled.ask(&id(2));
        assert!(!cancelled.answer(&id(1)), "it may have crossed the cancellation");
        cancelled.cancel(id(3));
        cancelled.ask(&id(4));
        cancelled.ask(&id(5));
        assert!(!cancelled.answer(&id(5)), "another one");
        assert!(!cancelled.answer(&id(4)));
        assert!(cancelled.answer(&id(3)));
        assert!(!cancelled.answer(&id(3)), "told once");
    }
}
