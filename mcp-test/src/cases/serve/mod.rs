//! A contract that stands in for its server: each `in` of a client is answered with the `out`s that a case has for it.
//!
//! | file | what |
//! |---|---|
//! | `line` `turn` | the messages of cases: what the client says, and what the server does then |
//! | `edition` `shelves` | a contract made ready: its conversations, found by what is said |
//! | `heard` | whether something that was said is what a case has |
//! | `seat` | how far a client has come, and which turn is next |
//! | `play` `labels` `era` | doing what the turn says, with the ids of the client and in its era |
//! | `branch` | another case that has what the client answers |
//! | `face` `infer` | what no case says, but all together show: capabilities, lists |
//! | `miss` | what no case has: the nearest one, and the difference |
//! | `event` `log` | what happened |
//!
//! # Which case answers
//!
//! 1. The conversation that the client has under way with it goes on: the next `in` of a case, or of those that continue it.
//! 2. A case that has exactly this goes before one that allows it by `_match`.
//! 3. A case whose client declares in `initialize` what this one does goes before one whose client declares something else.
//! 4. Of several that fit, the first that this client was not yet answered with; once all were used, the last again. So cases
//!    with the same `in` are answers one after the other.
//! 5. An `in` from the middle of a case is answered too, although what comes before it was not said.
//!
//! A client is a conversation. Where each request is a conversation by itself (2026-07-28 over HTTP), a client is whoever
//! calls itself by the same `clientInfo`, and begins anew with `server/discover`.
//!
//! # What is said
//!
//! - Ids, progress tokens and subscription ids are replaced by those that are really used; so is the `protocolVersion` in the
//!   result of `initialize`, by the one that was agreed. News of progress is left out if the client wants none.
//! - A contract of one era is served to clients of both. A request of the server becomes a result that wants input where
//!   servers send no requests, and the other way round.
//! - What the client answers to a request of the server is compared with the case. If it is otherwise, a case that is the same
//!   up to there and has this answer goes on; if there is none, the difference is told, and the case goes on nevertheless.
//! - `${name}` is replaced. A name that has no value is given the one that the client says in its place.
//! - Where no case has `initialize` or `server/discover`, the server introduces itself by what the other cases show; where no
//!   case has a list, it is inferred from the calls, and marked as such. `ping` is always answered; `logging/setLevel` and
//!   subscriptions to resources are, where they are declared. A method that the revision of the client does not have is
//!   refused, whatever the cases have.
//! - `_skip`ped cases are not served; `_before`, `_after`, `_given`, `_only`, `_tags`, `_timeout` and `_transport` say nothing
//!   here. A case holds for clients of its `_revision`.

mod branch;
mod edition;
mod era;
mod event;
mod face;
pub(super) mod heard;
mod infer;
mod labels;
mod line;
mod log;
mod miss;
mod play;
mod seat;
mod shelves;
#[cfg(test)]
mod tests;
mod turn;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use edition::Edition;
use event::brief;
use heard::Heard;
use log::Log;
use play::{Pause, Play};
use seat::{Choice, Place, Seat, Seats};

use crate::cases::{Case, CaseFile, CaseMessage, Cases, Direction, Inputs, ReadError, ReadOptions};
use crate::json::{Object, Value};
use crate::server::{Answer, Call, ClientMessage, Server, given};
use crate::spec::{self, Revisions, Side};
use crate::transport::Target;

pub use event::{Answered, Event};
pub use miss::{Miss, Nearest};

/// A server made of cases, for clients under test and for clients that have no server yet.
///
/// It [listens](Self::listen), it is a [target](Self::target) in process, and it is a [server](Self::server) that can be
/// served over any byte stream, with faults, or recorded. Copies are the same mock.
///
/// ```
/// use mcp_test::cases::{Cases, Mock, ReadOptions};
/// use mcp_test::client::{Client, Options};
/// use mcp_test::spec::Revision;
/// use mcp_test::trace::Recorder;
/// use mcp_test::transport::{CarrierKind, Limits};
/// use serde_json::json;
///
/// let contract = r#"
/// case: Adds two numbers
/// in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}
/// out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
/// "#;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let (cases, _) = Cases::parse("calculator.yaml", contract, &ReadOptions::default())?;
/// let mock = Mock::new(cases);
///
/// // Any client will do.
/// let target = mock.target();
/// let link = target.open(CarrierKind::Duplex, &Recorder::new(), Limits::default()).await?;
/// let mut client = Client::connect(link, Options::speaking(Revision::V2025_11_25)).await?;
/// let sum = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
/// let reply = client.request("tools/call", sum).await?;
/// assert_eq!(reply.result()?.at("/content/0/text"), Some(&"3".into()));
/// mock.assert_all_used();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Mock(Arc<Shared>);

