//! How much a peer may send before it is cut off.

/// The largest units that a carrier accepts from a peer; what is larger is noise with a finding, and dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes in one line of a line-framed carrier.
    pub line: usize,
    /// Bytes in one HTTP body that is not a stream, and about the bytes that are kept of a stream by who reads it event
    /// by event.
    pub body: usize,
    /// Bytes in one server-sent event.
    pub event: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Self { line: 16 * MIB, body: 16 * MIB, event: 16 * MIB }
    }
}
