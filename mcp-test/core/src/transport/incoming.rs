//! What a transport observes of its peer: messages, bytes that are not messages, and ends.

use crate::trace::{Seq, UnparsableKind};
use crate::wire::{Malformed, MediaType, Message};

/// The HTTP exchange that an observation comes from; empty on other transports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Origin {
    /// The HTTP exchange.
    pub exchange: Option<u64>,
    /// The status of its response.
    pub status: Option<u16>,
    /// The content type of the response.
    pub media: Option<MediaType>,
}

impl Origin {
    /// Whether the response is an event stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.media == Some(MediaType::EventStream)
    }
}

/// What the headers of a response say about how a client gets a better one.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseAdvice {
    /// Where it redirects to, bounded and printable.
    pub redirects_to: Option<String>,
    /// Whether it demands credentials: it has `WWW-Authenticate`.
    pub demands_credentials: bool,
}

/// An observation of the transport, in the order of arrival.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum Incoming {
    /// A message from the peer.
    Message {
        /// The event that records it.
        seq: Seq,
        /// The HTTP exchange that it comes from.
        origin: Origin,
        /// The message.
        message: Message,
    },
    /// Bytes from the peer that are not a message.
    Invalid {
        /// The event that records them.
        seq: Seq,
        /// The HTTP exchange that they come from.
        origin: Origin,
        /// Their beginning, quoted.
        head: String,
        /// What is wrong with them.
        why: String,
        /// What could be read, if they are JSON but not JSON-RPC.
        malformed: Option<Malformed>,
        /// Whether they replace a message, exceed a limit, or are only noise.
        kind: UnparsableKind,
    },
    /// An HTTP exchange ended; nothing more arrives on it.
    Ended {
        /// The event that records it.
        seq: Seq,
        /// The exchange.
        exchange: u64,
        /// The HTTP status, if there was a response.
        status: Option<u16>,
        /// What the headers of the response advise.
        advice: ResponseAdvice,
        /// How it ended, as the end of a sentence that begins with "the exchange".
        how: String,
    },
    /// The connection closed; nothing more arrives.
    Closed {
        /// The event that records it.
        seq: Seq,
        /// How it ended, as a sentence about the peer.
        how: String,
    },
}
