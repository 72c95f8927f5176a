//! The scriptable server: a correct MCP server whose answers come from a script.
//!
//! It serves both eras on one endpoint and negotiates any revision. It never judges its client: the trace records the
//! conversation for others to judge. [`Fault`]s or handlers make it misbehave.
//!
//! A script has two forms. Handlers ([`Server::on`]) build a working server. Rules ([`given`] conditions, mounted with
//! [`Server::mount`]) define for a test which message gets which answer, count matching messages, and report unmet expectations
//! through [`Server::verify`].
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
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
mod announcements;
mod answer;
mod ask;
mod call;
mod conversation;
mod dispatch;
mod given;
mod handler;
mod in_flight;
mod input_request;
mod log;
#[doc(hidden)]
pub mod mock_support;
mod mounted_rules;
mod outgoing_requests;
#[doc(hidden)]
#[cfg(any(test, feature = "test-support", feature = "suite"))]
pub mod reference;
#[doc(hidden)]
#[cfg(any(test, feature = "suite"))]
pub mod refused_reply;
#[cfg(all(unix, feature = "http"))]
mod relayed;
mod reply;
mod request_context;
mod request_state;
mod scripted;
mod shape;
mod skills;
mod subscriptions;
mod tasks;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::future::{Future, Ready, ready};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use self::announcements::OpenConversations;
use self::conversation::ServerConversation;
use self::given::RuleRegistry;
use self::handler::Handler;
use crate::json::Value;
use crate::spec::{Era, Revision, Revisions, error_code};
use crate::trace::Recorder;
use crate::transport::actor::{Actor, Conversation, MirroredArgument};
use crate::transport::fault::Misbehavior;
use crate::transport::interceptor::Interceptor;
#[cfg(feature = "http")]
use crate::transport::serve_http::{AccessControl, HttpOptions, HttpServer};
use crate::transport::serve_lines::serve_lines;
#[cfg(feature = "auth")]
use crate::transport::test_tokens::TestTokens;
use crate::transport::{Fault, Limits, Target};
use crate::wire::RpcError;

pub use crate::transport::actor::ServeError;
pub use answer::{Answer, CacheScope};
pub use ask::AskError;
pub use call::{Call, CallError};
pub use given::{
    ClientMessage, Condition, Gate, GivenRule, Respond, Rule, RuleBuilder, RuleGuard, RuleHandle,
    SteppedResponse, Steps, Times, Unmet, any_message, by_client, calls, given, meta, method,
    param, params, revision, steps,
};
pub use input_request::InputRequest;
pub use request_state::RequestStates;
pub use skills::{Skill, Skills};
pub use tasks::{TaskEnd, TaskWork, Tasks};

#[cfg(feature = "http")]
pub use crate::transport::serve_http::HttpListener;

/// A server that runs a script.
///
/// Clones are cheap and share their rules and clients; a clone that is reconfigured becomes a separate server.
#[derive(Debug, Clone)]
pub struct Server(Arc<Script>);

#[derive(Debug, Clone)]
struct Script {
    info: Value,
    instructions: Option<String>,
    capabilities: Value,
    /// Whether capabilities are declared at revisions that do not define them, too.
    declares_undefined: bool,
    served: Revisions,
    handlers: HashMap<String, Handler>,
    faults: Vec<Fault>,
    rules: RuleRegistry,
    recorder: Option<Recorder>,
    limits: Limits,
    streams_replies: bool,
    /// Whether it serves HTTP+SSE at its endpoint, and nothing else over HTTP.
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "only a server over HTTP reads it")
    )]
    sse_alone: bool,
    retry: Duration,
    allowed_hosts: Vec<String>,
    mirrored: Vec<MirroredArgument>,
    documents: Vec<(String, Value)>,
    #[cfg(feature = "http")]
    access: Option<Arc<dyn AccessControl>>,
    /// The tokens that open it to tests.
    #[cfg(feature = "auth")]
    test_tokens: Option<Arc<dyn TestTokens>>,
    open_conversations: OpenConversations,
    /// Whether the capabilities for what the rules answer are declared, too.
    declares_rules: bool,
    /// Where the identity of each conversation comes from, if it is not the one above.
    identities: Option<mock_support::Identities>,
}

/// Why a request is not admitted.
#[derive(Debug, Clone, PartialEq)]
struct Refusal {
    error: RpcError,
    /// The HTTP status, where the revision requires another than 200.
    status: Option<u16>,
}

impl From<RpcError> for Refusal {
    fn from(error: RpcError) -> Self {
        Self { error, status: None }
    }
}

