//! Requests of the client: what is sent, and what each of them may say beyond method and parameters.

use std::time::Duration;

use super::wait::Pending;
use super::{Client, Reply};
use crate::check::Finding;
use crate::json::{Object, Value};
use crate::spec::{Era, meta};
use crate::transport::Outgoing;
use crate::wire::{Id, Message, Request};

/// What one request says, and how it is waited for, beyond its method and parameters.
///
/// ```
/// use mcp_test::client::RequestOptions;
/// use std::time::Duration;
///
/// let options = RequestOptions::new()
///     .progress_token("import")
///     .log_level("debug")
///     .meta("com.example/tenant", "a")
///     .timeout(Duration::from_secs(60));
/// # drop(options);
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "hand it to `Client::request_with`"]
pub struct RequestOptions {
    pub(super) id: Option<Id>,
    pub(super) meta: Object,
    pub(super) headers: Vec<(String, String)>,
    pub(super) timeout: Option<Duration>,
    pub(super) once: bool,
    pub(super) by_hand: bool,
    pub(super) verbatim: bool,
    pub(super) deliberate: bool,
}

impl RequestOptions {
    /// Nothing beyond what the revision asks for.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for progress notifications; they are in [`Reply::progress`] and, meanwhile, in [`Client::progress`].
    pub fn progress_token(self, token: impl Into<Value>) -> Self {
        self.meta(meta::PROGRESS_TOKEN, token)
    }

    /// Asks for log messages of this level and above, as 2026-07-28 does it.
    ///
    /// In the handshake era `logging/setLevel` does that for the whole conversation.
    pub fn log_level(self, level: &str) -> Self {
        self.meta(meta::LOG_LEVEL, level)
    }

    /// Adds a member to `_meta`, in the place of the one that the revision asks for if it has the same name.
    pub fn meta(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.meta.insert(key, value);
        self
    }

    /// Adds an HTTP header, in the place of one that the revision asks for if it has the same name.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Waits this long for the reply, instead of [`Options::timeout`](super::Options::timeout).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Uses this id, which no other request of the conversation may have.
    pub fn id(mut self, id: impl Into<Id>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Says that the request is as it is on purpose: what is wrong with it is no mistake of the test.
    pub fn deliberate(mut self) -> Self {
        self.deliberate = true;
        self
    }

    /// Sends the request once and takes the first reply as it is, even one that asks for input.
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }
}

impl Client {
    /// Sends a request and waits for its reply.
    ///
    /// `params` without members is sent as `{}`; `null` leaves the member out, as far as the era allows. Where a reply of
    /// 2026-07-28 asks for input, the [handlers](super::Handlers) give it, and the request is sent again with it.
    ///
    /// # Errors
    ///
    /// A finding as soon as it is clear that the reply cannot come, else at the deadline of
    /// [`Options::timeout`](super::Options::timeout).
    pub async fn request(
        &mut self,
        method: &str,
        params: impl Into<Value>,
    ) -> Result<Reply, Finding> {
        self.request_with(method, params, RequestOptions::new()).await
    }

    /// Sends a request that says more than its parameters, and waits for its reply.
    ///
    /// # Errors
    ///
    /// As for [`Client::request`].
    pub async fn request_with(
        &mut self,
        method: &str,
        params: impl Into<Value>,
        options: RequestOptions,
    ) -> Result<Reply, Finding> {
        let pending = self.start_with(method, params, options).await;
        self.wait(pending).await
    }

    /// Sends a request without waiting; hand the result to [`Client::wait`]. Any number may be under way.
    pub async fn start(&mut self, method: &str, params: impl Into<Value>) -> Pending {
        self.start_with(method, params, RequestOptions::new()).await
    }

    /// Sends a request that says more than its parameters, without waiting.
    pub async fn start_with(
        &mut self,
        method: &str,
        params: impl Into<Value>,
        options: RequestOptions,
    ) -> Pending {
        let params = params.into();
        let id = options.id.clone().unwrap_or_else(|| self.next_id());
        let sent_params = match options.verbatim {
            true => (!params.is_null()).then(|| params.clone()),
            false => self.with_meta(params.clone(), &options.meta),
        };
        let mut headers = self.param_headers(method, &params);
        headers.extend(options.headers.iter().cloned());
        let request = Request { id: id.clone(), method: method.to_owned(), params: sent_params };
        let message = Message::Request(request);
        let outgoing = Outgoing { headers, ..Outgoing::from(message) };
        self.start_outgoing(id, method, outgoing, (params, options)).await
    }

    /// Sends bytes that stand for the request `id`, whatever they are, without waiting for the reply.
    ///
    /// ```
    /// # use mcp_test::client::Client;
    /// # async fn example(client: &mut Client) -> mcp_test::Result {
    /// let twice = r#"{"jsonrpc":"2.0","id":"a","method":"ping","method":"ping"}"#;
    /// let pending = client.start_raw("a", "ping", twice).await;
    /// let reply = client.wait(pending).await?;
    /// # let _ = reply.outcome();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn start_raw(
        &mut self,
        id: impl Into<Id>,
        method: &str,
        text: impl Into<bytes::Bytes>,
    ) -> Pending {
        let options = RequestOptions::new().once();
        self.start_outgoing(id.into(), method, Outgoing::raw(text), (Value::Null, options)).await
    }

    /// Sends bytes as they are, and waits for nothing.
    pub async fn send_raw(&mut self, text: impl Into<bytes::Bytes>) -> crate::transport::Sent {
        let deadline = self.options.deadline();
        self.link.send(Outgoing::raw(text), deadline).await
    }

    async fn start_outgoing(
        &mut self,
        id: Id,
        method: &str,
        outgoing: Outgoing,
        (params, options): (Value, RequestOptions),
    ) -> Pending {
        let timeout = options.timeout.unwrap_or(self.options.timeout);
        let deadline = self.options.deadline_after(timeout);
        let volunteered = self.state.said().count();
        let sent = self.link.send(outgoing, deadline).await;
        if options.deliberate {
            self.link.recorder().mark_deliberate(sent.seq);
        }
        self.state.begin(id.clone(), method, sent);
        Pending {
            id,
            method: method.to_owned(),
            params,
            options,
            sent,
            deadline,
            timeout,
            volunteered,
        }
    }

    pub(super) fn next_id(&mut self) -> Id {
        self.ids += 1;
        Id::from(self.ids)
    }

    /// Adds what the era wants in every request, and what this one says beyond that.
    pub(super) fn with_meta(&self, params: Value, extra: &Object) -> Option<Value> {
        let revision = self.facts.revision;
        let mut own = Object::new();
        if revision.era() == Era::Stateless {
            own.push(meta::PROTOCOL_VERSION, revision.as_str());
            own.push(meta::CLIENT_INFO, self.options.client_info.clone());
            own.push(meta::CLIENT_CAPABILITIES, self.options.declared(revision));
        }
        if own.is_empty() && extra.is_empty() {
            return (!params.is_null()).then_some(params);
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
            for (key, value) in extra.iter().chain(own.iter()) {
                if !all.contains(key) {
                    all.insert(key, value.clone());
                }
            }
            members.insert("_meta", Value::Object(all));
        }
        Some(params)
    }
}
