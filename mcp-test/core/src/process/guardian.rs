//! A small process between us and a child, which ends everything that the child has started.
//!
//! An orphan becomes a child of its closest ancestor that is a subreaper. The guardian is one, and starts the child: a
//! descendant that leaves the process group, clears its environment and outlives its parent stays below the guardian, where
//! it is found. Whatever ends us also ends our side of a socket; then the guardian kills all that is below it. Where it may, it
//! starts the child in a control group, which the kernel kills at once.
//!
//! Being a subreaper changes for a whole process whose child an orphan becomes, which a library must not do. So the guardian
//! is our own program, started once more for each child, and only the command line has guardians.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{self, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, pidfd_open,
    waitid, waitpid,
};
use tokio::runtime::{self, Runtime};
use tokio::signal::unix::{Signal as ChildExits, SignalKind, signal};

use super::Command;
use super::control_group::ControlGroup;
use super::exit::{Exit, Watched, exit_of};
use super::pipes::Pipes;
use super::process_tree::{DEATH, ProcessTree, await_death, dead_children};
use crate::clock::Deadline;

/// The first argument of a guardian; the others are the marker of the child, the folder of its control group or nothing, its program
/// and its arguments.
const ARGUMENT: &str = "mcp-test-guardian";

/// How long to wait for the start of a guardian, which takes milliseconds.
const START: Duration = Duration::from_secs(20);

static ENABLED: AtomicBool = AtomicBool::new(false);

/// From now on each child has a guardian. The `main` of this program must call [`serve`] with its arguments.
#[doc(hidden)]
pub fn enable() {
    ENABLED.store(true, Ordering::Relaxed);
}

/// Serves as a guardian, if the arguments of the program are those of one.
#[doc(hidden)]
pub fn serve(args: &[OsString]) -> Option<ExitCode> {
    match args {
        [_, first, marker, group, program, args @ ..] if first == ARGUMENT => {
            let group = (!group.is_empty()).then(|| ControlGroup::at(group.into()));
            // Whoever started the guardian sees the end of the socket, which says enough.
            let _ = guard(&marker.to_string_lossy(), group, program, args);
            Some(ExitCode::SUCCESS)
        }
        _ => None,
    }
}

/// A child and its guardian.
pub(super) struct Guarded {
    guardian: process::Child,
    reports: BufReader<UnixStream>,
    /// The child, for the case that somebody kills or stops the guardian.
    child: Option<OwnedFd>,
    group: Option<ControlGroup>,
}

/// Starts a guardian, which starts the child; returns the id of the child as well.
///
/// `None` without a guardian: then the child can still be started directly.
pub(super) fn spawn(command: &Command, marker: &str) -> Option<io::Result<(Guarded, u32, Pipes)>> {
    if !ENABLED.load(Ordering::Relaxed) {
        return None;
    }
    let (socket, socket_of_guardian) = UnixStream::pair().ok()?;
    // The file of the running program, also if another one has its path by now.
    let mut prepared = process::Command::new("/proc/self/exe");
    // For lists of processes, where the path above says nothing.
    prepared.arg0("mcp-test");
    let group = ControlGroup::create(marker);
    let folder = group.as_ref().map_or(Path::new(""), ControlGroup::folder);
    prepared.args([ARGUMENT, marker]).arg(folder).arg(&command.program).args(&command.args);
    command.set_environment(&mut prepared, marker);
    prepared.stdin(Stdio::from(OwnedFd::from(socket_of_guardian)));
    prepared.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let guardian = prepared.spawn().ok()?;
    // It holds the other end of the socket, which only the guardian may hold: its end is that of the guardian.
    drop(prepared);
    let mut guarded = Guarded { guardian, reports: BufReader::new(socket), child: None, group };
    match guarded.hand_over() {
        Ok((Report::Started(id), pipes)) => {
            // The guardian does not reap the child, so this is the child, even if it has exited.
            let child = i32::try_from(id).ok().and_then(Pid::from_raw);
            guarded.child = child.and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok());
            Some(Ok((guarded, id, pipes)))
        }
        Ok((Report::Refused(error), _)) => {
            Box::new(guarded).reap();
            Some(Err(io::Error::from_raw_os_error(error)))
        }
        Ok((Report::Unavailable, _)) => {
            Box::new(guarded).reap();
            None
        }
        _ => {
            // It may have started the child, which its environment shows.
            let _ = guarded.guardian.kill();
            let group = guarded.take_group();
            Box::new(guarded).reap();
            let tree = ProcessTree::new(u32::MAX, marker.to_owned(), None).in_group(group);
            tree.kill(Deadline::after(DEATH));
            Some(Err(io::Error::other("its guardian was killed")))
        }
    }
}

