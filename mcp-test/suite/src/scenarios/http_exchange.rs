//! The HTTP requests of a client to the endpoint with what is known of their responses, found in the trace.

use std::collections::HashMap;

use mcp_test_core::trace::ReceivedMessage;

use crate::scenarios::prelude::*;

/// An HTTP request of the client to the endpoint, and what is known of its response.
#[derive(Debug)]
pub(super) struct HttpExchange {
    pub(super) sent: Seq,
    pub(super) at: Duration,
    pub(super) method: String,
    /// The session id that it has.
    pub(super) session: Option<String>,
    pub(super) message: Option<ReceivedMessage>,
    pub(super) answered: Option<Seq>,
    /// The status of its response; 0 as long as there is none.
    pub(super) status: u16,
    /// The session id that its response has.
    pub(super) issued: Option<String>,
}

impl HttpExchange {
    pub(super) fn is_initialize(&self) -> bool {
        self.message.as_ref().is_some_and(|message| message.method() == "initialize")
    }

    /// Whether it belongs to the stateless era, which a client may try first.
    pub(super) fn is_stateless(&self) -> bool {
        self.message.as_ref().is_some_and(ReceivedMessage::is_stateless)
    }

    /// Whether it came after the response to another one.
    pub(super) fn follows(&self, other: &Self) -> bool {
        other.answered.is_some_and(|answered| self.sent > answered)
    }

    /// What it was, for people.
    pub(super) fn label(&self) -> String {
        match self.message.as_ref().map(ReceivedMessage::method) {
            Some("") => format!("a {} with a reply", self.method),
            Some(method) => format!("a {} with `{method}`", self.method),
            None => format!("a {}", self.method),
        }
    }
}

/// The requests of the client to the endpoint, in the order of arrival.
pub(super) fn http_exchanges(judging: &Judging) -> Vec<HttpExchange> {
    let trace = judging.trace();
    let endpoint = endpoint_path(&trace);
    let mut messages: HashMap<_, _> = HashMap::new();
    for message in judging.messages() {
        messages.entry(message.exchange).or_insert(message);
    }
    let session = |headers: &[(String, String)]| {
        let mut named = headers.iter();
        let named = named.find(|(name, _)| name.eq_ignore_ascii_case(header::MCP_SESSION_ID));
        named.map(|(_, id)| id.clone())
    };
    let (mut exchanges, mut indices) = (Vec::new(), HashMap::new());
    for event in &trace.events {
        let key = (event.connection, event.exchange);
        match &event.kind {
            EventKind::HttpRequest { method, path, headers }
                if event.party == Party::Client && Some(path.as_str()) == endpoint =>
            {
                indices.insert(key, exchanges.len());
                exchanges.push(HttpExchange {
                    sent: event.seq,
                    at: event.at,
                    method: method.clone(),
                    session: session(headers),
                    message: messages.remove(&key),
                    answered: None,
                    status: 0,
                    issued: None,
                });
            }
            EventKind::HttpResponse { status, headers } if event.party == Party::Server => {
                let exchange = indices.get(&key).and_then(|index| exchanges.get_mut(*index));
                if let Some(exchange) = exchange {
                    exchange.answered = Some(event.seq);
                    exchange.status = *status;
                    exchange.issued = session(headers);
                }
            }
            _ => {}
        }
    }
    exchanges
}

/// Whether the client went on after the response to its first GET.
#[derive(Debug)]
pub(super) enum AfterGet {
    /// It sent no GET, or none that was answered.
    NoGet,
    /// It posted something later.
    WentOn,
    /// It posted nothing later.
    Stopped(Seq),
}

/// Whether the client went on after the response to its first GET.
pub(super) fn after_get(exchanges: &[HttpExchange]) -> AfterGet {
    let get = exchanges.iter().find(|it| it.method == "GET" && it.answered.is_some());
    let Some(get) = get else { return AfterGet::NoGet };
    match exchanges.iter().any(|it| it.method == "POST" && it.follows(get)) {
        true => AfterGet::WentOn,
        false => AfterGet::Stopped(get.sent),
    }
}

/// The finding that the client stopped when its GET was answered in this way.
pub(super) fn stopped_at_get(how: &str, get: Seq) -> Finding {
    Finding::peer(format!("the client stopped after {how}"))
        .expected("a client that goes on without that stream")
        .got("no further message, and a client that did not exit without an error")
        .evidence(get)
}

/// The path of the MCP endpoint: that of the client's first message over HTTP.
///
/// A client may ask for documents at other paths, such as the metadata for authorization, which no rule about the endpoint is about.
pub(super) fn endpoint_path(trace: &Trace) -> Option<&str> {
    let mut events = trace.events.iter().filter(|event| event.party == Party::Client);
    let is_posted = |kind: &EventKind| matches!(kind, EventKind::Message { .. });
    let first = events.find(|event| event.exchange.is_some() && is_posted(&event.kind))?;
    trace.events.iter().find_map(|event| match &event.kind {
        EventKind::HttpRequest { path, .. }
            if (event.connection, event.exchange) == (first.connection, first.exchange) =>
        {
            Some(path.as_str())
        }
        _ => None,
    })
}
