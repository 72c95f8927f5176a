//! A child process and all its descendants: how it is started, what it says besides the protocol, and its end.
//!
//! [`Child::spawn`] starts a [`Command`] as the leader of a process group of its own. What it writes on stderr is kept
//! in a bounded tail and passed on line by line; nothing of it is lost when the child exits. [`Child::end`] closes
//! stdin, then sends TERM, then KILL, with a grace period before each; dropping a [`Child`] kills at once. Either way
//! no descendant is left behind, not even (on Linux) one that left the process group.
//!
//! What is said on stdin and stdout is not this room's business: the streams are handed out as they are.

mod child;
mod command;
mod family;
mod leader;
mod lines;
mod living;
#[cfg(all(test, unix))]
mod tests;

use std::path::PathBuf;

pub use child::{Child, Ending, How, LeftBehind, Readiness};
pub use command::Command;
pub use leader::Exit;
pub use living::give_up;

/// Why a command could not be started, and what would be right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// There are no words in the command.
    #[error("no command is given; name a program and its arguments")]
    Empty,
    /// A quotation mark in a command line has no partner.
    #[error("the command line does not close the {quote} that it opens as character {at}")]
    UnclosedQuote {
        /// The quotation mark.
        quote: char,
        /// Which character of the line it is, counted from one. The line itself may hold secrets.
        at: usize,
    },
    /// A program named without a directory is in no directory of PATH.
    #[error(
        "cannot start `{program}`: PATH has no program of this name; {}",
        if *in_cwd { format!("the working directory has, as `./{program}`") } else { "install it, or give its path".to_owned() }
    )]
    NotInPath {
        /// The program as named in the command.
        program: String,
        /// Whether a file of this name lies in the working directory.
        in_cwd: bool,
    },
    /// A program named by its path does not exist.
    #[error("cannot start `{program}`: there is no file {}{}", .path.display(), from(.cwd.as_ref()))]
    NoSuchFile {
        /// The program as named in the command.
        program: String,
        /// Where it was looked for.
        path: PathBuf,
        /// The working directory of the command, if it sets one: relative paths start there.
        cwd: Option<PathBuf>,
    },
    /// The program exists and may not be executed.
    #[error("cannot start `{program}`: {} is not executable; `chmod +x` it, or name its interpreter first", .path.display())]
    NotExecutable {
        /// The program as named in the command.
        program: String,
        /// Where it was found.
        path: PathBuf,
    },
    /// The program is a directory.
    #[error("cannot start `{program}`: {} is a directory; name the program in it", .path.display())]
    IsDirectory {
        /// The program as named in the command.
        program: String,
        /// Where it was found.
        path: PathBuf,
    },
    /// The program exists, and what should run it does not.
    #[error(
        "cannot start `{program}`: {} exists, but not its interpreter{}",
        .path.display(),
        .interpreter.as_ref().map(|line| format!(" `{line}`, which its first line names")).unwrap_or_default()
    )]
    NoInterpreter {
        /// The program as named in the command.
        program: String,
        /// Where it was found.
        path: PathBuf,
        /// What its first line names, if it is a script.
        interpreter: Option<String>,
    },
    /// The working directory does not exist.
    #[error("cannot start `{program}` in {}: there is no such directory; create it, or give another working directory", .cwd.display())]
    NoSuchDirectory {
        /// The program as named in the command.
        program: String,
        /// The working directory of the command.
        cwd: PathBuf,
    },
    /// The caller is outside any tokio runtime, where the child's streams cannot be read.
    #[error(
        "cannot start `{program}` outside a tokio runtime; start it in an async test or in `Runtime::block_on`"
    )]
    NoRuntime {
        /// The program as named in the command.
        program: String,
    },
    /// The thread was given up: its time was over, and it had not even noticed.
    #[error("cannot start `{program}`: the time of the test that wants it is over")]
    GivenUp {
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
        /// What the operating system says.
        source: std::io::Error,
    },
}

fn from(cwd: Option<&PathBuf>) -> String {
    cwd.map(|cwd| format!(" (working directory: {})", cwd.display())).unwrap_or_default()
}
