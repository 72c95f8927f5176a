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
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub(super) use self::door::Door;
use super::link::{BoxFuture, Carry, Ending, Link, Outgoing, QUEUE, Sent};
use super::reading::Observer;
use super::target::shown;
use super::{CarrierKind, Limits};
use crate::clock::{self, Deadline};
use crate::expect::words::panic_text;
use crate::spec::{Revision, header};
use crate::trace::{Party, Reading, Recorder, What};
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
    exchanges: u64,
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
        observer: Observer { recorder: recorder.clone(), connection, incoming },
        shared: Arc::default(),
        exchanges: 0,
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
        all.into_values().collect()
    }

    fn record_request(&self, method: &str, exchange: u64, headers: &[(String, String)]) {
        let what = What::HttpRequest {
            method: method.to_owned(),
            path: self.url.clone(),
            headers: headers.to_vec(),
        };
        let Observer { recorder, connection, .. } = &self.observer;
        recorder.record_in(*connection, Some(exchange), Party::Client, what);
    }
}

impl Carry for HttpCarrier {
    fn send(&mut self, outgoing: Outgoing, _: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            self.exchanges += 1;
            let exchange = self.exchanges;
            let headers = self.headers(&outgoing);
            self.record_request("POST", exchange, &headers);
            let Observer { recorder, connection, .. } = &self.observer;
            let message = Reading::message(outgoing.text.clone());
            let seq = recorder.record_in(*connection, Some(exchange), Party::Client, message);

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
            let Observer { recorder, connection, .. } = &self.observer;
            recorder.record_in(*connection, None, Party::Client, What::Closed { how: how.clone() });
            Ending { how, orderly: true }
        })
    }
}

impl HttpCarrier {
    /// Tells the server that the session is over; a server may refuse that, which is no fault.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>
    async fn delete_session(&mut self, session: String, grace: Duration) -> String {
        self.exchanges += 1;
        let exchange = self.exchanges;
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
