//! The client's end of a child's standard streams.
//!
//! Each connection starts its own child, in its own process group, and ends it. What the child writes on stderr is
//! recorded line by line. A child that has exited can be restarted, as 2026-07-28 recommends.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio> and
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#unexpected-termination>

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::client_transport::{ClientTransport, QUEUE, Restarted};
use super::line_client::{self, LineProgress, LineSender};
use super::observer::Observer;
use super::redacted::redact_urls;
use super::{
    Connection, ConnectionEnd, Incoming, Limits, OpenError, Outgoing, Sent, TransportKind,
};
use crate::clock::{self, Deadline};
use crate::process::{Child, Command, Exit, ShutdownStep};
use crate::spec::Revision;
use crate::trace::{EventKind, ExitWait, Leftover, Party, Recorder};

/// How long to wait for the exit of a child that closed its output, so that both are reported together.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

/// How many times as long as its start a program may take to exit when its input ends.
///
/// Both take longer on a busy machine. Exiting is less work than starting, so a program that takes this long ignores the end.
const START_UPS: u32 = 3;

/// The longest wait for an exit, so that a run with a slow program that ignores the end of its input ends.
const MAX_EXIT_GRACE: Duration = Duration::from_secs(10);

/// How long to wait for the exit of a program whose input has ended: at least `grace`, longer if it was slow to start.
fn exit_grace(grace: Duration, start_up: Option<Duration>) -> Duration {
    // Without a message it may still be starting.
    let by_start_up = start_up.map_or(MAX_EXIT_GRACE, |it| it.saturating_mul(START_UPS));
    grace.max(by_start_up.min(MAX_EXIT_GRACE))
}

struct StdioTransport {
    command: Command,
    limits: Limits,
    observer: Observer,
    running: Running,
    is_hurried: bool,
}

/// A child, and the tasks that write to it and read from it.
struct Running {
    child: Child,
    sender: LineSender,
    reading: JoinHandle<()>,
    progress: Arc<LineProgress>,
}

/// Starts the child and opens a connection to it.
pub(super) fn open(
    command: &Command,
    recorder: &Recorder,
    limits: Limits,
) -> Result<Connection, OpenError> {
    let connection = recorder.open(&format!("stdio {}", redact_urls(command)));
    let (incoming, observations) = mpsc::channel(QUEUE);
    let observer = Observer::new(recorder, connection, incoming);
    let running = Running::start(command, &observer, limits)?;
    let transport =
        StdioTransport { command: command.clone(), limits, observer, running, is_hurried: false };
    Ok(Connection::new(
        TransportKind::Stdio,
        connection,
        recorder.clone(),
        Box::new(transport),
        observations,
    ))
}

impl Running {
    fn start(command: &Command, observer: &Observer, limits: Limits) -> Result<Self, OpenError> {
        let recorder = observer.recorder.clone();
        let stderr = move |line: String| {
            recorder.record(None, EventKind::Stderr(line));
        };
        let progress = Arc::new(LineProgress::start(limits.line));
        let mut child = Child::spawn(command, stderr)?;
        let (Some(input), Some(output)) = (child.take_stdout(), child.take_stdin()) else {
            return Err(OpenError::NoPipes { command: redact_urls(command) });
        };
        let recorder = &observer.recorder;
        let sender = LineSender::start(recorder.trace.clone(), recorder.connection, output);
        let exit = child.wait_exit();
        let observer = observer.clone();
        let read = progress.clone();
        let reading = tokio::spawn(async move {
            let mut exit = std::pin::pin!(exit);
            let mut lines = std::pin::pin!(line_client::observe(&observer, input, &read));
            let exited = |exit: Exit| {
                // Also an event of its own, so that no judge has to read the text of the end.
                let status = exit.to_string();
                observer.record(None, EventKind::Exited { status: status.clone() });
                format!("the server ended with {status}")
            };
            let how = tokio::select! {
                biased;
                how = &mut lines => match clock::within(Deadline::after(LAST_OUTPUT), exit).await {
                    Ok(exit) => exited(exit),
                    Err(_) => format!("the server {how} and runs on"),
                },
                // Its last output is still in the pipe. If the pipe stays open after that, a descendant holds it.
                exit = &mut exit => match clock::within(Deadline::after(LAST_OUTPUT), lines).await {
                    Ok(_) => exited(exit),
                    Err(_) => format!("{}, and a process that it started holds its output", exited(exit)),
                },
            };
            let seq = observer.record(None, EventKind::Closed { how: how.clone() });
            observer.pass(Incoming::Closed { seq, how }).await;
        });
        Ok(Self { child, sender, reading, progress })
    }

