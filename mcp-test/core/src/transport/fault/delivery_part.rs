//! The parts of a delivery, and what a transport does after them.

use bytes::Bytes;

/// A part of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DeliveryPart {
    /// A complete JSON text.
    Message(Bytes),
    /// A complete JSON text that is deliberately as it is, so that it does not count against this side.
    Deliberate(Bytes),
    /// A text in the place of a message that is not one.
    Noise(Bytes),
    /// The beginning of a text whose end is never sent.
    Torn {
        /// What is sent of it.
        bytes: Bytes,
        /// The length of the whole text.
        of: usize,
    },
    /// Raw lines of an event stream.
    Lines(Bytes),
}

impl DeliveryPart {
    /// The bytes, without framing.
    #[must_use]
    pub(crate) fn bytes(&self) -> &Bytes {
        match self {
            Self::Message(bytes)
            | Self::Deliberate(bytes)
            | Self::Noise(bytes)
            | Self::Torn { bytes, .. }
            | Self::Lines(bytes) => bytes,
        }
    }

    /// The bytes as a line, with its newline.
    #[must_use]
    pub(crate) fn line(&self) -> Bytes {
        match self {
            // Without a newline, since the rest of the line never comes.
            Self::Torn { bytes, .. } => bytes.clone(),
            _ => [self.bytes(), b"\n".as_slice()].concat().into(),
        }
    }

    /// The bytes as a server-sent event; empty for an empty text.
    #[must_use]
    pub(crate) fn event(&self) -> Bytes {
        let field = |bytes: &[u8]| [b"data: ", bytes].concat();
        match self {
            // An event without data is no event to its reader (WHATWG), so there is nothing to write.
            Self::Message(_) | Self::Deliberate(_) | Self::Noise(_) if self.bytes().is_empty() => {
                Bytes::new()
            }
            Self::Message(bytes) | Self::Deliberate(bytes) | Self::Noise(bytes) => {
                let mut event = Vec::new();
                // Each line needs a field of its own: a line break would end the first one.
                for line in bytes.split(|byte| matches!(byte, b'\r' | b'\n')) {
                    event.extend([field(line).as_slice(), b"\n"].concat());
                }
                event.push(b'\n');
                event.into()
            }
            Self::Torn { bytes, .. } => field(bytes).into(),
            Self::Lines(bytes) => bytes.clone(),
        }
    }
}

/// What a transport does after a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowUp {
    /// Carries on.
    Continue,
    /// Carries on, but never answers the request or never ends the stream.
    Silence,
    /// Ends the stream of the exchange in an orderly way.
    EndStream,
    /// Closes the connection.
    CloseConnection,
    /// Ends the peer.
    Exit,
}
