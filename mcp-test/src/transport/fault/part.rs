//! The pieces in which messages go out, and what a carrier does after them.

use bytes::Bytes;

/// A piece of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A whole JSON text.
    Message(Bytes),
    /// A text in the place of a message that is none.
    Noise(Bytes),
    /// The beginning of a text whose end never comes, and how long the whole would have been.
    Torn {
        /// What there is of it.
        bytes: Bytes,
        /// The length of the whole text.
        of: usize,
    },
    /// The lines of an event stream as they are.
    Lines(Bytes),
}

impl Part {
    /// Its bytes, without anything that frames them.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        match self {
            Self::Message(bytes)
            | Self::Noise(bytes)
            | Self::Torn { bytes, .. }
            | Self::Lines(bytes) => bytes,
        }
    }

    /// As a line, with the line break that ends it.
    #[must_use]
    pub fn line(&self) -> Bytes {
        match self {
            Self::Torn { bytes, .. } => bytes.clone(),
            _ => [self.bytes(), b"\n".as_slice()].concat().into(),
        }
    }

    /// As an event of a stream; an empty text makes none.
    #[must_use]
    pub fn event(&self) -> Bytes {
        let field = |bytes: &[u8]| [b"data: ", bytes].concat();
        match self {
            Self::Message(bytes) | Self::Noise(bytes) if bytes.is_empty() => Bytes::new(),
            Self::Message(bytes) | Self::Noise(bytes) => {
                let mut event = Vec::new();
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

/// What a carrier does after a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It goes on.
    GoOn,
    /// It goes on, and leaves the request unanswered, or the stream open, for good.
    Silence,
    /// It ends the stream of the exchange in good order.
    End,
    /// It closes the connection.
    Close,
    /// It ends the peer.
    Exit,
}
