//! The client's end of a connection, whatever carries it.
//!
//! A [`Link`] moves messages and records them; it knows nothing of requests that wait for replies (that is the client
//! actor's), and judges nothing.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::bare::BareCall;
use super::faulty::Questions;
use super::{CarrierKind, HttpAnswer, HttpExchange, HttpFailure, HttpRequest, OpenError};
use crate::clock::Deadline;
use crate::spec::Revision;
pub use crate::trace::Damage;
use crate::trace::{Connection, Recorder, Seq};
use crate::wire::sse::SseEvent;
use crate::wire::{Malformed, Message};

pub(super) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How many observations may wait to be looked at before the carrier stops reading.
pub(super) const QUEUE: usize = 1024;

/// What a program that was started anew is observed through.
pub(super) type Restarted = Result<mpsc::Receiver<Incoming>, OpenError>;

/// What a carrier does for its link.
pub(super) trait Carry: Send {
    /// Hands a message to the wire and records it.
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent>;

    /// Learns which revision the conversation has settled on.
    fn speak(&mut self, revision: Revision);

    /// Opens a stream on which the server can speak of its own accord, of the events after this one; where there is any.
    fn listen<'a>(
        &'a mut self,
        _after: Option<&'a str>,
        _: Deadline,
    ) -> BoxFuture<'a, Option<Sent>> {
        Box::pin(async { None })
    }

    /// Stops reading an exchange and closes its response; whether it was open.
    fn hang_up(&mut self, _exchange: u64) -> bool {
        false
    }

    /// Starts the program anew that is at the other end, where there is one; gives what is observed from then on.
    fn restart(&mut self, _grace: Duration) -> BoxFuture<'_, Option<Restarted>> {
        Box::pin(async { None })
    }

    /// Makes an HTTP request that is not the carrier's own, where there is HTTP.
    fn bare(&self, _: HttpRequest) -> Option<BareCall> {
        None
    }

    /// The request that [`Carry::send`] would make of a message, where there is HTTP.
    fn as_http(&self, _: Outgoing) -> Option<HttpRequest> {
        None
    }

    /// The session that the server has opened, where there are sessions.
    fn session(&self) -> Option<String> {
        None
    }

    /// Ends the connection in good order, by force after `grace`.
    fn end(self: Box<Self>, grace: Duration) -> BoxFuture<'static, Ending>;
}

/// A message on its way to the peer.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// The bytes, without any framing.
    pub text: Bytes,
    /// What the bytes say; `None` for a batch, and for bytes that are deliberately as they are.
    pub message: Option<Message>,
    /// HTTP headers beyond those that the revision asks for; a name given here replaces the carrier's own.
    pub headers: Vec<(String, String)>,
    /// HTTP headers that are left out, whoever asks for them.
    pub without: Vec<String>,
}

impl From<Message> for Outgoing {
    fn from(message: Message) -> Self {
        Self {
            text: message.to_value().to_string().into(),
            message: Some(message),
            headers: Vec::new(),
            without: Vec::new(),
        }
    }
}

impl Outgoing {
    /// Messages that are sent as one JSON-RPC batch, which only 2025-03-26 knows.
    ///
    /// ```
    /// use mcp_test::transport::Outgoing;
    /// use mcp_test::wire::{Message, Notification};
    ///
    /// let note = |method: &str| Message::Notification(Notification { method: method.into(), params: None });
    /// let batch = Outgoing::batch([note("a"), note("b")]);
    /// assert_eq!(batch.text, r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]"#);
    /// ```
    #[must_use]
    pub fn batch(messages: impl IntoIterator<Item = Message>) -> Self {
        let items: Vec<String> =
            messages.into_iter().map(|message| message.to_value().to_string()).collect();
        Self::raw(format!("[{}]", items.join(",")))
    }

    /// Bytes that are sent as they are, message or not.
    #[must_use]
    pub fn raw(text: impl Into<Bytes>) -> Self {
        Self { text: text.into(), message: None, headers: Vec::new(), without: Vec::new() }
    }

    /// Adds an HTTP header; see [`Outgoing::headers`].
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// Where a sent message stands in the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// The event that records it.
    pub seq: Seq,
    /// The HTTP exchange that carries it, on HTTP carriers.
    pub exchange: Option<u64>,
    /// Whether it left in time; a peer that does not read makes the carrier wait.
    pub written: bool,
}

/// Where an observation comes from, on HTTP carriers; nothing is known on others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Origin {
    /// The HTTP exchange.
    pub exchange: Option<u64>,
    /// The status of its response.
    pub status: Option<u16>,
    /// What the response says that its body is.
    pub media: Option<Media>,
}

