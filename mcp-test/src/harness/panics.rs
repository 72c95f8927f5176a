//! Panics of a test: held back where the harness does the showing, until it does.

use std::cell::RefCell;

#[cfg(feature = "harness")]
pub(super) use hook::install;

thread_local! {
    /// What panicked on this thread, while it is held back.
    static HELD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Holds back the panics of this thread.
pub(super) fn hold() {
    HELD.set(Some(Vec::new()));
}

/// What panicked on this thread since [`hold`], in order.
pub(super) fn take() -> Vec<String> {
    HELD.with_borrow_mut(|held| held.as_mut().map(std::mem::take).unwrap_or_default())
}

#[cfg(feature = "harness")]
mod hook {
    //! The panic hook of a test binary without libtest.

    use std::backtrace::{Backtrace, BacktraceStatus};
    use std::panic::{self, PanicHookInfo};

    use super::HELD;
    use crate::expect::words::panic_text;

    /// From now on, panics on threads that [`hold`](super::hold) them are not printed; all others are, as before.
    pub(in super::super) fn install() {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let text = describe(info);
            let held = HELD.try_with(|held| match &mut *held.borrow_mut() {
                Some(texts) => {
                    texts.push(text);
                    true
                }
                None => false,
            });
            if !matches!(held, Ok(true)) {
                before(info);
            }
        }));
    }

    fn describe(info: &PanicHookInfo<'_>) -> String {
        let place = info.location().map(|place| format!(" at {place}")).unwrap_or_default();
        let message = panic_text(info.payload());
        let backtrace = Backtrace::capture();
        match backtrace.status() {
            BacktraceStatus::Captured => {
                format!("panicked{place}:\n{message}\n\n{}", of_the_test(&backtrace.to_string()))
            }
            _ => format!("panicked{place}:\n{message}"),
        }
    }

    /// The frames between the panic and the harness.
    fn of_the_test(backtrace: &str) -> String {
        let is_frame = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let lines: Vec<&str> = backtrace.lines().collect();
        let panicking = |line: &&str| is_frame(line) && line.contains("::panicking::");
        let begin = lines.iter().rposition(panicking).map_or(0, |last| {
            let after = lines[last + 1..].iter().position(is_frame);
            after.map_or(0, |next| last + 1 + next)
        });
        let end = lines[begin..].iter().position(|line| line.contains("catch_unwind::CatchUnwind"));
        lines[begin..end.map_or(lines.len(), |end| begin + end)].join("\n")
    }

    #[cfg(test)]
    mod tests {
        use super::of_the_test;

        #[test]
        fn a_backtrace_is_that_of_the_test() {
            let backtrace = "\
   0: describe
             at src/panics.rs:56:21
   1: core::panicking::panic_fmt
             at panicking.rs:80:14
   2: adds
             at tests/calculator.rs:42:29
   3: <futures_util::future::future::catch_unwind::CatchUnwind<Fut> as core::future::future::Future>::poll
             at catch_unwind.rs:37:44";
            assert_eq!(
                of_the_test(backtrace),
                "   2: adds\n             at tests/calculator.rs:42:29"
            );
            assert_eq!(of_the_test("   0: adds\n   1: main"), "   0: adds\n   1: main");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_held_unless_asked() {
        assert!(take().is_empty());
        hold();
        assert!(take().is_empty());
    }
}
