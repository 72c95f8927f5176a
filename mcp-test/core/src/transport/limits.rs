//! The largest units that transports accept.

/// The largest units that a transport accepts from a peer; larger ones are dropped and reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes in one line of a line-framed transport.
    pub line: usize,
    /// Bytes in one HTTP body, and approximately the bytes that [`HttpExchange`](super::HttpExchange) keeps of an event
    /// stream.
    pub body: usize,
    /// Bytes in one server-sent event.
    pub event: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        // Far above what MCP peers send, and a few copies of it still fit into the memory that the command may use.
        Self { line: 16 * MIB, body: 16 * MIB, event: 16 * MIB }
    }
}
