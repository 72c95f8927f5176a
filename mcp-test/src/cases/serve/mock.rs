//! The public type: a mock, its options, and its events.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::server::{Call, ClientMessage, Server, given};
use mcp_test_core::spec::Revisions;
use mcp_test_core::transport::Target;

use super::compiled_contract::CompiledContract;
use super::event::MockEvent;
use super::log::Watcher;
use super::responder::Responder;
use super::unmatched::{NearestCase, UnmatchedMessage, nearest_unmatched};
use crate::cases::{Case, CaseFile, CaseMessage, Cases, Direction, Inputs, ReadError, ReadOptions};

/// A server that answers as its cases do, for clients under test and for clients whose server does not exist yet.
///
/// It can [listen](Self::listen) for HTTP, be a [target](Self::target) in process, or be a [server](Self::server) over any
/// byte stream, with faults, or recorded. Clones are the same mock.
///
/// ```
/// use mcp_test::cases::{Cases, Mock, ReadOptions};
/// use mcp_test::client::{Client, Options};
/// use mcp_test::spec::Revision;
/// use mcp_test::trace::Recorder;
/// use mcp_test::transport::{TransportKind, Limits};
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
/// // Any client works.
/// let target = mock.target();
/// let link = target.open(TransportKind::Duplex, &Recorder::new(), Limits::default()).await?;
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
pub struct Mock {
    options: MockOptions,
    responder: Arc<Responder>,
}

#[derive(Clone)]
struct MockOptions {
    inputs: Inputs,
    served: Revisions,
    watcher: Option<Watcher>,
}

impl Mock {
    /// A server that answers as the cases do.
    #[must_use]
    pub fn new(cases: Cases) -> Self {
        let options =
            MockOptions { inputs: Inputs::default(), served: Revisions::all(), watcher: None };
        Self::with_options(options, cases)
    }

