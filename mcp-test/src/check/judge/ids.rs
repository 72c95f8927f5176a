//! Which requests are open on a connection, and what is wrong with the id of a reply.

use crate::wire::Id;

/// The requests that one side has sent on a connection.
#[derive(Default)]
pub(super) struct Ids {
    sent: Vec<Sent>,
}

struct Sent {
    id: Id,
    method: String,
    answered: bool,
}

/// What a reply's id turns out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Match<'a> {
    /// It answers this open request.
    Answers(&'a str),
    /// It answers a request that was answered before.
    Again(&'a str),
    /// It spells the id of an open request in another JSON type.
    Retyped(&'a Id),
    /// No request has it.
    Unknown,
}

impl Ids {
    /// Notes a request; `false` when its id was used before.
    pub(super) fn send(&mut self, id: &Id, method: &str) -> bool {
        let fresh = !self.sent.iter().any(|sent| sent.id == *id);
        self.sent.push(Sent { id: id.clone(), method: method.to_owned(), answered: false });
        fresh
    }

    /// Matches a reply with the requests.
    pub(super) fn answer(&mut self, id: &Id) -> Match<'_> {
        if let Some(index) = self.sent.iter().position(|sent| sent.id == *id && !sent.answered) {
            let sent = &mut self.sent[index];
            sent.answered = true;
            return Match::Answers(&sent.method);
        }
        if let Some(sent) = self.sent.iter().find(|sent| sent.id == *id) {
            return Match::Again(&sent.method);
        }
        match self.sent.iter().find(|sent| !sent.answered && sent.id.is_retyped(id)) {
            Some(sent) => Match::Retyped(&sent.id),
            None => Match::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_miss_a_request_is_told_apart() {
        let mut ids = Ids::default();
        assert!(ids.send(&Id::from(1), "ping"));
        assert!(!ids.send(&Id::from(1), "ping"));
        assert!(ids.send(&Id::from(2), "tools/list"));
        assert_eq!(ids.answer(&Id::from("2")), Match::Retyped(&Id::from(2)));
        assert_eq!(ids.answer(&Id::from("null")), Match::Unknown);
        assert_eq!(ids.answer(&Id::from(2)), Match::Answers("tools/list"));
        assert_eq!(ids.answer(&Id::from(2)), Match::Again("tools/list"));
        assert_eq!(ids.answer(&Id::from(9)), Match::Unknown);
    }
}