impl Origin {
    /// Whether the response is an event stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.media == Some(Media::Stream)
    }
}

/// What the body of an HTTP response says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// `application/json`.
    Json,
    /// `text/event-stream`.
    Stream,
    /// Something else, or nothing.
    Other,
}

impl Media {
    /// Of a type without parameters, in small letters.
    #[must_use]
    pub fn of(essence: &str) -> Self {
        match essence {
            "application/json" => Self::Json,
            "text/event-stream" => Self::Stream,
            _ => Self::Other,
        }
    }
}

/// Something that the carrier observed, in the order of arrival.
#[derive(Debug, Clone)]
pub enum Incoming {
    /// A message from the peer.
    Message {
        /// The event that records it.
        seq: Seq,
        /// Where it comes from.
        origin: Origin,
        /// What it says.
        message: Message,
    },
    /// Bytes from the peer that are no message.
    Garbled {
        /// The event that records them.
        seq: Seq,
        /// Where they come from.
        origin: Origin,
        /// Their beginning, in quotes.
        head: String,
        /// What is wrong with them.
        why: String,
        /// What could be read, when they are JSON but no JSON-RPC.
        malformed: Option<Malformed>,
        /// What they mean for the messages around them.
        damage: Damage,
    },
    /// An HTTP exchange is over: nothing more comes on it.
    Ended {
        /// The event that records it.
        seq: Seq,
        /// The exchange.
        exchange: u64,
        /// The HTTP status, if a response came at all.
        status: Option<u16>,
        /// How it ended, as the end of a sentence that begins with "the exchange".
        how: String,
    },
    /// The connection is over: nothing more comes.
    Closed {
        /// The event that records it.
        seq: Seq,
        /// How it ended, as a sentence about the peer.
        how: String,
    },
}

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// What had to be done: `closed`, `terminated`, `killed` …
    pub how: String,
    /// Whether the peer left by itself when it was asked in the orderly way.
    pub orderly: bool,
}

/// The client's end of a connection.
pub struct Link {
    kind: CarrierKind,
    connection: Connection,
    recorder: Recorder,
    carry: Box<dyn Carry>,
    incoming: mpsc::Receiver<Incoming>,
    /// For faults on what is answered.
    questions: Option<Questions>,
}

impl Link {
    pub(super) fn new(
        kind: CarrierKind,
        connection: Connection,
        recorder: Recorder,
        carry: Box<dyn Carry>,
        incoming: mpsc::Receiver<Incoming>,
    ) -> Self {
        Self { kind, connection, recorder, carry, incoming, questions: None }
    }

    /// The same link with its carrier inside of another one.
    ///
    /// The outer one is told what the server asks.
    pub(super) fn carried(
        mut self,
        questions: Questions,
        wrap: impl FnOnce(Box<dyn Carry>) -> Box<dyn Carry>,
    ) -> Self {
        self.carry = wrap(self.carry);
        self.questions = Some(questions);
        self
    }

    fn hear(&self, incoming: Option<Incoming>) -> Option<Incoming> {
        if let (Some(questions), Some(incoming)) = (&self.questions, &incoming) {
            questions.hear(incoming);
        }
        incoming
    }

    /// What carries the messages.
    #[must_use]
    pub fn kind(&self) -> CarrierKind {
        self.kind
    }

