//! What the guard must remember of one conversation: the revision agreed on, and which requests still wait for a reply.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

use crate::{
    spec::{self, Revision},
    wire::Id,
};

/// How many requests are remembered in each direction; the oldest is forgotten first, and its reply judged without it.
const REMEMBERED: usize = 4096;

/// The state of one conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// What the result of `initialize` said.
    pub(super) agreed: Option<Revision>,
    /// What the last message that carried a revision said, if it is one that is known.
    pub(super) carried: Option<Revision>,
    /// The `initialize` of the peer that the handler has not answered.
    pub(super) initialize: Option<Id>,
    /// The requests of the peer that the handler has not answered; remembered only where its replies are judged.
    pub(super) theirs: Waiting,
    /// The requests of the handler that the peer has not answered.
    pub(super) ours: Waiting,
}

/// A request that waits for its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) method: Cow<'static, str>,
    /// The revision that it was written in, if that is known.
    pub(super) revision: Option<Revision>,
}

/// Requests by their ids, as many as can be remembered.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    asked: HashMap<Id, (u64, Asked)>,
    /// The ids of those that wait, and of no others, by when they were last asked.
    order: BTreeMap<u64, Id>,
    next: u64,
}

impl Waiting {
    pub(super) fn remember(&mut self, id: &Id, method: &str, revision: Option<Revision>) {
        if !is_rememberable(id, method) {
            return;
        }
        let method = match spec::method(method) {
            Some(known) => Cow::Borrowed(known.name),
            None => Cow::Owned(method.to_owned()),
        };
        self.next += 1;
        if let Some((before, _)) =
            self.asked.insert(id.clone(), (self.next, Asked { method, revision }))
        {
            self.order.remove(&before);
        }
        self.order.insert(self.next, id.clone());
        if self.order.len() > REMEMBERED
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.asked.remove(&oldest);
        }
    }

    pub(super) fn asked(&self, id: &Id) -> Option<&Asked> {
        self.asked.get(id).map(|(_, asked)| asked)
    }

    pub(super) fn answered(&mut self, id: &Id) -> Option<Asked> {
        let (when, asked) = self.asked.remove(id)?;
        self.order.remove(&when);
        Some(asked)
    }
}

/// Whether a request takes no more room than one should: a peer that wants to be remembered at length is not.
pub(super) fn is_rememberable(id: &Id, method: &str) -> bool {
    const BYTES: usize = 1024;
    id.bytes() <= BYTES && method.len() <= BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Number;

    #[test]
    fn the_oldest_request_is_forgotten_first() {
        let mut waiting = Waiting::default();
        for id in 0..=REMEMBERED as i64 {
            waiting.remember(&Id::from(id), "ping", None);
        }
        assert_eq!(waiting.asked.len(), REMEMBERED);
        assert_eq!(waiting.asked(&Id::from(0)), None);
        assert!(waiting.asked(&Id::from(1)).is_some());
    }

    #[test]
    fn a_request_with_an_endless_id_is_not_remembered() {
        let mut waiting = Waiting::default();
        for id in [Id::from("x".repeat(2000)), Id::from(Number::parse(&"9".repeat(2000)).unwrap())]
        {
            waiting.remember(&id, "ping", None);
            assert_eq!(waiting.asked(&id), None);
        }
        waiting.remember(&Id::from(1), &"x".repeat(2000), None);
        assert_eq!(waiting.asked(&Id::from(1)), None);
    }

    #[test]
    fn requests_that_were_answered_take_no_room() {
        let mut waiting = Waiting::default();
        // A new id each time, and then the same one again and again.
        let ids = (0..3 * REMEMBERED as i64).chain(std::iter::repeat_n(-1, 3 * REMEMBERED));
        for id in ids {
            waiting.remember(&Id::from(id), "ping", None);
            assert!(waiting.answered(&Id::from(id)).is_some());
        }
        assert_eq!((waiting.asked.len(), waiting.order.len()), (0, 0));
        assert_eq!(waiting.answered(&Id::from(1)), None);
    }

    #[test]
    fn a_request_that_is_asked_again_waits_once_and_is_the_newest() {
        let mut waiting = Waiting::default();
        waiting.remember(&Id::from(-1), "ping", None);
        for id in 1..REMEMBERED as i64 {
            waiting.remember(&Id::from(id), "ping", None);
        }
        waiting.remember(&Id::from(-1), "tools/list", None);
        assert_eq!(waiting.order.len(), REMEMBERED);
        waiting.remember(&Id::from(0), "ping", None);
        assert_eq!(waiting.asked(&Id::from(1)), None);
        assert_eq!(waiting.asked(&Id::from(-1)).map(|asked| &*asked.method), Some("tools/list"));
    }
}
