//! The relay: the process that a client starts as its server over stdio.
//!
//! It decides nothing. It passes bytes on in both directions, reports the end of its input and each signal, and exits when
//! the server in the process of the scenario run is done.

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

use super::ARGUMENT;
use super::frame::{Frame, MAX_PAYLOAD};
use crate::clock::{self, Deadline, Stopwatch};
use crate::trace::EndSignal;

/// How many frames may wait for the socket.
const QUEUE: usize = 4;

/// How long the relay stays once its input and its server have ended: a client has to wait for the exit of its server.
const EXIT_TIME: Duration = Duration::from_millis(200);

/// How long the end of the input is awaited after a signal.
const LAST_INPUT: Duration = Duration::from_millis(50);

/// How long the last reports may take, for which nobody may be listening any more.
const LAST_REPORTS: Duration = Duration::from_millis(500);

/// Serves as a relay, if the arguments of the program are those of one.
pub(crate) fn serve(args: &[OsString]) -> Option<ExitCode> {
    let [_, first, socket] = args else { return None };
    if first != ARGUMENT {
        return None;
    }
    let code = match run(Path::new(socket)) {
        Ok(code) => code,
        Err(error) => {
            let hint = "its scenario run has ended, or cannot be reached from here";
            // The client sees the end of the output; the line is for a person.
            let _ = writeln!(io::stderr(), "error: the server cannot be started: {error}; {hint}");
            1
        }
    };
    Some(ExitCode::from(code))
}

fn run(socket: &Path) -> io::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let relaying = async {
        let signals = Signals::install()?;
        let socket = UnixStream::connect(socket).await?;
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        io::Result::Ok(relay(socket, input, output, signals.next()).await)
    };
    let code = runtime.block_on(relaying);
    // A thread may still be blocked on the standard input.
    runtime.shutdown_background();
    code
}

/// Relays until the server is done or a signal arrives; returns the exit code.
pub(crate) async fn relay(
    socket: UnixStream,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    signalled: impl Future<Output = EndSignal>,
) -> u8 {
    let (from_server, to_server) = socket.into_split();
    let (frames, queue) = mpsc::channel(QUEUE);
    // A task of its own, so that no frame is cut off by a signal.
    let mut writer = tokio::spawn(write_frames(to_server, queue));
    let eof: RefCell<Option<Stopwatch>> = RefCell::new(None);
    let signal = {
        let serving = async {
            tokio::select! {
                () = pass_output(from_server, output) => {}
                never = pass_input(input, &frames, &eof) => match never {},
            }
            if eof.borrow().is_some() {
                clock::quiet(EXIT_TIME).await;
            }
        };
        let mut serving = std::pin::pin!(serving);
        let signal = tokio::select! {
            biased;
            signal = signalled => Some(signal),
            () = &mut serving => None,
        };
        if signal.is_some() && eof.borrow().is_none() {
            // An input that was closed just before the signal has ended as well, which is only seen when it is read.
            let _ = clock::within(Deadline::after(LAST_INPUT), &mut serving).await;
        }
        signal
    };
    let last = async {
        if let Some(signal) = signal {
            let since_eof = eof.borrow().as_ref().map(Stopwatch::elapsed);
            let _ = frames.send(Frame::Signal { signal, since_eof }).await;
        }
        let _ = frames.send(Frame::Exit).await;
        drop(frames);
        let _ = (&mut writer).await;
    };
    let _ = clock::within(Deadline::after(LAST_REPORTS), last).await;
    writer.abort();
    // The convention of shells for a process that a signal has ended.
    signal.map_or(0, |signal| 128 + signal.number())
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

/// Passes on what the server writes, until it is done.
async fn pass_output(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    let mut chunk = vec![0; MAX_PAYLOAD];
    while let Ok(read @ 1..) = from.read(&mut chunk).await {
        let written = async {
            to.write_all(&chunk[..read]).await?;
            to.flush().await
        };
        // A client that no longer reads ends its server by other means.
        let _: io::Result<()> = written.await;
    }
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

    async fn next(self) -> EndSignal {
        let [(mut terminate, first), (mut interrupt, second), (mut hangup, third)] = self.0;
        tokio::select! {
            _ = terminate.recv() => first,
            _ = interrupt.recv() => second,
            _ = hangup.recv() => third,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signal_is_reported_with_the_time_since_the_end_of_the_input() {
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
}
