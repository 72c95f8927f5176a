//! What is asked over HTTP, and what was answered.

use bytes::Bytes;

use crate::json::Document;
use crate::trace::{Reading, Seq};
use crate::transport::CarrierKind;
use crate::wire::sse::SseEvent;
use crate::wire::{Id, Message};

/// An HTTP request with exactly these headers.
///
/// Added are `Host` and `Content-Length`, and what the target sends with every request, each unless it is given. A
/// header can be given several times. The case of names is not kept: they go out in small letters, or `Like-This` if each
/// was given so. Over TLS `Accept: */*` is sent where no `Accept` is given.
///
/// ```
/// use mcp_test::transport::HttpRequest;
///
/// let request = HttpRequest::post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
///     .header("Content-Type", "application/json")
///     .header("Accept", "application/json, text/event-stream");
/// assert_eq!((request.method.as_str(), request.headers.len()), ("POST", 2));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "hand it to `Link::http`"]
pub struct HttpRequest {
    /// The method.
    pub method: String,
    /// The path and query, where it is not the endpoint of the target that is asked.
    pub path: Option<String>,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body; an empty one is none.
    pub body: Bytes,
}

impl HttpRequest {
    /// A request with any method, without headers and body.
    pub fn new(method: impl Into<String>) -> Self {
        Self { method: method.into(), path: None, headers: Vec::new(), body: Bytes::new() }
    }

    /// A POST with this body.
    pub fn post(body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..Self::new("POST") }
    }

    /// A GET.
    pub fn get() -> Self {
        Self::new("GET")
    }

    /// A DELETE.
    pub fn delete() -> Self {
        Self::new("DELETE")
    }

    /// Asks for another path than the endpoint of the target, at the same server.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds a header, beside any of the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Takes away all headers of this name; names compare without regard to case.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(own, _)| !own.eq_ignore_ascii_case(name));
        self
    }

    /// Sets a header, in the place of all of the same name.
    pub fn with(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.without(&name).header(name, value)
    }
}

/// The response to an [`HttpRequest`], as far as it was read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpAnswer {
    /// The number of the exchange in the trace.
    pub exchange: u64,
    /// The event that records the request.
    pub sent: Seq,
    /// The event that records the head of the response.
    pub seq: Seq,
    /// The status code.
    pub status: u16,
    /// The headers in order.
    pub headers: Vec<(String, String)>,
    /// The events, if the response is an event stream; those that only set an id or a retry time included.
    pub events: Vec<SseEvent>,
    /// The body, if it is none.
    pub body: Bytes,
    /// Whether the response came to its proper end.
    pub complete: bool,
    /// How the reading ended, as the end of a sentence: `complete`, `broken off: …`, `still open …`.
    pub how: String,
}

impl HttpAnswer {
    /// The first header of this name; names compare without regard to case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The type of the body without its parameters, in small letters; empty if none is given.
    #[must_use]
    pub fn media(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Whether the response is an event stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.media() == "text/event-stream"
    }

    /// The body as JSON, whatever type it says it has.
    #[must_use]
    pub fn json(&self) -> Option<Document> {
        Document::parse(self.body.clone()).ok()
    }

    /// The messages of the body or of the events, in order; what is no message is left out.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let data = self.events.iter().map(|event| Bytes::copy_from_slice(event.data.as_bytes()));
        let texts = std::iter::once(self.body.clone()).chain(data);
        texts.flat_map(|text| Reading::of(&text).messages().cloned().collect::<Vec<_>>()).collect()
    }

    /// The response or error with this id, among the messages.
    #[must_use]
    pub fn reply(&self, id: &Id) -> Option<Message> {
        self.messages().into_iter().find(|message| match message {
            Message::Response(response) => response.id == *id,
            Message::Error(error) => error.id.as_ref() == Some(id),
            _ => false,
        })
    }
}

/// Why there is no answer to an [`HttpRequest`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpFailure {
    /// The connection does not speak HTTP.
    #[error("there is no HTTP over {carrier}")]
    NoHttp {
        /// What carries its messages.
        carrier: CarrierKind,
    },
    /// No response came.
    #[error("the {method} request failed without an HTTP response: {why}")]
    NoResponse {
        /// The method of the request.
        method: String,
        /// What happened instead.
        why: String,
        /// The event that records the request.
        sent: Seq,
        /// The event that records the failure.
        seq: Seq,
    },
    /// No response came in time.
    #[error("the {method} request was not answered within {within}")]
    Late {
        /// The method of the request.
        method: String,
        /// How long it was waited for, in words.
        within: String,
        /// The event that records the request.
        sent: Seq,
        /// The event that records that the deadline passed.
        seq: Seq,
    },
}

impl HttpFailure {
    /// The events of the trace that show it.
    #[must_use]
    pub fn evidence(&self) -> Vec<Seq> {
        match self {
            Self::NoHttp { .. } => Vec::new(),
            Self::NoResponse { sent, seq, .. } | Self::Late { sent, seq, .. } => vec![*sent, *seq],
        }
    }
}
