//! The scriptable server: it speaks MCP well by itself, and says what a script wants it to say.
//!
//! It serves both eras on one endpoint and negotiates any revision. It never judges its client: what was said is in the
//! trace, for others to judge. What is to be wrong is said with [`Fault`]s or by a handler.
//!
//! A script has two forms. Handlers, [`Server::on`], make a server that does something, such as the
//! [reference server](mod@reference). Rules, [`given`] some conditions and put into force by [`Server::mount`], say for a test
//! what is answered when, count how often it was asked for, and tell with [`Server::verify`] what came otherwise.
//!
//! ```
//! use mcp_test::server::{Answer, Call, Server};
//! use mcp_test::transport::Fault;
//! use serde_json::json;
//!
//! let server = Server::new(json!({"name": "calculator", "version": "1.0.0"}))
//!     .capabilities(json!({"tools": {}}))
//!     .on("tools/list", |_: Call| async { json!({"tools": []}) })
//!     .on("tools/call", |_: Call| async { Answer::error(-32602, "unknown tool") })
//!     .faults([Fault::wrong_id("tools/list")]);
//! # drop(server);
//! ```

mod admission;
mod answer;
mod ask;
mod asked;
#[cfg(feature = "cases")]
mod backstage;
mod call;
mod conversation;
mod given;
mod handler;
mod in_flight;
mod log;
pub mod reference;
mod reply;
mod shape;
mod subscriptions;
mod terms;

#[cfg(test)]
mod tests;

use std::{collections::HashMap, future::Future, sync::Arc, time::Duration};

use tokio::io::{AsyncRead, AsyncWrite};

use conversation::Talk;
use given::Book;
use handler::Handler;
use subscriptions::Audience;

#[cfg(feature = "http")]
use crate::transport::serve_http::{HttpOptions, HttpServer};
use crate::{
    check::Finding,
    clock::Deadline,
    json::Value,
    spec::{Era, Revision, Revisions},
    trace::Recorder,
    transport::{
        Fault, Limits, Target,
        fault::Lapse,
        serve::{Actor, Conversation, Mirrored, ServeError},
        serve_lines::serve_lines,
        tap::Tap,
    },
    wire::RpcError,
};

pub use answer::Answer;
pub use ask::Unanswered;
#[cfg(feature = "cases")]
pub(crate) use backstage::{Face, Voice};
pub use call::{Call, CallError};
pub use given::{
    ClientMessage, Condition, Course, Gate, Given, Respond, Rule, Scoped, Steps, Times,
    any_message, by_client, given, meta, method, param, params, revision, steps,
};

#[cfg(feature = "http")]
pub use crate::transport::serve_http::Listening;

/// A server made of a script.
///
/// Copies are cheap and serve the same clients, each in a conversation of its own; a copy that is changed is another
/// server.
#[derive(Debug, Clone)]
pub struct Server(Arc<Script>);

#[derive(Debug, Clone)]
struct Script {
    info: Value,
    instructions: Option<String>,
    capabilities: Value,
    served: Revisions,
    handlers: HashMap<String, Handler>,
    faults: Vec<Fault>,
    book: Book,
    recorder: Option<Recorder>,
    limits: Limits,
    streams_replies: bool,
    retry: Duration,
    mirrored: Vec<Mirrored>,
    audience: Audience,
    #[cfg(feature = "cases")]
    faces: Option<backstage::Faces>,
}

/// A request that is not admitted.
#[derive(Debug, Clone, PartialEq)]
struct Refusal {
    error: RpcError,
    /// The HTTP status, where the revision wants another than 200.
    status: Option<u16>,
}

impl From<RpcError> for Refusal {
    fn from(error: RpcError) -> Self {
        Self { error, status: None }
    }
}

impl Server {
    /// A server of this name and version (`{"name": …, "version": …}`) that can do nothing yet.
    #[must_use]
    pub fn new(info: impl Into<Value>) -> Self {
        Self(Arc::new(Script {
            info: info.into(),
            instructions: None,
            capabilities: serde_json::json!({}).into(),
            served: Revisions::all(),
            handlers: HashMap::new(),
            faults: Vec::new(),
            book: Book::default(),
            recorder: None,
            limits: Limits::default(),
            streams_replies: false,
            retry: Duration::from_millis(100),
            mirrored: Vec::new(),
            audience: Audience::default(),
            #[cfg(feature = "cases")]
            faces: None,
        }))
    }

