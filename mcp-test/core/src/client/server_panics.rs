//! Panics of a server that runs as tasks of this process.
//!
//! A task that panics while it handles a request takes the reply with it, and nobody else would send one. The panic hook notes
//! the panics of the threads that are watched, which wakes the client that awaits a reply there.

use std::cell::RefCell;
use std::sync::Arc;

use tokio::sync::watch;

thread_local! {
    static WATCHED: RefCell<Option<PanicWatch>> = const { RefCell::new(None) };
}

/// The panics of the threads of one runtime.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct PanicWatch(Arc<watch::Sender<Vec<String>>>);

impl PanicWatch {
    /// Watches this thread.
    #[must_use]
    pub fn for_this_thread() -> Self {
        let watch = Self(Arc::new(watch::Sender::default()));
        watch.add_thread();
        watch
    }

    /// Watches this thread, too: one on which the runtime runs blocking code.
    pub fn add_thread(&self) {
        WATCHED.set(Some(self.clone()));
    }
}

/// Notes a panic of this thread, if it is watched.
pub(crate) fn note(panic: &str) {
    // The thread-local may be gone, or borrowed, if the panic happens while the thread begins or ends.
    let watched = WATCHED.try_with(|watched| watched.try_borrow().ok().and_then(|it| it.clone()));
    if let Ok(Some(PanicWatch(panics))) = watched {
        panics.send_modify(|panics| panics.push(panic.to_owned()));
    }
}

/// How many panics were noted for this thread.
pub(super) fn count() -> usize {
    noted().map_or(0, |panics| panics.borrow().len())
}

/// The first panic after so many.
pub(super) fn first_after(count: usize) -> Option<String> {
    noted()?.borrow().get(count).cloned()
}

/// Waits until more panics than `count` are noted; forever, if this thread is not watched.
pub(super) async fn until_more_than(count: usize) {
    match noted() {
        // The sender is in the thread-local, and so lives on.
        Some(mut panics) => drop(panics.wait_for(|panics| panics.len() > count).await),
        None => std::future::pending().await,
    }
}

fn noted() -> Option<watch::Receiver<Vec<String>>> {
    WATCHED.with_borrow(|watched| watched.as_ref().map(|watch| watch.0.subscribe()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_noted_for_the_threads_of_a_runtime_only() {
        note("before");
        assert_eq!((count(), first_after(0)), (0, None));
        let watch = PanicWatch::for_this_thread();
        note("first");
        let blocking = std::thread::spawn(move || {
            note("of nobody");
            watch.add_thread();
            note("second");
        });
        blocking.join().expect("it ends");
        assert_eq!(count(), 2);
        assert_eq!(first_after(1).as_deref(), Some("second"));
        assert_eq!(first_after(2), None);
    }

    #[tokio::test]
    async fn a_panic_wakes_who_waits_for_one() {
        let _watch = PanicWatch::for_this_thread();
        let waiting = tokio::spawn(until_more_than(0));
        note("it is here");
        waiting.await.expect("it ends");
    }
}
