//! Connections to programs, which are started before they are needed and used by several scenario runs.
//!
//! Starting a program takes much longer than a scenario. A scenario that leaves no state behind takes a connection from here
//! whose conversation has begun, and gives it back. A connection on which anything unexpected happened is ended instead, and
//! what a run shows there counts only if another connection confirms it, which is kept for that. Ending a program takes time as
//! well, and happens while others run.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Notify, OwnedMutexGuard, oneshot};
use tokio::task::JoinSet;

use super::confirmed::{Confirmed, Raised};
use super::silence::Liveness;
use super::slow_scenarios::SlowScenarios;
#[doc(hidden)]
pub use super::start_budget::Key;
use super::start_budget::{StartBudget, Starts};
use super::{Outcome, Plan, ScenarioRun};
use crate::check::Finding;
use crate::client::{Client, FirstRequest, Options};
use crate::clock::{self, Deadline};
use crate::scenario::{Kind, Profile};
use crate::spec::Era;
use crate::trace::{Beginning, Recorder, Returned, Seq, Trace};
use crate::transport::{Connection, Limits, OpenError, Target, TransportKind};

/// How many programs are started before they are needed. Each costs memory, and starts compete for the processors.
const AHEAD: usize = 2;

/// For how many starts of the program a scenario waits until another one gives its connection back: the program may just be
/// starting for that one, and a start of its own would take the processors as long.
const STARTS_WAITED_FOR: u32 = 2;

/// How long a program that was not used may take to exit.
const GRACE: Duration = Duration::from_secs(2);

/// A connection whose conversation has begun, for a run.
#[doc(hidden)]
pub struct Taken<'pool> {
    /// The connection.
    pub shared: SharedConnection,
    /// Shows that it is in use, until it is dropped.
    pub in_use: InUse<'pool>,
    /// Whether no other scenario has used it.
    pub is_new: bool,
}

/// Why a run gets no connection.
#[doc(hidden)]
#[derive(Debug)]
pub enum NotTaken {
    /// The program did not begin a conversation in time.
    NotBegun,
    /// The run may not start the program once more.
    NoStart,
}

/// Held while a run confirms what it has shown, so that others of the same scenario wait.
pub(super) type Confirming = OwnedMutexGuard<()>;

/// The connections of a run.
pub struct ConnectionPool {
    target: Target,
    limits: Limits,
    /// The transports over which connections are shared.
    shared: Vec<TransportKind>,
    /// Whether programs are started ahead.
    starts_ahead: bool,
    pub(super) starts: Starts,
    state: RefCell<State>,
    /// The scenarios that do not end in time.
    pub(super) slow: RefCell<SlowScenarios>,
    /// That a run does not use its connection any more.
    returned: Notify,
}

#[derive(Default)]
struct State {
    /// Connections whose conversation has begun, and which no scenario uses.
    idle: Vec<Idle>,
    /// The connections that runs use.
    used: Vec<Key>,
    /// Connections to programs that were started ahead, over standard streams. The first has had the most time to start.
    unused: VecDeque<Connection>,
    /// How long the first answer took, with the start of the program.
    start_up: Option<Duration>,
    /// The longest time that a program of a scenario took for its first answer.
    slowest_start: Duration,
    endings: JoinSet<()>,
    /// Whether connections are ended as soon as no run uses them, since no other run will take them.
    is_draining: bool,
    confirmed: Confirmed,
    /// A list that the server declares was not answered when a stateless connection began.
    ignores_lists: bool,
    /// How many times in a row it was unclear whether the server still answers.
    times_unclear: usize,
    /// The scenarios of which a run is about to confirm something.
    confirming: BTreeMap<String, Arc<Mutex<()>>>,
}

/// Shows that a run uses a connection, until it is dropped.
pub struct InUse<'pool> {
    pool: &'pool ConnectionPool,
    key: Key,
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state.borrow_mut();
        if let Some(index) = state.used.iter().position(|key| *key == self.key) {
            state.used.swap_remove(index);
        }
        self.pool.returned.notify_waiters();
    }
}

/// A connection that no scenario uses.
struct Idle {
    key: Key,
    shared: SharedConnection,
    /// Its last event when it was given back.
    last: Seq,
    /// The run that has used it, and waits to see whether it is quiet.
    user: Option<oneshot::Sender<Trace>>,
}

/// A connection whose conversation has begun, for one scenario run after another.
pub struct SharedConnection {
    #[doc(hidden)]
    pub client: Client,
    /// The beginning of the trace of each run.
    pub(super) beginning: Beginning,
}

