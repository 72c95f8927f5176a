//! The requests of one side, and what a reply to it answers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::cancelled::Cancelled;
use super::known_ids::KnownIds;
use super::non_request::LatestNonRequest;
use super::relation::{Fit, Reply, Request};
use super::requests::{Limits, OpenRequests};
use crate::wire::Id;

/// How many requests are remembered. Beyond that the one that was answered first is forgotten, but for its id.
const REMEMBERED: usize = 10_000;

/// How many bytes the ids and methods of the remembered requests may have: a peer chooses their length.
const BYTES: usize = 16 * 1024 * 1024;

/// The requests of one side.
#[derive(Debug)]
pub(super) struct SentRequests<P> {
    /// By their number, which is their place in the order in which they were sent.
    requests: BTreeMap<u64, SentRequest<P>>,
    /// How many there were.
    count: u64,
    bytes: usize,
    /// The numbers of those that have a reply, in the order of the replies.
    answered: VecDeque<u64>,
    latest: HashMap<Arc<Id>, u64>,
    in_exchange: HashMap<u64, Vec<(Arc<Id>, u64)>>,
    unanswered: HashMap<Arc<Id>, BTreeSet<u64>>,
    /// The methods of the open requests; of malformed ones, too. Bounded by what is remembered.
    open: OpenRequests<Arc<Id>, Arc<str>>,
    /// The method of the first request with an id, of malformed ones, too.
    first: HashMap<Arc<Id>, Arc<str>>,
    /// The ids of malformed requests, in order.
    malformed: VecDeque<Arc<Id>>,
    forgotten: KnownIds,
    cancelled: Cancelled,
    /// The ids of open requests that a reply without an id seems to answer.
    presumed_answered: HashSet<Arc<Id>>,
    non_request: LatestNonRequest<u64>,
    /// A request with the id `true`, which no message can have, may be answered with the id 1.
    has_sent_true: bool,
}

#[derive(Debug)]
struct SentRequest<P> {
    request: Request<P>,
    exchange: Option<u64>,
}

impl<P> Default for SentRequests<P> {
    fn default() -> Self {
        Self {
            requests: BTreeMap::new(),
            count: 0,
            bytes: 0,
            answered: VecDeque::new(),
            latest: HashMap::new(),
            in_exchange: HashMap::new(),
            unanswered: HashMap::new(),
            open: OpenRequests::new(Limits::NONE),
            first: HashMap::new(),
            malformed: VecDeque::new(),
            forgotten: KnownIds::default(),
            cancelled: Cancelled::default(),
            presumed_answered: HashSet::new(),
            non_request: LatestNonRequest::default(),
            has_sent_true: false,
        }
    }
}

impl<P: Copy> SentRequests<P> {
    /// Adds a request; returns the latest earlier one with its id, and whether any had it.
    pub(super) fn add(
        &mut self,
        exchange: Option<u64>,
        request: Request<P>,
    ) -> (Option<Request<P>>, bool) {
        let (number, id) = (self.count, Arc::clone(&request.id));
        self.count += 1;
        self.open(Arc::clone(&id), Arc::clone(&request.method));
        self.cancelled.ask(&id);
        self.presumed_answered.remove(&id);
        self.unanswered.entry(Arc::clone(&id)).or_default().insert(number);
        if let Some(exchange) = exchange {
            self.in_exchange.entry(exchange).or_default().push((Arc::clone(&id), number));
        }
        self.bytes += bytes(&request);
        self.requests.insert(number, SentRequest { request, exchange });
        // JSON-RPC leaves ids to the client; MCP forbids reusing one, which is found by the number that this replaces.
        let previous = self.latest.insert(Arc::clone(&id), number);
        let previous = previous.and_then(|number| self.requests.get(&number));
        let previous = previous.map(|sent| sent.request.clone());
        let is_repeated = previous.is_some() || self.forgotten.contains(&id);
        self.forget_oldest();
        (previous, is_repeated)
    }

    /// Notes the id and the method of a malformed request.
    pub(super) fn add_malformed(&mut self, id: &Id, method: &str) {
        let id = Arc::new(id.clone());
        self.open(Arc::clone(&id), method.into());
        self.malformed.push_back(id);
        if self.malformed.len() > REMEMBERED
            && let Some(oldest) = self.malformed.pop_front()
        {
            self.open.remove(&oldest, 0);
            if !self.latest.contains_key(&oldest) {
                self.first.remove(&oldest);
            }
            self.forgotten.insert(&oldest);
        }
    }

