//! What is sent to a client, with the memory that is reserved for it until the client has taken it.

use crate::transport::actor::OutboundMessage;
use crate::transport::fault::Delivery;
use crate::transport::interceptor::InterceptedConnection;
use crate::transport::memory_budget::{MemoryBudget, MemoryUsedUp, Reservation, Usage};

/// A delivery and its memory.
#[derive(Clone)]
pub(super) struct ReservedDelivery {
    pub(super) delivery: Delivery,
    pub(super) memory: Reservation,
}

impl ReservedDelivery {
    /// Applies the faults to an emitted message, once there is memory for it.
    ///
    /// # Errors
    ///
    /// When no memory is left for it.
    pub(super) async fn reserve(
        budget: &MemoryBudget,
        wire: &InterceptedConnection,
        emitted: OutboundMessage,
    ) -> Result<Self, MemoryUsedUp> {
        // Twice: as the text of the message, and as what is written of it in a stream.
        let bytes = 2 * emitted.value.text_length();
        let memory = budget.reserve(Usage::Reply, bytes).await?;
        Ok(Self { delivery: wire.deliver(emitted), memory })
    }
}