    /// Serves these revisions only.
    #[must_use]
    pub fn revisions(self, served: Revisions) -> Self {
        self.with(|script| script.served = served)
    }

    /// Declares these capabilities; a method whose capability is not declared does not exist.
    #[must_use]
    pub fn capabilities(self, capabilities: impl Into<Value>) -> Self {
        self.with(|script| script.capabilities = capabilities.into())
    }

    /// Tells clients what the server is good for.
    #[must_use]
    pub fn instructions(self, instructions: impl Into<String>) -> Self {
        self.with(|script| script.instructions = Some(instructions.into()))
    }

    /// Answers the requests of a method, or watches its notifications; the latest handler counts.
    #[must_use]
    pub fn on<F, Fut, A>(self, method: impl Into<String>, handle: F) -> Self
    where
        F: Fn(Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = A> + Send + 'static,
        A: Into<Answer>,
    {
        self.with(|script| {
            script.handlers.insert(method.into(), Handler::new(handle));
        })
    }

    /// Puts a rule into force, before its messages come or while clients are served.
    ///
    /// ```
    /// use mcp_test::server::{given, method, reference::everything};
    /// use serde_json::json;
    ///
    /// let server = everything();
    /// server.mount(given(method("tools/list")).respond_with(json!({"tools": []})).expect(1));
    /// let findings = server.verify();
    /// assert_eq!(findings[0].got.as_deref(), Some("never; nothing else came"));
    /// ```
    pub fn mount(&self, rule: Rule) {
        self.0.book.mount(rule);
    }

    /// Puts a rule into force for as long as the guard lives.
    ///
    /// # Panics
    ///
    /// Not here, but where the guard is dropped, if the rule was not called as often as expected.
    pub fn mount_as_scoped(&self, rule: Rule) -> Scoped {
        Scoped::new(self.0.book.clone(), self.0.book.mount(rule))
    }

    /// A finding for each mounted rule that was called more or less often than expected, with what came instead.
    #[must_use = "a rule that is not met is found here, and reported by whoever asks"]
    pub fn verify(&self) -> Vec<Finding> {
        self.0.book.verify()
    }

    /// Makes sure that each mounted rule was called as often as expected.
    ///
    /// # Panics
    ///
    /// With all that [`Self::verify`] finds.
    #[track_caller]
    pub fn assert_verified(&self) {
        let findings: Vec<_> = self.verify().iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    /// What clients have sent, in the order in which it came; the oldest are forgotten when it is too much.
    #[must_use]
    pub fn received(&self) -> Vec<ClientMessage> {
        self.0.book.received()
    }

    /// Waits for a message that meets the condition, be it there already; `None` if none comes in time.
    pub async fn until_received(
        &self,
        wanted: impl Condition,
        deadline: Deadline,
    ) -> Option<ClientMessage> {
        self.0.book.until(&wanted, deadline).await
    }

    /// Puts faults on the tap, beside those already there.
    #[must_use]
    pub fn faults(self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.with(|script| script.faults.extend(faults))
    }

    /// Records what is said, on the server's side of every carrier.
    #[must_use]
    pub fn record(self, recorder: Recorder) -> Self {
        self.with(|script| script.recorder = Some(recorder))
    }

    /// Refuses what is larger than this.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        self.with(|script| script.limits = limits)
    }

    /// Answers HTTP requests with a stream, even those that one JSON text would answer.
    #[must_use]
    pub fn streaming_replies(self) -> Self {
        self.with(|script| script.streams_replies = true)
    }

    /// Tells clients to come back after this time for a stream that they lost, where they may; 100 ms unless told.
    #[must_use]
    pub fn retry(self, after: Duration) -> Self {
        self.with(|script| script.retry = after)
    }

    /// Expects the argument of a tool in the header `Mcp-Param-…` too, where requests mirror it; `pointer` leads to it in
    /// the arguments. The tool's schema should say so with `x-mcp-header`.
    ///
    /// ```
    /// use mcp_test::server::reference::everything;
    ///
    /// let server = everything().mirrors("execute_sql", "/region", "Region");
    /// # drop(server);
    /// ```
    #[must_use]
    pub fn mirrors(
        self,
        tool: impl Into<String>,
        pointer: impl Into<String>,
        header: impl Into<String>,
    ) -> Self {
        let mirrored =
            Mirrored { tool: tool.into(), pointer: pointer.into(), header: header.into() };
        self.with(|script| script.mirrored.push(mirrored))
    }

    /// Serves one client over a byte stream, a message per line, until it leaves.
    ///
    /// # Errors
    ///
    /// When reading fails, or when a fault ends the server.
    pub async fn serve(&self, io: impl AsyncRead + AsyncWrite) -> Result<(), ServeError> {
        self.serve_over("duplex", io).await
    }

    /// Serves the client at the other end of this process's stdin and stdout, until it leaves.
    ///
    /// Nothing else may write to stdout meanwhile. The runtime keeps a thread that reads stdin: shut it down with
    /// `Runtime::shutdown_background`, or leave the process.
    ///
    /// # Errors
    ///
    /// When reading fails, or when a fault ends the server.
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        self.serve_over("stdio", tokio::io::join(tokio::io::stdin(), tokio::io::stdout())).await
    }

