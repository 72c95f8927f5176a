//! The relay: the process that a client starts as its server over stdio.
//!
//! It decides nothing. It passes bytes on in both directions, reports the end of its input and each signal, and exits when
//! the server in the process of the scenario run is done. Only a process can write to its standard error or ignore signals, so
//! that the faults about these take effect here.

use std::cell::RefCell;
use std::ffi::OsString;
use std::future::pending;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::frame::{Frame, MAX_PAYLOAD};
use super::{ARGUMENT, RelayFaults};
use crate::clock::{self, Deadline, Stopwatch};
use crate::trace::EndSignal;
use crate::transport::stderr_text;

/// How many frames may wait for the socket.
const QUEUE: usize = 4;

/// How long the relay stays once its input and its server have ended: a client has to wait for the exit of its server.
const EXIT_TIME: Duration = Duration::from_millis(200);

/// How long after a signal the end of the input counts as simultaneous.
const LAST_INPUT: Duration = Duration::from_millis(250);

/// How long the last reports may take, for which nobody may be listening any more.
const LAST_REPORTS: Duration = Duration::from_millis(500);

/// Serves as a relay, if the arguments of the program are those of one.
pub fn serve(args: &[OsString]) -> Option<ExitCode> {
    let [_, first, socket, faults @ ..] = args else { return None };
    if first != ARGUMENT {
        return None;
    }
    let faults = RelayFaults::from_arguments(faults);
    let code = match run(Path::new(socket), faults) {
        Ok(code) => code,
        Err(error) => {
            let hint = "its scenario run has ended, or cannot be reached from here";
            // The client sees the end of the output; the line is for a person.
            let _ = writeln!(io::stderr(), "error: the server cannot be started: {error}; {hint}");
            1
        }
    };
    Some(code.into())
}

fn run(socket: &Path, faults: RelayFaults) -> io::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let relaying = async {
        let mut signals = Signals::install()?;
        let socket = UnixStream::connect(socket).await?;
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        let streams = StandardStreams { input, output, error: tokio::io::stderr() };
        io::Result::Ok(relay(socket, streams, async || signals.next().await, faults).await)
    };
    let code = runtime.block_on(relaying);
    // A thread may still be blocked on a standard stream.
    runtime.shutdown_background();
    code
}

/// The standard streams of a process.
pub(crate) struct StandardStreams<I, O, E> {
    /// The standard input.
    pub(crate) input: I,
    /// The standard output.
    pub(crate) output: O,
    /// The standard error.
    pub(crate) error: E,
}

/// Relays until the server is done or a signal ends it; returns the exit code.
pub(crate) async fn relay<I, O, E>(
    socket: UnixStream,
    streams: StandardStreams<I, O, E>,
    mut next_signal: impl AsyncFnMut() -> EndSignal,
    faults: RelayFaults,
) -> u8
where
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin,
    E: AsyncWrite + Unpin,
{
    let StandardStreams { input, output, error } = streams;
    let (from_server, to_server) = socket.into_split();
    let (frames, queue) = mpsc::channel(QUEUE);
    // A task of its own, so that no frame is cut off by a signal.
    let mut writer = tokio::spawn(write_frames(to_server, queue));
    let eof: RefCell<Option<Stopwatch>> = RefCell::new(None);
    let report = async |(signal, received): (EndSignal, Stopwatch)| {
        let until_now = received.elapsed();
        let since_eof = eof.borrow().as_ref().map(|eof| eof.elapsed().saturating_sub(until_now));
        let _ = frames.send(Frame::Signal { signal, since_eof }).await;
    };
    let signal = {
        let serving = async {
            let error = faults.floods_stderr.then_some(error);
            tokio::select! {
                () = pass_output(from_server, output, error, &frames) => {}
                never = pass_input(input, &frames, &eof) => match never {},
            }
            if eof.borrow().is_some() {
                clock::quiet(EXIT_TIME).await;
            }
        };
        let mut serving = std::pin::pin!(serving);
        loop {
            let signal = tokio::select! {
                biased;
                signal = next_signal() => (signal, Stopwatch::start()),
                () = &mut serving => break None,
            };
            // A client may close the input and send the signal at once, in any order; and its own exit closes the input as well.
            let is_served = eof.borrow().is_none()
                && clock::within(Deadline::after(LAST_INPUT), &mut serving).await.is_ok();
            if is_served || !(faults.ignores_term && signal.0 == EndSignal::Terminate) {
                break Some(signal);
            }
            report(signal).await;
        }
    };
    let deadline = Deadline::after(LAST_REPORTS);
    let last = async {
        if let Some(signal) = signal {
            report(signal).await;
        }
        let _ = frames.send(Frame::Exit).await;
    };
    let _ = clock::within(deadline, last).await;
    drop(frames);
    let _ = clock::within(deadline, &mut writer).await;
    writer.abort();
    // The convention of shells for a process that a signal has ended.
    signal.map_or(0, |(signal, _)| 128 + signal.number())
}