impl ConnectionPool {
    /// The pool of a plan: for programs over standard streams.
    #[doc(hidden)]
    pub fn new(plan: &Plan, target: &Target) -> Self {
        // With one job, the program may be one that cannot run twice at the same time.
        // What fails on a shared connection is known only when it is closed, which is too late to end a run with it.
        let is_parallel = plan.jobs > NonZeroUsize::MIN && !plan.fail_fast;
        let has_programs = target.transports().contains(&TransportKind::Stdio);
        // A case may have to prepare something before its program starts.
        let is_prepared = plan.scenario_runs.iter().all(|it| it.scenario.kind == Kind::BuiltIn);
        let starts_ahead = is_parallel && has_programs && is_prepared;
        let pool = Self {
            starts: Starts::new(plan, target),
            target: target.clone(),
            limits: plan.limits,
            shared: vec![TransportKind::Stdio],
            starts_ahead,
            state: RefCell::default(),
            slow: RefCell::default(),
            returned: Notify::new(),
        };
        let is_used = plan.scenario_runs.iter().any(|it| pool.shares(it, plan.profile));
        let shared = if starts_ahead && is_used { pool.shared } else { Vec::new() };
        Self { shared, ..pool }
    }

    /// A pool that keeps connections over this transport, too.
    #[cfg(any(test, feature = "suite"))]
    pub fn over(mut self, transport: TransportKind) -> Self {
        self.shared.push(transport);
        self
    }

    /// Whether connections over a transport are kept.
    pub(super) fn keeps(&self, transport: TransportKind) -> bool {
        self.shared.contains(&transport)
    }

    /// Whether a scenario is run on a shared connection; `profile` is that of the plan.
    #[doc(hidden)]
    pub fn shares(&self, scenario_run: &ScenarioRun, profile: Profile) -> bool {
        let scenario = &scenario_run.scenario;
        self.keeps(scenario_run.transport)
            // The client of the official suite has capabilities of its own.
            && profile.at(scenario, scenario_run.revision) != Profile::Official
            && scenario.kind == Kind::BuiltIn
            && scenario.shares_connection.contains(scenario_run.revision)
    }

    /// Opens a connection with a recorder of its own: one that was opened ahead, if there is one.
    ///
    /// # Errors
    ///
    /// If the program cannot be started.
    pub(super) async fn open(&self, transport: TransportKind) -> Result<Connection, Finding> {
        if let Some(connection) = self.take_unused(transport) {
            return Ok(connection);
        }
        Ok(self.open_new(transport).await?)
    }

    /// A connection that was opened ahead.
    pub(super) fn take_unused(&self, transport: TransportKind) -> Option<Connection> {
        if transport != TransportKind::Stdio {
            return None;
        }
        let mut state = self.state.borrow_mut();
        let mut connection = state.unused.pop_front()?;
        connection.recorder().continue_time();
        if let Some(start_up) = state.start_up {
            connection.set_start_up(start_up);
        }
        Some(connection)
    }

    /// Keeps a connection that was opened ahead for another run, since this one had no use for it.
    pub(super) fn keep_unused(&self, connection: Connection) {
        self.state.borrow_mut().unused.push_front(connection);
    }

    async fn open_new(&self, transport: TransportKind) -> Result<Connection, OpenError> {
        self.target.open(transport, &Recorder::new(), self.limits).await
    }

    /// Whether programs are started ahead.
    pub(super) fn starts_ahead(&self) -> bool {
        self.starts_ahead
    }

    /// Starts programs ahead, as many as are needed, up to a bound.
    pub(super) async fn start_ahead(&self, needed: usize) {
        self.starts.with(|budget| budget.needed = needed);
        if !self.starts_ahead {
            return;
        }
        while self.state.borrow().unused.len() < needed.min(AHEAD) {
            // Whoever needs one finds out why it cannot be started.
            let Ok(connection) = self.open_new(TransportKind::Stdio).await else { return };
            self.state.borrow_mut().unused.push_back(connection);
        }
    }

    /// Notes how long the first answer took, with the start of the program.
    #[doc(hidden)]
    pub fn set_start_up(&self, start_up: Duration) {
        self.state.borrow_mut().start_up = Some(start_up);
    }

    /// How long the first answer took, with the start of the program.
    pub(super) fn start_up(&self) -> Option<Duration> {
        self.state.borrow().start_up
    }

    /// Notes how long another start took, and returns how long the slowest one did.
    pub(super) fn note_start(&self, another: Option<Duration>) -> Duration {
        let mut state = self.state.borrow_mut();
        state.slowest_start = state.slowest_start.max(another.unwrap_or_default());
        state.slowest_start
    }

