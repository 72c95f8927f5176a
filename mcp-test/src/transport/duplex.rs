//! The client's end of an in-memory pipe, with the server as a task of this process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::lines::{self, LineSender};
use super::link::{BoxFuture, Carry, Ending, Incoming, Link, Outgoing, QUEUE, Sent};
use super::reading::Observer;
use super::{CarrierKind, Limits};
use crate::clock::{self, Deadline};
use crate::expect::words::panic_text;
use crate::spec::Revision;
use crate::trace::{Recorder, What};

/// Bytes that may be under way in each direction.
const PIPE: usize = 64 * 1024;

/// How long a server that closed its pipe has to say why.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A server in this process is not ended in the middle of a line and listened to then.
static NEVER: AtomicBool = AtomicBool::new(false);

struct DuplexCarrier {
    sender: LineSender,
    conversation: JoinHandle<()>,
}

/// Starts the server on one end of a pipe and opens a link on the other.
pub(super) fn open<F>(serve: &Arc<F>, recorder: &Recorder, limits: Limits) -> Link
where
    F: Fn(DuplexStream) -> BoxFuture<'static, crate::Result> + Send + Sync + ?Sized + 'static,
{
    let connection = recorder.open("duplex");
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let (input, output) = tokio::io::split(ours);
    let (incoming, observations) = mpsc::channel(QUEUE);
    let observer = Observer::new(recorder, connection, incoming);
    let sender = LineSender::start(recorder.clone(), connection, output);
    let serve = serve.clone();
    let conversation = tokio::spawn(async move {
        // The call itself may panic too, before there is a future.
        let server = async move { serve(theirs).await };
        let server = std::panic::AssertUnwindSafe(server).catch_unwind();
        let reading = lines::observe(&observer, input, limits.line, &NEVER);
        let how = tell(server, reading).await;
        let seq = observer.record(None, What::Closed { how: how.clone() });
        observer.pass(Incoming::Closed { seq, how }).await;
    });
    let carrier = DuplexCarrier { sender, conversation };
    Link::new(CarrierKind::Duplex, connection, recorder.clone(), Box::new(carrier), observations)
}

type Served = Result<crate::Result, Box<dyn std::any::Any + Send>>;

/// Runs server and reader together, and says how the conversation ended.
async fn tell(
    server: impl Future<Output = Served>,
    reading: impl Future<Output = String>,
) -> String {
    let mut server = std::pin::pin!(server);
    let mut reading = std::pin::pin!(reading);
    let ended = tokio::select! {
        ended = &mut server => {
            // What the server wrote before it ended is still in the pipe.
            let _ = clock::within(Deadline::after(LAST_WORDS), &mut reading).await;
            ended
        }
        how = &mut reading => match clock::within(Deadline::after(LAST_WORDS), &mut server).await {
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

impl Carry for DuplexCarrier {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(self.sender.send(outgoing, deadline))
    }

    fn speak(&mut self, _: Revision) {}

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, Ending> {
        Box::pin(async move {
            self.sender.close(Deadline::after(grace)).await;
            let left = clock::within(Deadline::after(grace), &mut self.conversation).await.is_ok();
            self.conversation.abort();
            let how = if left {
                "the server returned"
            } else {
                "the server did not return and was dropped"
            };
            Ending { how: how.to_owned(), orderly: left }
        })
    }
}

impl Drop for DuplexCarrier {
    fn drop(&mut self) {
        self.conversation.abort();
    }
}
