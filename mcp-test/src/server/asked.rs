//! What the server has asked the client and waits for.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use tokio::sync::oneshot;

use crate::{
    json::Value,
    wire::{Id, RpcError},
};

/// What a client says to a question.
pub(super) type Said = Result<Value, RpcError>;

/// The open questions of one conversation.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    waiting: HashMap<Id, oneshot::Sender<Said>>,
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
        let id = self.with(|open| {
            open.last += 1;
            let id = Id::from(format!("server-{}", open.last).as_str());
            if !open.closed {
                open.waiting.insert(id.clone(), sender);
            }
            id
        });
        Question { asked: self, id, said }
    }

    /// Brings an answer to its question; what nobody asked is dropped.
    pub(super) fn answer(&self, id: &Id, said: Said) {
        if let Some(question) = self.with(|open| open.waiting.remove(id)) {
            question.send(said).ok();
        }
    }

    /// Nobody will answer any more.
    pub(super) fn close(&self) {
        self.with(|open| {
            open.closed = true;
            open.waiting.clear();
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut Open) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
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
        self.asked.with(|open| open.waiting.remove(&self.id));
    }
}