type Watcher = Arc<dyn Fn(&Event) + Send + Sync>;

/// What is asked of a mock.
#[derive(Clone)]
struct Setup {
    inputs: Inputs,
    served: Revisions,
    watcher: Option<Watcher>,
}

struct Shared {
    setup: Setup,
    current: RwLock<Arc<Edition>>,
    seats: Seats,
    clients: AtomicU64,
    log: Log,
}

impl Mock {
    /// A server that says what the cases say.
    #[must_use]
    pub fn new(cases: Cases) -> Self {
        let setup = Setup { inputs: Inputs::default(), served: Revisions::all(), watcher: None };
        Self::set_up(setup, cases)
    }

    /// The same with the cases of a file, of all files that a pattern such as `contracts/*.yaml` means, or of a directory.
    ///
    /// # Errors
    ///
    /// If there is no such file, or something in one is wrong.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Ok(Self::new(Cases::read(&[path], &ReadOptions::default())?.0))
    }

    /// Gives an input of the cases (`_inputs`) its value.
    #[must_use]
    pub fn input(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|setup| setup.inputs = std::mem::take(&mut setup.inputs).value(name, value))
    }

    /// Gives inputs of the cases their values, in place of all that were given before.
    #[must_use]
    pub fn inputs(self, inputs: Inputs) -> Self {
        self.with(|setup| setup.inputs = inputs)
    }

    /// Serves these revisions only.
    #[must_use]
    pub fn revisions(self, served: Revisions) -> Self {
        self.with(|setup| setup.served = served)
    }

    /// Calls a function with everything that happens, at once.
    #[must_use]
    pub fn watched_by(self, watch: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.with(|setup| setup.watcher = Some(Arc::new(watch)))
    }

    /// The server, to be served over any carrier, with faults, or recorded.
    #[must_use]
    pub fn server(&self) -> Server {
        let (presents, takes, answers) =
            (Arc::clone(&self.0), Arc::clone(&self.0), Arc::clone(&self.0));
        let server =
            Server::new(Object::new()).presenting(move || Arc::clone(&presents.edition().face));
        let answer = move |call: Call| {
            let mock = Arc::clone(&answers);
            async move { mock.answer(&call).await }
        };
        let takes = move |message: &ClientMessage| takes.takes(message);
        server.mount(given(takes).respond_with(answer));
        server
    }

    /// The mock as a target, in process: over a pipe and, where HTTP is built in, as a router.
    #[must_use]
    pub fn target(&self) -> Target {
        self.server().target()
    }

    /// Listens for HTTP on an address; `127.0.0.1:0` takes any free port of this machine.
    ///
    /// # Errors
    ///
    /// When the address cannot be bound.
    #[cfg(feature = "http")]
    pub async fn listen(
        &self,
        address: impl tokio::net::ToSocketAddrs,
    ) -> std::io::Result<crate::server::Listening> {
        self.server().listen(address).await
    }

    /// Serves other cases from now on, to those too who are here already; what is being answered is answered to its end as it
    /// was begun.
    pub fn reload(&self, cases: Cases) {
        let count = cases.iter().count();
        self.0.log.keep_only(&cases);
        let edition = self.0.setup.edition(cases);
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(edition);
        self.0.seats.clear();
        self.0.tell(Event::Reloaded { cases: count });
    }

    /// The cases that are served now.
    #[must_use]
    pub fn cases(&self) -> Cases {
        self.0.edition().cases.clone()
    }

    /// What is strange about the cases, as far as it matters here: messages that are not served, commands that are not run.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.0.edition().notes.clone()
    }

    /// What happened, in order; the oldest is forgotten when it is too much.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.0.log.events()
    }

    /// How often a message of a case was said: an `in` by a client, an `out` to one.
    #[must_use]
    pub fn times(&self, case: &Case, message: &CaseMessage) -> u64 {
        self.0.log.times(&case.id, &message.key)
    }

    /// What clients said and no case has; the oldest is forgotten when it is too much.
    #[must_use]
    pub fn misses(&self) -> Vec<Arc<Miss>> {
        self.0.log.misses()
    }

    /// What came nearest to a message that clients did not say, of all that no case has; `None` if nothing has its method.
    #[must_use]
    pub fn nearest(&self, case: &Case, message: &CaseMessage) -> Option<(Arc<Miss>, Nearest)> {
        self.0.edition().nearest_miss(case, message, &self.misses())
    }

    /// The cases of which nothing was said.
    #[must_use]
    pub fn unused(&self) -> Vec<(Arc<CaseFile>, Arc<Case>)> {
        let edition = self.0.edition();
        let served = |case: &Case| case.settings.skip.is_none() && !case.messages.is_empty();
        let unused =
            edition.cases.iter().filter(|(_, case)| served(case) && !self.0.log.is_used(&case.id));
        unused.map(|(file, case)| (Arc::clone(file), Arc::clone(case))).collect()
    }

    /// Makes sure that something was said of each case, and that clients said nothing that no case has.
    ///
    /// # Panics
    ///
    /// If a case was not used, or a request was refused because no case has it. It tells all of them.
    #[track_caller]
    pub fn assert_all_used(&self) {
        let unused = self.unused();
        let mut problems: Vec<String> =
            unused.iter().map(|(file, case)| self.told(file, case)).collect();
        let asked = |miss: &&Arc<Miss>| !miss.method().starts_with("notifications/");
        let misses = self.misses();
        let refused = misses.iter().filter(asked);
        problems.extend(refused.map(|miss| {
            format!("no case has what a client said: {}: {}", miss.what(), miss.why())
        }));
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    /// That a case was not used, with what came nearest to its first message.
    fn told(&self, file: &CaseFile, case: &Case) -> String {
        let (title, line) = (case.title(), case.span.line);
        let text = format!("the case {title:?} ({}:{line}) was not used", file.path);
        let first = case.said(Direction::In).next();
        match first.and_then(|message| self.nearest(case, message)) {
            Some((miss, nearest)) => {
                let differences: Vec<_> =
                    nearest.differences.iter().map(ToString::to_string).collect();
                format!("{text}; nearest came {}: {}", miss.what(), differences.join("; "))
            }
            None => text,
        }
    }

    fn with(self, change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = self.0.setup.clone();
        change(&mut setup);
        Self::set_up(setup, self.cases())
    }

    fn set_up(setup: Setup, cases: Cases) -> Self {
        let current = RwLock::new(Arc::new(setup.edition(cases)));
        Self(Arc::new(Shared {
            setup,
            current,
            seats: Seats::default(),
            clients: AtomicU64::new(0),
            log: Log::default(),
        }))
    }
}

