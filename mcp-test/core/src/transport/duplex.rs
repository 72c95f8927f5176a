//! The client's end of an in-memory pipe, with the server as a task of this process.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::client_transport::{ClientTransport, QUEUE};
use super::line_client::{self, LineProgress, LineSender};
use super::observer::Observer;
use super::{Connection, ConnectionEnd, Incoming, Limits, Outgoing, Sent, TransportKind};
use crate::clock::{self, Deadline};
use crate::expect::words::panic_text;
use crate::spec::Revision;
use crate::trace::{EventKind, Recorder};

/// The capacity of the pipe in each direction, that of a pipe on Linux.
pub(super) const PIPE: usize = 64 * 1024;

/// How long to wait for the server to return once its pipe is closed, and for its last output once it has returned.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

struct DuplexTransport {
    sender: LineSender,
    progress: Arc<LineProgress>,
    conversation: JoinHandle<()>,
}

/// Starts the server on one end of a pipe and opens a connection on the other.
pub(super) fn open<F>(serve: &Arc<F>, recorder: &Recorder, limits: Limits) -> Connection
where
    F: Fn(DuplexStream) -> BoxFuture<'static, crate::Result> + Send + Sync + ?Sized + 'static,
{
    let connection = recorder.open("duplex");
    // Bounded, so that a server that does not read blocks its client as over stdio.
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let (input, output) = tokio::io::split(ours);
    let (incoming, observations) = mpsc::channel(QUEUE);
    let observer = Observer::new(recorder, connection, incoming);
    let sender = LineSender::start(recorder.clone(), connection, output);
    let serve = serve.clone();
    let progress = Arc::new(LineProgress::start(limits.line));
    let read = progress.clone();
    let conversation = tokio::spawn(async move {
        // The call itself may panic as well, before it returns a future.
        let server = async move { serve(theirs).await };
        let server = std::panic::AssertUnwindSafe(server).catch_unwind();
        // Its end is never noted: a server in this process is never killed in the middle of a line.
        let reading = line_client::observe(&observer, input, &read);
        let how = run_to_end(server, reading).await;
        let seq = observer.record(None, EventKind::Closed { how: how.clone() });
        observer.pass(Incoming::Closed { seq, how }).await;
    });
    let transport = DuplexTransport { sender, progress, conversation };
    Connection::new(
        TransportKind::Duplex,
        connection,
        recorder.clone(),
        Box::new(transport),
        observations,
    )
}

type Served = Result<crate::Result, Box<dyn std::any::Any + Send>>;

/// Runs server and reader together; returns how the conversation ended.
async fn run_to_end(
    server: impl Future<Output = Served>,
    reading: impl Future<Output = String>,
) -> String {
    let mut server = std::pin::pin!(server);
    let mut reading = std::pin::pin!(reading);
    let ended = tokio::select! {
        ended = &mut server => {
            // What the server wrote before it ended is still in the pipe.
            let _ = clock::within(Deadline::after(LAST_OUTPUT), &mut reading).await;
            ended
        }
        // A server that has closed its end may still return an error or panic, which says more than the closed pipe.
        how = &mut reading => match clock::within(Deadline::after(LAST_OUTPUT), &mut server).await {
            Ok(ended) => ended,
            Err(_) => return format!("the server {how}"),
        },
    };
    match ended {
        Ok(Ok(())) => "the server returned".to_owned(),
        Ok(Err(error)) => format!("the server returned an error: {error}"),
        Err(panic) => format!("the server panicked: {}", panic_text(panic.as_ref())),
    }
}

impl ClientTransport for DuplexTransport {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(self.sender.send(outgoing, deadline))
    }

    // Lines have no headers that depend on the revision.
    fn set_revision(&mut self, _: Revision) {}

    fn overdue_line(&self) -> Option<String> {
        self.progress.overdue_line()
    }

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, ConnectionEnd> {
        Box::pin(async move {
            // The end of its input is the only signal that a server in this process gets before it is dropped.
            self.sender.close(Deadline::after(grace)).await;
            let left = clock::within(Deadline::after(grace), &mut self.conversation).await.is_ok();
            // Whoever does not return is dropped: nothing else can stop code in this process.
            self.conversation.abort();
            let how = if left {
                "the server returned"
            } else {
                "the server did not return and was dropped"
            };
            ConnectionEnd { how: how.to_owned(), orderly: left, exit: None }
        })
    }
}

impl Drop for DuplexTransport {
    fn drop(&mut self) {
        self.conversation.abort();
    }
}
