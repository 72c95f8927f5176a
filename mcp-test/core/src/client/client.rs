//! [`Client`]: one connection to a server, what is known of it, and the requests that are open.

use std::collections::BTreeMap;
use std::time::Duration;

use super::overtaken::Overtaken;
use super::state::{OpenRequest, State};
use super::{Handlers, LogMessage, Options, Progress, ReceivedNotification, Reply, ServerFacts};
use crate::check::Finding;
use crate::clock::Deadline;
use crate::json::{Object, Value};
use crate::spec::{ParamHeader, Requirement, Revision};
use crate::transport::{Connection, ConnectionEnd, Outgoing, Sent, TransportKind};
use crate::wire::{Message, Notification, Request};

/// How many pages of a list are fetched before the list counts as endless.
#[doc(hidden)]
pub const MAX_PAGES: usize = 100;

/// A client on one connection.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::client::{Client, Options};
/// use mcp_test::server::reference;
/// use mcp_test::trace::Recorder;
/// use mcp_test::transport::{TransportKind, Limits};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> mcp_test::Result {
/// let target = reference::everything().target();
/// let connection = target.open(TransportKind::Duplex, &Recorder::new(), Limits::default()).await?;
/// let mut client = Client::connect(connection, Options::default()).await?;
/// let reply = client.request("tools/list", serde_json::json!({})).await?;
/// assert!(reply.result()?.get("tools").is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client {
    pub(super) connection: Connection,
    pub(super) options: Options,
    pub(super) facts: ServerFacts,
    /// The last id used for a request.
    pub(super) ids: i64,
    pub(super) state: State,
    /// A clone of each reply, which shows at the end whether the test has examined it.
    pub(super) tracked: Vec<Reply>,
    /// The `Mcp-Param-*` headers of each listed tool; none for a tool whose annotations are not valid.
    pub(super) param_headers: BTreeMap<String, Vec<ParamHeader>>,
    /// The last `ping` that overtook a request.
    pub(super) overtaken: Option<Overtaken>,
    /// How many panics of a server in this process are known.
    pub(super) known_panics: usize,
}

impl Client {
    /// What the server declares about itself, and the negotiated revision.
    #[must_use]
    pub fn server(&self) -> &ServerFacts {
        &self.facts
    }

