//! The process trees by the thread that started them, so that those of an abandoned thread can be killed.
//!
//! A blocked thread cannot end its children itself, and nothing else has a handle to them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::ThreadId;

use super::process_tree::{DEATH, ProcessTree};
use crate::clock::Deadline;

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { trees: Vec::new(), abandoned: Vec::new() });

struct Registry {
    trees: Vec<(ThreadId, Weak<ProcessTree>)>,
    abandoned: Vec<ThreadId>,
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all children of a blocked thread, with their descendants; from now on it cannot start another child.
#[doc(hidden)]
pub fn kill_children_of(thread: ThreadId) {
    let orphans: Vec<Arc<ProcessTree>> = {
        let mut registry = registry();
        // Under the lock of the list: a child that the thread starts meanwhile is either listed or refused.
        registry.abandoned.push(thread);
        let of_thread = registry.trees.iter().filter(|(starter, _)| *starter == thread);
        of_thread.filter_map(|(_, tree)| tree.upgrade()).collect()
    };
    // Only after the lock is released: killing may take until the deadline, and other threads start children meanwhile.
    let deadline = Deadline::after(DEATH);
    orphans.iter().for_each(|tree| tree.kill(deadline));
}

/// Registers a tree that this thread has just started; `false` if the thread was abandoned.
pub(super) fn register(tree: &Arc<ProcessTree>) -> bool {
    let thread = std::thread::current().id();
    let mut registry = registry();
    // Trees of children that are gone are dropped here, so that the list stays short.
    registry.trees.retain(|(_, tree)| tree.strong_count() > 0);
    if registry.abandoned.contains(&thread) {
        return false;
    }
    registry.trees.push((thread, Arc::downgrade(tree)));
    true
}
