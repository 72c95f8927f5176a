//! The scriptable client: it speaks, answers what it is asked, and records.
//!
//! [`Client`] drives one [`Link`] in either era. It judges nothing beyond what ends a wait: a
//! reply that cannot come any more is a [`Finding`] at once, never a time-out. What a reply has to hold is for scenarios
//! and assertions to say.

mod batch;
#[cfg(feature = "cases")]
mod by_hand;
mod cancel;
mod connect;
mod facts;
mod handlers;
mod heard;
mod mirrored;
mod negotiate;
mod notice;
mod options;
mod probe;
pub mod reference;
pub mod reply;
mod request;
mod restart;
mod rounds;
mod state;
mod subscribe;
mod unreached;
mod until;
mod visitor;
mod wait;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub use cancel::Cancelled;
pub use facts::ServerFacts;
pub use handlers::{
    Answer, Choice, Elicited, Field, FieldKind, Form, Handlers, Root, Sampled, Sampling, Visit,
};
pub use notice::{LogMessage, Notice, Progress};
pub use options::Options;
pub use probe::{Spoken, probe};
pub use reply::{
    CacheHints, Completion, PromptList, PromptMessages, Reply, ResourceContents, ResourceList,
    ResourceTemplateList, ToolList, ToolResult,
};
pub use request::RequestOptions;
pub use rounds::MAX_ROUNDS;
pub use subscribe::{Subscription, SubscriptionEnd, SubscriptionFilter};
pub use visitor::{Errand, Visitor};
pub use wait::Pending;
#[cfg(feature = "cases")]
pub(crate) use wait::Step;

use crate::check::Finding;
use crate::json::{Object, Value};
use crate::spec::Revision;
use crate::transport::{CarrierKind, Ending, Link, Sent};
use crate::wire::{Message, Notification, Request};

/// How many pages of a list are fetched before it counts as endless.
pub const MAX_PAGES: usize = 100;

/// A client on one connection.
///
/// ```
/// use mcp_test::client::{Client, Options};
/// use mcp_test::server::reference;
/// use mcp_test::trace::Recorder;
/// use mcp_test::transport::{CarrierKind, Limits};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> mcp_test::Result {
/// let target = reference::everything().target();
/// let link = target.open(CarrierKind::Duplex, &Recorder::new(), Limits::default()).await?;
/// let mut client = Client::connect(link, Options::default()).await?;
/// let reply = client.request("tools/list", serde_json::json!({})).await?;
/// assert!(reply.result()?.get("tools").is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client {
    link: Link,
    options: Options,
    facts: ServerFacts,
    ids: i64,
    state: state::State,
    tracked: Vec<reply::Examined>,
    mirrored: mirrored::Mirrored,
}

impl Client {
    /// What the server said of itself, and the revision in force.
    #[must_use]
    pub fn server(&self) -> &ServerFacts {
        &self.facts
    }

    /// The revision in force.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.facts.revision
    }

    /// What carries the messages.
    #[must_use]
    pub fn carrier(&self) -> CarrierKind {
        self.link.kind()
    }

    /// The notifications that came from the server so far.
    #[must_use]
    pub fn notifications(&self) -> &[Notice] {
        self.state.said().notices()
    }

    /// The progress that was told so far of the request that has this token.
    #[must_use]
    pub fn progress(&self, token: impl Into<Value>) -> Vec<Progress> {
        let token = token.into();
        let told = self.notifications().iter().filter_map(Notice::as_progress);
        told.filter(|progress| progress.token == token).collect()
    }

    /// The log messages that came so far.
    #[must_use]
    pub fn log_messages(&self) -> Vec<LogMessage> {
        self.notifications().iter().filter_map(Notice::as_log).collect()
    }

    /// The requests that came from the server so far.
    #[must_use]
    pub fn asked(&self) -> &[Request] {
        self.state.said().requests()
    }

    /// Replaces the handlers for what the server asks.
    ///
    /// In the stateless era what they serve is declared from the next request on; a handshake is not made again.
    pub fn handle(&mut self, handlers: Handlers) {
        self.options.handlers = handlers;
    }

    /// Waits for the reply to a request that was started.
    ///
    /// # Errors
    ///
    /// As for [`Client::request`].
    pub async fn wait(&mut self, pending: Pending) -> Result<Reply, Finding> {
        let reply = self.until_complete(pending).await?;
        self.tracked.push(reply.examined());
        Ok(reply)
    }

    /// Sends a notification, without waiting until it is accepted.
    pub async fn notify(&mut self, method: &str, params: impl Into<Value>) {
        self.send_notification(method, params.into()).await;
    }

    async fn send_notification(&mut self, method: &str, params: Value) -> Sent {
        let params = match params {
            Value::Null => None,
            params => Some(params),
        };
        let notification = Notification { method: method.to_owned(), params };
        let deadline = self.options.deadline();
        self.link.send(Message::Notification(notification), deadline).await
    }

    /// Fetches all pages of a list, following `nextCursor`.
    ///
    /// The pages end early with one that holds an error.
    ///
    /// # Errors
    ///
    /// As for [`Client::request`]; also when a cursor comes twice or after [`MAX_PAGES`] pages.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination>
    pub async fn pages(&mut self, method: &str) -> Result<Vec<Reply>, Finding> {
        let mut pages: Vec<Reply> = Vec::new();
        let mut cursors: Vec<String> = Vec::new();
        loop {
            let mut params = Object::new();
            if let Some(cursor) = cursors.last() {
                params.insert("cursor", cursor.as_str());
            }
            let page = self.request(method, Value::Object(params)).await?;
            let next = page.peek().and_then(|result| result.get("nextCursor")?.as_str());
            let next = next.map(str::to_owned);
            let evidence = page.evidence();
            pages.push(page);
            let Some(next) = next else { return Ok(pages) };
            if cursors.contains(&next) || pages.len() >= MAX_PAGES {
                let got = format!("nextCursor {next:?} on page {}", pages.len());
                return Err(Finding::peer(format!("the pages of {method} do not end"))
                    .expected(format!(
                        "a list of at most {MAX_PAGES} pages, each with a new cursor"
                    ))
                    .got(got)
                    .evidence_all(evidence));
            }
            cursors.push(next);
        }
    }

    /// Findings for error replies that nobody looked at.
    #[must_use]
    pub fn unexamined_errors(&self) -> Vec<Finding> {
        self.tracked.iter().filter_map(reply::Examined::overlooked).collect()
    }

    /// Ends the connection in good order.
    pub async fn end(self) -> Ending {
        const GRACE: Duration = Duration::from_secs(2);
        self.link.end(GRACE).await
    }
}
