//! HTTP requests, their responses, and why there is none.

use bytes::Bytes;

use crate::json::Document;
use crate::trace::{ParsedText, Seq};
use crate::transport::TransportKind;
use crate::wire::sse::SseEvent;
use crate::wire::{Id, MediaType, Message, essence};

/// An HTTP request with exactly these headers.
///
/// `Host`, `Content-Length` and the headers of the target, its credentials among them, are added unless they are given. A
/// header can be given several times. The case of names is not kept: they are sent in lower case, or `Like-This` if all are
/// written so. Over TLS, `Accept: */*` is added if there is no `Accept`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::transport::HttpRequest;
///
/// let request = HttpRequest::post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
///     .header("Content-Type", "application/json")
///     .header("Accept", "application/json, text/event-stream");
/// assert_eq!((request.method.as_str(), request.headers.len()), ("POST", 2));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "pass it to `Connection::http`"]
pub struct HttpRequest {
    /// The method.
    pub method: String,
    /// The path and query; the endpoint of the target if `None`.
    pub path: Option<String>,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body; not sent if it is empty.
    pub body: Bytes,
    /// Whether it is sent without the credentials of the target.
    pub is_anonymous: bool,
    /// Whether it is for a document, so that the body of the response is not an MCP message.
    pub is_for_document: bool,
    /// Whether the connection is read after the end of the response, until the server closes it; not over TLS.
    pub reads_on: bool,
}

impl HttpRequest {
    /// A request with this method, without headers and body.
    pub fn new(method: impl Into<String>) -> Self {
        let (path, headers, body) = Default::default();
        let (is_anonymous, is_for_document, reads_on) = (false, false, false);
        Self { method: method.into(), path, headers, body, is_anonymous, is_for_document, reads_on }
    }

    /// A POST with this body.
    pub fn post(body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..Self::new("POST") }
    }

    /// A GET.
    pub fn get() -> Self {
        Self::new("GET")
    }

    /// A GET of a JSON document at this path, such as metadata, without the credentials of the target.
    pub fn document(path: impl Into<String>) -> Self {
        let request = Self::get().at(path).header("Accept", "application/json").anonymous();
        Self { is_for_document: true, ..request }
    }

    /// A DELETE.
    pub fn delete() -> Self {
        Self::new("DELETE")
    }

    /// Sends the request to another path of the same server.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Sends the request without the credentials that the target has, such as `Authorization`.
    pub fn anonymous(mut self) -> Self {
        self.is_anonymous = true;
        self
    }

    /// Reads the connection after the end of the response, until the server closes it.
    #[doc(hidden)]
    pub fn reading_on(mut self) -> Self {
        self.reads_on = true;
        self
    }

    /// Adds a header, keeping others of the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Removes all headers with this name, ignoring case.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(own, _)| !own.eq_ignore_ascii_case(name));
        self
    }

    /// Sets a header, replacing all of the same name.
    pub fn with(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.without(&name).header(name, value)
    }
}

/// The response to an [`HttpRequest`], as far as it was read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpResponse {
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
    /// The events of an event stream, including those that only set an id or a retry time.
    pub events: Vec<SseEvent>,
    /// The body of any other response.
    pub body: Bytes,
    /// Whether the response was complete.
    pub complete: bool,
    /// The beginning of what the server sent after the end of the response; `None` unless that was read.
    pub excess: Option<Bytes>,
    /// How reading ended, as the end of a sentence: `complete`, `broken off: …`, `still open …`.
    pub how: String,
}

impl HttpResponse {
    /// The first header with this name, ignoring case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The `Content-Type` in lower case, without parameters; empty if there is none.
    #[must_use]
    pub fn content_type(&self) -> String {
        essence(self.header("content-type").unwrap_or_default()).to_ascii_lowercase()
    }

    /// What the body is, according to its `Content-Type`.
    #[must_use]
    pub fn media_type(&self) -> MediaType {
        MediaType::from_headers(&self.headers)
    }

    /// Whether the response is an event stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.media_type() == MediaType::EventStream
    }

    /// The body as JSON, whatever its `Content-Type`.
    #[must_use]
    pub fn json(&self) -> Option<Document> {
        Document::parse(self.body.clone()).ok()
    }

    /// The messages of the body or of the events, in order; anything else is left out.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let data = self.events.iter().map(|event| Bytes::copy_from_slice(event.data.as_bytes()));
        // Only one of the two is filled, depending on the content type.
        let texts = std::iter::once(self.body.clone()).chain(data);
        texts
            .flat_map(|text| ParsedText::parse(&text).messages().cloned().collect::<Vec<_>>())
            .collect()
    }

    /// The response or error with this id.
    #[must_use]
    pub fn reply(&self, id: &Id) -> Option<Message> {
        self.messages().into_iter().find(|message| match message {
            Message::Response(response) => response.id == *id,
            Message::Error(error) => error.id.as_ref() == Some(id),
            _ => false,
        })
    }
}

/// Why there is no response to an [`HttpRequest`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpFailure {
    /// The connection does not use HTTP.
    #[error("the {transport} transport does not use HTTP")]
    NoHttp {
        /// The transport of the connection.
        transport: TransportKind,
    },
    /// No response arrived.
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
    /// No response arrived in time.
    #[error("the {method} request was not answered within {within}")]
    Late {
        /// The method of the request.
        method: String,
        /// How long was waited, formatted.
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
