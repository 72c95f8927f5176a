//! An HTTP exchange in progress, whose response is read as far as needed.

use std::fmt;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;

use super::{HttpFailure, HttpRequest, HttpResponse};
use crate::clock::{self, Deadline};
use crate::expect::words;
use crate::trace::{EventKind, ParsedText, Party, Seq, UnparsableKind};
use crate::transport::exchange_error::ExchangeError;
use crate::transport::observer::TransportRecorder;
use crate::transport::redacted::redact_urls;
use crate::transport::{Limits, Origin};
use crate::wire::sse::{Decoder, SseEvent, SseItem};
use crate::wire::{MediaType, Message};

/// The body of a response; an error tells why it broke off.
pub(in crate::transport) type BodyStream = BoxStream<'static, Result<Bytes, ExchangeError>>;

/// A response whose body is still to come.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP makes one"))]
pub(in crate::transport) struct StreamingResponse {
    pub(in crate::transport) status: u16,
    pub(in crate::transport) headers: Vec<(String, String)>,
    pub(in crate::transport) body: BodyStream,
}

/// A request that is recorded; it is sent once `reply` is polled.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP makes one"))]
pub(in crate::transport) struct RawCall {
    pub(in crate::transport) exchange: u64,
    pub(in crate::transport) sent: Seq,
    pub(in crate::transport) method: String,
    is_for_document: bool,
    pub(in crate::transport) recorder: TransportRecorder,
    pub(in crate::transport) limits: Limits,
    pub(in crate::transport) reply: BoxFuture<'static, Result<StreamingResponse, ExchangeError>>,
}

impl RawCall {
    /// Records a request to `url`.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP makes one"))]
    pub(in crate::transport) fn new(
        recorder: TransportRecorder,
        exchange: u64,
        url: &str,
        request: &HttpRequest,
        limits: Limits,
        reply: BoxFuture<'static, Result<StreamingResponse, ExchangeError>>,
    ) -> Self {
        let (method, is_for_document) = (request.method.clone(), request.is_for_document);
        let sent = recorder.own(
            Some(exchange),
            EventKind::HttpRequest {
                method: method.clone(),
                path: url.to_owned(),
                headers: request.headers.clone(),
            },
        );
        if !request.body.is_empty() {
            let body = recorder.own(Some(exchange), EventKind::message(request.body.clone()));
            // A test wrote the body: a judge of what the client sends must not blame the client for it.
            recorder.trace.mark_deliberate(body);
        }
        Self { exchange, sent, method, is_for_document, recorder, limits, reply }
    }