impl Server {
    /// A server of this name and version (`{"name": …, "version": …}`) without any capabilities yet.
    #[must_use]
    pub fn new(info: impl Into<Value>) -> Self {
        Self(Arc::new(Script {
            info: info.into(),
            instructions: None,
            capabilities: serde_json::json!({}).into(),
            declares_undefined: false,
            served: Revisions::all(),
            handlers: HashMap::new(),
            faults: Vec::new(),
            rules: RuleRegistry::default(),
            recorder: None,
            limits: Limits::default(),
            streams_replies: false,
            sse_alone: false,
            retry: Duration::from_millis(100),
            allowed_hosts: Vec::new(),
            mirrored: Vec::new(),
            documents: Vec::new(),
            #[cfg(feature = "http")]
            access: None,
            #[cfg(feature = "auth")]
            test_tokens: None,
            open_conversations: OpenConversations::default(),
            declares_rules: false,
            identities: None,
        }))
    }

    /// Serves these revisions only.
    #[must_use]
    pub fn revisions(self, served: Revisions) -> Self {
        self.with(|script| script.served = served)
    }

    /// Declares these capabilities; a method whose capability is not declared does not exist, unless a mounted rule answers it.
    #[must_use]
    pub fn capabilities(self, capabilities: impl Into<Value>) -> Self {
        self.with(|script| script.capabilities = capabilities.into())
    }

    /// Declares the capabilities also at revisions that do not define them, such as extensions before 2026-07-28.
    #[must_use]
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn declaring_undefined_capabilities(self) -> Self {
        self.with(|script| script.declares_undefined = true)
    }

    /// Sets the instructions for clients.
    #[must_use]
    pub fn instructions(self, instructions: impl Into<String>) -> Self {
        self.with(|script| script.instructions = Some(instructions.into()))
    }

    /// Sets the handler for requests or notifications of a method; it replaces an earlier one.
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

    /// Adds faults to those already injected.
    #[must_use]
    pub fn faults(self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.with(|script| script.faults.extend(faults))
    }

    /// Records all messages on the server's side of every transport.
    #[must_use]
    pub fn record(self, recorder: Recorder) -> Self {
        self.with(|script| script.recorder = Some(recorder))
    }