async fn write_frames(mut to: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Frame>) {
    while let Some(frame) = queue.recv().await {
        if to.write_all(&frame.encode()).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

/// Passes the input on, and then waits for the server.
async fn pass_input(
    mut from: impl AsyncRead + Unpin,
    to: &mpsc::Sender<Frame>,
    eof: &RefCell<Option<Stopwatch>>,
) -> std::convert::Infallible {
    let mut chunk = vec![0; MAX_PAYLOAD];
    while let Ok(read @ 1..) = from.read(&mut chunk).await {
        let input = Frame::Input(Bytes::copy_from_slice(&chunk[..read]));
        // Fails only if nobody serves any more, which the end of the output shows.
        let _ = to.send(input).await;
    }
    *eof.borrow_mut() = Some(Stopwatch::start());
    let _ = to.send(Frame::Eof).await;
    pending().await
}

/// Passes on what the server writes, until it is done; with `error`, writes to that as well.
async fn pass_output(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut error: Option<impl AsyncWrite + Unpin>,
    frames: &mpsc::Sender<Frame>,
) {
    let mut chunk = vec![0; MAX_PAYLOAD];
    if let Some(error) = &mut error {
        write_error(error, frames, stderr_text::FIRST_LINE).await;
    }
    let mut has_written = false;
    while let Ok(read @ 1..) = from.read(&mut chunk).await {
        // Before the second message, so that a client which does not read the text never gets that.
        if has_written && let Some(mut error) = error.take() {
            for part in stderr_text::parts() {
                write_error(&mut error, frames, &part).await;
            }
        }
        let _ = write(&mut to, &chunk[..read]).await;
        has_written = true;
    }
}

/// Writes a text to the standard error, and reports its first line: all others are the same.
async fn write_error(to: &mut (impl AsyncWrite + Unpin), frames: &mpsc::Sender<Frame>, text: &str) {
    // A client that closes it has taken all that it wants.
    if write(to, text.as_bytes()).await.is_ok() {
        let line = text.lines().next().unwrap_or_default().to_owned();
        let _ = frames.send(Frame::Stderr(line.into())).await;
    }
}

/// Writes at once. A client that no longer reads the output ends its server by other means.
async fn write(to: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes).await?;
    to.flush().await
}

/// The signals that end a server.
struct Signals([(tokio::signal::unix::Signal, EndSignal); 3]);

impl Signals {
    fn install() -> io::Result<Self> {
        let handle = |kind, named| Ok::<_, io::Error>((signal(kind)?, named));
        Ok(Self([
            handle(SignalKind::terminate(), EndSignal::Terminate)?,
            handle(SignalKind::interrupt(), EndSignal::Interrupt)?,
            handle(SignalKind::hangup(), EndSignal::Hangup)?,
        ]))
    }

    async fn next(&mut self) -> EndSignal {
        let [(terminate, first), (interrupt, second), (hangup, third)] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => *first,
            _ = interrupt.recv() => *second,
            _ = hangup.recv() => *third,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    /// Signals that come one after the other.
    fn signals(
        signals: impl IntoIterator<Item = oneshot::Receiver<EndSignal>>,
    ) -> impl AsyncFnMut() -> EndSignal {
        let mut signals = signals.into_iter();
        async move || match signals.next() {
            Some(signal) => signal.await.expect("a signal"),
            None => pending().await,
        }
    }

    async fn next_frame(from: &mut UnixStream) -> Frame {
        Frame::read(from).await.expect("a readable frame").expect("a frame")
    }

    #[tokio::test]
    async fn a_signal_is_reported_with_the_time_since_the_end_of_the_input() {
        let (signal, signalled) = oneshot::channel();
        let (theirs, mut socket) = UnixStream::pair().expect("a socket");
        // The input has ended, and the server has not.
        let (input, output, error) = (tokio::io::empty(), tokio::io::sink(), tokio::io::sink());
        let streams = StandardStreams { input, output, error };
        let relaying = relay(theirs, streams, signals([signalled]), RelayFaults::default());
        let reading = async {
            assert_eq!(next_frame(&mut socket).await, Frame::Eof);
            signal.send(EndSignal::Interrupt).expect("it is awaited");
            let frame = next_frame(&mut socket).await;
            let Frame::Signal { signal, since_eof: Some(_) } = frame else { panic!("{frame:?}") };
            assert_eq!(signal, EndSignal::Interrupt);
            assert_eq!(next_frame(&mut socket).await, Frame::Exit);
        };
        assert_eq!(tokio::join!(relaying, reading).0, 130);
    }

    #[tokio::test]
    async fn an_ignored_signal_is_reported_as_well() {
        let (first, first_signalled) = oneshot::channel();
        let (second, second_signalled) = oneshot::channel();
        let (theirs, mut socket) = UnixStream::pair().expect("a socket");
        let (input, output, error) = (tokio::io::empty(), tokio::io::sink(), tokio::io::sink());
        let streams = StandardStreams { input, output, error };
        let faults = RelayFaults { ignores_term: true, ..RelayFaults::default() };
        let relaying = relay(theirs, streams, signals([first_signalled, second_signalled]), faults);
        let reading = async {
            assert_eq!(next_frame(&mut socket).await, Frame::Eof);
            for (sender, signal) in [(first, EndSignal::Terminate), (second, EndSignal::Hangup)] {
                sender.send(signal).expect("it is awaited");
                let frame = next_frame(&mut socket).await;
                assert!(
                    matches!(frame, Frame::Signal { signal: it, .. } if it == signal),
                    "{frame:?}"
                );
            }
            assert_eq!(next_frame(&mut socket).await, Frame::Exit);
        };
        assert_eq!(tokio::join!(relaying, reading).0, 129);
    }

    #[tokio::test]
    async fn the_second_message_passes_once_the_standard_error_is_read() {
        let (theirs, mut socket) = UnixStream::pair().expect("a socket");
        let (mut error, theirs_error) = tokio::io::duplex(1024);
        let (mut output, theirs_output) = tokio::io::duplex(1024);
        let (_open, input) = tokio::io::duplex(1024);
        let (output_end, error_end) = (theirs_output, theirs_error);
        let streams = StandardStreams { input, output: output_end, error: error_end };
        let faults = RelayFaults { floods_stderr: true, ..RelayFaults::default() };
        let relaying = relay(theirs, streams, signals([]), faults);
        let client = async {
            let mut first = vec![0; stderr_text::FIRST_LINE.len()];
            error.read_exact(&mut first).await.expect("a line");
            assert_eq!(first, stderr_text::FIRST_LINE.as_bytes());
            let line = stderr_text::FIRST_LINE.trim_end();
            assert_eq!(next_frame(&mut socket).await, Frame::Stderr(line.into()));
            socket.write_all(b"1\n").await.expect("it is open");
            let mut line = [0; 2];
            output.read_exact(&mut line).await.expect("the first message");
            socket.write_all(b"2\n").await.expect("it is open");
            let mut text = vec![0; stderr_text::parts().map(|part| part.len()).sum()];
            error.read_exact(&mut text).await.expect("the text");
            assert!(text.ends_with(stderr_text::line_of(stderr_text::PARTS).as_bytes()));
            output.read_exact(&mut line).await.expect("the second message");
            assert_eq!(&line, b"2\n");
            let (mut reading, mut writing) = socket.split();
            writing.shutdown().await.expect("it is open");
            let mut reported = 0;
            while let Ok(Some(Frame::Stderr(_))) = Frame::read(&mut reading).await {
                reported += 1;
            }
            assert_eq!(reported, stderr_text::PARTS);
        };
        assert_eq!(tokio::join!(relaying, client).0, 0);
    }
}
