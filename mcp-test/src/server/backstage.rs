//! What a script needs that stands in for a whole server, such as a contract: it answers methods that it did not name
//! beforehand, remembers each conversation, and goes on speaking after a reply.

use std::{
    any::Any,
    fmt,
    sync::{Arc, Weak},
};

use super::{
    Answer, Call, CallError, Server,
    answer::NoResult,
    asked::Said,
    conversation::{State, Talk},
    reply::reply,
};
use crate::{
    json::Value,
    spec::{Capability, Era, Revision, Revisions},
    transport::{
        fault::Then,
        serve::{Conversation, Emitted},
    },
    wire::{Id, RpcError},
};

/// How a server presents itself in a conversation.
#[derive(Debug, Clone)]
pub(crate) struct Face {
    /// Its name and version.
    pub(crate) info: Value,
    /// What it is good for.
    pub(crate) instructions: Option<String>,
    /// What it can do.
    pub(crate) capabilities: Value,
    /// The revisions that it speaks.
    pub(crate) revisions: Revisions,
}

/// Where the face for a conversation comes from.
#[derive(Clone)]
pub(super) struct Faces(Arc<dyn Fn() -> Arc<Face> + Send + Sync>);

/// What the server says in a conversation on its own account, apart from any reply; copies are the same voice.
///
/// It does not keep the conversation alive.
#[derive(Debug, Clone)]
pub(crate) struct Voice(Weak<State>);

impl Server {
    /// Asks at the beginning of each conversation how the server presents itself in it.
    pub(crate) fn presenting(self, face: impl Fn() -> Arc<Face> + Send + Sync + 'static) -> Self {
        self.with(|script| script.faces = Some(Faces(Arc::new(face))))
    }

    /// The revisions that a conversation may be held in which begins now.
    pub(super) fn speaks(&self) -> Revisions {
        let served = self.served();
        self.0.faces.as_ref().map_or(served, |Faces(face)| served.intersection(face().revisions))
    }

    /// The server as it presents itself now.
    pub(super) fn presented(&self) -> Self {
        let Some(Faces(face)) = &self.0.faces else { return self.clone() };
        let face = face();
        let mut script = (*self.0).clone();
        script.faces = None;
        script.info = face.info.clone();
        script.instructions.clone_from(&face.instructions);
        script.capabilities = face.capabilities.clone();
        script.served = script.served.intersection(face.revisions);
        Self(Arc::new(script))
    }
}

impl Answer {
    /// Nothing more: the reply was given by [`Call::reply`], or is not wanted any more.
    pub(crate) const fn given() -> Self {
        Self(Err(NoResult::Instead(Then::GoOn)))
    }

    /// The error, if it is one.
    pub(crate) fn refusal(self) -> Option<RpcError> {
        match self.0 {
            Err(NoResult::Error(error)) => Some(error),
            Ok(_) | Err(NoResult::Instead(_)) => None,
        }
    }
}

impl Call {
    /// Whether it is a conversation by itself, as a request of the stateless era over HTTP is.
    pub(crate) fn is_alone(&self) -> bool {
        self.talk.0.era == Some(Era::Stateless)
    }

    /// What the script keeps for the conversation, made at its first call.
    pub(crate) fn kept<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<Arc<T>> {
        let kept = self.talk.0.kept.get_or_init(|| Arc::new(make()));
        Arc::downcast(Arc::clone(kept)).ok()
    }

    /// What the server answers without a script, where it has an answer.
    pub(crate) fn built_in(&self) -> Answer {
        self.talk.0.server.built_in(&self.method, &self.terms).into()
    }

    /// Whether the server declares a capability in this conversation.
    pub(crate) fn is_declared(&self, capability: Capability) -> bool {
        self.talk.0.server.declares(capability)
    }

    /// Says a message that belongs to this request.
    pub(crate) async fn say(&self, message: Value) -> Result<(), CallError> {
        self.send(message).await
    }

    /// The id for a request to the client, whose answer is brought to a function; `None` if nothing can be asked any more.
    pub(crate) fn number(&self, heard: impl FnOnce(Said) + Send + 'static) -> Option<Id> {
        self.talk.asked().ask_then(heard)
    }

    /// Replies now, so that the handler can go on; it has to end with [`Answer::given`].
    ///
    /// `false` if that cannot be, because the reply is one of a batch: then the handler has to end with the answer.
    pub(crate) async fn reply(&self, answer: &Answer) -> bool {
        let (Some(id), false) = (&self.id, self.in_batch) else { return false };
        let Ok(said) = answer.clone().said() else { return false };
        if said.is_ok() {
            let uri = self.param("uri").and_then(Value::as_str);
            self.talk.0.wishes.note(&self.method, uri);
        }
        let server = &self.talk.0.server;
        let emitted = reply(id.clone(), self.method.clone(), said, &self.terms, server);
        // Where the client is gone, there is nothing left to answer either.
        self.outbox.send(emitted).await;
        true
    }

    /// Waits until the conversation is over.
    pub(crate) async fn over(&self) {
        self.talk.over().await;
    }

    /// The voice of the server in this conversation.
    pub(crate) fn voice(&self) -> Voice {
        Voice(Arc::downgrade(&self.talk.0))
    }
}

impl Voice {
    /// Says a message, without waiting for a slow reader; `false` if there is no way for it, or no room.
    pub(crate) fn say(&self, message: Value) -> bool {
        let Some(talk) = self.0.upgrade().map(Talk) else { return false };
        talk.own_outbox().is_some_and(|own| own.offer(Emitted::unprompted(message)))
    }

    /// Tells every client that wants to hear it; see [`Server::announce`].
    pub(crate) fn announce(&self, method: &str, params: Value) {
        if let Some(talk) = self.0.upgrade() {
            talk.server.announce(method, params);
        }
    }

    /// The id for a request to the client, whose answer is brought to a function; `None` if nothing can be asked.
    pub(crate) fn number(&self, heard: impl FnOnce(Said) + Send + 'static) -> Option<Id> {
        let talk = self.0.upgrade().map(Talk)?;
        let may_ask = talk.revision().is_some_and(Revision::has_server_requests);
        if may_ask { talk.asked().ask_then(heard) } else { None }
    }
}

impl fmt::Debug for Faces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faces")
    }
}