    /// A mock of the cases in a file, in all files that match a pattern such as `contracts/*.yaml`, or in a directory.
    ///
    /// # Errors
    ///
    /// If no such file exists, or one is not valid.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Ok(Self::new(Cases::read(&[path], &ReadOptions::default())?.0))
    }

    /// Sets the value of an input of the cases (`_inputs`).
    #[must_use]
    pub fn input(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|options| options.inputs = std::mem::take(&mut options.inputs).value(name, value))
    }

    /// Sets the inputs of the cases, and discards those set before.
    #[must_use]
    pub fn inputs(self, inputs: Inputs) -> Self {
        self.with(|options| options.inputs = inputs)
    }

    /// Serves only these revisions.
    #[must_use]
    pub fn revisions(self, served: Revisions) -> Self {
        self.with(|options| options.served = served)
    }

    /// Calls a function with each event, as it happens.
    #[must_use]
    pub fn watched_by(self, watch: impl Fn(&MockEvent) + Send + Sync + 'static) -> Self {
        self.with(|options| options.watcher = Some(Arc::new(watch)))
    }

    /// The server, for any transport, with faults, or recorded.
    #[must_use]
    pub fn server(&self) -> Server {
        let [identifies, accepts, answers] = [(); 3].map(|()| Arc::clone(&self.responder));
        let server = Server::new(Object::new())
            .identified_by(move || Arc::clone(&identifies.contract().identity));
        let answer = move |call: Call| {
            let responder = Arc::clone(&answers);
            async move { responder.answer(&call).await }
        };
        let accepts = move |message: &ClientMessage| accepts.accepts(message);
        server.mount(given(accepts).respond_with(answer));
        server
    }

    /// The mock as a target in process: over a pipe and, with feature `http`, as a router.
    #[must_use]
    pub fn target(&self) -> Target {
        self.server().target()
    }

    /// Listens for HTTP on an address; `127.0.0.1:0` takes any free port of this machine.
    ///
    /// # Errors
    ///
    /// If the address cannot be bound.
    #[cfg(feature = "http")]
    pub async fn listen(
        &self,
        address: impl tokio::net::ToSocketAddrs,
    ) -> std::io::Result<mcp_test_core::server::HttpListener> {
        self.server().listen(address).await
    }

    /// Serves other cases from now on, also to connected clients; pending requests are still answered from the old ones.
    pub fn reload(&self, cases: Cases) {
        let count = cases.iter().count();
        self.responder.log.retain(&cases);
        self.responder.replace(self.options.compile(cases));
        // Last, so that a watcher already gets the new cases from the mock at this event.
        self.responder.log.record(MockEvent::Reloaded { cases: count });
    }

    /// The cases that are currently served.
    #[must_use]
    pub fn cases(&self) -> Cases {
        self.responder.contract().cases.clone()
    }

    /// Notes on the cases: messages that are not served, hooks that are not run.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.responder.contract().notes.clone()
    }

    /// What happened, in order; the oldest events are dropped when there are too many.
    #[must_use]
    pub fn events(&self) -> Vec<MockEvent> {
        self.responder.log.events()
    }

    /// How often a message of a case was exchanged: an `in` received, an `out` sent.
    #[must_use]
    pub fn times(&self, case: &Case, message: &CaseMessage) -> u64 {
        self.responder.log.times(&case.id, &message.key)
    }

    /// The messages of clients that no case has; the oldest are dropped when there are too many.
    #[must_use]
    pub fn unmatched(&self) -> Vec<Arc<UnmatchedMessage>> {
        self.responder.log.unmatched()
    }

    /// The unmatched message that is nearest to a message of a case; `None` if none has its method.
    #[must_use]
    pub fn nearest(
        &self,
        case: &Case,
        message: &CaseMessage,
    ) -> Option<(Arc<UnmatchedMessage>, NearestCase)> {
        nearest_unmatched(&self.responder.contract(), case, message, &self.unmatched())
    }

    /// The cases of which no message was exchanged.
    #[must_use]
    pub fn unused(&self) -> Vec<(Arc<CaseFile>, Arc<Case>)> {
        let contract = self.responder.contract();
        let is_served = |case: &Case| case.settings.skip.is_none() && !case.messages.is_empty();
        let unused = contract
            .cases
            .iter()
            .filter(|(_, case)| is_served(case) && !self.responder.log.is_used(&case.id));
        unused.map(|(file, case)| (Arc::clone(file), Arc::clone(case))).collect()
    }

    /// Asserts that each case was used, and that no request was refused because no case has it.
    ///
    /// [`assert_used`](Self::assert_used) asserts it of the cases that one client needs.
    ///
    /// # Panics
    ///
    /// If a case was not used, or such a request was refused. The message lists all of them.
    #[track_caller]
    pub fn assert_all_used(&self) {
        let unused = self.unused();
        let unused = unused.iter().map(|(file, case)| self.describe_unused(file, case));
        let problems: Vec<String> = unused.chain(self.describe_refused()).collect();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    /// Asserts that each of these cases was used, whatever other cases the contract has, and that no request was refused because no
    /// case has it.
    ///
    /// A case is given by its id, or by its name if no other case has the same.
    ///
    /// ```no_run
    /// # fn f(mock: &mcp_test::cases::Mock) {
    /// mock.assert_used(["Adds two numbers", "Lists the tools"]);
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If one of these cases was not used or does not exist, or such a request was refused. The message lists all of them, then the
    /// ids of the cases that were used and of those that were not.
    #[track_caller]
    pub fn assert_used(&self, cases: impl IntoIterator<Item = impl AsRef<str>>) {
        let known = self.cases();
        let is_used = |id: &str| self.responder.log.is_used(id);
        let wanted = cases.into_iter().filter_map(|wanted| match find(&known, wanted.as_ref()) {
            Ok((_, case)) if is_used(&case.id) => None,
            Ok((file, case)) => Some(self.describe_unused(file, case)),
            Err(problem) => Some(problem),
        });
        let mut problems: Vec<String> = wanted.chain(self.describe_refused()).collect();
        if problems.is_empty() {
            return;
        }
        let (used, others): (Vec<_>, Vec<_>) =
            known.iter().map(|(_, case)| &*case.id).partition(|id| is_used(id));
        problems.push(format!("used: {}", named(&used)));
        problems.push(format!("not used: {}", named(&others)));
        panic!("{}", problems.join("\n"));
    }

    /// A sentence for each request that was refused because no case has it.
    fn describe_refused(&self) -> Vec<String> {
        let unmatched = self.unmatched();
        // A notification cannot be refused: JSON-RPC has no reply to it.
        let refused = unmatched.iter().filter(|it| !it.method().starts_with("notifications/"));
        let described = refused.map(|it| {
            format!("a request of the client is in no case: {}: {}", it.summary(), it.reason())
        });
        described.collect()
    }

    /// A sentence for an unused case, with the message that is nearest to its first one.
    fn describe_unused(&self, file: &CaseFile, case: &Case) -> String {
        let (title, line) = (case.title(), case.span.line);
        let text = format!("the case {title:?} ({}:{line}) was not used", file.path);
        let first = case.sent(Direction::In).next();
        match first.and_then(|message| self.nearest(case, message)) {
            Some((unmatched, nearest)) => {
                let differences: Vec<_> =
                    nearest.differences.iter().map(ToString::to_string).collect();
                format!(
                    "{text}; the nearest was {}: {}",
                    unmatched.summary(),
                    differences.join("; ")
                )
            }
            None => text,
        }
    }

    fn with(self, change: impl FnOnce(&mut MockOptions)) -> Self {
        let mut options = self.options.clone();
        change(&mut options);
        Self::with_options(options, self.cases())
    }

    fn with_options(options: MockOptions, cases: Cases) -> Self {
        let contract = options.compile(cases);
        let responder = Arc::new(Responder::new(contract, options.watcher.clone()));
        Self { options, responder }
    }
}

/// The case that has this id, or else this name.
fn find<'a>(cases: &'a Cases, wanted: &str) -> Result<(&'a CaseFile, &'a Case), String> {
    let known = || cases.iter().map(|(file, case)| (&**file, &**case));
    if let Some(found) = known().find(|(_, case)| case.id == wanted) {
        return Ok(found);
    }
    let has_name = |(_, case): &(_, &Case)| case.name.as_deref() == Some(wanted);
    let of_name: Vec<_> = known().filter(has_name).collect();
    match of_name.as_slice() {
        [found] => Ok(*found),
        [] => {
            let names = known().flat_map(|(_, case)| [Some(&*case.id), case.name.as_deref()]);
            let names = names.flatten();
            let near = words::closest(wanted, names);
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(format!("no case has the id or the name `{wanted}`{near}"))
        }
        several => Err(format!(
            "several cases have the name `{wanted}`; name one by its id: {}",
            named(&several.iter().map(|(_, case)| &*case.id).collect::<Vec<_>>())
        )),
    }
}

/// Ids in backticks.
fn named(ids: &[&str]) -> String {
    match ids {
        [] => "none".to_owned(),
        ids => words::list(ids.iter().map(|id| format!("`{id}`")), "and"),
    }
}

impl MockOptions {
    fn compile(&self, cases: Cases) -> CompiledContract {
        CompiledContract::new(cases, &self.inputs, self.served)
    }
}

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mock")
            .field("cases", &self.responder.contract().cases.iter().count())
            .finish_non_exhaustive()
    }
}