    /// Waits for the head of the response.
    pub(in crate::transport) async fn open(
        self,
        deadline: Deadline,
    ) -> Result<HttpExchange, HttpFailure> {
        let Self { exchange, sent, method, is_for_document, recorder, limits, reply } = self;
        let reply = match clock::within(deadline, reply).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(why)) => {
                let seq = recorder.record(Some(exchange), EventKind::Closed { how: why.how() });
                let why = why.to_string();
                return Err(HttpFailure::NoResponse { method, why, sent, seq });
            }
            Err(_) => {
                let within = deadline.allotted().map(clock::format_duration).unwrap_or_default();
                let awaited = format!("an HTTP response to {method} within {within}");
                let seq = record_timeout(&recorder, exchange, awaited);
                return Err(HttpFailure::Late { method, within, sent, seq });
            }
        };
        let StreamingResponse { status, headers, body } = reply;
        let what = EventKind::HttpResponse { status, headers: headers.clone() };
        let seq = recorder.record(Some(exchange), what);
        let answer = HttpResponse {
            exchange,
            sent,
            seq,
            status,
            headers,
            events: Vec::new(),
            body: Bytes::new(),
            excess: None,
            complete: false,
            how: "not read".to_owned(),
        };
        let stream = answer.is_stream();
        let media = Some(answer.media_type());
        let origin = Origin { exchange: Some(exchange), status: Some(status), media };
        let decoder = stream.then(|| Decoder::new(limits.event));
        Ok(HttpExchange {
            answer,
            is_document: is_for_document && !stream,
            origin,
            recorder,
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
    answer: HttpResponse,
    /// Whether the body is a document instead of a message.
    is_document: bool,
    origin: Origin,
    recorder: TransportRecorder,
    limits: Limits,
    pieces: Option<BodyStream>,
    decoder: Option<Decoder>,
    kept: BytesMut,
    /// The approximate size of the kept events in bytes.
    weight: usize,
    /// The index of the next event that [`HttpExchange::event`] returns.
    unread: usize,
}

impl HttpExchange {
    /// What was read so far: status and headers, then every event.
    #[must_use]
    pub fn answer(&self) -> &HttpResponse {
        &self.answer
    }

    /// The next event of an event stream; `None` at its end, at the deadline, and if the body is not a stream.
    ///
    /// [`HttpExchange::is_open`] tells whether more may follow.
    pub async fn event(&mut self, deadline: Deadline) -> Option<SseEvent> {
        while self.unread == self.answer.events.len() {
            if self.decoder.is_none() || !self.read(deadline).await {
                return None;
            }
        }
        self.unread += 1;
        self.answer.events.get(self.unread - 1).cloned()
    }

    /// Reads an event stream until a message is `enough`, including those already read; returns whether one was.
    ///
    /// [`HttpExchange::event`] continues after the event that contained it.
    pub async fn read_until_message(
        &mut self,
        deadline: Deadline,
        mut enough: impl FnMut(&Message) -> bool,
    ) -> bool {
        let mut next = 0;
        loop {
            while let Some(event) = self.answer.events.get(next) {
                next += 1;
                self.unread = self.unread.max(next);
                let text = ParsedText::parse(&Bytes::copy_from_slice(event.data.as_bytes()));
                if text.messages().any(&mut enough) {
                    return true;
                }
            }
            if self.decoder.is_none() || !self.read(deadline).await {
                return false;
            }
        }
    }

    /// Whether more may follow.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.pieces.is_some()
    }

    /// Reads until an event is `enough`, the response ends, or the deadline passes; then closes the connection.
    pub async fn until(
        mut self,
        deadline: Deadline,
        mut enough: impl FnMut(&SseEvent) -> bool,
    ) -> HttpResponse {
        if self.decoder.is_none() {
            // There is no event to wait for, but the body belongs to the answer.
            return self.finish(deadline).await;
        }
        while let Some(event) = self.event(deadline).await {
            if enough(&event) {
                return self.close();
            }
        }
        self.record_if_open(deadline);
        self.close()
    }

    /// Reads until the response ends or the deadline passes; then closes the connection.
    pub async fn finish(mut self, deadline: Deadline) -> HttpResponse {
        while self.read(deadline).await {}
        self.record_if_open(deadline);
        self.close()
    }

    /// Closes the connection, and returns what was read.
    #[must_use]
    pub fn close(mut self) -> HttpResponse {
        if self.pieces.take().is_some() {
            self.keep_body();
            self.answer.how = "still open when mcp-test closed it".to_owned();
            self.closed(Party::Client);
        }
        self.answer
    }

    /// Reads another piece; `false` at the end and at the deadline.
    async fn read(&mut self, deadline: Deadline) -> bool {
        let Some(pieces) = &mut self.pieces else { return false };
        // A piece that is already there would win against a deadline that has passed.
        if deadline.has_passed() {
            return false;
        }
        let Ok(piece) = clock::within(deadline, pieces.next()).await else { return false };
        match piece {
            Some(Ok(piece)) => self.take(&piece),
            Some(Err(ExchangeError::Excess(excess))) => {
                if !excess.is_empty() {
                    let note = format!("after the end of the response: {}", words::quoted(&excess));
                    self.recorder.record(Some(self.answer.exchange), EventKind::Note(note));
                }
                self.answer.excess = Some(excess);
                self.ended(true, "complete".to_owned());
            }
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
        // Events count too: a stream without an end would otherwise fill the memory one event at a time.
        let limit = self.limits.body;
        if self.kept.len().max(self.weight) > limit {
            self.ended(false, format!("longer than the {limit} bytes that mcp-test reads"));
        }
    }

    fn take_items(&mut self, items: Vec<SseItem>) {
        for item in items {
            if let SseItem::Event(event) | SseItem::Silent(event) = &item {
                // With the size of the struct: events without data would otherwise cost nothing.
                self.weight += size_of::<SseEvent>() + event.data.len();
                self.answer.events.push(event.clone());
            }
            match item {
                // Over HTTP+SSE it names the URI of the POSTs, and is not a message.
                SseItem::Event(SseEvent { event, data, id, retry })
                    if event.as_deref() == Some("endpoint") =>
                {
                    let exchange = Some(self.answer.exchange);
                    self.recorder.record(exchange, EventKind::SseEvent { event, id, retry });
                    let shown = redact_urls(&data);
                    let note = EventKind::Note(format!("the endpoint is {shown}"));
                    self.recorder.record(exchange, note);
                }
                item => drop(self.recorder.event(self.origin, item)),
            }
        }
    }

    fn ended(&mut self, complete: bool, how: String) {
        // Dropped at once, which closes the connection of a response that is too long.
        self.pieces = None;
        // Anything left in the decoder is an event without its final empty line, which is a violation.
        if let Some(decoder) = self.decoder.take() {
            self.take_items(decoder.finish());
        }
        self.keep_body();
        self.answer.complete = complete;
        self.answer.how = how;
        self.closed(Party::Server);
    }

    fn keep_body(&mut self) {
        // Recorded once it is complete, since only the whole text can be parsed.
        let body = std::mem::take(&mut self.kept).freeze();
        if body.is_empty() {
            return;
        }
        self.answer.body = body.clone();
        if self.is_document {
            let text = String::from_utf8_lossy(&body);
            let note = EventKind::Note(format!("a document: {}", words::excerpt(&text)));
            self.recorder.record(Some(self.answer.exchange), note);
            return;
        }
        if self.answer.media_type() == MediaType::Json {
            self.recorder.text(self.origin, body);
            return;
        }
        let why = match self.answer.content_type().as_str() {
            "" => "a body without a Content-Type".to_owned(),
            content_type => format!("a body of type {content_type}"),
        };
        let why = format!("HTTP {} with {why}", self.answer.status);
        self.recorder.noise(self.origin, body, why, UnparsableKind::BrokenMessage);
    }

    fn closed(&self, by: Party) {
        let how = format!("the response {}", self.answer.how);
        // Neither `record` nor `own`: either side may have ended the exchange.
        let TransportRecorder { trace, connection } = &self.recorder;
        trace.record_in(*connection, self.origin.exchange, by, EventKind::Closed { how });
    }

    /// Records that the deadline has passed, if the response has not ended.
    fn record_if_open(&self, deadline: Deadline) {
        if !self.is_open() {
            return;
        }
        let within = deadline.allotted().map(clock::format_duration).unwrap_or_default();
        record_timeout(
            &self.recorder,
            self.answer.exchange,
            format!("the rest of the response within {within}"),
        );
    }
}

fn record_timeout(recorder: &TransportRecorder, exchange: u64, awaited: String) -> Seq {
    let TransportRecorder { trace, connection } = recorder;
    let what = EventKind::DeadlineFired { awaited };
    trace.record_in(*connection, Some(exchange), Party::Harness, what)
}

impl fmt::Debug for HttpExchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpExchange").field("answer", &self.answer).finish_non_exhaustive()
    }
}