    /// The negotiated revision.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.facts.revision
    }

    /// The transport of the connection.
    #[must_use]
    pub fn transport(&self) -> TransportKind {
        self.connection.kind()
    }

    /// The notifications received so far.
    #[must_use]
    pub fn notifications(&self) -> &[ReceivedNotification] {
        self.state.received().notifications()
    }

    /// The progress reported so far under a progress token.
    #[must_use]
    pub fn progress(&self, token: impl Into<Value>) -> Vec<Progress> {
        let token = token.into();
        let reported = self.notifications().iter().filter_map(ReceivedNotification::as_progress);
        reported.filter(|progress| progress.token == token).collect()
    }

    /// The log messages received so far.
    #[must_use]
    pub fn log_messages(&self) -> Vec<LogMessage> {
        self.notifications().iter().filter_map(ReceivedNotification::as_log).collect()
    }

    /// The requests that the server sent so far.
    #[must_use]
    pub fn server_requests(&self) -> &[Request] {
        self.state.received().requests()
    }

    /// Replaces the handlers for requests of the server.
    ///
    /// In the stateless era the next request declares what they serve; a handshake is not repeated.
    pub fn handle(&mut self, handlers: Handlers) {
        self.options.handlers = handlers;
    }

    /// Sends a notification without waiting for the server to accept it.
    pub async fn notify(&mut self, method: &str, params: impl Into<Value>) {
        self.send_notification(method, params.into()).await;
    }

    pub(super) async fn send_notification(&mut self, method: &str, params: Value) -> Sent {
        let params = match params {
            // JSON-RPC has no null params; without params the member is left out.
            Value::Null => None,
            params => Some(params),
        };
        let notification = Notification { method: method.to_owned(), params };
        let deadline = self.options.deadline();
        self.send_without_reply(Message::Notification(notification), deadline).await
    }

    /// Sends what is not a request, and has no reply.
    pub(super) async fn send_without_reply(
        &mut self,
        message: impl Into<Outgoing>,
        deadline: Deadline,
    ) -> Sent {
        let sent = self.connection.send(message, deadline).await;
        self.state.note_non_request(sent.seq);
        sent
    }

    /// Fetches all pages of a list, following `nextCursor`.
    ///
    /// A page that is an error is the last one.
    ///
    /// # Errors
    ///
    /// As for [`Client::request`]; also when a cursor repeats or after [`MAX_PAGES`] pages.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination>
    pub async fn pages(&mut self, method: &str) -> Result<Vec<Reply>, Finding> {
        let (pages, has_more) = self.first_pages(method, MAX_PAGES).await?;
        if !has_more {
            return Ok(pages);
        }
        let evidence = pages.last().map(Reply::evidence).unwrap_or_default();
        Err(Finding::peer(format!("the list of `{method}` does not end"))
            .expected(format!("at most {MAX_PAGES} pages"))
            .got(format!("a `nextCursor` on page {}", pages.len()))
            .evidence_all(evidence))
    }

    /// Fetches the first pages of a list, and returns whether it has more of them.
    ///
    /// A page that is an error is the last one.
    ///
    /// # Errors
    ///
    /// As for [`Client::request`]; also when a cursor repeats.
    #[doc(hidden)]
    pub async fn first_pages(
        &mut self,
        method: &str,
        limit: usize,
    ) -> Result<(Vec<Reply>, bool), Finding> {
        let mut pages: Vec<Reply> = Vec::new();
        let mut cursors: Vec<String> = Vec::new();
        loop {
            let mut params = Object::new();
            if let Some(cursor) = cursors.last() {
                params.insert("cursor", cursor.as_str());
            }
            let page = self.request(method, Value::Object(params)).await?;
            // A page is examined by the caller, so this only peeks at it.
            let next = page.peek().and_then(|result| result.get("nextCursor")?.as_str());
            // A result of an unknown type is invalid, so nothing of it may be used (2026-07-28, `basic/index#resulttype`).
            let is_usable = page.result_type().is_none_or(|kind| kind == "complete");
            let next = next.filter(|_| is_usable).map(str::to_owned);
            let evidence = page.evidence();
            pages.push(page);
            let Some(next) = next else { return Ok((pages, false)) };
            // A repeated cursor leads to pages that were already fetched, since the client sends nothing else.
            if cursors.contains(&next) {
                return Err(Finding::peer(format!("the list of `{method}` does not end"))
                    .expected("a new cursor on each page")
                    .got(format!("nextCursor {next:?} on page {} again", pages.len()))
                    .requires(Requirement::PAGINATION_CURSOR_ABSENT_AT_END)
                    .evidence_all(evidence));
            }
            if pages.len() >= limit {
                return Ok((pages, true));
            }
            cursors.push(next);
        }
    }

    /// A finding for each error reply that the test did not examine.
    #[must_use]
    pub fn unexamined_errors(&self) -> Vec<Finding> {
        self.tracked.iter().filter_map(Reply::unexamined).collect()
    }

    /// A finding for each request that the test started, and neither awaited nor cancelled.
    #[must_use]
    pub fn unawaited_requests(&self) -> Vec<Finding> {
        self.state.unawaited().map(OpenRequest::unawaited).collect()
    }

    /// Notes that the connection is closed on purpose: what is not answered by then need not be awaited.
    pub(crate) fn note_closing(&mut self) {
        self.state.note_closing();
    }

    /// Closes the connection gracefully, after the subscriptions that are still open.
    pub async fn end(mut self) -> ConnectionEnd {
        const GRACE: Duration = Duration::from_secs(2);
        self.end_subscriptions().await;
        self.connection.end(GRACE).await
    }

    /// Closes the connection to a server whose fault is known, with little time for each step.
    pub(crate) async fn end_soon(self) -> ConnectionEnd {
        self.connection.end_soon().await
    }
}
