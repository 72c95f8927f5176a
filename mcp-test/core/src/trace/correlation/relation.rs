//! How a message is related to earlier ones: what a reply answers, and whether a request has the id of another.
//!
//! Which message that is, is found in `messages.rs`.

use std::sync::Arc;

use crate::spec::Revision;
use crate::wire::{Id, Message};

/// A message, and what the messages before it imply for it.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Correlated<'m, P> {
    /// Where it is.
    pub(crate) position: P,
    /// The message.
    pub(crate) message: &'m Message,
    /// The revision in force, unless nothing has named one.
    pub(crate) revision: Option<Revision>,
    /// How it is related to earlier messages.
    #[doc(hidden)]
    pub relation: Relation<P>,
}

impl<P> Correlated<'_, P> {
    /// The request that this answers, if it is a reply and the request can be found.
    #[doc(hidden)]
    pub fn request(&self) -> Option<&Request<P>> {
        match &self.relation {
            Relation::Reply(reply) => reply.request.as_ref(),
            Relation::Request { .. } | Relation::Notification => None,
        }
    }
}

/// How a message is related to earlier ones.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum Relation<P> {
    /// Not at all.
    Notification,
    /// A request.
    Request {
        /// The latest earlier request of the same side with the same id, if it is remembered.
        previous: Option<Request<P>>,
        /// Whether an earlier request had the id, remembered or not.
        is_repeated: bool,
    },
    /// A reply.
    Reply(Reply<P>),
}

/// A request, as it was known just before the message that refers to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Request<P> {
    /// Where it is.
    #[doc(hidden)]
    pub position: P,
    /// Its id.
    #[doc(hidden)]
    pub id: Arc<Id>,
    /// Its method.
    #[doc(hidden)]
    pub method: Arc<str>,
    /// The revision that it was sent in.
    pub(crate) revision: Option<Revision>,
    /// Neither it nor anything before it has named a revision, known or not.
    pub(crate) is_of_unnamed_revision: bool,
    /// The first reply to it.
    #[doc(hidden)]
    pub reply: Option<P>,
    /// Whether its sender cancelled it.
    #[doc(hidden)]
    pub is_cancelled: bool,
}

/// What a reply answers.
#[derive(Debug, Clone)]
pub struct Reply<P> {
    /// The request with its id in the same HTTP exchange, or else the latest one with its id.
    ///
    /// Several clients may share what is one HTTP connection here, and with it their ids.
    #[doc(hidden)]
    pub request: Option<Request<P>>,
    /// The request without a reply that this settles: in the same HTTP exchange, or else the latest one with its id.
    #[doc(hidden)]
    pub settles: Option<P>,
    /// How its id fits the requests that are open.
    pub(crate) fit: Fit,
    /// The request had been cancelled, and the side that replied had certainly read the cancellation.
    pub(crate) is_late: bool,
    /// The method of the request that a reply without an id must answer, since no other message can have been answered by it.
    pub(crate) only_open: Option<Arc<str>>,
}

impl<P> Reply<P> {
    /// To no request that is known.
    pub(super) const UNKNOWN: Self =
        Self { request: None, settles: None, fit: Fit::Unknown, is_late: false, only_open: None };

    /// Whether it answers a request of which nothing has named the revision.
    ///
    /// Servers of both eras take such a request for one with a handshake, and answer it in that form.
    pub(crate) fn is_of_unnamed_revision(&self) -> bool {
        match &self.request {
            Some(request) => request.is_of_unnamed_revision,
            // Of a malformed request only its method is known.
            None => matches!(self.fit, Fit::Open(_)),
        }
    }
}

/// How the id of a reply fits the requests of the other side.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// It is that of an open request of this method.
    Open(Arc<str>),
    /// It is that of a request of this method, and there is a reply to each such request already.
    Again(Arc<str>),
    /// It spells the id of an open request in another JSON type.
    Retyped(Arc<Id>),
    /// A request that is not remembered any more has it, or may have had it.
    Forgotten,
    /// No request has it.
    Unknown,
}