impl Setup {
    fn edition(&self, cases: Cases) -> Edition {
        Edition::new(cases, &self.inputs, self.served)
    }
}

impl Shared {
    fn edition(&self) -> Arc<Edition> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, event: Event) {
        if let Some(watch) = &self.setup.watcher {
            watch(&event);
        }
        self.log.note(event);
    }

    /// Whether the server asks the contract about a message: not about a subscription that no case has.
    fn takes(&self, message: &ClientMessage) -> bool {
        message
            .method()
            .is_some_and(|method| method != "subscriptions/listen" || self.edition().has(method))
    }

    /// The client that calls.
    fn seat(&self, call: &Call) -> Option<Arc<Seat>> {
        let make = || Seat::new(self.clients.fetch_add(1, Ordering::Relaxed), self.edition());
        if !call.is_alone() {
            return Some(call.kept(|| Place::new(make()))?.seat(self.edition()));
        }
        let name = call.client_info().map(Value::to_string).unwrap_or_default();
        Some(self.seats.find(&name, call.method() == "server/discover", make))
    }

    async fn answer(self: &Arc<Self>, call: &Call) -> Answer {
        let Some(seat) = self.seat(call) else { return call.built_in() };
        let heard = Heard::new(call.method(), call.params(), call.revision());
        if !exists(call) {
            return self.refuse(&heard, &seat);
        }
        if let Some(answer) = self.resume(call, &seat).await {
            return answer;
        }
        let Some(choice) = seat.choose(&heard) else { return self.otherwise(call, &heard, &seat) };
        let line = &seat.edition.turn(choice.at).heard;
        self.log.count(line);
        let asked = Answered::new(seat.number, brief(&heard.method, heard.name.as_deref()), line);
        let play = Play::new(self, &seat, &choice, call);
        let Choice { differences, .. } = choice;
        self.tell(match differences.is_empty() {
            true => Event::Answered(asked),
            false => Event::Differed { asked, differences },
        });
        if call.id().is_some() {
            return play.answer(call, 0).await;
        }
        play.go_on(0);
        self.open(call, &seat);
        Answer::given()
    }

    /// Goes on with a case that has asked the client for something, which it brings along.
    async fn resume(self: &Arc<Self>, call: &Call, seat: &Arc<Seat>) -> Option<Answer> {
        let pause = Pause::read(call.request_state()?)?;
        if !pause.is_in(&seat.edition, call.method()) {
            return None;
        }
        let values = seat.values(pause.at.chain);
        let choice = Choice { at: pause.at, values, differences: Vec::new() };
        let mut play = Play::new(self, seat, &choice, call);
        play.resume(call, &pause)?;
        Some(play.answer(call, pause.act + 1).await)
    }

    /// Says what conversations begin with that do not wait for the client, once it is ready.
    fn open(self: &Arc<Self>, call: &Call, seat: &Arc<Seat>) {
        if call.method() != "notifications/initialized" {
            return;
        }
        for (number, chain) in seat.edition.chains.iter().enumerate() {
            if !chain.opening.is_empty() && chain.revisions.contains(call.revision()) {
                Play::opening(self, seat, number, call).go_on(0);
            }
        }
    }

    /// Answers what no case has.
    fn otherwise(self: &Arc<Self>, call: &Call, heard: &Heard, seat: &Arc<Seat>) -> Answer {
        if call.id().is_none() {
            let expected = ["notifications/initialized", "notifications/cancelled"];
            if !expected.contains(&call.method()) {
                self.tell(Event::Missed(Arc::new(Miss::new(seat.number, heard, &seat.edition))));
            }
            self.open(call, seat);
            return Answer::given();
        }
        if let Some((answer, from)) = implied(call, &seat.edition) {
            let what = brief(&heard.method, heard.name.as_deref());
            self.tell(Event::Implied { client: seat.number, what, from });
            return answer;
        }
        self.refuse(heard, seat)
    }

    fn refuse(&self, heard: &Heard, seat: &Seat) -> Answer {
        let miss = Arc::new(Miss::new(seat.number, heard, &seat.edition));
        let error = miss.error();
        self.tell(Event::Missed(miss));
        error.into()
    }
}

