//! HTTP requests exactly as a test writes them, for scenarios about headers, methods and streams.
//!
//! No session, version or mirrored header is added, and responses are not interpreted. Every exchange is recorded like
//! those of the transport. Open one with [`Connection::http`](super::Connection::http).

mod exchange;
mod message;
#[cfg(all(test, feature = "http"))]
mod tests;

pub use exchange::HttpExchange;
pub(super) use exchange::RawCall;
#[cfg(feature = "http")]
pub(super) use exchange::StreamingResponse;
pub use message::{HttpFailure, HttpRequest, HttpResponse};