    /// Takes a connection whose conversation has begun, or begins one within this time.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[doc(hidden)]
    pub async fn take(&self, key: Key, timeout: Duration) -> Result<Taken<'_>, NotTaken> {
        let whole = Deadline::after(timeout);
        let patience = self.state.borrow().start_up.unwrap_or_default() * STARTS_WAITED_FOR;
        let deadline = Deadline::after(patience.min(timeout / 2));
        let half = Deadline::after(timeout / 2);
        loop {
            // Registered before it is looked for, so that no return is missed.
            let mut returned = pin!(self.returned.notified());
            returned.as_mut().enable();
            if let Some(shared) = self.take_kept(key) {
                return Ok(Taken { shared, in_use: self.mark_used(key), is_new: false });
            }
            let is_used = self.state.borrow().used.contains(&key);
            if is_used {
                // If no other one may be started, it is worth more time.
                let allows_another = self.starts.with(|budget| budget.allows_another(key));
                let until = if allows_another { deadline } else { half };
                if clock::within(until, returned).await.is_ok() {
                    continue;
                }
            }
            if !self.starts.with(|budget| budget.count(key, is_used)) {
                return Err(NotTaken::NoStart);
            }
            let in_use = self.mark_used(key);
            let left = whole.remaining().unwrap_or(timeout);
            let shared = self.begin(key, left).await.ok_or(NotTaken::NotBegun)?;
            return Ok(Taken { shared, in_use, is_new: true });
        }
    }

    fn mark_used(&self, key: Key) -> InUse<'_> {
        self.state.borrow_mut().used.push(key);
        InUse { pool: self, key }
    }

    /// A connection that is idle, and on which nothing but notifications has arrived since it was given back.
    pub(super) fn take_kept(&self, key: Key) -> Option<SharedConnection> {
        loop {
            let mut state = self.state.borrow_mut();
            let index = state.idle.iter().position(|idle| idle.key == key)?;
            let idle = state.idle.swap_remove(index);
            let Idle { shared, last, user, .. } = idle;
            match shared.client.recorder().return_to(&shared.beginning, last) {
                // The trace that its user knows is complete.
                Returned::Quiet => return Some(shared),
                Returned::Notified(trace) => {
                    // A run that was given up does not wait for it.
                    user.map(|user| user.send(trace));
                    return Some(shared);
                }
                Returned::Not => state.end(shared.client, user, false),
            }
        }
    }

    /// Notes whether the server still answers, and returns how many times in a row that was unclear; `is_answered` if it answered
    /// in the scenario run itself.
    pub(super) fn times_unclear(&self, liveness: Liveness, is_answered: bool) -> usize {
        let mut state = self.state.borrow_mut();
        match liveness {
            Liveness::Unclear => state.times_unclear += 1,
            Liveness::NotAsked if !is_answered => {}
            _ => state.times_unclear = 0,
        }
        state.times_unclear
    }

    /// Counts a start of the program for a scenario whose connection it has ended, and returns whether it is allowed.
    pub(super) fn may_start_again(&self) -> Arc<dyn Fn() -> bool + Send + Sync> {
        let starts = self.starts.clone();
        Arc::new(move || starts.with(StartBudget::count_replacement))
    }

    async fn begin(&self, key: Key, timeout: Duration) -> Option<SharedConnection> {
        let mut client = self.connect(key, timeout).await?;
        if key.revision.era() == Era::Stateless {
            // Servers of both eras take what comes first for the era of the whole connection, and some count `server/discover` as
            // a probe only: a request without `_meta` after it would turn the connection into one with a handshake.
            let lists = !self.state.borrow().ignores_lists;
            let half = timeout / 2;
            match client.begin_stateless(lists, Deadline::after(half)).await {
                Ok(()) => {}
                Err(FirstRequest::Discover) => return None,
                Err(FirstRequest::List) => {
                    self.state.borrow_mut().ignores_lists = true;
                    drop(self.retire(client, false));
                    client = self.connect(key, half).await?;
                    client.begin_stateless(false, Deadline::after(half)).await.ok()?;
                }
            }
        }
        let beginning = client.recorder().beginning();
        Some(SharedConnection::new(client, beginning))
    }

    async fn connect(&self, key: Key, timeout: Duration) -> Option<Client> {
        let connection = self.open(key.transport).await.ok()?;
        let options = Options::speaking(key.revision).timeout(timeout);
        Client::connect(connection, options).await.ok()
    }

    /// Keeps a connection for other runs.
    #[doc(hidden)]
    pub fn keep(&self, key: Key, shared: SharedConnection) {
        let last = shared.client.recorder().last();
        let mut state = self.state.borrow_mut();
        state.idle.push(Idle { key, shared, last, user: None });
    }

    /// Gives a connection back after a run whose trace ends with `last`, for the next one.
    ///
    /// The receiver gets the whole trace if anything arrived before the next run took the connection, or at its end; nothing
    /// if it was quiet until then.
    #[doc(hidden)]
    pub fn give_back(
        &self,
        key: Key,
        shared: SharedConnection,
        last: Seq,
    ) -> oneshot::Receiver<Trace> {
        let (user, fate) = oneshot::channel();
        let mut state = self.state.borrow_mut();
        if state.is_draining {
            state.end(shared.client, Some(user), false);
        } else {
            state.idle.push(Idle { key, shared, last, user: Some(user) });
        }
        fate
    }

    /// Ends a connection while other scenarios run, with little time if a fault of the server is known; the receiver gets the
    /// whole trace.
    pub(super) fn retire(&self, client: Client, is_hurried: bool) -> oneshot::Receiver<Trace> {
        let (user, fate) = oneshot::channel();
        self.state.borrow_mut().end(client, Some(user), is_hurried);
        fate
    }

    /// Ends every connection as soon as no run uses it, until [`resume`](Self::resume). Then each run that has given one back
    /// learns what became of it.
    #[doc(hidden)]
    pub fn end_idle(&self) {
        let mut state = self.state.borrow_mut();
        state.is_draining = true;
        for idle in mem::take(&mut state.idle) {
            state.end(idle.shared.client, idle.user, false);
        }
    }

    /// Keeps connections again for other runs.
    pub(super) fn resume(&self) {
        self.state.borrow_mut().is_draining = false;
    }

    /// Ends everything, and waits until it has ended.
    pub(super) async fn end(self) {
        self.end_idle();
        let State { unused, mut endings, .. } = self.state.into_inner();
        for connection in unused {
            endings.spawn(async move { drop(connection.end(GRACE).await) });
        }
        while endings.join_next().await.is_some() {}
    }

    /// Kills every program that no run uses, since the server does not answer any more.
    pub(super) fn stop(&self) {
        let mut state = self.state.borrow_mut();
        state.idle.clear();
        state.unused.clear();
        state.endings.abort_all();
    }

    /// How many runs wait to see what becomes of the connection that they gave back.
    pub(super) fn waiting(&self) -> usize {
        self.state.borrow().idle.iter().filter(|idle| idle.user.is_some()).count()
    }

    /// Whether all these failures and warnings were confirmed before.
    pub(super) fn has_confirmed(&self, raised: &[Raised]) -> bool {
        self.state.borrow().confirmed.includes(raised)
    }

    /// Notes what a scenario has shown that counts.
    pub(super) fn confirm(&self, own: &Outcome) {
        self.state.borrow_mut().confirmed.add(&own.scenario_run.scenario.id, &own.checks);
    }

    /// Waits until no other run of the scenario confirms what it has shown; `None` if that takes longer than this.
    pub(super) async fn confirming(
        &self,
        scenario_run: &ScenarioRun,
        timeout: Duration,
    ) -> Option<Confirming> {
        let id = scenario_run.scenario.id.to_string();
        let confirming = self.state.borrow_mut().confirming.entry(id).or_default().clone();
        clock::within(Deadline::after(timeout), confirming.lock_owned()).await.ok()
    }
}

impl State {
    /// Ends a connection; its last user, if there is one, gets the whole trace.
    fn end(&mut self, client: Client, user: Option<oneshot::Sender<Trace>>, is_hurried: bool) {
        let recorder = client.recorder().clone();
        self.endings.spawn(async move {
            let _ = if is_hurried { client.end_soon().await } else { client.end().await };
            if let Some(user) = user {
                // A run that was given up does not wait for it.
                let _ = user.send(recorder.trace());
            }
        });
    }
}

impl SharedConnection {
    /// A connection on which the server was asked whether it speaks a revision; nothing of that is part of any scenario.
    pub(super) fn from_probe(client: Client, opened: Beginning) -> Self {
        let beginning = match client.revision().era() {
            Era::Handshake => client.recorder().beginning(),
            // What was asked there is not how a conversation begins.
            Era::Stateless => opened,
        };
        Self::new(client, beginning)
    }

    fn new(client: Client, beginning: Beginning) -> Self {
        // What the handshake has shown is for the judge of each run, and does not make the connection useless.
        let options = Options::speaking(client.revision());
        Self { client: client.renewed(options), beginning }
    }
}
