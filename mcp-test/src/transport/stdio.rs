//! The client's end of a child's standard streams.
//!
//! The child is started per connection, leads a process group of its own, and is ended with the connection. What it
//! writes on stderr goes into the trace line by line. A child that is gone can be started again, as 2026-07-28 asks for.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio> and
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#unexpected-termination>

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::lines::{self, LineSender};
use super::link::{BoxFuture, Carry, Ending, Incoming, Link, Outgoing, QUEUE, Restarted, Sent};
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
    command: Command,
    limits: Limits,
    observer: Observer,
    running: Running,
}

/// A child and those who write and read for it.
struct Running {
    child: Child,
    sender: LineSender,
    reading: JoinHandle<()>,
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
    let (incoming, observations) = mpsc::channel(QUEUE);
    let observer = Observer::new(recorder, connection, incoming);
    let running = Running::start(command, &observer, limits)?;
    let carrier = StdioCarrier { command: command.clone(), limits, observer, running };
    Ok(Link::new(CarrierKind::Stdio, connection, recorder.clone(), Box::new(carrier), observations))
}

impl Running {
    fn start(command: &Command, observer: &Observer, limits: Limits) -> Result<Self, OpenError> {
        let scribe = observer.scribe.clone();
        let stderr = move |line: String| {
            scribe.record(None, What::Stderr(line));
        };
        let mut child = Child::spawn(command, stderr)?;
        let (Some(input), Some(output)) = (child.take_stdout(), child.take_stdin()) else {
            return Err(OpenError::NoPipes { command: shown(command) });
        };
        let scribe = &observer.scribe;
        let sender = LineSender::start(scribe.recorder.clone(), scribe.connection, output);
        let exit = child.wait_exit();
        let observer = observer.clone();
        let ended = Arc::new(AtomicBool::new(false));
        let ending = ended.clone();
        let reading = tokio::spawn(async move {
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
        Ok(Self { child, sender, reading, ended })
    }

    /// Ends the child in good order, by force after `grace`.
    async fn end(&mut self, observer: &Observer, grace: Duration) -> Ending {
        self.sender.close(Deadline::after(grace)).await;
        self.ended.store(true, Ordering::Relaxed);
        let ending = self.child.end(grace).await;
        // Its output ended with it; what is still in the pipe belongs into the trace.
        let _ = clock::within(Deadline::after(LAST_WORDS), &mut self.reading).await;
        self.reading.abort();
        let how = format!("{}; {}", ending.how, ending.exit);
        observer.record(None, What::Closed { how: how.clone() });
        let orderly = matches!(ending.how, How::AlreadyExited | How::StdinClosed);
        if !orderly {
            let (what, how) = (Outstaying::Process, ending.how.to_string());
            observer.record(None, What::Outstayed { what, how });
        }
        for left in &ending.left_behind {
            let what = Outstaying::Descendant;
            let how = format!("process {}, `{}`", left.pid, left.command);
            observer.record(None, What::Outstayed { what, how });
        }
        Ending { how, orderly }
    }
}

impl Carry for StdioCarrier {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(self.running.sender.send(outgoing, deadline))
    }

    fn speak(&mut self, _: Revision) {}

    fn restart(&mut self, grace: Duration) -> BoxFuture<'_, Option<Restarted>> {
        Box::pin(async move {
            self.running.end(&self.observer, grace).await;
            let scribe = self.observer.scribe.clone();
            let note = What::Note("the program is started again".to_owned());
            scribe.recorder.record(scribe.connection, Party::Harness, note);
            let (incoming, observations) = mpsc::channel(QUEUE);
            self.observer = Observer::new(&scribe.recorder, scribe.connection, incoming);
            let running = Running::start(&self.command, &self.observer, self.limits);
            Some(running.map(|running| {
                self.running = running;
                observations
            }))
        })
    }

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, Ending> {
        Box::pin(async move { self.running.end(&self.observer, grace).await })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::transport::Target;
    use crate::wire::{Id, Message, Request};

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(20))
    }

    fn shell(script: &str) -> Target {
        Target::command(Command::new("sh").args(["-c", script]))
    }

    async fn open(target: &Target, recorder: &Recorder) -> Link {
        target.open(CarrierKind::Stdio, recorder, Limits::default()).await.unwrap()
    }

    async fn ask(link: &mut Link, id: i64) {
        let request = Request { id: Id::from(id), method: "ping".to_owned(), params: None };
        link.send(Message::Request(request), soon()).await;
    }

    async fn told(link: &mut Link) -> String {
        match clock::within(soon(), link.next()).await.unwrap().unwrap() {
            Incoming::Message { message, .. } => message.to_value().to_string(),
            Incoming::Garbled { head, .. } => head,
            Incoming::Closed { how, .. } => how,
            Incoming::Ended { how, .. } => panic!("an exchange that {how}"),
        }
    }

    const REPLIES: &str = r#"
        echo started >&2
        read line && echo '{"jsonrpc":"2.0","id":1,"result":{}}'
    "#;

    #[tokio::test]
    async fn a_program_that_is_gone_is_started_again() {
        let recorder = Recorder::new();
        let mut link = open(&shell(&format!("{REPLIES} exit 3")), &recorder).await;
        for _ in 0..2 {
            ask(&mut link, 1).await;
            assert_eq!(told(&mut link).await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
            // Its end is not handed out again by the program that follows.
            link.restart(Duration::from_secs(5)).await.unwrap().unwrap();
        }
        let ending = link.end(Duration::from_secs(5)).await;
        assert!(ending.orderly, "{ending:?}");
        let trace = recorder.trace();
        assert_eq!(trace.stderr_tail(9), ["started", "started", "started"]);
        let exits = trace.events.iter().filter(|event| matches!(event.what, What::Exited { .. }));
        assert_eq!(exits.count(), 3);
    }

    #[tokio::test]
    async fn what_has_no_program_is_not_started_again() {
        let target = Target::duplex(|_| async { Ok(()) });
        let recorder = Recorder::new();
        let mut link =
            target.open(CarrierKind::Duplex, &recorder, Limits::default()).await.unwrap();
        assert!(link.restart(Duration::ZERO).await.is_none());
    }

    #[tokio::test]
    async fn an_output_that_ends_is_told_whether_or_not_the_program_does() {
        let mut link = open(&shell("exit 7"), &Recorder::new()).await;
        assert_eq!(told(&mut link).await, "the server ended with exit code 7");
        let mut link = open(&shell("exec >&-; read line"), &Recorder::new()).await;
        assert_eq!(told(&mut link).await, "the server closed its output and runs on");
        // The end of its input ends it in good order.
        assert!(link.end(Duration::from_secs(20)).await.orderly);
    }

    #[tokio::test]
    async fn requests_in_parallel_are_answered_in_any_order() {
        let script = r#"
            read one && read two
            echo '{"jsonrpc":"2.0","id":2,"result":{}}'
            echo '{"jsonrpc":"2.0","id":1,"result":{}}'
        "#;
        let mut link = open(&shell(script), &Recorder::new()).await;
        ask(&mut link, 1).await;
        ask(&mut link, 2).await;
        assert!(told(&mut link).await.contains("\"id\":2"));
        assert!(told(&mut link).await.contains("\"id\":1"));
    }
}