    /// Notes that something was sent with the id `true`.
    pub(super) fn send_true(&mut self) {
        self.has_sent_true = true;
    }

    /// Notes a message that has no reply: a notification or a reply.
    pub(super) fn send_without_reply(&mut self) {
        self.non_request.send(self.count);
    }

    /// Notes the cancellation of a request.
    pub(super) fn cancel(&mut self, id: Id, exchange: Option<u64>) {
        let number = self.latest.get(&id);
        if let Some(sent) = number.and_then(|number| self.requests.get_mut(number)) {
            sent.request.is_cancelled = true;
        }
        // Over HTTP a reply and a cancellation travel on streams of their own: which was read first cannot be known.
        if exchange.is_none() {
            self.cancelled.cancel(id);
        }
    }

    /// Notes a reply with an id, and returns what it answers.
    pub(super) fn answer(&mut self, id: &Id, exchange: Option<u64>, position: P) -> Reply<P> {
        if self.has_sent_true && *id == Id::from(1) && self.open.get(id).next().is_none() {
            self.has_sent_true = false;
            return Reply::UNKNOWN;
        }
        let here = exchange.and_then(|exchange| self.number_in_exchange(exchange, id));
        let number = here.or_else(|| self.latest.get(id).copied());
        let mut request = None;
        if let Some(number) = number
            && let Some(sent) = self.requests.get_mut(&number)
        {
            // Copied before the reply is entered, so that `request.reply` is an earlier reply, if there was one.
            request = Some(sent.request.clone());
            if sent.request.reply.is_none() {
                sent.request.reply = Some(position);
                self.answered.push_back(number);
            }
            self.non_request.answer_request(&number);
        }
        // The id null names no request: an error has it when the id could not be read.
        let is_late = *id != Id::Null && self.cancelled.answer(id);
        let (settles, fit) = (self.take_unanswered(id, here), self.settle(id));
        let only_open = (*id == Id::Null).then(|| self.presume_answered()).flatten();
        Reply { request, settles, fit, is_late, only_open }
    }

    /// The method of the only open request, which a reply without an id is taken to answer; one with the right id may still come.
    /// `None` if it may answer what is not a request.
    pub(super) fn presume_answered(&mut self) -> Option<Arc<str>> {
        if self.non_request.may_be_answered() {
            return None;
        }
        let mut open = self.open.keys().filter(|id| !self.presumed_answered.contains(*id));
        let (Some(id), None) = (open.next().cloned(), open.next()) else { return None };
        let method = self.open.get(&id).next().cloned();
        self.presumed_answered.insert(id);
        method
    }

    /// Closes the open request with this id, and returns how the id fits.
    pub(super) fn settle(&mut self, id: &Id) -> Fit {
        if let Some(method) = self.close(id) {
            return Fit::Open(method);
        }
        // Checked after the open requests: an id that is used again may be answered again.
        if let Some(method) = self.first.get(id) {
            return Fit::Again(Arc::clone(method));
        }
        if self.forgotten.contains(id) {
            return Fit::Forgotten;
        }
        // A peer with doubles only; its numbers are valid, so that the scenario that sends such ids judges this.
        let rounded = self.open.keys().find(|open| id.is_rounded(open)).cloned();
        if let Some(method) = rounded.and_then(|open| self.close(&open)) {
            return Fit::Open(method);
        }
        match self.open.keys().find(|open| open.is_retyped(id)) {
            Some(open) => Fit::Retyped(Arc::clone(open)),
            None if self.forgotten.may_contain(id) => Fit::Forgotten,
            None => Fit::Unknown,
        }
    }

