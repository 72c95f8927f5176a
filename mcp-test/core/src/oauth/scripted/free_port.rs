//! Ports of this machine for the servers of a test.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpListener;

use crate::check::Finding;

/// Listens on a free port of this machine; without waiting, so that a scenario can make its servers without an await.
///
/// # Errors
///
/// A finding about the environment, if no port can be bound.
pub(super) fn listen() -> Result<(TcpListener, SocketAddr), Finding> {
    let bind = || -> io::Result<TcpListener> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    };
    let bound = bind().and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| {
        let finding = Finding::environment("cannot open a port for an authorization server");
        finding.got(error.to_string())
    })?;
    Ok((listener, address))
}
