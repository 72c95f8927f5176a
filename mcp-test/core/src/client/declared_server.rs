//! [`DeclaredServer`]: what a server declares about itself, with the conversation in which it did.

use std::ops::Deref;

use super::ServerFacts;
use crate::trace::{Recorder, Seq, Trace};
use crate::wire::Message;

/// What a server declares about itself; made by [`Ctx::server`](crate::scenario::Ctx::server).
///
/// It dereferences to [`ServerFacts`], which has it as values.
#[derive(Debug, Clone)]
pub struct DeclaredServer {
    facts: ServerFacts,
    recorder: Recorder,
}

impl Deref for DeclaredServer {
    type Target = ServerFacts;

    fn deref(&self) -> &ServerFacts {
        &self.facts
    }
}

impl DeclaredServer {
    pub(crate) fn new(facts: ServerFacts, recorder: Recorder) -> Self {
        Self { facts, recorder }
    }

    pub(crate) fn trace(&self) -> Trace {
        self.recorder.trace()
    }

    /// The event of the result that declares it.
    pub(crate) fn evidence(&self) -> Option<Seq> {
        let trace = self.trace();
        let declared = self.facts.declared_in.as_ref()?;
        let mut events = trace.messages().filter(|(_, message)| match message {
            Message::Response(response) => response.result == *declared,
            _ => false,
        });
        events.next().map(|(event, _)| event.seq)
    }
}
