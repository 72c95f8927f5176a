//! The panics of a test: captured where the harness reports them, and their backtraces.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::RefCell;

thread_local! {
    /// The panics on this thread, while they are captured.
    static CAPTURED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

pub use crate::client::server_panics::PanicWatch;

/// Captures the panics of this thread from now on.
pub fn capture() {
    CAPTURED.set(Some(Vec::new()));
}

/// The panics on this thread since [`capture`], in order.
pub fn take() -> Vec<String> {
    CAPTURED.with_borrow_mut(|captured| captured.as_mut().map(std::mem::take).unwrap_or_default())
}

/// The last captured panic: the one that the caller has just caught.
pub fn take_last() -> Option<String> {
    CAPTURED.with_borrow_mut(|captured| captured.as_mut().and_then(Vec::pop))
}

/// The frames of the test in a backtrace, which are those between the panic and the runner; `None` unless `RUST_BACKTRACE` asks for
/// backtraces.
fn frames_of_test(backtrace: &Backtrace) -> Option<String> {
    let captured = backtrace.status() == BacktraceStatus::Captured;
    captured.then(|| between(&backtrace.to_string()))
}

fn between(backtrace: &str) -> String {
    let is_frame = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let lines: Vec<&str> = backtrace.lines().collect();
    let failing = |line: &&str| {
        is_frame(line)
            && (line.contains("::panicking::") || line.contains("::assert::failure::fail"))
    };
    // The runner polls a scenario within `catch_unwind`. Its own frames may name types that look like those of a panic.
    let end = lines.iter().position(|line| line.contains("catch_unwind::CatchUnwind"));
    let lines = &lines[..end.unwrap_or(lines.len())];
    // The frames of the panic or the assertion come first.
    let begin = lines.iter().rposition(failing).map_or(0, |last| {
        let after = lines[last + 1..].iter().position(is_frame);
        after.map_or(0, |next| last + 1 + next)
    });
    lines[begin..].join("\n")
}

mod hook {
    //! The panic hooks of test binaries.

    use std::backtrace::Backtrace;
    use std::panic::{self, PanicHookInfo};
    use std::sync::Once;

    use super::{CAPTURED, frames_of_test};
    use crate::client::server_panics;
    use crate::expect::words::panic_text;

    /// Installs a hook that prints no panics on threads that [`capture`](super::capture) them.
    #[doc(hidden)]
    pub fn install() {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            note(info);
            let text = describe(info);
            // The thread-local may be gone if the panic happens while the thread ends.
            let captured = CAPTURED.try_with(|captured| match &mut *captured.borrow_mut() {
                Some(texts) => {
                    texts.push(text);
                    true
                }
                None => false,
            });
            if !matches!(captured, Ok(true)) {
                before(info);
            }
        }));
    }

    /// Installs a hook, once, that notes panics of watched threads, and then does what the one before does.
    #[doc(hidden)]
    pub fn install_noting() {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                note(info);
                before(info);
            }));
        });
    }

    fn note(info: &PanicHookInfo<'_>) {
        let place = info.location().map(|place| format!("at {place}: ")).unwrap_or_default();
        server_panics::note(&format!("{place}{}", panic_text(info.payload())));
    }

    fn describe(info: &PanicHookInfo<'_>) -> String {
        let place = info.location().map(|place| format!(" at {place}")).unwrap_or_default();
        let mut text = format!("panicked{place}:\n{}", panic_text(info.payload()));
        if let Some(frames) = frames_of_test(&Backtrace::capture()) {
            text.push_str(&format!("\n\n{frames}"));
        }
        text
    }
}

#[doc(hidden)]
pub use hook::{install, install_noting};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_captured_by_default() {
        assert!(take().is_empty());
        capture();
        assert!(take().is_empty());
    }

    #[test]
    fn a_backtrace_is_that_of_the_test() {
        let backtrace = |cause: &str| {
            format!(
                "   0: describe
             at src/panics.rs:56:21
   1: {cause}
             at panicking.rs:80:14
   2: adds
             at tests/calculator.rs:42:29
   3: <futures_util::future::future::catch_unwind::CatchUnwind<Fut> as core::future::future::Future>::poll
             at catch_unwind.rs:37:44
   4: poll<mcp_test::assert::failure::catch_failures, core::panicking::Any>
             at panicking.rs:1:1
   5: main"
            )
        };
        for cause in ["core::panicking::panic_fmt", "mcp_test::assert::failure::fail"] {
            assert_eq!(
                between(&backtrace(cause)),
                "   2: adds\n             at tests/calculator.rs:42:29"
            );
        }
        assert_eq!(between("   0: adds\n   1: main"), "   0: adds\n   1: main");
    }
}
