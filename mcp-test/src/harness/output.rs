//! What tests print beside their results.

use std::io::{self, Write};

use mcp_test_core::expect::words;

use super::environment;

/// Prints a text on standard error, which libtest captures.
pub(super) fn note(text: &str) {
    // It quotes peers and files, which must not control the terminal of those who run the tests.
    eprintln!("{}", words::inert(text));
}

/// Prints what has to be seen although no test fails, past the capture of libtest.
pub(super) fn warning(text: &str) {
    // Nothing is lost if nobody reads it.
    let _ = writeln!(io::stderr(), "warning: {}", words::inert(text.trim_end()));
}

/// Prints the report of a failed test on standard error.
///
/// nextest takes what follows `Error: ` there for the message of the failure in its JUnit report.
pub(super) fn failure(report: &str) {
    if environment::is_nextest() {
        note(&format!("Error: {report}"));
    } else {
        note(report);
    }
}

/// Whether standard output is a pipe or terminal that nobody reads any more.
#[cfg(feature = "harness")]
pub(super) fn has_no_reader() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let stdout = io::stdout();
        let mut polled = [PollFd::new(&stdout, PollFlags::OUT)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let ended = PollFlags::ERR | PollFlags::HUP;
        poll(&mut polled, Some(&at_once)).is_ok() && polled[0].revents().intersects(ended)
    }
    #[cfg(not(unix))]
    false
}
