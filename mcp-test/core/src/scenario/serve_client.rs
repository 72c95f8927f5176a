//! Serves a client under test, over the transport of the run, until it exits.

use std::time::Duration;

use tokio::task::JoinSet;

use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::server::Server;
use crate::transport::{
    ClientRun, ClientTarget, DuplexConnection, DuplexServer, Endpoint, ServerAddress, TransportKind,
};

/// How long the server may take to end its conversations once the client has exited.
const LAST_REPLIES: Duration = Duration::from_millis(500);

/// How many connections are served at once; further ones wait.
const MAX_CONNECTIONS: usize = 32;

/// Runs a client against a server, and ends it when its time is up; `endpoint` returns what the client gets for the address
/// of the server.
///
/// Returns when nothing more is recorded of the conversation.
///
/// # Errors
///
/// A finding about the environment, if the server cannot be reached over the transport.
pub(crate) async fn serve_client(
    server: &Server,
    client: &ClientTarget,
    transport: TransportKind,
    endpoint: impl FnOnce(ServerAddress) -> Endpoint,
    allotted: Duration,
) -> Result<ClientRun, Finding> {
    match transport {
        TransportKind::Duplex => Ok(over_duplex(client, server, endpoint, allotted).await),
        TransportKind::Stdio => over_stdio(client, server, endpoint, allotted).await,
        TransportKind::Http => over_http(client, server, endpoint, allotted).await,
        other @ (TransportKind::Router | TransportKind::Sse) => {
            let what = format!("no server for a client can be reached over {other}");
            Err(Finding::environment(what))
        }
    }
}

async fn over_duplex(
    client: &ClientTarget,
    server: &Server,
    endpoint: impl FnOnce(ServerAddress) -> Endpoint,
    allotted: Duration,
) -> ClientRun {
    let (address, mut opened) = DuplexServer::new();
    let client = client.run(endpoint(address.into()), allotted);
    serve_while(client, async || {
        let DuplexConnection { io, served } = opened.recv().await?;
        let server = server.clone();
        Some(async move {
            // How it ended is in the trace, by which the client is judged.
            let _ = server.serve(io).await;
            drop(served);
        })
    })
    .await
}

#[cfg(all(unix, feature = "http"))]
async fn over_stdio(
    client: &ClientTarget,
    server: &Server,
    endpoint: impl FnOnce(ServerAddress) -> Endpoint,
    allotted: Duration,
) -> Result<ClientRun, Finding> {
    use crate::transport::client_stdio::StdioListener;

    let Some(program) = client.relay_program() else {
        let finding =
            Finding::environment("the program that the client starts as its server is not known");
        return Err(finding.hint("set the path of `mcp-test` with `ClientTarget::server_program`"));
    };
    let listener = StdioListener::listen(program, server.relay_faults()).map_err(|error| {
        let finding = Finding::environment("cannot open a socket for the client");
        finding.got(error.to_string())
    })?;
    let endpoint = endpoint(listener.command().clone().into());
    let client = client.run_starting(endpoint, allotted, Some(listener.servers()));
    Ok(serve_while(client, async || {
        let connection = listener.accept().await?;
        let server = server.clone();
        Some(async move { server.serve_relayed(connection).await })
    })
    .await)
}

#[cfg(not(all(unix, feature = "http")))]
#[allow(clippy::unused_async, reason = "there is nothing to wait for here")]
async fn over_stdio(
    _: &ClientTarget,
    _: &Server,
    _: impl FnOnce(ServerAddress) -> Endpoint,
    _: Duration,
) -> Result<ClientRun, Finding> {
    let what = "clients are tested over stdio on Unix, with the feature `http` of mcp-test";
    Err(Finding::environment(what))
}

/// Serves each connection that is opened while the client runs; `next` returns the work for it.
async fn serve_while<Served>(
    client: impl Future<Output = ClientRun>,
    mut next: impl AsyncFnMut() -> Option<Served>,
) -> ClientRun
where
    Served: Future<Output = ()> + Send + 'static,
{
    let mut conversations = JoinSet::new();
    let serving = async {
        while let Some(conversation) = next().await {
            conversations.spawn(conversation);
            while conversations.try_join_next().is_some() {}
            if conversations.len() >= MAX_CONNECTIONS {
                conversations.join_next().await;
            }
        }
        std::future::pending().await
    };
    let client_run = tokio::select! {
        client_run = client => client_run,
        never = serving => never,
    };
    let ended = async { while conversations.join_next().await.is_some() {} };
    // A client may have left tasks or processes behind that hold its ends; the others end at once.
    clock::within(Deadline::after(LAST_REPLIES), ended).await.ok();
    conversations.shutdown().await;
    client_run
}

#[cfg(feature = "http")]
async fn over_http(
    client: &ClientTarget,
    server: &Server,
    endpoint: impl FnOnce(ServerAddress) -> Endpoint,
    allotted: Duration,
) -> Result<ClientRun, Finding> {
    // Port 0 is any free one, so that several clients can be tested at the same time.
    let listening = server.listen(("127.0.0.1", 0)).await.map_err(|error| {
        Finding::environment("cannot open a port for the client").got(error.to_string())
    })?;
    let client_run = client.run(endpoint(listening.url().into()), allotted).await;
    // Closes the streams that the client has left open, so that the trace is complete.
    listening.end().await;
    Ok(client_run)
}

#[cfg(not(feature = "http"))]
#[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
async fn over_http(
    _: &ClientTarget,
    _: &Server,
    _: impl FnOnce(ServerAddress) -> Endpoint,
    _: Duration,
) -> Result<ClientRun, Finding> {
    Err(Finding::environment("clients are tested over HTTP with the feature `http` of mcp-test"))
}