    /// The server as an axum service, with the MCP endpoint at `/mcp`; where 2024-11-05 is served, its event stream is at
    /// `/sse`.
    #[cfg(feature = "http")]
    pub fn router(&self) -> axum::Router {
        self.http().router()
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
    ) -> std::io::Result<Listening> {
        self.http().listen(address).await
    }

    #[cfg(feature = "http")]
    fn http(&self) -> HttpServer {
        let Script { limits, streams_replies, retry, .. } = &*self.0;
        let options = HttpOptions {
            limits: *limits,
            streams_replies: *streams_replies,
            retry: *retry,
            ..HttpOptions::default()
        };
        HttpServer::new(Arc::new(self.clone()), &self.tap(), options)
    }

    /// The server as a target, in process: over a pipe and, where HTTP is built in, as a router.
    #[must_use]
    pub fn target(&self) -> Target {
        let server = self.clone();
        let target = Target::duplex(move |io| {
            let server = server.clone();
            async move { Ok(server.serve(io).await?) }
        });
        #[cfg(feature = "http")]
        let target = {
            let server = self.clone();
            target.and_router(move || server.router())
        };
        target
    }

    async fn serve_over(
        &self,
        carrier: &str,
        io: impl AsyncRead + AsyncWrite,
    ) -> Result<(), ServeError> {
        serve_lines(io, self, &self.tap().open(carrier), self.0.limits).await
    }

    fn with(mut self, change: impl FnOnce(&mut Script)) -> Self {
        let script = Arc::make_mut(&mut self.0);
        script.book = script.book.anew();
        script.audience = Audience::default();
        change(script);
        self
    }

    fn tap(&self) -> Tap {
        let tap = Tap::new(self.0.faults.clone());
        match &self.0.recorder {
            Some(recorder) => tap.recording(recorder.clone()),
            None => tap,
        }
    }

    fn book(&self) -> &Book {
        &self.0.book
    }

    /// Whether a fault on the tap has the server lapse in this way.
    fn lapses(&self, lapse: Lapse) -> bool {
        self.0.faults.iter().any(|fault| fault.is(lapse))
    }

    /// The faults on the tap.
    fn wrongs(&self) -> &[Fault] {
        &self.0.faults
    }

    fn audience(&self) -> &Audience {
        &self.0.audience
    }

    /// The revisions that a conversation may be held in which begins now.
    #[cfg(not(feature = "cases"))]
    fn speaks(&self) -> Revisions {
        self.served()
    }

    /// The server as it presents itself now.
    #[cfg(not(feature = "cases"))]
    fn presented(&self) -> Self {
        self.clone()
    }

    fn handler(&self, method: &str) -> Option<Handler> {
        self.0.handlers.get(method).cloned()
    }

    fn served(&self) -> Revisions {
        self.0.served
    }

    fn newest(&self) -> Revision {
        self.served().newest().unwrap_or(Revision::NEWEST)
    }

    fn newest_handshake(&self) -> Revision {
        terms::of_era(self.served(), Era::Handshake).last().unwrap_or(Revision::NEWEST_HANDSHAKE)
    }
}

impl Actor for Server {
    fn revisions(&self) -> Revisions {
        self.speaks()
    }

    fn converse(&self, era: Option<Era>) -> Arc<dyn Conversation> {
        Arc::new(Talk::new(self.presented(), era))
    }

    fn mirrored(&self, tool: &str) -> Vec<Mirrored> {
        self.0.mirrored.iter().filter(|mirrored| mirrored.tool == tool).cloned().collect()
    }
}
