//! Sending requests.

use super::request_options::RequestOptions;
use super::wait::{PING, Pending};
use super::{Client, Reply, server_panics};
use crate::check::Finding;
use crate::json::{Object, Value};
use crate::spec::{Era, meta};
use crate::transport::Outgoing;
use crate::wire::{Id, Message, Request};

impl Client {
    /// Sends a request and waits for its reply.
    ///
    /// Empty `params` are sent as `{}`; `null` omits the member, as far as the era allows. When a reply of 2026-07-28 asks
    /// for input, the [handlers](super::Handlers) provide it, and the request is sent again with it.
    ///
    /// # Errors
    ///
    /// A finding as soon as the reply can no longer arrive, at the latest at the deadline of
    /// [`Options::timeout`](super::Options::timeout).
    pub async fn request(
        &mut self,
        method: &str,
        params: impl Into<Value>,
    ) -> Result<Reply, Finding> {
        self.request_with(method, params, RequestOptions::new()).await
    }

    /// Sends a request with options and waits for its reply.
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

    /// Sends a request without waiting; pass the result to [`Client::wait`]. Any number of requests may be open.
    pub async fn start(&mut self, method: &str, params: impl Into<Value>) -> Pending {
        self.start_with(method, params, RequestOptions::new()).await
    }

    /// Sends a request with options, without waiting.
    pub async fn start_with(
        &mut self,
        method: &str,
        params: impl Into<Value>,
        options: RequestOptions,
    ) -> Pending {
        let params = self.options.fixtures.apply(method, params.into());
        self.start_again(method, params, options).await
    }

    /// Sends a request whose parameters have the server's own names instead of those of fixtures.
    pub(super) async fn start_again(
        &mut self,
        method: &str,
        params: Value,
        options: RequestOptions,
    ) -> Pending {
        let id = options.id.clone().unwrap_or_else(|| self.next_id());
        let sent_params = match options.verbatim {
            true => (!params.is_null()).then(|| params.clone()),
            false => self.with_meta(params.clone(), &options),
        };
        // Those of the caller follow, and replace what the schema of the tool asks for.
        let mut headers = self.headers_for(method, &params);
        headers.extend(options.headers.iter().cloned());
        let request = Request { id: id.clone(), method: method.to_owned(), params: sent_params };
        let message = Message::Request(request);
        let outgoing = Outgoing { headers, ..Outgoing::from(message) };
        self.start_outgoing(id, method, outgoing, (params, options)).await
    }

    /// Sends arbitrary bytes in place of the request `id`, without waiting for the reply.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
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
        // The bytes cannot be sent again with the input that a result asks for, so the first reply is final.
        let options = RequestOptions::new().once();
        self.start_outgoing(id.into(), method, Outgoing::raw(text), (Value::Null, options)).await
    }

    /// Sends bytes unchanged, and does not wait for a reply.
    pub async fn send_raw(&mut self, text: impl Into<bytes::Bytes>) -> crate::transport::Sent {
        let deadline = self.options.deadline();
        self.send_without_reply(Outgoing::raw(text), deadline).await
    }

    pub(super) async fn start_outgoing(
        &mut self,
        id: Id,
        method: &str,
        outgoing: Outgoing,
        (params, options): (Value, RequestOptions),
    ) -> Pending {
        let timeout = options.timeout.unwrap_or(self.options.timeout);
        let timeout = match method {
            PING if self.facts.revision.era() == Era::Handshake => {
                self.options.history.pings.shorten(timeout)
            }
            _ => timeout,
        };
        let usual = timeout;
        let timeout = self.options.history.unanswered.time_for(method, &params, usual);
        let deadline = self.options.deadline_after(timeout);
        // Counted before sending, since the peer may send while the request is written.
        let received_before = self.state.received().count();
        let panics_before = server_panics::count();
        let sent = self.connection.send(outgoing, deadline).await;
        if options.deliberate {
            // The judge of the trace must not report it as a fault of the client.
            self.connection.recorder().mark_deliberate(sent.seq);
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
            received_before,
            panics_before,
            panic: None,
            is_doubtful: false,
            is_shortened: timeout < usual,
            overtaken: None,
        }
    }

    pub(super) fn next_id(&mut self) -> Id {
        self.ids += 1;
        Id::from(self.ids)
    }

    /// Adds to `_meta` what the era requires of every request, and the members of this request.
    pub(super) fn with_meta(&self, params: Value, options: &RequestOptions) -> Option<Value> {
        let revision = self.facts.revision;
        let extra = options.meta_at(revision);
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
        // Parameters of another type are invalid and have no member `_meta`; they are sent as they are.
        if let Value::Object(members) = &mut params {
            let mut all = match members.get("_meta") {
                Some(Value::Object(given)) => given.clone(),
                _ => Object::new(),
            };
            // The first of a name wins: what the caller sets replaces what the era requires, so that tests can send
            // it wrong.
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
