//! The state of one client: its open conversations, and the turns that it has used.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_test_core::json::Value;

use super::compiled_contract::CompiledContract;
use super::conversation::TurnId;
use super::incoming::{Fit, Incoming};
use crate::cases::compare::Difference;
use crate::cases::{Values, capture};

/// How many stateless clients are remembered; one more evicts the oldest.
const MAX_SESSIONS: usize = 256;
/// How many conversations a client may have open; one more evicts another.
const MAX_OPEN: usize = 1024;

/// One client, with the contract as it was when the client connected or the contract last changed.
#[derive(Debug)]
pub(super) struct ClientSession {
    /// The client's number, counted from 0.
    pub(super) number: u64,
    pub(super) contract: Arc<CompiledContract>,
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    open: HashMap<usize, OpenConversation>,
    used: HashSet<TurnId>,
    /// The capabilities that the client declared in `initialize`.
    capabilities: Option<Value>,
}

#[derive(Debug)]
struct OpenConversation {
    next: usize,
    values: Values,
}

/// The turn that a message begins.
#[derive(Debug)]
pub(super) struct ChosenTurn {
    pub(super) at: TurnId,
    pub(super) values: Values,
    /// Where the client's answers differ from those in the case.
    pub(super) differences: Vec<Difference>,
}

/// The session of a client that has a conversation of its own on the server.
#[derive(Debug)]
pub(super) struct SessionSlot(Mutex<Arc<ClientSession>>);

/// The sessions of clients whose requests are each a conversation of their own.
///
/// They are told apart by their `clientInfo`. Only its hash is kept, because a client chooses how long it is.
#[derive(Debug, Default)]
pub(super) struct SessionTable(Mutex<VecDeque<(u64, Arc<ClientSession>)>>);

impl ClientSession {
    pub(super) fn new(number: u64, contract: Arc<CompiledContract>) -> Self {
        Self { number, contract, progress: Mutex::default() }
    }

    /// Chooses the turn that a message begins: of an open conversation, else the first unused one, else the last used one.
    ///
    /// A case with exactly this message takes precedence over one that only allows it, and a conversation whose client has
    /// the same capabilities over others.
    pub(super) fn choose(&self, incoming: &Incoming) -> Option<ChosenTurn> {
        let mut progress = self.progress();
        let candidates = self.contract.candidates(incoming).into_iter().filter_map(|at| {
            let conversation = &self.contract.conversations[at.conversation];
            let open = progress.open.get(&at.conversation);
            let continues = at.turn > 0 && open.is_some_and(|open| open.next == at.turn);
            let values = progress.values(at, &self.contract);
            let fit = self.contract.expected(at).fit(incoming, values);
            let (roughness, exact) = match &fit {
                Fit::Exactly => (0, true),
                Fit::ByRule => (0, false),
                Fit::Roughly(roughness, _) => (*roughness, false),
                Fit::Not => return None,
            };
            // `initialize` declares the capabilities, so only the turns after it can be those of another client.
            let other_client = match (&progress.capabilities, conversation.capabilities()) {
                (Some(declared), Some(known)) => at.turn > 0 && declared != known,
                _ => false,
            };
            // Unused turns come first: a request that several cases have gets their replies in order, then the last one again.
            let order = if progress.used.contains(&at) {
                (2, usize::MAX - at.conversation, usize::MAX - at.turn)
            } else {
                (u8::from(at.turn > 0), at.conversation, at.turn)
            };
            Some(((roughness, !continues, other_client, !exact, order), at, fit))
        });
        let (_, at, fit) = candidates.min_by_key(|(rank, ..)| *rank)?;
        let mut values = progress.values(at, &self.contract).clone();
        self.contract.expected(at).bind(incoming, &mut values);
        // Names whose place is missing in the message keep their values from the case.
        capture(self.contract.turn(at).incoming.message(), incoming.message(), &mut values).ok();
        progress.finish(at, &values);
        if let Some(declared) = incoming.capabilities() {
            progress.capabilities = Some(declared.clone());
        }
        drop(progress);
        let differences = match fit {
            Fit::Roughly(_, differences) => differences,
            Fit::Exactly | Fit::ByRule | Fit::Not => Vec::new(),
        };
        Some(ChosenTurn { at, values, differences })
    }

    /// The values of a conversation, as captured so far.
    pub(super) fn values(&self, conversation: usize) -> Values {
        let progress = self.progress();
        let open = progress.open.get(&conversation).map(|open| open.values.clone());
        open.unwrap_or_else(|| self.contract.conversations[conversation].values.clone())
    }

    /// Stores the values of a conversation, unless it has gone past this turn meanwhile.
    pub(super) fn store_values(&self, at: TurnId, values: &Values) {
        if let Some(open) = self.progress().open.get_mut(&at.conversation)
            && open.next == at.turn + 1
        {
            open.values = values.clone();
        }
    }

    /// Records that a turn is done, so that its conversation continues after it.
    pub(super) fn finish(&self, at: TurnId, values: &Values) {
        self.progress().finish(at, values);
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    /// The values before a turn: the first turn begins with those of the case.
    fn values<'a>(&'a self, at: TurnId, contract: &'a CompiledContract) -> &'a Values {
        match self.open.get(&at.conversation) {
            Some(open) if at.turn > 0 => &open.values,
            _ => &contract.conversations[at.conversation].values,
        }
    }

    fn finish(&mut self, at: TurnId, values: &Values) {
        self.used.insert(at);
        if self.open.len() >= MAX_OPEN
            && !self.open.contains_key(&at.conversation)
            && let Some(evicted) = self.open.keys().next().copied()
        {
            self.open.remove(&evicted);
        }
        let values = values.clone();
        self.open.insert(at.conversation, OpenConversation { next: at.turn + 1, values });
    }
}

impl SessionSlot {
    pub(super) fn new(session: ClientSession) -> Self {
        Self(Mutex::new(Arc::new(session)))
    }

    /// The session at the current contract; if that has changed, the client starts again.
    ///
    /// Requests that are being answered keep the session, and with it the contract, that they began with.
    pub(super) fn session(&self, current: Arc<CompiledContract>) -> Arc<ClientSession> {
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&session.contract, &current) {
            *session = Arc::new(ClientSession::new(session.number, current));
        }
        Arc::clone(&session)
    }
}

impl SessionTable {
    /// The session of the client with this name; with `again`, a new one.
    pub(super) fn find(
        &self,
        name: &str,
        again: bool,
        create: impl FnOnce() -> ClientSession,
    ) -> Arc<ClientSession> {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let name = hasher.finish();
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sessions.iter().position(|(known, _)| *known == name);
        let found = known.and_then(|index| sessions.remove(index)).filter(|_| !again);
        // Moved to the back: the front is the least recently used.
        let (_, session) = found.unwrap_or_else(|| {
            if sessions.len() >= MAX_SESSIONS {
                sessions.pop_front();
            }
            (name, Arc::new(create()))
        });
        sessions.push_back((name, Arc::clone(&session)));
        session
    }

    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
