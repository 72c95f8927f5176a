//! One HTTP exchange under way: its response is read as far as somebody wants to.

use std::fmt;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};

use super::{HttpAnswer, HttpFailure, HttpRequest};
use crate::clock::{self, Deadline};
use crate::trace::{Party, Reading, Seq, What};
use crate::transport::Limits;
use crate::transport::link::{BoxFuture, Damage, Media, Origin};
use crate::transport::reading::Scribe;
use crate::wire::Message;
use crate::wire::sse::{Decoder, SseEvent, SseItem};

/// The body of a response, piece by piece; an error says how it broke off.
pub(in crate::transport) type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>;

/// A response whose body is still to come.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP makes one"))]
pub(in crate::transport) struct HttpReply {
    pub(in crate::transport) status: u16,
    pub(in crate::transport) headers: Vec<(String, String)>,
    pub(in crate::transport) body: Pieces,
}

/// A request that is recorded, and on its way once `reply` is polled.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP makes one"))]
pub(in crate::transport) struct BareCall {
    pub(in crate::transport) exchange: u64,
    pub(in crate::transport) sent: Seq,
    pub(in crate::transport) method: String,
    pub(in crate::transport) scribe: Scribe,
    pub(in crate::transport) limits: Limits,
    pub(in crate::transport) reply: BoxFuture<'static, Result<HttpReply, String>>,
}

impl BareCall {
    /// Records a request that goes to `url`.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP makes one"))]
    pub(in crate::transport) fn new(
        scribe: Scribe,
        exchange: u64,
        url: &str,
        request: &HttpRequest,
        limits: Limits,
        reply: BoxFuture<'static, Result<HttpReply, String>>,
    ) -> Self {
        let method = request.method.clone();
        let sent = scribe.own(
            Some(exchange),
            What::HttpRequest {
                method: method.clone(),
                path: url.to_owned(),
                headers: request.headers.clone(),
            },
        );
        if !request.body.is_empty() {
            let said = scribe.own(Some(exchange), Reading::message(request.body.clone()));
            scribe.recorder.mark_deliberate(said);
        }
        Self { exchange, sent, method, scribe, limits, reply }
    }

    /// Waits for the head of the response.
    pub(in crate::transport) async fn open(
        self,
        deadline: Deadline,
    ) -> Result<HttpExchange, HttpFailure> {
        let Self { exchange, sent, method, scribe, limits, reply } = self;
        let reply = match clock::within(deadline, reply).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(why)) => {
                let how = format!("failed without an HTTP response: {why}");
                let seq = scribe.record(Some(exchange), What::Closed { how });
                return Err(HttpFailure::NoResponse { method, why, sent, seq });
            }
            Err(_) => {
                let within = deadline.allotted().map(clock::in_words).unwrap_or_default();
                let awaited = format!("an HTTP response to {method} within {within}");
                let seq = late(&scribe, exchange, awaited);
                return Err(HttpFailure::Late { method, within, sent, seq });
            }
        };
        let HttpReply { status, headers, body } = reply;
        let what = What::HttpResponse { status, headers: headers.clone() };
        let seq = scribe.record(Some(exchange), what);
        let answer = HttpAnswer {
            exchange,
            sent,
            seq,
            status,
            headers,
            events: Vec::new(),
            body: Bytes::new(),
            complete: false,
            how: "not read".to_owned(),
        };
        let stream = answer.is_stream();
        let media = Some(Media::of(&answer.media()));
        let origin = Origin { exchange: Some(exchange), status: Some(status), media };
        let decoder = stream.then(|| Decoder::new(limits.event));
        Ok(HttpExchange {
            answer,
            origin,
            scribe,
            limits,
            pieces: Some(body),
            decoder,
            kept: BytesMut::new(),
            weight: 0,
            unread: 0,
        })
    }
}

/// A response that is being read; dropping it closes its connection.
pub struct HttpExchange {
    answer: HttpAnswer,
    origin: Origin,
    scribe: Scribe,
    limits: Limits,
    pieces: Option<Pieces>,
    decoder: Option<Decoder>,
    kept: BytesMut,
    /// About how many bytes the events take that are kept.
    weight: usize,
    /// The first event that [`HttpExchange::event`] has not handed out.
    unread: usize,
}

impl HttpExchange {
    /// What was read so far: status and headers at first, then every event.
    #[must_use]
    pub fn answer(&self) -> &HttpAnswer {
        &self.answer
    }

    /// The next event of an event stream; `None` at its end, at the deadline, and in a body that is no stream.
    ///
    /// Whether the stream goes on then is said by [`HttpExchange::is_open`].
    pub async fn event(&mut self, deadline: Deadline) -> Option<SseEvent> {
        while self.unread == self.answer.events.len() {
            if self.decoder.is_none() || !self.read(deadline).await {
                return None;
            }
        }
        self.unread += 1;
        self.answer.events.get(self.unread - 1).cloned()
    }

