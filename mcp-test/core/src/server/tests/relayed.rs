//! Conversations through a relay, as over stdio with a client that starts the server.

use std::future::pending;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::UnixStream;

use crate::clock::{self, Deadline};
use crate::server::reference::everything;
use crate::trace::{EndSignal, EventKind, Party, Recorder, Trace};
use crate::transport::client_stdio::{RelayFaults, StandardStreams, StdioListener, relay};

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

fn listener() -> StdioListener {
    let program = Path::new("/bin/mcp-test");
    StdioListener::listen(program, RelayFaults::default()).expect("a socket")
}

/// Has a client use the standard streams of a relay until the signal; returns the exit code and the trace.
async fn converse<Fut>(
    signalled: impl Future<Output = EndSignal>,
    client: impl FnOnce(DuplexStream) -> Fut,
) -> (u8, Trace)
where
    Fut: Future<Output = ()>,
{
    let listener = listener();
    let socket = UnixStream::connect(&listener.command().args[1]).await.expect("it listens");
    let connection = listener.accept().await.expect("a relay");
    let recorder = Recorder::new();
    let server = everything().record(recorder.clone());
    let serving = server.serve_relayed(connection);
    let (ours, theirs) = tokio::io::duplex(1024);
    let (input, output) = tokio::io::split(theirs);
    let error = tokio::io::sink();
    let streams = StandardStreams { input, output, error };
    let mut signalled = Some(signalled);
    let next_signal = async || match signalled.take() {
        Some(signalled) => signalled.await,
        None => pending().await,
    };
    let relaying = relay(socket, streams, next_signal, RelayFaults::default());
    let all = async { tokio::join!(relaying, serving, client(ours)) };
    let all = clock::within(Deadline::after(Duration::from_secs(20)), all);
    let (code, (), ()) = all.await.expect("it ends");
    listener.servers().exited(Deadline::after(Duration::from_secs(20))).await;
    (code, recorder.trace())
}

fn signals(trace: &Trace) -> Vec<(EndSignal, bool)> {
    let signal = |kind: &EventKind| match kind {
        EventKind::Signalled { signal, since_eof } => Some((*signal, since_eof.is_some())),
        _ => None,
    };
    trace.events.iter().filter_map(|event| signal(&event.kind)).collect()
}

fn closes(trace: &Trace) -> usize {
    let closed = |kind: &EventKind| matches!(kind, EventKind::Closed { .. });
    let by_client = trace.events.iter().filter(|event| event.party == Party::Client);
    by_client.filter(|event| closed(&event.kind)).count()
}

#[tokio::test]
async fn what_a_client_writes_is_served_until_it_closes_the_input() {
    let (code, trace) = converse(pending(), async |mut client| {
        client.write_all(PING).await.expect("it is read");
        client.shutdown().await.expect("it is open");
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.expect("an answer");
        assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    })
    .await;
    assert_eq!((code, signals(&trace), closes(&trace)), (0, Vec::new(), 1));
    assert_eq!(trace.messages().count(), 2);
}

#[tokio::test]
async fn a_signal_is_reported_with_whether_the_input_had_ended() {
    let (signal, signalled) = tokio::sync::oneshot::channel();
    let (code, trace) =
        converse(async { signalled.await.expect("a signal") }, async |mut client| {
            signal.send(EndSignal::Terminate).expect("it is awaited");
            // Open until the relay has exited, or its input would end with the signal.
            let mut output = String::new();
            client.read_to_string(&mut output).await.expect("its end");
        })
        .await;
    assert_eq!((code, signals(&trace)), (143, vec![(EndSignal::Terminate, false)]));
}

#[tokio::test]
async fn a_relay_that_ends_without_a_report_was_killed() {
    let listener = listener();
    let socket = UnixStream::connect(&listener.command().args[1]).await.expect("it listens");
    let connection = listener.accept().await.expect("a relay");
    drop(socket);
    let recorder = Recorder::new();
    everything().record(recorder.clone()).serve_relayed(connection).await;
    assert_eq!(signals(&recorder.trace()), [(EndSignal::Kill, false)]);
}
