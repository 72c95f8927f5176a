//! Carriers: how messages reach a peer, and the target that joins them.
//!
//! A [`Target`] says by which carriers a server can be reached; opening one gives a [`Link`], the client's end of a
//! connection. Every carrier records what it moves into the trace as it moves it, and observes what is wrong with it
//! without judging. The server's ends are beside them, with the tap on which wire faults are injected.

mod bare;
mod carrier_kind;
pub mod client_target;
mod duplex;
mod error;
pub mod fault;
mod faulty;
#[cfg(feature = "http")]
mod headers;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod legacy_sse;
mod limits;
mod lines;
mod link;
mod prepared;
mod reading;
pub mod serve;
#[cfg(feature = "http")]
pub mod serve_http;
pub mod serve_lines;
mod stdio;
pub mod tap;
mod target;

pub use bare::{HttpAnswer, HttpExchange, HttpFailure, HttpRequest};
pub use carrier_kind::{CarrierKind, UnknownCarrier};
pub use client_target::{ClientTarget, Endpoint, Leaving, Left};
pub use error::OpenError;
pub use fault::Fault;
#[cfg(all(feature = "http", feature = "schema"))]
pub(crate) use http::fetch;
pub use limits::Limits;
pub use link::{Damage, Ending, Incoming, Link, Media, Origin, Outgoing, Sent};
pub use prepared::Prepared;
pub use target::Target;
#[cfg(feature = "schema")]
pub(crate) use target::shown;
