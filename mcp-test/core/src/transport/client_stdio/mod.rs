//! Servers over stdio that a client under test starts: a small program between the client and this process.
//!
//! The client is given a command that starts `mcp-test` once more. That process, the relay, passes its standard input to us
//! through a Unix socket, and what our server writes to its standard output. It also reports how the client treats it: the
//! end of its input, and signals. So the scenario serves, records and judges here, as over any other transport.

mod connection;
mod frame;
mod listener;
#[cfg(feature = "suite")]
mod relay;
mod relay_faults;

pub(crate) use connection::{RelayedConnection, serve_relayed};
pub(crate) use listener::StdioListener;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub use relay::serve as serve_as_relay;
#[cfg(all(test, feature = "suite"))]
pub(crate) use relay::{StandardStreams, relay};
pub(crate) use relay_faults::RelayFaults;

/// The first argument of a relay. The path of the socket follows, and the faults of its process.
pub const ARGUMENT: &str = "stdio-relay";