    /// The requests that are remembered, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Request<P>> {
        self.requests.values().map(|sent| &sent.request)
    }

    /// The latest request that has this id and no reply.
    pub(super) fn latest_unanswered(&self, id: &Id) -> Option<P> {
        let number = self.unanswered.get(id)?.last()?;
        Some(self.requests.get(number)?.request.position)
    }

    fn open(&mut self, id: Arc<Id>, method: Arc<str>) {
        // The first method stays: it names the request in the finding about a second reply.
        self.first.entry(Arc::clone(&id)).or_insert_with(|| Arc::clone(&method));
        self.open.insert(id, method);
    }

    /// Removes the oldest open request with this id.
    fn close(&mut self, id: &Id) -> Option<Arc<str>> {
        let method = self.open.remove(id, 0)?;
        if self.open.get(id).next().is_none() {
            self.presumed_answered.remove(id);
        }
        Some(method)
    }

    fn number_in_exchange(&self, exchange: u64, id: &Id) -> Option<u64> {
        let sent = self.in_exchange.get(&exchange)?;
        sent.iter().rev().find(|(sent, _)| **sent == *id).map(|(_, number)| *number)
    }

    fn take_unanswered(&mut self, id: &Id, here: Option<u64>) -> Option<P> {
        let numbers = self.unanswered.get_mut(id)?;
        // A request of this exchange that has its reply already does not keep the reply from settling another one.
        let here = here.filter(|here| numbers.remove(here));
        let number = here.or_else(|| numbers.pop_last());
        if numbers.is_empty() {
            self.unanswered.remove(id);
        }
        Some(self.requests.get(&number?)?.request.position)
    }

    /// Forgets requests until the others are within the bounds: those that have a reply first.
    fn forget_oldest(&mut self) {
        while self.requests.len() > REMEMBERED || self.bytes > BYTES {
            let oldest = || self.requests.keys().next().copied();
            let Some(number) = self.answered.pop_front().or_else(oldest) else { return };
            self.forget(number);
        }
    }

    fn forget(&mut self, number: u64) {
        let Some(SentRequest { request, exchange }) = self.requests.remove(&number) else { return };
        let id = &*request.id;
        self.bytes -= bytes(&request);
        if let Some(numbers) = self.unanswered.get_mut(id)
            && numbers.remove(&number)
        {
            if numbers.is_empty() {
                self.unanswered.remove(id);
            }
            self.close(id);
        }
        if self.latest.get(id) == Some(&number) {
            self.latest.remove(id);
            self.first.remove(id);
        }
        if let Some(exchange) = exchange
            && let Some(sent) = self.in_exchange.get_mut(&exchange)
        {
            sent.retain(|(_, other)| *other != number);
            if sent.is_empty() {
                self.in_exchange.remove(&exchange);
            }
        }
        self.forgotten.insert(&request.id);
    }
}

/// The bytes of what a peer has chosen in a request that is remembered.
fn bytes<P>(request: &Request<P>) -> usize {
    request.id.bytes() + request.method.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: impl Into<Id>, position: usize) -> Request<usize> {
        Request {
            position,
            id: Arc::new(id.into()),
            method: "ping".into(),
            revision: None,
            is_of_unnamed_revision: false,
            reply: None,
            is_cancelled: false,
        }
    }

    #[test]
    fn answered_requests_are_forgotten_first_but_for_their_ids() {
        let mut sent = SentRequests::default();
        sent.add(Some(7), request(0, 0));
        for number in 1..REMEMBERED + 2 {
            sent.add(None, request(number as i64, number));
            sent.answer(&(number as i64).into(), None, number);
        }
        assert_eq!(sent.requests.len(), REMEMBERED);
        assert_eq!(sent.latest_unanswered(&0.into()), Some(0), "it has no reply");
        assert_eq!(sent.settle(&1.into()), Fit::Forgotten);
        assert_eq!(sent.settle(&3.into()), Fit::Again("ping".into()));
        assert_eq!(sent.settle(&(-1).into()), Fit::Unknown);
        assert_eq!(sent.settle(&"1".into()), Fit::Unknown);
        assert_eq!(sent.add(None, request(1, 1)), (None, true), "the id was used before");
        assert_eq!(sent.settle(&1.into()), Fit::Open("ping".into()));
        assert!(sent.answer(&0.into(), Some(7), 0).request.is_some());
    }

    #[test]
    fn of_open_requests_the_oldest_is_forgotten() {
        let mut sent = SentRequests::default();
        for number in 0..=REMEMBERED {
            sent.add(Some(number as u64), request(number as i64, number));
        }
        assert_eq!(sent.settle(&0.into()), Fit::Forgotten);
        assert_eq!(sent.settle(&1.into()), Fit::Open("ping".into()));
        assert_eq!(sent.in_exchange.len(), REMEMBERED);
        assert_eq!(sent.open.keys().count(), REMEMBERED - 1);
    }

    #[test]
    fn what_is_remembered_has_a_bound_in_bytes() {
        let mut sent = SentRequests::default();
        let long = "x".repeat(BYTES / 4);
        for number in 0..10 {
            sent.add(None, request(format!("{number}{long}"), number));
            sent.add_malformed(&Id::from(i64::try_from(number).expect("small")), "ping");
        }
        assert!(sent.bytes <= BYTES && sent.requests.len() < 4, "{}", sent.requests.len());
    }
}
