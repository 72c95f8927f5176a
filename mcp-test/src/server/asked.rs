//! What the server has asked the client and waits for.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use tokio::sync::oneshot;

use crate::{
    json::Value,
    wire::{Id, RpcError},
};

/// What a client says to a question.
pub(super) type Said = Result<Value, RpcError>;

/// What is done with what a client says to a question.
type Heard = Box<dyn FnOnce(Said) + Send>;

/// How many questions may be open whose answers nobody waits for; more are not asked.
#[cfg(feature = "cases")]
const OPEN: usize = 1024;

/// The open questions of one conversation.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<Open>);

#[derive(Default)]
struct Open {
    last: u64,
    waiting: HashMap<Id, Heard>,
    closed: bool,
}

/// One open question.
#[derive(Debug)]
pub(super) struct Question<'a> {
    asked: &'a Asked,
    id: Id,
    said: oneshot::Receiver<Said>,
}

impl Asked {
    /// Opens a question.
    pub(super) fn ask(&self) -> Question<'_> {
        let (sender, said) = oneshot::channel();
        let heard = |said| drop(sender.send(said));
        Question { asked: self, id: self.with(|open| open.ask(Box::new(heard))), said }
    }

    /// Opens a question that nobody waits for: what is said to it is brought to a function. `None` if it cannot be asked.
    #[cfg(feature = "cases")]
    pub(super) fn ask_then(&self, heard: impl FnOnce(Said) + Send + 'static) -> Option<Id> {
        self.with(|open| {
            let may_ask = !open.closed && open.waiting.len() < OPEN;
            may_ask.then(|| open.ask(Box::new(heard)))
        })
    }

    /// Brings an answer to its question; what nobody asked is dropped.
    pub(super) fn answer(&self, id: &Id, said: Said) {
        if let Some(question) = self.with(|open| open.waiting.remove(id)) {
            question(said);
        }
    }

    /// Nobody will answer any more.
    pub(super) fn close(&self) {
        let waiting = self.with(|open| {
            open.closed = true;
            std::mem::take(&mut open.waiting)
        });
        // Dropped outside the lock: what a function holds may look for its question when it goes.
        drop(waiting);
    }

    fn with<T>(&self, act: impl FnOnce(&mut Open) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Open {
    fn ask(&mut self, heard: Heard) -> Id {
        self.last += 1;
        let id = Id::from(format!("server-{}", self.last).as_str());
        if !self.closed {
            self.waiting.insert(id.clone(), heard);
        }
        id
    }
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}

impl Question<'_> {
    /// The id under which it is asked.
    pub(super) fn id(&self) -> Id {
        self.id.clone()
    }

    /// What the client says; `None` if it left without a word.
    pub(super) async fn answer(mut self) -> Option<Said> {
        (&mut self.said).await.ok()
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        let heard = self.asked.with(|open| open.waiting.remove(&self.id));
        drop(heard);
    }
}
