//! The client's end of Streamable HTTP: one POST per message, replies as JSON or as an event stream.
//!
//! Over the network and against a tower service in this process alike; only [`door`] knows the difference. Sessions,
//! the version header and the mirrored headers follow the revision of the conversation. The server's end is in
//! [`super::serve_http`].
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

mod body;
mod door;
mod headers;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub(super) use self::door::Door;
use super::bare::BareCall;
use super::link::{BoxFuture, Carry, Ending, Link, Outgoing, QUEUE, Sent};
use super::reading::Observer;
use super::target::shown;
use super::{CarrierKind, HttpRequest, Limits};
use crate::clock::{self, Deadline};
use crate::expect::words::panic_text;
use crate::spec::{Revision, header};
use crate::trace::{Reading, Recorder, What};
use crate::wire::Message;

/// How long exchanges that are under way at the end may take.
const LEAVING: Duration = Duration::from_millis(100);

/// What the exchanges of one connection share.
#[derive(Default)]
struct Shared {
    session: Option<String>,
    revision: Option<Revision>,
}

/// The carrier: posts messages and observes what comes back.
struct HttpCarrier {
    door: Door,
    url: String,
    extra: Vec<(String, String)>,
    limits: Limits,
    observer: Observer,
    shared: Arc<Mutex<Shared>>,
    exchanges: AtomicU64,
    under_way: JoinSet<()>,
}

/// Opens a link that posts to `url` through `door`.
pub(super) fn open(
    kind: CarrierKind,
    door: Door,
    url: &str,
    extra: &[(String, String)],
    recorder: &Recorder,
    limits: Limits,
) -> Link {
    let connection = recorder.open(&format!("{kind} {}", shown(url)));
    let (incoming, observations) = mpsc::channel(QUEUE);
    let carrier = HttpCarrier {
        door,
        url: url.to_owned(),
        extra: extra.to_vec(),
        limits,
        observer: Observer::new(recorder, connection, incoming),
        shared: Arc::default(),
        exchanges: AtomicU64::new(0),
        under_way: JoinSet::new(),
    };
    Link::new(kind, connection, recorder.clone(), Box::new(carrier), observations)
}

impl HttpCarrier {
    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The headers of a request, later ones replacing earlier ones of the same name.
    fn headers(&self, outgoing: &Outgoing) -> Vec<(String, String)> {
        let mut all = BTreeMap::new();
        let own = {
            let shared = self.shared();
            headers::for_message(
                outgoing.message.as_ref(),
                shared.revision,
                shared.session.as_deref(),
            )
        };
        for (name, value) in
            own.into_iter().chain(self.extra.clone()).chain(outgoing.headers.clone())
        {
            all.insert(name.to_ascii_lowercase(), (name, value));
        }
        for name in &outgoing.without {
            all.remove(&name.to_ascii_lowercase());
        }
        all.into_values().collect()
    }

    fn record_request(&self, method: &str, exchange: u64, headers: &[(String, String)]) {
        let what = What::HttpRequest {
            method: method.to_owned(),
            path: self.url.clone(),
            headers: headers.to_vec(),
        };
        self.observer.scribe.own(Some(exchange), what);
    }

    fn next_exchange(&self) -> u64 {
        self.exchanges.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl Carry for HttpCarrier {
    fn send(&mut self, outgoing: Outgoing, _: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            let exchange = self.next_exchange();
            let headers = self.headers(&outgoing);
            self.record_request("POST", exchange, &headers);
            let message = Reading::message(outgoing.text.clone());
            let seq = self.observer.scribe.own(Some(exchange), message);

            let call = self.door.call("POST", &self.url, &headers, outgoing.text);
            let observer = self.observer.clone();
            let limits = self.limits;
            let opens_session = opens_session(outgoing.message.as_ref());
            let shared = self.shared.clone();
            while self.under_way.try_join_next().is_some() {}
            self.under_way.spawn(async move {
                let reply = match call.await {
                    Ok(reply) => reply,
                    Err(why) => return body::no_response(&observer, exchange, &why).await,
                };
                if opens_session && let Some(id) = reply.header(header::MCP_SESSION_ID) {
                    shared.lock().unwrap_or_else(PoisonError::into_inner).session = Some(id);
                }
                let observing = body::observe(&observer, exchange, reply, limits);
                // The body of a service in this process is code of the test's, and may panic.
                if let Err(panic) = AssertUnwindSafe(observing).catch_unwind().await {
                    let why = format!("the service panicked: {}", panic_text(panic.as_ref()));
                    body::no_response(&observer, exchange, &why).await;
                }
            });
            Sent { seq, exchange: Some(exchange), written: true }
        })
    }

    fn speak(&mut self, revision: Revision) {
        self.shared().revision = Some(revision);
    }

    fn bare(&self, mut request: HttpRequest) -> Option<BareCall> {
        let given =
            |name: &str| request.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let extra: Vec<_> = self.extra.iter().filter(|(name, _)| !given(name)).cloned().collect();
        request.headers.extend(extra);
        let url = match &request.path {
            Some(path) => door::elsewhere(&self.url, path),
            None => self.url.clone(),
        };
        let reply = self.door.call(&request.method, &url, &request.headers, request.body.clone());
        let scribe = self.observer.scribe.clone();
        Some(BareCall::new(scribe, self.next_exchange(), &url, &request, self.limits, reply))
    }

    fn as_http(&self, outgoing: Outgoing) -> Option<HttpRequest> {
        let headers = self.headers(&outgoing);
        Some(HttpRequest { headers, ..HttpRequest::post(outgoing.text) })
    }

    fn session(&self) -> Option<String> {
        self.shared().session.clone()
    }

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, Ending> {
        Box::pin(async move {
            // What was recorded as sent should leave; a stream that stays open is not waited for.
            let leaving = async { while self.under_way.join_next().await.is_some() {} };
            let _ = clock::within(Deadline::after(LEAVING.min(grace)), leaving).await;
            self.under_way.abort_all();
            let session = self.shared().session.take();
            let how = match session {
                None => "closed".to_owned(),
                Some(session) => self.delete_session(session, grace).await,
            };
            self.observer.scribe.own(None, What::Closed { how: how.clone() });
            Ending { how, orderly: true }
        })
    }
}

impl HttpCarrier {
    /// Tells the server that the session is over; a server may refuse that, which is no fault.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>
    async fn delete_session(&mut self, session: String, grace: Duration) -> String {
        let exchange = self.next_exchange();
        let mut headers = vec![(header::MCP_SESSION_ID.to_owned(), session)];
        if let Some(revision) = self.shared().revision {
            headers.extend(headers::version(revision));
        }
        headers.extend(self.extra.clone());
        self.record_request("DELETE", exchange, &headers);
        let call = self.door.call("DELETE", &self.url, &headers, Bytes::new());
        match clock::within(Deadline::after(grace), call).await {
            Ok(Ok(reply)) => {
                let status = reply.status;
                let what = What::HttpResponse { status, headers: reply.headers };
                self.observer.record(Some(exchange), what);
                format!("session deleted, HTTP {status}")
            }
            Ok(Err(why)) => format!("session not deleted: {why}"),
            Err(_) => format!("session not deleted: no answer to DELETE within {grace:?}"),
        }
    }
}

/// Whether the reply to this message may bring a session id.
fn opens_session(message: Option<&Message>) -> bool {
    message.and_then(Message::method) == Some("initialize")
}

impl Drop for HttpCarrier {
    fn drop(&mut self) {
        self.under_way.abort_all();
    }
}