    /// Ends the child gracefully, by force after `grace`.
    ///
    /// How long it takes is judged unless it is hurried.
    async fn end(
        &mut self,
        observer: &Observer,
        grace: Duration,
        is_hurried: bool,
    ) -> ConnectionEnd {
        self.sender.close(Deadline::after(grace)).await;
        // Before the child gets a signal, which may end it inside a line.
        self.progress.end();
        let start_up = self.progress.start_up();
        let waited = if is_hurried { grace } else { exit_grace(grace, start_up) };
        let ending = self.child.end_patiently(waited, grace).await;
        // The last output of the child is still in the pipe and belongs in the trace.
        let last_output = if is_hurried { LAST_OUTPUT / 5 } else { LAST_OUTPUT };
        let _ = clock::within(Deadline::after(last_output), &mut self.reading).await;
        self.reading.abort();
        let how = format!("{}; {}", ending.how, ending.exit);
        observer.record(None, EventKind::Closed { how: how.clone() });
        // A server should exit on its own when its input ends; SIGTERM and SIGKILL are the client's last resorts.
        let orderly = matches!(ending.how, ShutdownStep::AlreadyExited | ShutdownStep::StdinClosed);
        if !orderly && !is_hurried {
            let (what, how) = (Leftover::Process, ending.how.to_string());
            let wait = Some(ExitWait { waited, start_up });
            observer.record(None, EventKind::Lingered { what, how, wait });
        }
        for left in &ending.leftovers {
            let what = Leftover::Descendant;
            let how = format!("process {}, `{}`", left.pid, redact_urls(&left.command));
            observer.record(None, EventKind::Lingered { what, how, wait: None });
        }
        ConnectionEnd { how, orderly, exit: Some(ending.exit) }
    }
}

