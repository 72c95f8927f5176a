//! What the server has said of its own accord: its requests, and its notifications, up to a bound.

use std::collections::BTreeSet;

use super::notice::{Notice, weight};
use crate::json::Value;
use crate::trace::Seq;
use crate::transport::Sent;
use crate::wire::{Id, Request};

/// Notifications that are kept to look at: the latest ones. The trace holds more of them.
const KEPT_NOTICES: usize = 10_000;

/// About how many bytes they may take together, and about how many those requests may.
const KEPT_BYTES: usize = 32 << 20;

/// Requests of the server that are kept to look at; the trace holds more of them.
const KEPT_REQUESTS: usize = 1_000;

/// What the server has said of its own accord.
#[derive(Debug, Default)]
pub(super) struct Heard {
    notices: Vec<Notice>,
    weight: usize,
    requests: Vec<Request>,
    /// The events of those requests.
    asked_at: Vec<Seq>,
    requests_weight: usize,
    /// How many messages there were, kept or not.
    count: usize,
    /// Notifications for which somebody has waited already.
    taken: BTreeSet<Seq>,
}

impl Heard {
    pub(super) fn notices(&self) -> &[Notice] {
        &self.notices
    }

    pub(super) fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// How many messages there were.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The requests that are kept, with their events.
    #[cfg(feature = "cases")]
    pub(super) fn asked(&self) -> impl Iterator<Item = (Seq, &Request)> {
        self.asked_at.iter().copied().zip(&self.requests)
    }

    pub(super) fn request(&mut self, seq: Seq, request: &Request) {
        self.count += 1;
        let heavier = self.requests_weight + weigh(request.params.as_ref());
        if self.requests.len() < KEPT_REQUESTS && heavier <= KEPT_BYTES {
            self.requests_weight = heavier;
            self.requests.push(request.clone());
            self.asked_at.push(seq);
        }
    }

    pub(super) fn notice(&mut self, notice: Notice) {
        self.count += 1;
        self.weight += weigh(notice.notification.params.as_ref());
        self.notices.push(notice);
        while self.notices.len() > KEPT_NOTICES || self.weight > KEPT_BYTES {
            self.forget_older_half();
        }
    }

    /// Half of them at a time, so that a flood does not move all the others with each one that comes.
    fn forget_older_half(&mut self) {
        let half = self.notices.len().div_ceil(2);
        for notice in self.notices.drain(..half) {
            self.weight -= weigh(notice.notification.params.as_ref());
            self.taken.remove(&notice.seq);
        }
    }

    /// What was told about a request until its reply: on its exchange, or, where there is none, meanwhile.
    pub(super) fn about(&self, sent: Sent, reply: Seq, token: Option<&Value>) -> Vec<Notice> {
        let meanwhile = |notice: &&Notice| notice.seq > sent.seq && notice.seq < reply;
        let is_about = |notice: &&Notice| match sent.exchange {
            None => true,
            exchange if notice.exchange == exchange => true,
            _ => token.is_some_and(|token| notice.param("progressToken") == Some(token)),
        };
        self.notices.iter().filter(meanwhile).filter(is_about).cloned().collect()
    }

    /// The notifications that are kept and were not taken.
    pub(super) fn untaken(&self) -> impl Iterator<Item = &Notice> {
        self.notices.iter().filter(|notice| !self.taken.contains(&notice.seq))
    }

    /// The first notification that fits and was not taken before.
    pub(super) fn take(&mut self, fits: impl Fn(&Notice) -> bool) -> Option<Notice> {
        let notice = self.untaken().find(|notice| fits(notice))?.clone();
        self.taken.insert(notice.seq);
        Some(notice)
    }

    /// The requests, of either side, that the server says are cancelled.
    pub(super) fn cancelled(&self) -> impl Iterator<Item = Id> {
        let cancels = |notice: &&Notice| notice.method() == "notifications/cancelled";
        self.notices
            .iter()
            .filter(cancels)
            .filter_map(|notice| Id::read(notice.param("requestId")?))
    }
}

fn weigh(params: Option<&Value>) -> usize {
    params.map_or(0, |params| weight(params, KEPT_BYTES))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::trace::{Party, Recorder, What};
    use crate::wire::Notification;

    #[test]
    fn a_flood_leaves_the_latest_and_each_is_taken_once() {
        let recorder = Recorder::new();
        let connection = recorder.open("duplex");
        let mut heard = Heard::default();
        let tell = |heard: &mut Heard, params: serde_json::Value| {
            let seq = recorder.record(connection, Party::Harness, What::Fence(String::new()));
            let notification = Notification::new("n", Some(params.into()));
            heard.notice(Notice { seq, exchange: None, notification });
        };
        for number in 0..=KEPT_NOTICES {
            tell(&mut heard, json!({ "number": number }));
        }
        assert!(heard.notices().len() <= KEPT_NOTICES);
        assert_eq!(heard.count(), KEPT_NOTICES + 1);
        let last = |notice: &Notice| notice.param("number") == Some(&KEPT_NOTICES.into());
        assert!(heard.take(last).is_some() && heard.take(last).is_none());

        for _ in 0..5 {
            tell(&mut heard, json!({ "large": "x".repeat(KEPT_BYTES / 4) }));
        }
        assert!(heard.notices().len() <= 4, "{}", heard.notices().len());
        tell(&mut heard, json!({ "large": "x".repeat(2 * KEPT_BYTES) }));
        assert!(heard.notices().is_empty() && heard.weight == 0);
    }

    #[test]
    fn of_many_requests_the_first_are_kept_and_of_large_ones_fewer() {
        let mut heard = Heard::default();
        let recorder = Recorder::new();
        let fence = What::Fence(String::new());
        let seq = recorder.record(recorder.open("duplex"), Party::Harness, fence);
        let large = json!({ "large": "x".repeat(KEPT_BYTES / 4) });
        for id in 0..5 {
            let large = Some(large.clone().into());
            heard.request(seq, &Request::new(Id::from(id), "roots/list", large));
        }
        assert_eq!((heard.requests().len(), heard.count()), (3, 5));
        for id in 5..2000 {
            heard.request(seq, &Request::new(Id::from(id), "roots/list", None));
        }
        assert_eq!((heard.requests().len(), heard.count()), (KEPT_REQUESTS, 2000));
    }
}
