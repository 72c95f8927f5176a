//! The scriptable client: it speaks, answers what it is asked, and records.
//!
//! [`Client`] drives one [`Link`] in either era. It judges nothing beyond what ends a wait: a
//! reply that cannot come any more is a [`Finding`] at once, never a time-out. What a reply has to hold is for scenarios
//! and assertions to say.

mod connect;
mod facts;
mod handlers;
mod options;
mod probe;
pub mod reply;
mod state;
mod unreached;
mod wait;

#[cfg(all(test, feature = "http"))]
mod http_tests;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use facts::ServerFacts;
pub use handlers::{
    Answer, Choice, Elicited, Field, FieldKind, Form, Handlers, Root, Sampled, Sampling, Visit,
};
pub use options::Options;
pub use probe::{Spoken, probe};
pub use reply::{
    Completion, PromptList, PromptMessages, Reply, ResourceContents, ResourceList,
    ResourceTemplateList, ToolList, ToolResult,
};
pub use wait::Pending;

use crate::check::Finding;
use crate::clock::Deadline;
use crate::json::{Object, Value};
use crate::spec::{Era, Revision, meta};
use crate::transport::{CarrierKind, Ending, Link, Sent};
use crate::wire::{Id, Message, Notification, Request};

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
    pub fn notifications(&self) -> &[Notification] {
        self.state.notifications()
    }

    /// The requests that came from the server so far.
    #[must_use]
    pub fn asked(&self) -> &[Request] {
        self.state.asked()
    }

    /// Replaces the handlers for what the server asks.
    ///
    /// In the stateless era what they serve is declared from the next request on; a handshake is not made again.
    pub fn handle(&mut self, handlers: Handlers) {
        self.options.handlers = handlers;
    }

    /// Sends a request and waits for its reply.
    ///
    /// `params` without members is sent as `{}`; `null` leaves the member out, as far as the era allows.
    ///
    /// # Errors
    ///
    /// A finding as soon as it is clear that the reply cannot come, else at the deadline of [`Options::timeout`].
    pub async fn request(
        &mut self,
        method: &str,
        params: impl Into<Value>,
    ) -> Result<Reply, Finding> {
        let pending = self.start(method, params).await;
        self.wait(pending).await
    }

    /// Sends a request without waiting; hand the result to [`Client::wait`].
    pub async fn start(&mut self, method: &str, params: impl Into<Value>) -> Pending {
        self.ids += 1;
        let id = Id::from(self.ids);
        let params = self.with_meta(params.into());
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        let deadline = Deadline::after(self.options.timeout);
        let volunteered = self.state.volunteered();
        let sent = self.link.send(Message::Request(request), deadline).await;
        self.state.begin(id.clone(), method, sent);
        Pending::new(id, method, sent, deadline, volunteered)
    }

    /// Waits for the reply to a request that was started.
    ///
    /// # Errors
    ///
    /// As for [`Client::request`].
    pub async fn wait(&mut self, pending: Pending) -> Result<Reply, Finding> {
        let reply = self.until_reply(pending).await?;
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
        let deadline = Deadline::after(self.options.timeout);
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

    /// Adds what the era wants in every request.
    fn with_meta(&self, params: Value) -> Option<Value> {
        if self.facts.revision.era() == Era::Handshake {
            return match params {
                Value::Null => None,
                params => Some(params),
            };
        }
        let mut params = match params {
            Value::Null => Value::Object(Object::new()),
            params => params,
        };
        if let Value::Object(members) = &mut params {
            let mut all = match members.get("_meta") {
                Some(Value::Object(given)) => given.clone(),
                _ => Object::new(),
            };
            let own = [
                (meta::PROTOCOL_VERSION, Value::from(self.facts.revision.as_str())),
                (meta::CLIENT_INFO, self.options.client_info.clone()),
                (meta::CLIENT_CAPABILITIES, self.options.declared(self.facts.revision)),
            ];
            for (key, value) in own {
                if !all.contains(key) {
                    all.insert(key, value);
                }
            }
            members.insert("_meta", Value::Object(all));
        }
        Some(params)
    }
}
