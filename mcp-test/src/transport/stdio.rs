//! The client's end of a child's standard streams.
//!
//! The child is started per connection, leads a process group of its own, and is ended with the connection. What it
//! writes on stderr goes into the trace line by line.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio>

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::lines::{self, LineSender};
use super::link::{BoxFuture, Carry, Ending, Incoming, Link, Outgoing, QUEUE, Sent};
use super::reading::Observer;
use super::target::shown;
use super::{CarrierKind, Limits, OpenError};
use crate::clock::{self, Deadline};
use crate::process::{Child, Command, Exit, How};
use crate::spec::Revision;
use crate::trace::{Outstaying, Party, Recorder, What};

/// How long a child that closed its output has to exit, so that its exit can be told with it.
const LAST_WORDS: Duration = Duration::from_millis(500);

struct StdioCarrier {
    child: Child,
    sender: LineSender,
    reading: JoinHandle<()>,
    observer: Observer,
    /// Whether the child is being ended, be it in the middle of a line.
    ended: Arc<AtomicBool>,
}

/// Starts the child and opens a link to it.
pub(super) fn open(
    command: &Command,
    recorder: &Recorder,
    limits: Limits,
) -> Result<Link, OpenError> {
    let connection = recorder.open(&format!("stdio {}", shown(command)));
    let log = recorder.clone();
    let stderr = move |line: String| {
        log.record_in(connection, None, Party::Server, What::Stderr(line));
    };
    let mut child = Child::spawn(command, stderr)?;
    let (Some(input), Some(output)) = (child.take_stdout(), child.take_stdin()) else {
        return Err(OpenError::NoPipes { command: shown(command) });
    };
    let (incoming, observations) = mpsc::channel(QUEUE);
    let observer = Observer::new(recorder, connection, incoming);
    let sender = LineSender::start(recorder.clone(), connection, output);
    let exit = child.wait_exit();
    let observing = observer.clone();
    let ended = Arc::new(AtomicBool::new(false));
    let ending = ended.clone();
    let reading = tokio::spawn(async move {
        let observer = observing;
        let mut exit = std::pin::pin!(exit);
        let mut lines = std::pin::pin!(lines::observe(&observer, input, limits.line, &ending));
        let exited = |exit: Exit| {
            let status = exit.to_string();
            observer.record(None, What::Exited { status: status.clone() });
            format!("the server ended with {status}")
        };
        let how = tokio::select! {
            biased;
            how = &mut lines => match clock::within(Deadline::after(LAST_WORDS), exit).await {
                Ok(exit) => exited(exit),
                Err(_) => format!("the server {how} and runs on"),
            },
            // What it wrote before is still in the pipe; whoever else holds the pipe is not the server.
            exit = &mut exit => match clock::within(Deadline::after(LAST_WORDS), lines).await {
                Ok(_) => exited(exit),
                Err(_) => format!("{}, and a process that it started holds its output", exited(exit)),
            },
        };
        let seq = observer.record(None, What::Closed { how: how.clone() });
        observer.pass(Incoming::Closed { seq, how }).await;
    });
    let carrier = StdioCarrier { child, sender, reading, observer, ended };
    Ok(Link::new(CarrierKind::Stdio, connection, recorder.clone(), Box::new(carrier), observations))
}

impl Carry for StdioCarrier {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(self.sender.send(outgoing, deadline))
    }

    fn speak(&mut self, _: Revision) {}

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, Ending> {
        Box::pin(async move {
            self.sender.close(Deadline::after(grace)).await;
            self.ended.store(true, Ordering::Relaxed);
            let ending = self.child.end(grace).await;
            // Its output ended with it; what is still in the pipe belongs into the trace.
            let _ = clock::within(Deadline::after(LAST_WORDS), &mut self.reading).await;
            let how = format!("{}; {}", ending.how, ending.exit);
            self.observer.record(None, What::Closed { how: how.clone() });
            let orderly = matches!(ending.how, How::AlreadyExited | How::StdinClosed);
            if !orderly {
                let what = Outstaying::Process;
                let how = ending.how.to_string();
                self.observer.record(None, What::Outstayed { what, how });
            }
            for left in &ending.left_behind {
                let what = Outstaying::Descendant;
                let how = format!("process {}, `{}`", left.pid, left.command);
                self.observer.record(None, What::Outstayed { what, how });
            }
            Ending { how, orderly }
        })
    }
}

impl Drop for StdioCarrier {
    fn drop(&mut self) {
        self.reading.abort();
    }
}
