//! One relay, from our side: serves the client behind it, and records how the client treats it.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::UnixStream;

use super::frame::{Frame, MAX_PAYLOAD};
use crate::clock::Stopwatch;
use crate::trace::{EndSignal, EventKind, Party};
use crate::transport::Limits;
use crate::transport::actor::Actor;
use crate::transport::duplex::PIPE;
use crate::transport::interceptor::InterceptedConnection;
use crate::transport::serve_lines::serve_lines;
use crate::transport::started_servers::StartedServer;

/// A relay that a client has started.
#[derive(Debug)]
pub(crate) struct RelayedConnection {
    pub(super) socket: UnixStream,
    pub(super) started: StartedServer,
}

/// Serves the client behind a relay until the relay has exited.
pub(crate) async fn serve_relayed(
    connection: RelayedConnection,
    actor: &dyn Actor,
    wire: &InterceptedConnection,
    limits: Limits,
) {
    let RelayedConnection { socket, started } = connection;
    let (frames, output) = socket.into_split();
    // Bounded, so that a client that floods its server waits for it, as over a pipe.
    let (theirs, ours) = tokio::io::duplex(PIPE);
    let (from_server, to_server) = tokio::io::split(ours);
    // How it ended is in the trace, by which the client is judged.
    let serving = async { drop(serve_lines(theirs, actor, wire, limits).await) };
    let ending = started.ending();
    let served = async {
        tokio::join!(
            serving,
            pass_output(from_server, output),
            read_frames(frames, to_server, wire, started)
        )
    };
    // A relay may ignore signals as well as the end of its input, but not the end of its socket.
    tokio::select! {
        _ = served => {}
        () = ending => {}
    }
}

/// Passes on what the server writes; the end of it ends the relay.
async fn pass_output(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    let mut chunk = vec![0; MAX_PAYLOAD];
    while let Ok(read @ 1..) = from.read(&mut chunk).await {
        if to.write_all(&chunk[..read]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}

/// Passes on what the client writes, and records how it ends the relay; `started` is dropped with it, even if the server goes on.
async fn read_frames(
    mut frames: impl AsyncRead + Unpin,
    mut to_server: impl AsyncWrite + Unpin,
    wire: &InterceptedConnection,
    started: StartedServer,
) {
    let signalled = |signal, since_eof| {
        // Once the client has exited or its time is up, it is mcp-test that ends what is left.
        if started.is_judged() {
            wire.record(Party::Client, || EventKind::Signalled { signal, since_eof });
        }
    };
    let (mut eof, mut has_exited) = (None, false);
    while let Ok(Some(frame)) = Frame::read(&mut frames).await {
        match frame {
            // A client that is being ended may flood its server, which must not delay the end.
            Frame::Input(_) if !started.is_judged() => break,
            // A server that has ended reads no more; how the relay ends is still of interest.
            Frame::Input(bytes) => drop(to_server.write_all(&bytes).await),
            Frame::Eof => {
                eof = Some(Stopwatch::start());
                let _ = to_server.shutdown().await;
                let how = "the client closed the server's standard input".to_owned();
                wire.record(Party::Client, || EventKind::Closed { how });
            }
            Frame::Stderr(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                wire.record(Party::Server, || EventKind::Stderr(text));
            }
            Frame::Signal { signal, since_eof } => signalled(signal, since_eof),
            Frame::Exit => has_exited = true,
        }
    }
    if !has_exited {
        signalled(EndSignal::Kill, eof.map(|since| since.elapsed()));
    }
    // The server sees the end of its input also when the relay was killed.
    let _ = to_server.shutdown().await;
}
