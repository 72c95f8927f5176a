//! The living families of this process by the thread that started them, for whoever gives up a thread.
//!
//! A thread that is blocked cannot end what it started, and nothing else has a hold on it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::ThreadId;

use super::child::DEATH;
use super::family::Family;
use crate::clock::Deadline;

static LIVING: Mutex<Living> = Mutex::new(Living { families: Vec::new(), given_up: Vec::new() });

struct Living {
    families: Vec<(ThreadId, Weak<Family>)>,
    given_up: Vec<ThreadId>,
}

fn living() -> MutexGuard<'static, Living> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills every child that this thread started, with all descendants; from now on the thread can start none.
///
/// For a thread that is blocked: there is no other way to its children.
pub fn give_up(thread: ThreadId) {
    let orphaned: Vec<Arc<Family>> = {
        let mut living = living();
        living.given_up.push(thread);
        let of_thread = living.families.iter().filter(|(starter, _)| *starter == thread);
        of_thread.filter_map(|(_, family)| family.upgrade()).collect()
    };
    let deadline = Deadline::after(DEATH);
    orphaned.iter().for_each(|family| family.kill(deadline));
}

/// Enters a family that this thread has just started; false if the thread was given up.
pub(super) fn enter(family: &Arc<Family>) -> bool {
    let thread = std::thread::current().id();
    let mut living = living();
    living.families.retain(|(_, family)| family.strong_count() > 0);
    if living.given_up.contains(&thread) {
        return false;
    }
    living.families.push((thread, Arc::downgrade(family)));
    true
}
