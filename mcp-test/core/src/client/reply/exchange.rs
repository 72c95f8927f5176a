//! What is known of the exchange that a reply ends: how long it took, and the heads of its HTTP messages.

use std::time::Duration;

use super::Reply;
use crate::trace::{Event, EventKind};

/// The heads of an HTTP exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpHeads {
    /// The headers of the request, in order.
    pub request_headers: Vec<(String, String)>,
    /// The status code of the response.
    pub status: u16,
    /// The headers of the response, in order.
    pub headers: Vec<(String, String)>,
}

impl HttpHeads {
    /// The first header of the response with this name, ignoring case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl Reply {
    /// How long the reply took: from the event that records the request to the one that records the reply; where the request was
    /// sent again, with the input that the server required, from the first time on.
    ///
    /// `None` if one of the events is no longer in the trace, which is bounded.
    #[must_use]
    pub fn latency(&self) -> Option<Duration> {
        let trace = self.recorder.trace();
        let first = self.earlier.first().unwrap_or(self);
        let (sent, received) = (trace.event(first.request)?, trace.event(self.reply)?);
        Some(received.at.saturating_sub(sent.at))
    }

    /// The heads of the HTTP exchange that carried the request; `None` on transports without HTTP.
    #[must_use]
    pub fn http(&self) -> Option<HttpHeads> {
        let trace = self.recorder.trace();
        let request = trace.event(self.request)?;
        let exchange = request.exchange?;
        let belongs = |event: &&Event| {
            event.connection == request.connection && event.exchange == Some(exchange)
        };
        let mut request_headers = Vec::new();
        for event in trace.events.iter().filter(belongs) {
            match &event.kind {
                EventKind::HttpRequest { headers, .. } => request_headers.clone_from(headers),
                EventKind::HttpResponse { status, headers } => {
                    let (status, headers) = (*status, headers.clone());
                    return Some(HttpHeads { request_headers, status, headers });
                }
                _ => {}
            }
        }
        None
    }
}