impl Guarded {
    /// The process id of the guardian.
    pub(super) fn guardian(&self) -> u32 {
        self.guardian.id()
    }

    /// Takes the control group of the child.
    pub(super) fn take_group(&mut self) -> Option<ControlGroup> {
        self.group.take()
    }

    /// Lets the guardian go on, if the child has stopped it.
    fn resume(&self) {
        let _ = kill_process(Pid::from_child(&self.guardian), Signal::CONT);
    }

    /// Hands the streams of the child over; returns our ends of them, and what became of the start.
    fn hand_over(&mut self) -> io::Result<(Report, Pipes)> {
        let (stdin, our_stdin) = io::pipe()?;
        let (our_stdout, stdout) = io::pipe()?;
        let (our_stderr, stderr) = io::pipe()?;
        let socket = self.reports.get_ref();
        send_streams(socket, &[stdin.as_fd(), stdout.as_fd(), stderr.as_fd()])?;
        // Or we would never see the end of the output.
        drop((stdin, stdout, stderr));
        socket.set_read_timeout(Some(START))?;
        let report = Report::read(&mut self.reports)?;
        self.reports.get_ref().set_read_timeout(None)?;
        let pipes = Pipes {
            stdin: Some(OwnedFd::from(our_stdin).into()),
            stdout: Some(OwnedFd::from(our_stdout).into()),
            stderr: Some(OwnedFd::from(our_stderr).into()),
        };
        Ok((report, pipes))
    }
}

impl Watched for Guarded {
    fn await_exit(&mut self) -> Exit {
        if let (Some(child), true) = (&self.child, self.reports.buffer().is_empty()) {
            let reports = self.reports.get_ref();
            let mut both = [PollFd::new(reports, PollFlags::IN), PollFd::new(child, PollFlags::IN)];
            while poll(&mut both, None) == Err(Errno::INTR) {}
            self.resume();
        }
        match Report::read(&mut self.reports) {
            Ok(Report::Exited(exit)) => exit,
            // Somebody has killed the guardian.
            _ => {
                if let Some(child) = &self.child {
                    await_death(child, Deadline::never());
                }
                Exit::Unknown
            }
        }
    }

    fn reap(self: Box<Self>) {
        self.resume();
        let Self { mut guardian, reports, .. } = *self;
        // The end of the socket ends the guardian.
        drop(reports);
        let _ = guardian.wait();
    }
}

/// What a guardian reports, a line each.
enum Report {
    /// It cannot be a guardian here, and has started nothing.
    Unavailable,
    Started(u32),
    Refused(i32),
    Exited(Exit),
}

impl Report {
    fn read(from: &mut impl BufRead) -> io::Result<Self> {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let (what, number) = (words.next(), words.next().and_then(|word| word.parse().ok()));
        match (what, number) {
            (Some("unavailable"), _) => Some(Self::Unavailable),
            (Some("started"), Some(id)) => u32::try_from(id).ok().map(Self::Started),
            (Some("refused"), Some(error)) => Some(Self::Refused(error)),
            (Some("code"), Some(code)) => Some(Self::Exited(Exit::Code(code))),
            (Some("signal"), Some(signal)) => Some(Self::Exited(Exit::Signal(signal))),
            _ => None,
        }
        .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Unavailable => writeln!(to, "unavailable"),
            Self::Started(id) => writeln!(to, "started {id}"),
            Self::Refused(error) => writeln!(to, "refused {error}"),
            Self::Exited(Exit::Code(code)) => writeln!(to, "code {code}"),
            Self::Exited(Exit::Signal(signal)) => writeln!(to, "signal {signal}"),
            Self::Exited(Exit::Unknown) => writeln!(to, "unknown"),
        }
    }
}

