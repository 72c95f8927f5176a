//! The requests and notifications that the server sent, up to a bound.

use std::collections::BTreeSet;

use super::notification::{ReceivedNotification, approximate_size};
use crate::json::Value;
use crate::trace::Seq;
use crate::transport::Sent;
use crate::wire::{Id, Request};

/// How many notifications are kept, the latest ones; the trace contains more of them.
const KEPT_NOTIFICATIONS: usize = 10_000;

/// The approximate number of bytes kept of the notifications, and of the requests.
const KEPT_BYTES: usize = 32 << 20;

/// How many requests of the server are kept, the first ones; the trace contains more of them.
const KEPT_REQUESTS: usize = 1_000;

/// The requests and notifications that the server sent.
#[derive(Debug, Default)]
pub(super) struct ServerMessages {
    notifications: Vec<ReceivedNotification>,
    notification_bytes: usize,
    requests: Vec<Request>,
    /// The events of those requests.
    request_seqs: Vec<Seq>,
    request_bytes: usize,
    /// How many messages were received, kept or not.
    count: usize,
    /// The notifications that a wait has already returned.
    taken: BTreeSet<Seq>,
}

impl ServerMessages {
    pub(super) fn notifications(&self) -> &[ReceivedNotification] {
        &self.notifications
    }

    pub(super) fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// How many messages were received.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The methods of the kept requests with their events.
    pub(super) fn request_methods(&self) -> impl Iterator<Item = (Seq, &str)> {
        self.request_seqs
            .iter()
            .copied()
            .zip(self.requests.iter().map(|request| request.method.as_str()))
    }

    /// The kept requests with their events.
    #[allow(dead_code, reason = "only manual control of a conversation uses it")]
    pub(super) fn requests_with_seq(&self) -> impl Iterator<Item = (Seq, &Request)> {
        self.request_seqs.iter().copied().zip(&self.requests)
    }

    pub(super) fn add_request(&mut self, seq: Seq, request: &Request) {
        self.count += 1;
        let bytes = self.request_bytes + size(request.params.as_ref());
        // The first ones are kept, because `Client::server_requests_after` counts from the first.
        if self.requests.len() < KEPT_REQUESTS && bytes <= KEPT_BYTES {
            self.request_bytes = bytes;
            self.requests.push(request.clone());
            self.request_seqs.push(seq);
        }
    }

    pub(super) fn add_notification(&mut self, received: ReceivedNotification) {
        self.count += 1;
        self.notification_bytes += size(received.notification.params.as_ref());
        self.notifications.push(received);
        // Half of them may not be enough when the latest one is large.
        while self.notifications.len() > KEPT_NOTIFICATIONS || self.notification_bytes > KEPT_BYTES
        {
            self.drop_older_half();
        }
    }

    /// Drops half of the notifications at once, so that a flood does not move the rest for each new one.
    fn drop_older_half(&mut self) {
        // Rounded up, so that a single notification that is too large is dropped as well.
        let half = self.notifications.len().div_ceil(2);
        for received in self.notifications.drain(..half) {
            self.notification_bytes -= size(received.notification.params.as_ref());
            // Also forgotten here, or the set would grow with every notification that was ever taken.
            self.taken.remove(&received.seq);
        }
    }

    /// The notifications that belong to a request: those on its exchange or, without exchanges, until its reply.
    pub(super) fn belonging_to(
        &self,
        sent: Sent,
        reply: Seq,
        token: Option<&Value>,
    ) -> Vec<ReceivedNotification> {
        let meanwhile =
            |received: &&ReceivedNotification| received.seq > sent.seq && received.seq < reply;
        let belongs = |received: &&ReceivedNotification| match sent.exchange {
            None => true,
            exchange if received.exchange == exchange => true,
            // Progress may come on another stream, such as that of a GET; its token names the request.
            _ => token.is_some_and(|token| received.param("progressToken") == Some(token)),
        };
        self.notifications.iter().filter(meanwhile).filter(belongs).cloned().collect()
    }

    /// Whether a wait has returned the notification with this event.
    pub(super) fn is_taken(&self, seq: Seq) -> bool {
        self.taken.contains(&seq)
    }

    /// The kept notifications that no wait has returned yet.
    pub(super) fn untaken_notifications(&self) -> impl Iterator<Item = &ReceivedNotification> {
        self.notifications.iter().filter(|received| !self.is_taken(received.seq))
    }

    /// Takes the first matching notification that was not taken before.
    pub(super) fn take(
        &mut self,
        matches: impl Fn(&ReceivedNotification) -> bool,
    ) -> Option<ReceivedNotification> {
        let received = self.untaken_notifications().find(|received| matches(received))?.clone();
        self.taken.insert(received.seq);
        Some(received)
    }

    /// The ids in the `notifications/cancelled` of the server.
    pub(super) fn cancelled(&self) -> impl Iterator<Item = Id> {
        let cancels =
            |received: &&ReceivedNotification| received.method() == "notifications/cancelled";
        self.notifications
            .iter()
            .filter(cancels)
            .filter_map(|received| Id::read(received.param("requestId")?))
    }
}

fn size(params: Option<&Value>) -> usize {
    params.map_or(0, |params| approximate_size(params, KEPT_BYTES))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::trace::{EventKind, Party, Recorder};
    use crate::wire::Notification;

    #[test]
    fn a_flood_keeps_the_latest_and_each_is_taken_once() {
        let recorder = Recorder::new();
        let connection = recorder.open("duplex");
        let mut received = ServerMessages::default();
        let add = |received: &mut ServerMessages, params: serde_json::Value| {
            let seq = recorder.record(connection, Party::Harness, EventKind::Fence(String::new()));
            let notification = Notification::new("n", Some(params.into()));
            received.add_notification(ReceivedNotification { seq, exchange: None, notification });
        };
        for number in 0..=KEPT_NOTIFICATIONS {
            add(&mut received, json!({ "number": number }));
        }
        assert!(received.notifications().len() <= KEPT_NOTIFICATIONS);
        assert_eq!(received.count(), KEPT_NOTIFICATIONS + 1);
        let last = |received: &ReceivedNotification| {
            received.param("number") == Some(&KEPT_NOTIFICATIONS.into())
        };
        assert!(received.take(last).is_some() && received.take(last).is_none());

        for _ in 0..5 {
            add(&mut received, json!({ "large": "x".repeat(KEPT_BYTES / 4) }));
        }
        assert!(received.notifications().len() <= 4, "{}", received.notifications().len());
        add(&mut received, json!({ "large": "x".repeat(2 * KEPT_BYTES) }));
        assert!(received.notifications().is_empty() && received.notification_bytes == 0);
    }

    #[test]
    fn only_the_first_requests_are_kept_and_fewer_large_ones() {
        let mut received = ServerMessages::default();
        let recorder = Recorder::new();
        let fence = EventKind::Fence(String::new());
        let seq = recorder.record(recorder.open("duplex"), Party::Harness, fence);
        let large = json!({ "large": "x".repeat(KEPT_BYTES / 4) });
        for id in 0..5 {
            let large = Some(large.clone().into());
            received.add_request(seq, &Request::new(Id::from(id), "roots/list", large));
        }
        assert_eq!((received.requests().len(), received.count()), (3, 5));
        for id in 5..2000 {
            received.add_request(seq, &Request::new(Id::from(id), "roots/list", None));
        }
        assert_eq!((received.requests().len(), received.count()), (KEPT_REQUESTS, 2000));
    }
}
