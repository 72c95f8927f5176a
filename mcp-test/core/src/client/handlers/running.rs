//! Which handler runs, so that its panic can name it.

use std::cell::RefCell;

thread_local! {
    /// The method whose handler runs on this thread. It stays after a panic.
    static RUNNING: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs the handler of a method.
pub(super) fn running<T>(method: &str, handler: impl FnOnce() -> T) -> T {
    RUNNING.set(Some(method.to_owned()));
    let outcome = handler();
    RUNNING.set(None);
    outcome
}

/// The method of the handler that has panicked on this thread; `None` if none has since the last call.
pub(crate) fn take_panicked_handler() -> Option<String> {
    RUNNING.take()
}