    /// Refuses messages beyond these limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        self.with(|script| script.limits = limits)
    }

    /// Answers every HTTP request with an event stream, even where a JSON body would do.
    #[must_use]
    pub fn streaming_replies(self) -> Self {
        self.with(|script| script.streams_replies = true)
    }

    /// Serves HTTP+SSE of 2024-11-05 at its endpoint instead of Streamable HTTP; it must serve that revision.
    #[must_use]
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn over_http_sse(self) -> Self {
        self.with(|script| script.sse_alone = true)
    }

    /// Sets the `retry` time after which clients may reconnect to a lost stream; 100 ms by default.
    #[must_use]
    pub fn retry(self, after: Duration) -> Self {
        self.with(|script| script.retry = after)
    }

    /// Also answers HTTP requests whose `Host` and `Origin` name this host, without a port; without this, only requests to
    /// `localhost`, a loopback address and the address that it [listens](Self::listen) on, against
    /// [DNS rebinding](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning).
    #[must_use]
    pub fn allow_host(self, host: impl Into<String>) -> Self {
        self.with(|script| script.allowed_hosts.push(host.into()))
    }

    /// Also expects an argument of a tool in the header `Mcp-Param-…`, at revisions that mirror it; `pointer` locates it in
    /// the arguments. The schema of the tool should declare it with `x-mcp-header`.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
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
            MirroredArgument { tool: tool.into(), pointer: pointer.into(), header: header.into() };
        self.with(|script| script.mirrored.push(mirrored))
    }

    /// Has this decide who may send requests over HTTP.
    #[must_use]
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn access(self, access: Arc<dyn AccessControl>) -> Self {
        self.with(|script| script.access = Some(access))
    }

    /// Has its targets use these tokens.
    #[must_use]
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn test_tokens(self, tokens: Arc<dyn TestTokens>) -> Self {
        self.with(|script| script.test_tokens = Some(tokens))
    }

    /// Serves one client over a byte stream, one message per line, until it disconnects.
    ///
    /// # Errors
    ///
    /// When reading fails, or when a fault ends the server.
    pub async fn serve(&self, io: impl AsyncRead + AsyncWrite) -> Result<(), ServeError> {
        self.serve_over("duplex", io).await
    }

    /// Serves the client at the other end of this process's stdin and stdout, until it disconnects.
    ///
    /// Nothing else may write to stdout meanwhile. A thread of the runtime keeps reading stdin, so shut the runtime down
    /// with `Runtime::shutdown_background`, or exit the process.
    ///
    /// # Errors
    ///
    /// As for [`Self::serve`].
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        self.serve_over("stdio", tokio::io::join(tokio::io::stdin(), tokio::io::stdout())).await
    }

    /// The server as an axum router, with the MCP endpoint at `/mcp` and, if it serves 2024-11-05, the event stream of
    /// that revision at `/sse`.
    #[cfg(feature = "http")]
    pub fn router(&self) -> axum::Router {
        self.http().router()
    }

    /// Listens for HTTP on an address; `127.0.0.1:0` takes any free port.
    ///
    /// # Errors
    ///
    /// When the address cannot be bound.
    #[cfg(feature = "http")]
    pub async fn listen(
        &self,
        address: impl tokio::net::ToSocketAddrs,
    ) -> std::io::Result<HttpListener> {
        self.http().listen(address).await
    }

    /// Needs the feature `http`.
    #[cfg(not(feature = "http"))]
    #[doc(hidden)]
    pub fn listen<A>(&self, _: A) -> Ready<std::io::Result<std::convert::Infallible>>
    where
        for<'a> &'a crate::transport::Disabled: crate::transport::NeedsHttp,
    {
        unreachable!("`NeedsHttp` is never implemented")
    }

    #[cfg(feature = "http")]
    fn http(&self) -> HttpServer {
        let Script { limits, streams_replies, sse_alone, retry, allowed_hosts, documents, .. } =
            &*self.0;
        let options = HttpOptions {
            sse_alone: *sse_alone,
            limits: *limits,
            streams_replies: *streams_replies,
            retry: *retry,
            allowed_hosts: allowed_hosts.clone(),
            documents: documents.clone(),
            access: self.0.access.clone(),
            ..HttpOptions::default()
        };
        HttpServer::new(Arc::new(self.clone()), &self.interceptor(), options)
    }

    /// The server as an in-process target: over a pipe and, with the feature `http`, as a router.
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
        #[cfg(feature = "auth")]
        if let Some(tokens) = &self.0.test_tokens {
            return target.protected(Arc::clone(tokens));
        }
        target
    }

    async fn serve_over(
        &self,
        transport: &str,
        io: impl AsyncRead + AsyncWrite,
    ) -> Result<(), ServeError> {
        serve_lines(io, self, &self.interceptor().open(transport), self.0.limits).await
    }

    fn with(mut self, change: impl FnOnce(&mut Script)) -> Self {
        // Copied if there are clones, which keep the script that they have.
        let script = Arc::make_mut(&mut self.0);
        // Clones share these, but the changed server must not count or notify the clients of the original.
        script.rules = script.rules.reset();
        script.open_conversations = OpenConversations::default();
        change(script);
        self
    }

    fn interceptor(&self) -> Interceptor {
        let interceptor = Interceptor::new(self.0.faults.clone());
        match &self.0.recorder {
            Some(recorder) => interceptor.recording(recorder.clone()),
            None => interceptor,
        }
    }

    fn rules(&self) -> &RuleRegistry {
        &self.0.rules
    }

    /// Whether a fault makes the server misbehave in this way.
    fn misbehaves(&self, misbehavior: Misbehavior) -> bool {
        self.0.faults.iter().any(|fault| fault.is(misbehavior))
    }

    /// The faults that are injected.
    fn injected_faults(&self) -> &[Fault] {
        &self.0.faults
    }

    fn open_conversations(&self) -> &OpenConversations {
        &self.0.open_conversations
    }

    fn handler(&self, method: &str) -> Option<Handler> {
        self.0.handlers.get(method).cloned()
    }

    fn served(&self) -> Revisions {
        self.0.served
    }

    fn newest(&self) -> Revision {
        // `presented` intersects two sets, so it may serve no revision at all.
        self.served().newest().unwrap_or(Revision::NEWEST)
    }

    fn newest_handshake(&self) -> Revision {
        request_context::revisions_in_era(self.served(), Era::Handshake)
            .last()
            .unwrap_or(Revision::NEWEST_HANDSHAKE)
    }
}

/// A handler that answers at once, from what the server keeps.
fn answered_by<T: Clone + Send + Sync + 'static>(
    kept: &T,
    answer: fn(&T, &Call) -> Answer,
) -> impl Fn(Call) -> Ready<Answer> + Send + Sync + use<T> {
    let kept = kept.clone();
    move |call| ready(answer(&kept, &call))
}

/// The error for invalid parameters.
fn invalid(message: impl Into<String>) -> RpcError {
    RpcError::new(error_code::INVALID_PARAMS, message)
}

/// A member that must be a string.
fn string<'a>(object: &'a Value, name: &str) -> Result<&'a str, RpcError> {
    let member = object.get(name);
    member.and_then(Value::as_str).ok_or_else(|| {
        invalid(format!("`{name}` must be a string, got {}", member.map_or("nothing", Value::kind)))
    })
}

impl Actor for Server {
    fn revisions(&self) -> Revisions {
        self.speaks()
    }

    fn new_conversation(&self, era: Option<Era>) -> Arc<dyn Conversation> {
        // Presented now: the identity may change between two conversations.
        Arc::new(ServerConversation::new(self.presented(), era))
    }

    fn mirrored(&self, tool: &str) -> Vec<MirroredArgument> {
        self.0.mirrored.iter().filter(|mirrored| mirrored.tool == tool).cloned().collect()
    }
}
