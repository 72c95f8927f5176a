//! The messages that are not requests, as some servers answer them nevertheless, without an id.
//!
//! Which request such a reply answers otherwise is decided by those who use this.

/// The latest message of one side that is not a request and may still be answered; `T` is its place in the order of messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LatestNonRequest<T>(Option<T>);

impl<T> Default for LatestNonRequest<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Ord> LatestNonRequest<T> {
    /// Notes a notification, a reply or an invalid message.
    pub(crate) fn send(&mut self, at: T) {
        self.0 = Some(at);
    }

    /// Notes the reply to a request: what was sent before the request is not answered any more.
    pub(crate) fn answer_request(&mut self, sent: &T) {
        if self.0.as_ref().is_some_and(|latest| latest <= sent) {
            self.0 = None;
        }
    }

    /// Whether there is one.
    pub(crate) fn may_be_answered(&self) -> bool {
        self.0.is_some()
    }
}