fn send_streams(socket: &UnixStream, streams: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    message.push(SendAncillaryMessage::ScmRights(streams));
    // File descriptors need at least one byte to travel with.
    sendmsg(socket, &[IoSlice::new(b"\n")], &mut message, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn receive_streams(socket: &UnixStream) -> Option<[OwnedFd; 3]> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut text = [IoSliceMut::new(&mut byte)];
    recvmsg(socket, &mut text, &mut message, RecvFlags::CMSG_CLOEXEC).ok()?;
    let mut streams = message.drain().filter_map(|received| match received {
        RecvAncillaryMessage::ScmRights(streams) => Some(streams),
        _ => None,
    });
    let mut streams = streams.next()?;
    Some([streams.next()?, streams.next()?, streams.next()?])
}

/// Starts the child, reports its exit, and kills all that is below this process at the end of the socket.
fn guard(
    marker: &str,
    group: Option<ControlGroup>,
    program: &OsString,
    args: &[OsString],
) -> Option<()> {
    let socket = io::stdin().as_fd().try_clone_to_owned().ok()?;
    let mut socket = UnixStream::from(socket);
    let [stdin, stdout, stderr] = receive_streams(&socket)?;
    if rustix::process::set_child_subreaper(Some(getpid())).is_err() {
        return Report::Unavailable.write(&mut socket).ok();
    }
    // Before the child starts, so that no exit is missed.
    let Some((runtime, exits)) = observe_exits() else {
        return Report::Unavailable.write(&mut socket).ok();
    };
    let mut command = process::Command::new(program);
    command.args(args).stdin(stdin).stdout(stdout).stderr(stderr).process_group(0);
    // What a process starts belongs to its group from the first instruction on.
    let is_inside = group.as_ref().is_some_and(|group| group.enter().is_ok());
    let started = command.spawn();
    if is_inside && let Some(group) = &group {
        // A guardian that cannot leave is killed with the group, which the end of its socket shows.
        let _ = group.leave();
    }
    // It holds the streams, whose other ends must see when the child closes them.
    drop(command);
    // Never reaped, so that its id is not reused while this process runs.
    let child = match started {
        Ok(child) => child,
        Err(error) => {
            let report = Report::Refused(error.raw_os_error().unwrap_or_default());
            return report.write(&mut socket).ok();
        }
    };
    let tree = ProcessTree::new(child.id(), marker.to_owned(), Some(process::id())).in_group(group);
    // Nobody may be left to read it: then the socket has ended, and the child must end as well.
    let _ = Report::Started(child.id()).write(&mut socket);
    if let Ok(reports) = socket.try_clone() {
        let id = Pid::from_child(&child);
        thread::spawn(move || runtime.block_on(watch(exits, id, reports)));
    }
    // Nothing is ever sent: this returns at the end of the socket.
    let _ = socket.read(&mut [0]);
    tree.kill(Deadline::after(DEATH));
    Some(())
}

/// A runtime on which the exits of children are observed.
fn observe_exits() -> Option<(Runtime, ChildExits)> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build().ok()?;
    let exits = {
        let _entered = runtime.enter();
        signal(SignalKind::child()).ok()?
    };
    Some((runtime, exits))
}

/// Reports the exit of the child, which is not reaped, and reaps the orphans.
async fn watch(mut exits: ChildExits, child: Pid, mut reports: UnixStream) -> Option<()> {
    let exited = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let mut is_reported = false;
    loop {
        if !is_reported && let Some(status) = waitid(WaitId::Pid(child), exited).ok()? {
            // Nobody may be left to read it.
            let _ = Report::Exited(exit_of(status)).write(&mut reports);
            is_reported = true;
        }
        for orphan in dead_children().into_iter().filter(|dead| *dead != child) {
            let _ = waitpid(Some(orphan), WaitOptions::NOHANG);
        }
        exits.recv().await?;
    }
}
