//! Notices that the test process exits while tests run, since a server in it has called `process::exit`.
//!
//! libtest and Cargo take exit code 0 for success, although tests are missing. A program that is killed ends with another code, and
//! needs no hook.

#[cfg(unix)]
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The tests that run.
static RUNNING: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A test that runs, until this is dropped.
pub(super) struct RunningTest(String);

impl RunningTest {
    pub(super) fn start(name: String) -> Self {
        #[cfg(unix)]
        unix::install();
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(name.clone());
        Self(name)
    }
}

impl Drop for RunningTest {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = running.iter().position(|name| *name == self.0) {
            running.swap_remove(index);
        }
    }
}

/// What is reported if these tests run at the exit.
#[cfg(unix)]
fn report(running: &[String]) -> Option<String> {
    let (first, others) = running.split_first()?;
    let tests = match others.len() {
        0 => format!("test `{first}` runs"),
        more => format!("test `{first}` and {more} more run"),
    };
    Some(format!(
        "error: the test process exits while {tests}\n  \
         hint: a server or client in this process has called `process::exit`; return an error from it instead\n"
    ))
}

/// Other systems end a process without running hooks.
#[cfg(unix)]
mod unix {
    #![expect(unsafe_code, reason = "the standard library has no hook for the exit of the process")]

    use std::ffi::c_int;
    use std::sync::Once;

    use super::{RUNNING, Write, report};

    /// The exit code of libtest for a failed test.
    const FAILED: c_int = 101;

    unsafe extern "C" {
        // POSIX: both may be called at any time; the hook gets no arguments and returns nothing.
        safe fn atexit(hook: extern "C" fn()) -> c_int;
        safe fn _exit(code: c_int) -> !;
    }

    pub(super) fn install() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            atexit(hook);
        });
    }

    extern "C" fn hook() {
        // Another thread may hold the lock, and never release it.
        let Ok(running) = RUNNING.try_lock() else { return };
        if let Some(report) = report(&running) {
            // Not `eprintln!`, which libtest captures.
            let _ = std::io::stderr().write_all(report.as_bytes());
            _exit(FAILED);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_report_names_a_test_that_runs() {
        assert_eq!(report(&[]), None);
        insta::assert_snapshot!(report(&["adds".to_owned()]).expect("a test runs"), @"
        error: the test process exits while test `adds` runs
          hint: a server or client in this process has called `process::exit`; return an error from it instead
        ");
        let two = report(&["adds", "lists"].map(str::to_owned)).expect("tests run");
        assert!(
            two.starts_with("error: the test process exits while test `adds` and 1 more run\n")
        );
    }
}