    /// The connection's number in the trace.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.connection
    }

    /// The recorder that the carrier writes to.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Sends a message; that the peer is gone shows in what [`Link::next`] observes.
    pub async fn send(&mut self, outgoing: impl Into<Outgoing>, deadline: Deadline) -> Sent {
        let outgoing = outgoing.into();
        let deliberate = outgoing.message.is_none();
        let sent = self.carry.send(outgoing, deadline).await;
        if deliberate {
            self.recorder.mark_deliberate(sent.seq);
        }
        sent
    }

    /// The next observation; `None` after [`Incoming::Closed`] has been handed out.
    pub async fn next(&mut self) -> Option<Incoming> {
        let incoming = self.incoming.recv().await;
        self.hear(incoming)
    }

    /// An observation that is there already, without waiting.
    pub fn ready(&mut self) -> Option<Incoming> {
        let incoming = self.incoming.try_recv().ok();
        self.hear(incoming)
    }

    /// Opens a stream on which the server can speak of its own accord, and waits until its response begins.
    ///
    /// `None` where there is no such stream: over a carrier that is one itself, and in revisions without it. What comes
    /// is handed out by [`Link::next`] as part of the exchange; a refusal shows as its end. The stream is resumed as
    /// long as its events have ids; [`Link::hang_up`] closes it. [`Sent::written`] says whether the response began in
    /// time.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server>
    pub async fn listen(&mut self, deadline: Deadline) -> Option<Sent> {
        self.carry.listen(None, deadline).await
    }

    /// As [`Link::listen`], for the events after the one with this id, of the stream that it belongs to.
    ///
    /// A stream that breaks off before it brought its reply is resumed without being asked.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery>
    pub async fn resume(&mut self, last_event_id: &str, deadline: Deadline) -> Option<Sent> {
        self.carry.listen(Some(last_event_id), deadline).await
    }

    /// Stops reading an exchange and closes its response; returns whether it was open.
    ///
    /// In 2026-07-28 that is how a client cancels a request over HTTP. Nothing more is observed of the exchange.
    /// <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#cancellation>
    pub fn hang_up(&mut self, exchange: u64) -> bool {
        self.carry.hang_up(exchange)
    }

    /// Tells the carrier the revision of the conversation, which decides the headers on HTTP.
    pub fn speak(&mut self, revision: Revision) {
        self.carry.speak(revision);
    }

    /// Starts the program at the other end anew, after ending what is left of it; `None` where there is no program.
    ///
    /// What was under way is lost, and what the old program said is not handed out any more. In 2026-07-28 a client
    /// should do that when a program exits unexpectedly; a conversation of the handshake era has to begin again.
    /// <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#unexpected-termination>
    ///
    /// # Errors
    ///
    /// [`OpenError`] when the program cannot be started.
    pub async fn restart(&mut self, grace: Duration) -> Option<Result<(), OpenError>> {
        let Self { carry, incoming, .. } = self;
        // A full queue must not hold the old program up.
        let last_words = async {
            while incoming.recv().await.is_some() {}
            std::future::pending().await
        };
        let restarted = tokio::select! {
            restarted = carry.restart(grace) => restarted,
            never = last_words => never,
        };
        restarted.map(|restarted| restarted.map(|incoming| self.incoming = incoming))
    }

    /// Makes exactly this HTTP request and reads its response to the end.
    ///
    /// It belongs to the connection in the trace, and is no part of its conversation: [`Link::next`] does not see what
    /// comes. Several can be under way at once. An event stream that stays open is read until the deadline.
    ///
    /// # Errors
    ///
    /// [`HttpFailure`] when there is no response, or no HTTP.
    pub fn http(
        &self,
        request: HttpRequest,
        deadline: Deadline,
    ) -> impl Future<Output = Result<HttpAnswer, HttpFailure>> + Send + use<> {
        let opening = self.open_http(request, deadline);
        async move { Ok(opening.await?.finish(deadline).await) }
    }

    /// As [`Link::http`], but of an event stream no more is read once an event is enough.
    ///
    /// # Errors
    ///
    /// As [`Link::http`].
    pub fn http_until<F>(
        &self,
        request: HttpRequest,
        deadline: Deadline,
        enough: F,
    ) -> impl Future<Output = Result<HttpAnswer, HttpFailure>> + Send + use<F>
    where
        F: FnMut(&SseEvent) -> bool + Send,
    {
        let opening = self.open_http(request, deadline);
        async move { Ok(opening.await?.until(deadline, enough).await) }
    }

    /// As [`Link::http`], but leaves the body of the response to be read event by event.
    ///
    /// # Errors
    ///
    /// As [`Link::http`].
    pub fn open_http(
        &self,
        request: HttpRequest,
        deadline: Deadline,
    ) -> impl Future<Output = Result<HttpExchange, HttpFailure>> + Send + use<> {
        let call = self.carry.bare(request);
        let carrier = self.kind;
        async move { call.ok_or(HttpFailure::NoHttp { carrier })?.open(deadline).await }
    }

    /// The HTTP request that [`Link::send`] would make now of a message; `None` where there is no HTTP.
    #[must_use]
    pub fn as_http(&self, outgoing: impl Into<Outgoing>) -> Option<HttpRequest> {
        self.carry.as_http(outgoing.into())
    }

    /// The session that the server has opened; `None` where there is none.
    #[must_use]
    pub fn session(&self) -> Option<String> {
        self.carry.session()
    }

    /// Ends the connection in good order, by force after `grace`.
    pub async fn end(self, grace: Duration) -> Ending {
        let Self { carry, mut incoming, .. } = self;
        // What the peer says at the end is recorded, and must not hold it up.
        let last_words = async {
            while incoming.recv().await.is_some() {}
            std::future::pending().await
        };
        tokio::select! {
            ending = carry.end(grace) => ending,
            ending = last_words => ending,
        }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("kind", &self.kind).finish_non_exhaustive()
    }
}
