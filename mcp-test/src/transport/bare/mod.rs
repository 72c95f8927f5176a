//! HTTP requests as a test writes them, past everything that a carrier does by itself.
//!
//! No session, version or mirrored header is added and nothing is read into what comes back: for scenarios about the
//! headers, methods and streams themselves. Every exchange is in the trace like those of the carrier. Open one with
//! [`Link::http`](super::Link::http).

mod exchange;
mod message;
#[cfg(all(test, feature = "http"))]
mod tests;

pub(super) use exchange::BareCall;
pub use exchange::HttpExchange;
#[cfg(feature = "http")]
pub(super) use exchange::HttpReply;
pub use message::{HttpAnswer, HttpFailure, HttpRequest};
