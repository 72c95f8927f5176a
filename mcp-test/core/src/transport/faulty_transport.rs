//! A client transport with faults: it changes the messages before the inner transport sends them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::client_transport::{ClientTransport, Restarted};
use super::fault::{Delivery, Fault, HttpFaults};
use super::raw_http::RawCall;
use super::{ConnectionEnd, HttpRequest, Incoming, Outgoing, Sent};
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::{ConnectionId, EventKind, Party, Recorder};
use crate::wire::{Id, Message};

/// How many requests of the server are remembered; replies to others are sent without faults.
const MAX_REQUESTS: usize = 1000;

/// A transport that applies faults to each message.
pub(super) struct FaultyTransport {
    inner: Box<dyn ClientTransport>,
    faults: Arc<[Fault]>,
    server_requests: ServerRequests,
    recorder: Recorder,
    connection: ConnectionId,
}

/// The open requests of the server, for faults on the replies; clones share them.
#[derive(Clone, Default)]
pub(super) struct ServerRequests(Arc<Mutex<HashMap<Id, String>>>);

impl ServerRequests {
    /// Remembers a request.
    pub(super) fn track(&self, incoming: &Incoming) {
        if let Incoming::Message { message: Message::Request(request), .. } = incoming {
            let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if open.len() < MAX_REQUESTS {
                open.insert(request.id.clone(), request.method.clone());
            }
        }
    }

    /// The method of the request that a message replies to.
    fn answered_by(&self, message: &Message) -> Option<String> {
        let id = message.id().filter(|_| message.is_reply())?;
        // Removed, so that a second reply to the same request is sent without faults.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }
}

impl FaultyTransport {
    /// Puts faults on everything that `inner` sends; they see the server's requests in `server_requests`.
    pub(super) fn new(
        inner: Box<dyn ClientTransport>,
        faults: Arc<[Fault]>,
        server_requests: ServerRequests,
        recorder: Recorder,
        connection: ConnectionId,
    ) -> Self {
        Self { inner, faults, server_requests, recorder, connection }
    }

    /// Applies the faults to a message: no, one or several texts to send, in this order and after this delay.
    fn apply(&self, outgoing: Outgoing) -> (Duration, Vec<Outgoing>) {
        let Some(message) = &outgoing.message else { return (Duration::ZERO, vec![outgoing]) };
        let answers = self.server_requests.answered_by(message);
        let method = answers.clone().or_else(|| message.method().map(str::to_owned));
        let is_request = matches!(message, Message::Request(_));
        let http = HttpFaults::of(method.as_deref().unwrap_or_default(), is_request, &self.faults);
        let delivery = Delivery::from_client(message.to_value(), answers, &self.faults);
        let part = |bytes: &bytes::Bytes| {
            // The headers mirror the changed body, so that a fault of the body does not also make them mismatch.
            let read = Value::parse(bytes).ok().and_then(|text| Message::read(&text.value).ok());
            let mut headers = outgoing.headers.clone();
            http.change_headers(&mut headers);
            let left_out = http.headers.iter().filter(|(_, value)| value.is_none());
            Outgoing {
                text: http.body.clone().unwrap_or_else(|| bytes.clone()),
                // A text that faults have broken keeps the headers of what was meant.
                message: read.or_else(|| outgoing.message.clone()),
                headers,
                without: left_out.map(|(name, _)| name.clone()).collect(),
            }
        };
        let texts = delivery.parts.iter().map(|one| part(one.bytes())).collect();
        (delivery.delay.unwrap_or_default(), texts)
    }
}

impl ClientTransport for FaultyTransport {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            let mut last = None;
            let meant = outgoing.text.clone();
            let (delay, texts) = self.apply(outgoing);
            // Waits here: a client sends its messages one after the other, so none of them passes this one.
            if !delay.is_zero() {
                clock::quiet(delay).await;
            }
            for one in texts {
                // A text that no fault has changed still counts against the client.
                let is_changed = one.text != meant;
                let sent = self.inner.send(one, deadline).await;
                if is_changed {
                    self.recorder.mark_deliberate(sent.seq);
                }
                last = Some(sent);
            }
            last.unwrap_or_else(|| {
                let note = EventKind::Note("a fault kept a message from being sent".to_owned());
                let seq = self.recorder.record(self.connection, Party::Harness, note);
                // Reported as written: to the caller the message is lost on its way.
                Sent { seq, exchange: None, written: true }
            })
        })
    }

    fn set_revision(&mut self, revision: Revision) {
        self.inner.set_revision(revision);
    }

    fn set_start_up(&mut self, start_up: Duration) {
        self.inner.set_start_up(start_up);
    }

    fn overdue_line(&self) -> Option<String> {
        self.inner.overdue_line()
    }

    fn listen<'a>(
        &'a mut self,
        after: Option<&'a str>,
        deadline: Deadline,
    ) -> BoxFuture<'a, Option<Sent>> {
        self.inner.listen(after, deadline)
    }

    fn close_exchange(&mut self, exchange: u64) -> bool {
        self.inner.close_exchange(exchange)
    }

    fn restart(&mut self, grace: Duration) -> BoxFuture<'_, Option<Restarted>> {
        self.inner.restart(grace)
    }

    fn bare(&self, request: HttpRequest) -> Option<RawCall> {
        self.inner.bare(request)
    }

    fn as_http(&self, outgoing: Outgoing) -> Option<HttpRequest> {
        self.inner.as_http(outgoing)
    }

    fn session(&self) -> Option<String> {
        self.inner.session()
    }

    fn hurry(&mut self) {
        self.inner.hurry();
    }

    fn end(self: Box<Self>, grace: Duration) -> BoxFuture<'static, ConnectionEnd> {
        self.inner.end(grace)
    }
}