/// Whether clients may say this at the revision; what MCP does not know, they may.
fn exists(call: &Call) -> bool {
    let known = spec::method(call.method());
    known.is_none_or(|method| method.sent_by(Side::Client, call.revision()))
}

/// What the contract implies although no case has it, and what the answer is made of.
fn implied(call: &Call, edition: &Edition) -> Option<(Answer, String)> {
    let method = call.method();
    let declared = || {
        let capability = spec::method(method)?.capability(call.revision())?;
        call.is_declared(capability).then_some(())
    };
    match method {
        "ping" => Some((call.built_in(), "every server answers it".to_owned())),
        "initialize" | "server/discover" => {
            Some((call.built_in(), "made of what the cases show".to_owned()))
        }
        _ if edition.has(method) => None,
        "logging/setLevel" => {
            declared()?;
            call.set_log_level(call.param("level")?.as_str()?);
            Some((Value::from(Object::new()).into(), "declared, and no case has it".to_owned()))
        }
        "resources/subscribe" | "resources/unsubscribe" => {
            declared()?;
            Some((Value::from(Object::new()).into(), "declared, and no case has it".to_owned()))
        }
        _ => {
            let (result, from) = edition.lists().result(method, call.revision())?;
            declared()?;
            Some((result.into(), from))
        }
    }
}

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mock")
            .field("cases", &self.0.edition().cases.iter().count())
            .finish_non_exhaustive()
    }
}