impl ClientTransport for StdioTransport {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(self.running.sender.send(outgoing, deadline))
    }

    // Lines have no headers that depend on the revision.
    fn set_revision(&mut self, _: Revision) {}

    fn overdue_line(&self) -> Option<String> {
        self.running.progress.overdue_line()
    }

    fn set_start_up(&mut self, start_up: Duration) {
        self.running.progress.set_start_up(start_up);
    }

    fn restart(&mut self, grace: Duration) -> BoxFuture<'_, Option<Restarted>> {
        Box::pin(async move {
            self.running.end(&self.observer, grace, false).await;
            let recorder = self.observer.recorder.clone();
            let note = EventKind::Note("the program is restarted".to_owned());
            recorder.trace.record(recorder.connection, Party::Harness, note);
            // A new channel, so that nothing of the old program is taken for output of the new one.
            let (incoming, observations) = mpsc::channel(QUEUE);
            self.observer = Observer::new(&recorder.trace, recorder.connection, incoming);
            // A failure leaves the old `running` in place, which has ended.
            let running = Running::start(&self.command, &self.observer, self.limits);
            Some(running.map(|running| {
                self.running = running;
                observations
            }))
        })
    }

    fn hurry(&mut self) {
        self.is_hurried = true;
    }

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, ConnectionEnd> {
        Box::pin(async move { self.running.end(&self.observer, grace, self.is_hurried).await })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

#[cfg(test)]
#[cfg(unix)]
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

    async fn open(target: &Target, recorder: &Recorder) -> Connection {
        target.open(TransportKind::Stdio, recorder, Limits::default()).await.unwrap()
    }

    async fn ask(connection: &mut Connection, id: i64) {
        let request = Request { id: Id::from(id), method: "ping".to_owned(), params: None };
        connection.send(Message::Request(request), soon()).await;
    }

    async fn next(connection: &mut Connection) -> String {
        match clock::within(soon(), connection.next()).await.unwrap().unwrap() {
            Incoming::Message { message, .. } => message.to_value().to_string(),
            Incoming::Invalid { head, .. } => head,
            Incoming::Closed { how, .. } => how,
            Incoming::Ended { how, .. } => panic!("an exchange that {how}"),
        }
    }

    const REPLIES: &str = r#"
        echo started >&2
        read line && echo '{"jsonrpc":"2.0","id":1,"result":{}}'
    "#;

    #[tokio::test]
    async fn a_program_that_has_exited_can_be_restarted() {
        let recorder = Recorder::new();
        let mut connection = open(&shell(&format!("{REPLIES} exit 3")), &recorder).await;
        for _ in 0..2 {
            ask(&mut connection, 1).await;
            assert_eq!(next(&mut connection).await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
            // The end of the old program is not reported after the restart.
            connection.restart(Duration::from_secs(5)).await.unwrap().unwrap();
        }
        let ending = connection.end(Duration::from_secs(5)).await;
        assert!(ending.orderly, "{ending:?}");
        let trace = recorder.trace();
        assert_eq!(trace.stderr_tail(9), ["started", "started", "started"]);
        let exits =
            trace.events.iter().filter(|event| matches!(event.kind, EventKind::Exited { .. }));
        assert_eq!(exits.count(), 3);
    }

    #[test]
    fn a_program_that_starts_slowly_may_take_longer_to_exit() {
        let grace = |start_up: Option<f64>| {
            let start_up = start_up.map(Duration::from_secs_f64);
            exit_grace(Duration::from_secs(2), start_up).as_secs_f64()
        };
        let graces = [None, Some(0.1), Some(1.5), Some(60.0)].map(grace);
        assert_eq!(graces, [10.0, 2.0, 4.5, 10.0]);
        // A caller that waits longer anyway is not cut short.
        assert_eq!(exit_grace(Duration::from_secs(20), None), Duration::from_secs(20));
    }

    #[tokio::test]
    async fn a_target_without_a_program_cannot_be_restarted() {
        let target = Target::duplex(|_| async { Ok(()) });
        let recorder = Recorder::new();
        let mut connection =
            target.open(TransportKind::Duplex, &recorder, Limits::default()).await.unwrap();
        assert!(connection.restart(Duration::ZERO).await.is_none());
    }

    #[tokio::test]
    async fn closed_output_is_reported_whether_or_not_the_program_exits() {
        let mut connection = open(&shell("exit 7"), &Recorder::new()).await;
        assert_eq!(next(&mut connection).await, "the server ended with exit code 7");
        let mut connection = open(&shell("exec >&-; read line"), &Recorder::new()).await;
        assert_eq!(next(&mut connection).await, "the server closed its output and runs on");
        // It exits on its own at the end of its input.
        assert!(connection.end(Duration::from_secs(20)).await.orderly);
    }

    #[tokio::test]
    async fn requests_in_parallel_are_answered_in_any_order() {
        let script = r#"
            read one && read two
            echo '{"jsonrpc":"2.0","id":2,"result":{}}'
            echo '{"jsonrpc":"2.0","id":1,"result":{}}'
        "#;
        let mut connection = open(&shell(script), &Recorder::new()).await;
        ask(&mut connection, 1).await;
        ask(&mut connection, 2).await;
        assert!(next(&mut connection).await.contains("\"id\":2"));
        assert!(next(&mut connection).await.contains("\"id\":1"));
    }
}
