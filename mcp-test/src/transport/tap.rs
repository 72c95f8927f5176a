//! The tap: what passes a serving carrier is recorded here, and faults change what goes out.
//!
//! The recorder is optional: when both ends are in this process, the client's link has recorded everything already.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    fault::{self, Delivery, Fault},
    serve::Emitted,
};

/// The place between an actor and its carrier.
#[derive(Debug, Clone, Default)]
pub struct Tap {
    faults: Arc<[Fault]>,
}

impl Tap {
    /// A tap on which these faults stand, applied in their order.
    #[must_use]
    pub fn new(faults: impl Into<Arc<[Fault]>>) -> Self {
        Self {
            faults: faults.into(),
        }
    }

    /// What becomes of an emitted message.
    #[must_use]
    pub fn deliver(&self, emitted: Emitted) -> Delivery {
        Delivery::of(emitted, &self.faults)
    }

    /// The lines that come before everything else on a line carrier.
    pub fn banners(&self) -> impl Iterator<Item = Bytes> {
        fault::banners(&self.faults).map(|text| Bytes::copy_from_slice(text.as_bytes()))
    }

    /// What becomes of a freshly minted session id.
    #[must_use]
    pub fn session_id(&self, minted: &str) -> Vec<u8> {
        fault::session_id(minted, &self.faults)
    }
}
