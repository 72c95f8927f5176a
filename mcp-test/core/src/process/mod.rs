//! A child process and all its descendants: start, output and shutdown.
//!
//! [`Child::spawn`] starts a [`Command`] as the leader of its own process group. What it writes on stderr is passed on line
//! by line, and its last lines are kept; nothing is lost when the child exits. [`Child::end`] closes stdin, then sends
//! SIGTERM, then SIGKILL, with a grace period before each; dropping a [`Child`] kills at once. Either way no descendant is
//! left behind, not even (on Linux) one that left the process group; `guardian` extends that for the command line.
//!
//! The streams of the protocol, stdin and stdout, are returned as they are.

#[cfg(all(unix, feature = "suite"))]
mod browser_programs;
mod child;
mod command;
#[cfg(all(target_os = "linux", feature = "suite"))]
mod control_group;
#[cfg(all(unix, any(feature = "suite", test)))]
mod executable;
mod exit;
#[cfg(all(target_os = "linux", feature = "suite"))]
mod guardian;
mod lines;
#[cfg(all(not(unix), feature = "suite"))]
mod no_browser;
mod pipes;
#[cfg(all(unix, feature = "http"))]
mod private_folder;
mod process_tree;
mod registry;
#[cfg(all(unix, feature = "suite"))]
mod stand_in_browser;
mod start;
#[cfg(all(test, unix))]
mod tests;

use std::path::PathBuf;

#[cfg(all(unix, feature = "suite"))]
pub(crate) use browser_programs::asks_for_consent;
#[cfg(all(unix, feature = "suite"))]
#[doc(hidden)]
pub use browser_programs::{BrowserPrograms, CONSENTS};
#[doc(hidden)]
pub use child::LeftoverProcess;
#[doc(hidden)]
pub use child::{Child, Readiness, Shutdown, ShutdownStep};
pub use command::Command;
#[doc(hidden)]
pub use command::shell_quoted;
#[cfg(all(unix, feature = "suite"))]
#[doc(hidden)]
pub use executable::create_executable;
#[doc(hidden)]
pub use exit::Exit;
#[cfg(all(target_os = "linux", feature = "suite"))]
#[doc(hidden)]
pub use guardian::{enable as enable_guardians, serve as serve_as_guardian};
#[cfg(all(not(unix), feature = "suite"))]
pub(crate) use no_browser::StandInBrowser;
#[cfg(all(unix, feature = "http"))]
pub(crate) use private_folder::PrivateFolder;
#[doc(hidden)]
pub use registry::kill_children_of;
#[cfg(all(unix, feature = "suite"))]
#[doc(hidden)]
pub use stand_in_browser::StandInBrowser;

/// Why a command could not be started, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The command is empty.
    #[error("no command is given; name a program and its arguments")]
    Empty,
    /// A quotation mark in a command line has no partner.
    #[error("the {quote} at character {at} of the command line is not closed")]
    UnclosedQuote {
        /// The quotation mark.
        quote: char,
        /// Its position in the line, counted from one. The line itself is not shown, because it may contain secrets.
        at: usize,
    },
    /// A program named without a directory was not found in PATH.
    #[error(
        "cannot start `{program}`: not found in PATH; {}",
        if *in_cwd { format!("did you mean `./{program}` in the working directory?") } else { "install it, or give its path".to_owned() }
    )]
    NotInPath {
        /// The program as named in the command.
        program: String,
        /// Whether the working directory has a file of this name.
        in_cwd: bool,
    },
    /// A program named by its path does not exist.
    #[error("cannot start `{program}`: no such file: {}{}", .path.display(), from(.cwd.as_ref()))]
    NoSuchFile {
        /// The program as named in the command.
        program: String,
        /// Where it was looked for.
        path: PathBuf,
        /// The working directory of the command, if it sets one: relative paths start there.
        cwd: Option<PathBuf>,
    },
    /// The program exists but is not executable.
    #[error("cannot start `{program}`: {} is not executable; `chmod +x` it, or name its interpreter first", .path.display())]
    NotExecutable {
        /// The program as named in the command.
        program: String,
        /// Where it was found.
        path: PathBuf,
    },
    /// The program is a directory.
    #[error("cannot start `{program}`: {} is a directory; name a program in it", .path.display())]
    IsDirectory {
        /// The program as named in the command.
        program: String,
        /// Where it was found.
        path: PathBuf,
    },
    /// The program exists, but the interpreter that should run it does not.
    #[error(
        "cannot start `{program}`: the interpreter of {} was not found{}",
        .path.display(),
        .interpreter.as_ref().map(|line| format!(": its first line is `#!{line}`")).unwrap_or_default()
    )]
    NoInterpreter {
        /// The program as named in the command.
        program: String,
        /// Where it was found.
        path: PathBuf,
        /// The interpreter in its first line, if it is a script.
        interpreter: Option<String>,
    },
    /// The working directory does not exist.
    #[error("cannot start `{program}` in {}: no such directory; create it, or set another working directory", .cwd.display())]
    NoSuchDirectory {
        /// The program as named in the command.
        program: String,
        /// The working directory of the command.
        cwd: PathBuf,
    },
    /// The caller is outside of a tokio runtime, which reads the child's streams.
    #[error(
        "cannot start `{program}` outside a tokio runtime; start it in an async test or in `Runtime::block_on`"
    )]
    NoRuntime {
        /// The program as named in the command.
        program: String,
    },
    /// The calling thread was abandoned when its test timed out.
    #[error("cannot start `{program}`: the test that starts it has timed out")]
    Abandoned {
        /// The program as named in the command.
        program: String,
    },
    /// The operating system refused for another reason.
    #[error("cannot start `{program}`{}: {source}", from(.cwd.as_ref()))]
    Refused {
        /// The program as named in the command.
        program: String,
        /// The working directory of the command, if it sets one.
        cwd: Option<PathBuf>,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

fn from(cwd: Option<&PathBuf>) -> String {
    cwd.map(|cwd| format!(" (working directory: {})", cwd.display())).unwrap_or_default()
}
