//! Serves a client under test, over the transport of the run, until it exits.

use std::time::Duration;

use crate::check::Finding;
use crate::server::Server;
use crate::transport::{ClientRun, ClientTarget, Endpoint, TransportKind};

/// Runs a client against a server; `endpoint` returns what it gets for the URL of the server, and it has this time.
///
/// Returns when nothing more is recorded of the conversation.
///
/// # Errors
///
/// A finding if the server cannot be reached over the transport, for which the client is not to blame.
#[cfg(feature = "http")]
pub(crate) async fn serve_client(
    server: &Server,
    client: &ClientTarget,
    transport: TransportKind,
    endpoint: impl FnOnce(&str) -> Endpoint,
    allotted: Duration,
) -> Result<ClientRun, Finding> {
    if transport != TransportKind::Http {
        return Err(other_transport(transport));
    }
    // Port 0 is any free one, so that several clients can be tested at the same time.
    let listening = server.listen(("127.0.0.1", 0)).await.map_err(|error| {
        Finding::environment("cannot open a port for the client").got(error.to_string())
    })?;
    let client_run = client.run(endpoint(listening.url()), allotted).await;
    // Closes the streams that the client has left open, so that the trace is complete.
    listening.end().await;
    Ok(client_run)
}

/// Needs the feature `http`.
#[cfg(not(feature = "http"))]
#[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
pub(crate) async fn serve_client(
    _: &Server,
    _: &ClientTarget,
    transport: TransportKind,
    _: impl FnOnce(&str) -> Endpoint,
    _: Duration,
) -> Result<ClientRun, Finding> {
    if transport != TransportKind::Http {
        return Err(other_transport(transport));
    }
    Err(Finding::environment("clients are tested with the feature `http` of mcp-test"))
}

fn other_transport(transport: TransportKind) -> Finding {
    Finding::test(format!("a client cannot be tested over {transport}"))
        .expected("a test of a client over http: `transports = [http]`, or without `transports`")
        .got(transport.to_string())
}
