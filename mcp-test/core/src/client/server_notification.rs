//! [`ServerNotification`]: a notification that a scenario has awaited.

use std::ops::Deref;

use super::ReceivedNotification;
use crate::spec::Revision;
use crate::trace::{Recorder, Trace};

/// A notification that a scenario has awaited, with its conversation; it dereferences to [`ReceivedNotification`].
#[derive(Debug, Clone)]
pub struct ServerNotification {
    received: ReceivedNotification,
    revision: Revision,
    recorder: Recorder,
}

impl Deref for ServerNotification {
    type Target = ReceivedNotification;

    fn deref(&self) -> &ReceivedNotification {
        &self.received
    }
}

impl ServerNotification {
    pub(crate) fn new(
        received: ReceivedNotification,
        revision: Revision,
        recorder: Recorder,
    ) -> Self {
        Self { received, revision, recorder }
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    pub(crate) fn trace(&self) -> Trace {
        self.recorder.trace()
    }
}
