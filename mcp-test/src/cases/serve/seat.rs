//! How far one client has come: the conversations under way, and what it was answered with already.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::edition::{At, Edition};
use super::heard::{Fit, Heard};
use crate::cases::compare::Difference;
use crate::cases::{Values, capture};
use crate::json::Value;

/// How many clients without a conversation are remembered; one more forgets the oldest.
const SEATS: usize = 256;
/// How many conversations a client may have under way; one more forgets one.
const UNDER_WAY: usize = 1024;

/// One client, with the contract as it was when it came, or when the contract changed.
#[derive(Debug)]
pub(super) struct Seat {
    /// Which client it is, counted from 0.
    pub(super) number: u64,
    pub(super) edition: Arc<Edition>,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    under_way: HashMap<usize, UnderWay>,
    used: HashSet<At>,
    /// What the client has declared with `initialize`.
    capabilities: Option<Value>,
}

/// A conversation under way.
#[derive(Debug)]
struct UnderWay {
    next: usize,
    values: Values,
}

/// What is to be done.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) at: At,
    pub(super) values: Values,
    /// What the client answered otherwise than in the case.
    pub(super) differences: Vec<Difference>,
}

/// Where a client sits as long as its conversation lasts.
#[derive(Debug)]
pub(super) struct Place(Mutex<Arc<Seat>>);

/// The clients that have no conversation, since each of their requests is one: known by what they call themselves, of which
/// no more than a hash is kept.
#[derive(Debug, Default)]
pub(super) struct Seats(Mutex<VecDeque<(u64, Arc<Seat>)>>);

impl Seat {
    pub(super) fn new(number: u64, edition: Arc<Edition>) -> Self {
        Self { number, edition, memory: Mutex::default() }
    }

    /// Chooses the turn that begins with what was heard: of the conversation under way, or else the first that was not yet
    /// used, or else the last that was. What says exactly this goes before what merely allows it, and a conversation with a
    /// client that can do the same before those with others.
    pub(super) fn choose(&self, heard: &Heard) -> Option<Choice> {
        let mut memory = self.memory();
        let candidates = self.edition.fitting(heard);
        let fitting = candidates.into_iter().filter_map(|at| {
            let chain = &self.edition.chains[at.chain];
            let under_way = memory.under_way.get(&at.chain);
            let goes_on = at.turn > 0 && under_way.is_some_and(|way| way.next == at.turn);
            let values = match under_way {
                Some(way) if at.turn > 0 => &way.values,
                _ => &chain.values,
            };
            let fit = self.edition.expected(at).fit(heard, values);
            let (roughness, exact) = match &fit {
                Fit::Exactly => (0, true),
                Fit::ByRule => (0, false),
                Fit::Roughly(roughness, _) => (*roughness, false),
                Fit::Not => return None,
            };
            let is_with_another = match (&memory.capabilities, chain.capabilities()) {
                (Some(declared), Some(known)) => at.turn > 0 && declared != known,
                _ => false,
            };
            let used = memory.used.contains(&at);
            let order = if used {
                (2, usize::MAX - at.chain, usize::MAX - at.turn)
            } else {
                (u8::from(at.turn > 0), at.chain, at.turn)
            };
            Some(((roughness, !goes_on, is_with_another, !exact, order), at, fit))
        });
        let (_, at, fit) = fitting.min_by_key(|(rank, ..)| *rank)?;
        let mut values = match memory.under_way.get(&at.chain) {
            Some(way) if at.turn > 0 => way.values.clone(),
            _ => self.edition.chains[at.chain].values.clone(),
        };
        self.edition.expected(at).bind(heard, &mut values);
        // A place that the message lacks keeps its value from the case.
        capture(self.edition.turn(at).heard.message(), heard.message(), &mut values).ok();
        memory.used.insert(at);
        memory.go_on(at, &values);
        if let Some(declared) = heard.capabilities() {
            memory.capabilities = Some(declared.clone());
        }
        drop(memory);
        let differences = match fit {
            Fit::Roughly(_, differences) => differences,
            Fit::Exactly | Fit::ByRule | Fit::Not => Vec::new(),
        };
        Some(Choice { at, values, differences })
    }

    /// The values that a conversation under way has by now.
    pub(super) fn values(&self, chain: usize) -> Values {
        let memory = self.memory();
        let way = memory.under_way.get(&chain).map(|way| way.values.clone());
        way.unwrap_or_else(|| self.edition.chains[chain].values.clone())
    }

    /// Keeps the values of a conversation, as far as they are those of this turn.
    pub(super) fn keep(&self, at: At, values: &Values) {
        if let Some(way) = self.memory().under_way.get_mut(&at.chain)
            && way.next == at.turn + 1
        {
            way.values = values.clone();
        }
    }

    /// Keeps how far a conversation has come: this turn was the last.
    pub(super) fn go_on(&self, at: At, values: &Values) {
        let mut memory = self.memory();
        memory.used.insert(at);
        memory.go_on(at, values);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    pub(super) fn new(seat: Seat) -> Self {
        Self(Mutex::new(Arc::new(seat)))
    }

    /// The seat of the client, at the contract as it is now. Where it has changed, the client is taken as if it had just come;
    /// what is being answered is answered to its end as the contract was.
    pub(super) fn seat(&self, now: Arc<Edition>) -> Arc<Seat> {
        let mut seat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&seat.edition, &now) {
            *seat = Arc::new(Seat::new(seat.number, now));
        }
        Arc::clone(&seat)
    }
}

impl Memory {
    fn go_on(&mut self, at: At, values: &Values) {
        if self.under_way.len() >= UNDER_WAY
            && !self.under_way.contains_key(&at.chain)
            && let Some(forgotten) = self.under_way.keys().next().copied()
        {
            self.under_way.remove(&forgotten);
        }
        let values = values.clone();
        self.under_way.insert(at.chain, UnderWay { next: at.turn + 1, values });
    }
}

impl Seats {
    /// The client that calls itself so; with `anew`, as if it had just come.
    pub(super) fn find(&self, name: &str, anew: bool, make: impl FnOnce() -> Seat) -> Arc<Seat> {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let name = hasher.finish();
        let mut seats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seats.iter().position(|(known, _)| *known == name);
        match known.and_then(|number| seats.remove(number)) {
            Some(found) if !anew => {
                let seat = Arc::clone(&found.1);
                seats.push_back(found);
                seat
            }
            _ => {
                if seats.len() >= SEATS {
                    seats.pop_front();
                }
                let seat = Arc::new(make());
                seats.push_back((name, Arc::clone(&seat)));
                seat
            }
        }
    }

    /// Forgets all of them.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
