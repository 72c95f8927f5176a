//! Makes the requests of one connection: where they go, with which headers, under which number.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::door::{self, Door};
use super::{headers, opens_session};
use crate::clock::{self, Deadline};
use crate::spec::{Revision, header};
use crate::trace::{Seq, What};
use crate::transport::bare::{BareCall, HttpReply};
use crate::transport::link::{BoxFuture, Outgoing};
use crate::transport::reading::Observer;
use crate::transport::{HttpRequest, Limits};

/// What the exchanges of one connection learn from each other.
#[derive(Default)]
pub(in crate::transport) struct Shared {
    pub(in crate::transport) session: Option<String>,
    pub(in crate::transport) revision: Option<Revision>,
}

/// Makes requests; clones number them together.
#[derive(Clone)]
pub(in crate::transport) struct Courier {
    door: Door,
    pub(in crate::transport) url: Arc<str>,
    extra: Arc<[(String, String)]>,
    pub(in crate::transport) limits: Limits,
    pub(in crate::transport) observer: Observer,
    shared: Arc<Mutex<Shared>>,
    exchanges: Arc<AtomicU64>,
}

/// A request that is recorded; it leaves once `reply` is polled.
pub(in crate::transport) struct Asked {
    pub(in crate::transport) exchange: u64,
    pub(in crate::transport) sent: Seq,
    pub(in crate::transport) opens_session: bool,
    pub(in crate::transport) reply: BoxFuture<'static, Result<HttpReply, String>>,
}

impl Courier {
    pub(in crate::transport) fn new(
        door: Door,
        url: &str,
        extra: &[(String, String)],
        limits: Limits,
        observer: Observer,
    ) -> Self {
        let (shared, exchanges) = (Arc::default(), Arc::default());
        Self { door, url: url.into(), extra: extra.into(), limits, observer, shared, exchanges }
    }

    pub(in crate::transport) fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of another exchange.
    pub(in crate::transport) fn next_exchange(&self) -> u64 {
        self.exchanges.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The headers of a POST; a conversation that begins anew has neither session nor revision yet.
    pub(in crate::transport) fn post_headers(&self, outgoing: &Outgoing) -> Vec<(String, String)> {
        let message = outgoing.message.as_ref();
        let own = if opens_session(message) {
            headers::for_message(message, None, None)
        } else {
            let shared = self.shared();
            headers::for_message(message, shared.revision, shared.session.as_deref())
        };
        let mut headers = self.merged(own, &outgoing.headers);
        let left_out = |name: &String| {
            outgoing.without.iter().any(|without| name.eq_ignore_ascii_case(without))
        };
        headers.retain(|(name, _)| !left_out(name));
        headers
    }

    /// The headers of a GET that asks for the events after this one.
    pub(in crate::transport) fn get_headers(&self, after: Option<&str>) -> Vec<(String, String)> {
        let own = {
            let shared = self.shared();
            headers::for_get(shared.revision, shared.session.as_deref(), after)
        };
        self.merged(own, &[])
    }

    /// The carrier's own headers, those of the target and those of the message, later ones replacing earlier ones.
    fn merged(
        &self,
        own: Vec<(String, String)>,
        given: &[(String, String)],
    ) -> Vec<(String, String)> {
        let mut all = BTreeMap::new();
        for (name, value) in own.into_iter().chain(self.extra.to_vec()).chain(given.to_vec()) {
            all.insert(name.to_ascii_lowercase(), (name, value));
        }
        all.into_values().collect()
    }

    /// Records a request to the URL of the target, and makes it ready to leave.
    pub(in crate::transport) fn ask(
        &self,
        method: &str,
        headers: Vec<(String, String)>,
        body: Bytes,
    ) -> Asked {
        self.ask_at(&self.url, method, headers, body)
    }

    /// As [`Courier::ask`], to another URL.
    pub(in crate::transport) fn ask_at(
        &self,
        url: &str,
        method: &str,
        headers: Vec<(String, String)>,
        body: Bytes,
    ) -> Asked {
        let exchange = self.next_exchange();
        let reply = self.door.call(method, url, &headers, body);
        let (method, path) = (method.to_owned(), url.to_owned());
        let what = What::HttpRequest { method, path, headers };
        let sent = self.observer.scribe.own(Some(exchange), what);
        Asked { exchange, sent, opens_session: false, reply }
    }

    /// A request that is not the carrier's own; what the target sends with every request is added unless it is given.
    pub(in crate::transport) fn bare(&self, mut request: HttpRequest) -> BareCall {
        let given =
            |name: &str| request.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let extra: Vec<_> = self.extra.iter().filter(|(name, _)| !given(name)).cloned().collect();
        request.headers.extend(extra);
        let url = match &request.path {
            Some(path) => door::elsewhere(&self.url, path),
            None => self.url.as_ref().to_owned(),
        };
        let (method, headers) = (&request.method, &request.headers);
        let reply = self.door.call_exactly(method, &url, headers, request.body.clone());
        let scribe = self.observer.scribe.clone();
        BareCall::new(scribe, self.next_exchange(), &url, &request, self.limits, reply)
    }

    /// Tells the server that the session is over; a server may refuse that, which is no fault.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>
    pub(in crate::transport) async fn delete_session(
        &self,
        session: String,
        grace: Duration,
    ) -> String {
        let mut own = vec![(header::MCP_SESSION_ID.to_owned(), session)];
        own.extend(self.shared().revision.and_then(headers::version));
        let asked = self.ask("DELETE", self.merged(own, &[]), Bytes::new());
        match clock::within(Deadline::after(grace), asked.reply).await {
            Ok(Ok(reply)) => {
                let status = reply.status;
                let what = What::HttpResponse { status, headers: reply.headers };
                self.observer.record(Some(asked.exchange), what);
                format!("session deleted, HTTP {status}")
            }
            Ok(Err(why)) => format!("session not deleted: {why}"),
            Err(_) => {
                let within = clock::in_words(grace);
                format!("session not deleted: no answer to DELETE within {within}")
            }
        }
    }
}
