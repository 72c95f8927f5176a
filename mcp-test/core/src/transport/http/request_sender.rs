//! Makes and records the HTTP requests of one connection.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::backend::{self, HttpBackend, SentHeaders};
use super::headers;
use super::network::ConnectionChoice;
use super::repeatable::connection_for;
use crate::clock::{self, Deadline};
use crate::spec::{Revision, header};
use crate::trace::{ConnectionId, EventKind, Recorder, Seq};
use crate::transport::authorizer::{AUTHORIZATION, AddedHeaders, AuthorizedExchange, Authorizer};
use crate::transport::client_transport::QUEUE;
use crate::transport::exchange_error::ExchangeError;
use crate::transport::observer::Observer;
use crate::transport::raw_http::{RawCall, StreamingResponse};
use crate::transport::redacted::redact_urls;
use crate::transport::{HttpRequest, Incoming, Limits, Outgoing, TransportKind};
use crate::wire::Message;

/// The state that the exchanges of one connection share.
#[derive(Default)]
pub(in crate::transport) struct Shared {
    pub(in crate::transport) session: Option<String>,
    pub(in crate::transport) revision: Option<Revision>,
}

/// Makes requests; clones share their numbering and state.
#[derive(Clone)]
pub(in crate::transport) struct RequestSender {
    backend: HttpBackend,
    pub(in crate::transport) url: Arc<str>,
    added: Arc<AddedHeaders>,
    pub(in crate::transport) limits: Limits,
    pub(in crate::transport) observer: Observer,
    shared: Arc<Mutex<Shared>>,
    exchanges: Arc<AtomicU64>,
}

/// A request that is recorded; it is sent once `reply` is polled.
pub(in crate::transport) struct PendingRequest {
    pub(in crate::transport) exchange: u64,
    pub(in crate::transport) sent: Seq,
    pub(in crate::transport) opens_session: bool,
    pub(in crate::transport) reply: BoxFuture<'static, Result<StreamingResponse, ExchangeError>>,
}

/// Whether the reply to this message may contain a session id.
pub(super) fn opens_session(message: Option<&Message>) -> bool {
    message.and_then(Message::method) == Some("initialize")
}

/// How many requests a recorded message contains.
pub(in crate::transport) fn count_requests(message: &EventKind) -> usize {
    let EventKind::Message { parsed, .. } = message else { return 0 };
    parsed.messages().filter(|message| matches!(message, Message::Request(_))).count()
}

impl RequestSender {
    /// Opens a connection in the trace; returns the sender of its requests and the receiver of its observations.
    pub(in crate::transport) fn open(
        kind: TransportKind,
        backend: HttpBackend,
        url: &str,
        added: &AddedHeaders,
        recorder: &Recorder,
        limits: Limits,
    ) -> (Self, ConnectionId, mpsc::Receiver<Incoming>) {
        let connection = recorder.open(&format!("{kind} {}", redact_urls(url)));
        let (incoming, observations) = mpsc::channel(QUEUE);
        let observer = Observer::new(recorder, connection, incoming);
        let (url, added, shared) = (url.into(), Arc::new(added.clone()), Arc::default());
        let sender =
            Self { backend, url, added, limits, observer, shared, exchanges: Arc::default() };
        (sender, connection, observations)
    }

