//! [`Variation`]: what a peer does that few do.

use axum::http::HeaderMap;
use mcp_test_core::json::Value;
use mcp_test_core::server::Server;

/// What a peer does that few do, although the specification allows it.
pub(crate) struct Variation {
    pub(crate) name: &'static str,
    /// Why it is allowed, by the page that says so or on which nothing forbids it.
    pub(crate) allowed_by: &'static str,
    pub(crate) change: Change,
}

/// How the peer differs from the reference server.
pub(crate) enum Change {
    /// In what it is.
    Server(fn(Server) -> Server),
    /// In the messages that it sends.
    Message(fn(&mut Value)),
    /// In the messages that it sends, which its own half undoes in what it receives.
    Both { sent: fn(&mut Value), received: fn(&mut Value) },
    /// In messages that it sends before others.
    Before(fn(&Value) -> Option<Value>),
    /// In the text of each message.
    Text(fn(&str) -> String),
    /// In how a line is written over stdio.
    Line(fn(&str) -> Vec<Vec<u8>>),
    /// In how a server-sent event is written, whose data is given.
    Event(fn(&str) -> String),
    /// In the headers of HTTP responses.
    Headers(fn(&mut HeaderMap)),
}

impl Variation {
    /// Whether both can be shown by one peer.
    pub(crate) fn goes_with(&self, other: &Self) -> bool {
        use Change::{Both, Event, Headers, Line, Server};
        let is_alike = matches!(
            (&self.change, &other.change),
            (Line(_), Line(_))
                | (Event(_), Event(_))
                | (Both { .. }, Both { .. })
                | (Headers(_), Headers(_))
                | (Server(_), Server(_))
        );
        self.name != other.name && !is_alike
    }
}