    /// Reads on until a message of an event stream is enough, be it one that was read before; returns whether one was.
    ///
    /// [`HttpExchange::event`] goes on behind the event that held it.
    pub async fn until_said(
        &mut self,
        deadline: Deadline,
        mut enough: impl FnMut(&Message) -> bool,
    ) -> bool {
        let mut next = 0;
        loop {
            while let Some(event) = self.answer.events.get(next) {
                next += 1;
                self.unread = self.unread.max(next);
                let said = Reading::of(&Bytes::copy_from_slice(event.data.as_bytes()));
                if said.messages().any(&mut enough) {
                    return true;
                }
            }
            if self.decoder.is_none() || !self.read(deadline).await {
                return false;
            }
        }
    }

    /// Whether more may come.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.pieces.is_some()
    }

    /// Reads on until an event is enough, the response ends, or the deadline passes; then closes the connection.
    pub async fn until(
        mut self,
        deadline: Deadline,
        mut enough: impl FnMut(&SseEvent) -> bool,
    ) -> HttpAnswer {
        if self.decoder.is_none() {
            return self.finish(deadline).await;
        }
        loop {
            match self.event(deadline).await {
                Some(event) if enough(&event) => break,
                Some(_) => {}
                None if self.is_open() => {
                    self.open_at(deadline);
                    break;
                }
                None => break,
            }
        }
        self.close()
    }

    /// Reads on until the response ends or the deadline passes; then closes the connection.
    pub async fn finish(mut self, deadline: Deadline) -> HttpAnswer {
        while self.is_open() {
            if !self.read(deadline).await && self.is_open() {
                self.open_at(deadline);
                break;
            }
        }
        self.close()
    }

    /// Closes the connection; what was read is the answer.
    #[must_use]
    pub fn close(mut self) -> HttpAnswer {
        if self.pieces.take().is_some() {
            self.keep_body();
            self.answer.how = "still open when mcp-test closed it".to_owned();
            self.closed(Party::Client);
        }
        self.answer
    }

    /// Reads one more piece; `false` at the end and at the deadline.
    async fn read(&mut self, deadline: Deadline) -> bool {
        let Some(pieces) = &mut self.pieces else { return false };
        if deadline.has_passed() {
            return false;
        }
        let Ok(piece) = clock::within(deadline, pieces.next()).await else { return false };
        match piece {
            Some(Ok(piece)) => self.take(&piece),
            Some(Err(why)) => self.ended(false, format!("broken off: {why}")),
            None => self.ended(true, "complete".to_owned()),
        }
        true
    }

    fn take(&mut self, piece: &Bytes) {
        if let Some(decoder) = &mut self.decoder {
            let items = decoder.push(piece);
            self.take_items(items);
        } else {
            self.kept.extend_from_slice(piece);
        }
        let limit = self.limits.body;
        if self.kept.len().max(self.weight) > limit {
            self.ended(false, format!("longer than the {limit} bytes that mcp-test reads"));
        }
    }

    fn take_items(&mut self, items: Vec<SseItem>) {
        for item in items {
            if let SseItem::Event(event) | SseItem::Silent(event) = &item {
                self.weight += size_of::<SseEvent>() + event.data.len();
                self.answer.events.push(event.clone());
            }
            self.scribe.event(self.origin, item);
        }
    }

    fn ended(&mut self, complete: bool, how: String) {
        self.pieces = None;
        if let Some(decoder) = self.decoder.take() {
            self.take_items(decoder.finish());
        }
        self.keep_body();
        self.answer.complete = complete;
        self.answer.how = how;
        self.closed(Party::Server);
    }

    fn keep_body(&mut self) {
        let body = std::mem::take(&mut self.kept).freeze();
        if body.is_empty() {
            return;
        }
        self.answer.body = body.clone();
        if self.answer.media() == "application/json" {
            self.scribe.text(self.origin, body);
            return;
        }
        let why = match self.answer.media().as_str() {
            "" => "a body without a Content-Type".to_owned(),
            media => format!("a body of type {media}"),
        };
        let why = format!("HTTP {} with {why}", self.answer.status);
        self.scribe.noise(self.origin, body, why, Damage::Lost);
    }

    fn closed(&self, by: Party) {
        let how = format!("the response {}", self.answer.how);
        let Scribe { recorder, connection } = &self.scribe;
        recorder.record_in(*connection, self.origin.exchange, by, What::Closed { how });
    }

    fn open_at(&self, deadline: Deadline) {
        let within = deadline.allotted().map(clock::in_words).unwrap_or_default();
        late(
            &self.scribe,
            self.answer.exchange,
            format!("the rest of the response within {within}"),
        );
    }
}

fn late(scribe: &Scribe, exchange: u64, awaited: String) -> Seq {
    let Scribe { recorder, connection } = scribe;
    let what = What::DeadlineFired { awaited };
    recorder.record_in(*connection, Some(exchange), Party::Harness, what)
}

impl fmt::Debug for HttpExchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpExchange").field("answer", &self.answer).finish_non_exhaustive()
    }
}