    pub(in crate::transport) fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a new exchange.
    pub(in crate::transport) fn next_exchange(&self) -> u64 {
        self.exchanges.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The headers of a POST; `initialize` begins a conversation that has neither session nor revision yet.
    pub(in crate::transport) fn post_headers(&self, outgoing: &Outgoing) -> Vec<(String, String)> {
        let message = outgoing.message.as_ref();
        let own = if opens_session(message) {
            headers::for_message(message, None, None)
        } else {
            let shared = self.shared();
            headers::for_message(message, shared.revision, shared.session.as_deref())
        };
        let mut headers = self.merge(own, &outgoing.headers);
        // Removed last, so that a fault can also leave out headers of the target.
        headers.retain(|(name, _)| {
            !outgoing.without.iter().any(|without| name.eq_ignore_ascii_case(without))
        });
        headers
    }

    /// The headers of a GET that opens a stream, or resumes one after this event.
    pub(in crate::transport) fn get_headers(&self, after: Option<&str>) -> Vec<(String, String)> {
        let own = {
            let shared = self.shared();
            headers::for_get(shared.revision, shared.session.as_deref(), after)
        };
        self.merge(own, &[])
    }

    /// Merges the transport's own headers, those of the target and those of the message; later ones replace earlier ones.
    fn merge(
        &self,
        own: Vec<(String, String)>,
        given: &[(String, String)],
    ) -> Vec<(String, String)> {
        // HTTP ignores the case of names; the map also gives the headers the same order in every run.
        let mut all = BTreeMap::new();
        for (name, value) in own.into_iter().chain(self.added.fixed.clone()).chain(given.to_vec()) {
            all.insert(name.to_ascii_lowercase(), (name, value));
        }
        all.into_values().collect()
    }

    /// Records a request to the URL of the target; it is sent by polling its reply. The method must be safe or idempotent.
    pub(in crate::transport) fn request(
        &self,
        method: &str,
        headers: Vec<(String, String)>,
        body: Bytes,
    ) -> PendingRequest {
        let request = HttpRequest { headers, body, ..HttpRequest::new(method) };
        let authorizer = self.authorizer_for(&request, &[]);
        self.request_to(&self.url, request, authorizer, ConnectionChoice::Any)
    }

    /// Records the head of a POST with a message, to this URL; it is sent by polling its reply.
    pub(in crate::transport) fn post(&self, url: &str, outgoing: &Outgoing) -> PendingRequest {
        let (headers, body) = (self.post_headers(outgoing), outgoing.text.clone());
        let request = HttpRequest { headers, body, ..HttpRequest::new("POST") };
        let authorizer = self.authorizer_for(&request, &outgoing.without);
        self.request_to(url, request, authorizer, connection_for(outgoing))
    }

    /// What adds credentials to a request: nothing, if it has its own, or is to have none.
    fn authorizer_for(
        &self,
        request: &HttpRequest,
        without: &[String],
    ) -> Option<Arc<dyn Authorizer>> {
        let given = request.headers.iter().map(|(name, _)| name);
        let mut names = given.chain(without);
        let is_decided = names.any(|name| name.eq_ignore_ascii_case(AUTHORIZATION));
        self.added.authorizer.clone().filter(|_| !is_decided && !request.is_anonymous)
    }

    fn request_to(
        &self,
        url: &str,
        request: HttpRequest,
        authorizer: Option<Arc<dyn Authorizer>>,
        connection: ConnectionChoice,
    ) -> PendingRequest {
        let exchange = self.next_exchange();
        let HttpRequest { method, headers, .. } = request.clone();
        let what = EventKind::HttpRequest { method, path: url.to_owned(), headers };
        let sent = self.observer.recorder.own(Some(exchange), what);
        let reply = self.reply(url.to_owned(), exchange, request, authorizer, connection);
        PendingRequest { exchange, sent, opens_session: false, reply }
    }

    /// The response to a request, which is sent again if the server closed a reused connection instead of answering.
    fn reply(
        &self,
        url: String,
        exchange: u64,
        request: HttpRequest,
        authorizer: Option<Arc<dyn Authorizer>>,
        connection: ConnectionChoice,
    ) -> BoxFuture<'static, Result<StreamingResponse, ExchangeError>> {
        let (backend, recorder) = (self.backend.clone(), self.observer.recorder.clone());
        Box::pin(async move {
            let resent = |why: String| recorder.own(Some(exchange), EventKind::Resent { why });
            let attempt = async |request: &HttpRequest| {
                let call =
                    |connection| backend.call(&url, request, SentHeaders::Completed, connection);
                let why = match call(connection).await {
                    Err(ExchangeError::ReusedConnectionClosed(why))
                        if connection == ConnectionChoice::Any =>
                    {
                        why
                    }
                    other => return other,
                };
                resent(why.to_string());
                match call(ConnectionChoice::New).await {
                    // A server that crashed on the request: how it ended says more than that it is gone.
                    Err(ExchangeError::Refused) => Err(*why),
                    other => other,
                }
            };
            let Some(authorizer) = authorizer else { return attempt(&request).await };
            loop {
                let added = authorizer.headers(&request.method, &url);
                let headers = request.headers.iter().chain(&added).cloned().collect();
                let response = attempt(&HttpRequest { headers, ..request.clone() }).await?;
                let StreamingResponse { status, headers, .. } = &response;
                let (url, added, status) = (url.as_str(), added.as_slice(), *status);
                let exchange = AuthorizedExchange { url, added, status, headers };
                if !authorizer.responded(exchange).await {
                    return Ok(response);
                }
                resent(format!("the server answered {status}, and other credentials were found"));
            }
        })
    }

    /// A request that a test wrote; the target's headers are added unless the request has them.
    pub(in crate::transport) fn bare(&self, mut request: HttpRequest) -> RawCall {
        let url = match &request.path {
            Some(path) => backend::with_path(&self.url, path),
            None => self.url.as_ref().to_owned(),
        };
        let has =
            |name: &str| request.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let is_withheld =
            |name: &str| request.is_anonymous && name.eq_ignore_ascii_case(AUTHORIZATION);
        let is_added = |name: &str| !has(name) && !is_withheld(name);
        // What the test has written stays as it is, even several headers of one name.
        let extra: Vec<_> =
            self.added.fixed.iter().filter(|(name, _)| is_added(name)).cloned().collect();
        request.headers.extend(extra);
        let authorizer = self.authorizer_for(&request, &[]);
        let credentials = authorizer.map(|authorizer| authorizer.headers(&request.method, &url));
        let mut sent = request.clone();
        // Not recorded, as everywhere. A refusal is not followed: it is what the test may be about.
        sent.headers.extend(credentials.unwrap_or_default());
        let reply = self.backend.call(&url, &sent, SentHeaders::Exact, ConnectionChoice::New);
        let recorder = self.observer.recorder.clone();
        RawCall::new(recorder, self.next_exchange(), &url, &request, self.limits, reply)
    }

    /// Deletes the session; a server may refuse that with status 405.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>
    pub(in crate::transport) async fn delete_session(
        &self,
        session: String,
        grace: Duration,
    ) -> String {
        let mut own = vec![(header::MCP_SESSION_ID.to_owned(), session)];
        // From 2025-06-18 on every request after `initialize` names the version.
        own.extend(self.shared().revision.and_then(headers::version));
        let request = self.request("DELETE", self.merge(own, &[]), Bytes::new());
        // A server that does not answer must not keep the connection from ending.
        match clock::within(Deadline::after(grace), request.reply).await {
            Ok(Ok(reply)) => {
                let status = reply.status;
                let what = EventKind::HttpResponse { status, headers: reply.headers };
                self.observer.record(Some(request.exchange), what);
                format!("session deleted, HTTP {status}")
            }
            Ok(Err(why)) => format!("session not deleted: {why}"),
            Err(_) => {
                let within = clock::format_duration(grace);
                format!("session not deleted: no answer to DELETE within {within}")
            }
        }
    }
}
