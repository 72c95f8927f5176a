//! Relays in this process, between a client by hand and the reference server.

use std::future::pending;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::UnixStream;

use super::frame::Frame;
use super::relay::relay;
use super::{StdioListener, serve_relayed};
use crate::clock::{self, Deadline};
use crate::server::reference::everything;
use crate::trace::{EndSignal, EventKind, Party, Recorder, Trace};
use crate::transport::Limits;
use crate::transport::actor::Actor;
use crate::transport::interceptor::Interceptor;

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

/// Has a client use the standard streams of a relay until the signal; returns the exit code and the trace.
async fn converse<Fut>(
    signalled: impl Future<Output = EndSignal>,
    client: impl FnOnce(DuplexStream) -> Fut,
) -> (u8, Trace)
where
    Fut: Future<Output = ()>,
{
    let listener = StdioListener::listen(Path::new("/bin/mcp-test")).expect("a socket");
    let socket = UnixStream::connect(&listener.command().args[1]).await.expect("it listens");
    let connection = listener.accept().await.expect("a relay");
    let recorder = Recorder::new();
    let wire = Interceptor::new([]).recording(recorder.clone()).open("stdio");
    let server = everything();
    let serving = serve_relayed(connection, &server as &dyn Actor, &wire, Limits::default());
    let (ours, theirs) = tokio::io::duplex(1024);
    let (input, output) = tokio::io::split(theirs);
    let relaying = relay(socket, input, output, signalled);
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
    let (code, trace) = converse(async { signalled.await.expect("a signal") }, async |client| {
        signal.send(EndSignal::Terminate).expect("it is awaited");
        drop(client);
    })
    .await;
    assert_eq!((code, signals(&trace)), (143, vec![(EndSignal::Terminate, false)]));

    let (signal, signalled) = tokio::sync::oneshot::channel();
    let (theirs, mut socket) = UnixStream::pair().expect("a socket");
    // The input has ended, and the server has not.
    let relaying = relay(theirs, tokio::io::empty(), tokio::io::sink(), async {
        signalled.await.expect("a signal")
    });
    let reading = async {
        assert_eq!(Frame::read(&mut socket).await.expect("a frame"), Some(Frame::Eof));
        signal.send(EndSignal::Interrupt).expect("it is awaited");
        let frame = Frame::read(&mut socket).await.expect("a frame").expect("the signal");
        let Frame::Signal { signal, since_eof: Some(_) } = frame else { panic!("{frame:?}") };
        assert_eq!(signal, EndSignal::Interrupt);
        assert_eq!(Frame::read(&mut socket).await.expect("a frame"), Some(Frame::Exit));
    };
    assert_eq!(tokio::join!(relaying, reading).0, 130);
}

#[tokio::test]
async fn a_relay_that_ends_without_a_report_was_killed() {
    let listener = StdioListener::listen(Path::new("/bin/mcp-test")).expect("a socket");
    let socket = UnixStream::connect(&listener.command().args[1]).await.expect("it listens");
    let connection = listener.accept().await.expect("a relay");
    drop(socket);
    let recorder = Recorder::new();
    let wire = Interceptor::new([]).recording(recorder.clone()).open("stdio");
    serve_relayed(connection, &everything(), &wire, Limits::default()).await;
    assert_eq!(signals(&recorder.trace()), [(EndSignal::Kill, false)]);
}

#[tokio::test]
async fn the_folder_of_a_listener_names_the_command_for_hosts_and_is_deleted() {
    let listener = StdioListener::listen(Path::new("/bin/mcp-test")).expect("a socket");
    let config = Path::new(listener.servers().config()).to_owned();
    let text = std::fs::read_to_string(&config).expect("a file");
    let hosts: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let server = &hosts["mcpServers"]["mcp-test"];
    assert_eq!(server["command"], "/bin/mcp-test");
    assert_eq!(server["args"], serde_json::json!(listener.command().args));
    drop(listener);
    assert!(!config.parent().expect("a folder").exists());
}
