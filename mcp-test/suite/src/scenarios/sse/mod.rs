//! HTTP with SSE, the transport of 2024-11-05.
//!
//! <https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse>

scenarios![sse_clients, sse_endpoint, sse_origin, client_http_sse];

use mcp_test_core::transport::HttpExchange;
use mcp_test_core::wire::sse::SseEvent;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{finding, post};

/// How long the first event of a stream may take, which the server sends at once.
const FIRST: Duration = Duration::from_secs(5);

/// The GET of the event stream.
fn get() -> HttpRequest {
    HttpRequest::get().header("Accept", "text/event-stream")
}

/// An open stream, and the first event on it.
struct Stream {
    exchange: HttpExchange,
    first: Option<SseEvent>,
}

impl Stream {
    async fn open(ctx: &mut Ctx) -> Result<Self, Finding> {
        let mut exchange = ctx.open_http(get()).await?;
        let first = exchange.event(Deadline::after(FIRST)).await;
        Ok(Self { exchange, first })
    }

    /// The path that messages are posted to, if the first event names it.
    fn endpoint(&self) -> Option<String> {
        let event = self.first.as_ref().filter(|event| event.event_type() == "endpoint")?;
        path_of(event.data.trim())
    }

    /// As [`Stream::endpoint`], or the finding that it is missing.
    fn require_endpoint(&self) -> Result<String, Finding> {
        self.endpoint().ok_or_else(|| {
            finding("the event stream does not begin with the endpoint", self.exchange.answer())
                .expected("an event `endpoint` with the URI of the POSTs as its data")
                .got(self.first.as_ref().map_or("no event".to_owned(), |event| {
                    format!("the event `{}`", event.event_type())
                }))
                .requires(Requirement::TRANSPORT_SSE_ENDPOINT_EVENT)
        })
    }
}

/// The path and query of a URI that is absolute, or relative to its host.
fn path_of(uri: &str) -> Option<String> {
    if uri.starts_with('/') {
        return Some(uri.to_owned());
    }
    let (_, rest) = uri.split_once("://")?;
    let path = rest.find('/').map_or("/", |start| &rest[start..]);
    Some(path.to_owned())
}

/// The POST of a message to the endpoint.
fn post_to(endpoint: &str, message: &serde_json::Value) -> HttpRequest {
    post(Revision::V2024_11_05, message).at(endpoint)
}
