//! Servers over stdio that a client under test starts: a small program between the client and this process.
//!
//! The client is given a command that starts `mcp-test` once more. That process, the relay, passes its standard input to us
//! through a Unix socket, and what our server writes to its standard output. It also reports how the client treats it: the
//! end of its input, and signals. So the scenario serves, records and judges here, as over any other transport.

mod connection;
mod frame;
mod listener;
#[cfg(feature = "cli")]
mod relay;

pub(crate) use connection::{RelayedConnection, serve_relayed};
pub(crate) use listener::StdioListener;
#[cfg(all(test, feature = "cli"))]
pub(crate) use relay::relay;
#[cfg(feature = "cli")]
pub(crate) use relay::serve as serve_as_relay;

/// The first argument of a relay; the other one is the path of the socket.
const ARGUMENT: &str = "stdio-relay";
