//! [`Variation`]: what a peer does that few do, and how the wire shows it.

use std::time::Duration;

use axum::http::{HeaderMap, Method, StatusCode};
use mcp_test_core::json::Value;
use mcp_test_core::server::Server;
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::TransportKind;

use super::paging::Paging;

/// What a peer does that few do, although the specification allows it.
#[derive(Clone, Copy)]
pub(crate) struct Variation {
    pub(crate) name: &'static str,
    /// Why it is allowed, by the page that says so or on which nothing forbids it.
    pub(crate) allowed_by: &'static str,
    pub(crate) change: Change,
    /// What shows it on the wire.
    pub(crate) sign: Sign,
    /// The only transport over which it has an effect.
    pub(crate) only_over: Option<TransportKind>,
    /// The transport over which the quick test shows it, if not every one shows it.
    pub(crate) shown_over: Option<TransportKind>,
    /// The revision at which the quick test shows it, if not every one shows it.
    pub(crate) shown_at: Option<Revision>,
    /// The first revision that allows it.
    pub(crate) since: Revision,
    /// What it sets: two that set the same do not go together.
    pub(crate) sets: &'static str,
}

/// What a variation [sets](Variation::sets) that would leave no effect to any other.
pub(crate) const EVERYTHING: &str = "everything";

/// How the peer differs from the reference peer.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// In what the server is.
    Server(fn(Server) -> Server),
    /// In what the client does, in the notation of faults.
    Faults(&'static [&'static str]),
    /// In the messages that it sends.
    Message(fn(&mut Value)),
    /// In the input schemas of its tools that name no dialect.
    Schemas(fn(&mut Value)),
    /// In the messages that it sends, which its own half undoes in what it receives.
    Both { sent: fn(&mut Value), received: fn(&mut Value) },
    /// In messages that it sends before others, at revisions with a handshake.
    Before(fn(&Value) -> Option<Value>),
    /// In the pages of its lists.
    Pages(Paging),
    /// In the text of each message.
    Text(fn(&str) -> String),
    /// In how a line is written over a pipe.
    Line(fn(&str) -> Vec<Vec<u8>>),
    /// In how long it takes to start, and to exit once its input has ended.
    Pauses { start: Duration, exit: Duration },
    /// In how a body of JSON is written over HTTP.
    Body(fn(&str) -> Vec<Vec<u8>>),
    /// In how a server-sent event is written, whose data is given.
    Event(fn(&str) -> String),
    /// In what a stream starts with, and in whether it is written one byte at a time.
    Stream { start: &'static str, bytewise: bool },
    /// In the headers of HTTP responses.
    Headers(fn(&mut HeaderMap)),
    /// In the status of HTTP responses.
    Status(fn(&Method, StatusCode) -> StatusCode),
    /// In the heads of HTTP messages, as they are written to a socket.
    Head(fn(&mut [u8])),
    /// In how many streams for unsolicited messages a client opens.
    Streams(usize),
    /// In how often a client does its task, each time in another session.
    Sessions(usize),
    /// In the script of a shell that runs the program, whose command line is `"$@"`.
    Shell(&'static str),
}

/// What shows a variation: it is on the wire of the varied peer, and not on that of the plain one.
#[derive(Clone, Copy)]
pub(crate) enum Sign {
    /// A record of the wire contains this.
    Has(&'static str),
    /// No record contains this.
    Lacks(&'static str),
    /// A record is like this.
    Where(fn(&str) -> bool),
}

impl Variation {
    pub(crate) const fn new(
        name: &'static str,
        allowed_by: &'static str,
        change: Change,
        sign: Sign,
    ) -> Self {
        let (only_over, sets) = match change {
            Change::Line(_) => (Some(TransportKind::Duplex), "lines"),
            Change::Pauses { .. } => (Some(TransportKind::Duplex), ""),
            Change::Body(_) => (Some(TransportKind::Router), "bodies"),
            Change::Event(_) => (Some(TransportKind::Router), "events"),
            Change::Stream { .. } | Change::Headers(_) | Change::Status(_) => {
                (Some(TransportKind::Router), "")
            }
            Change::Pages(_) => (None, "pages"),
            Change::Head(_) | Change::Streams(_) => (Some(TransportKind::Http), ""),
            Change::Sessions(_) => (Some(TransportKind::Http), "sessions"),
            Change::Shell(_) => (Some(TransportKind::Stdio), ""),
            _ => (None, ""),
        };
        let since = Revision::V2024_11_05;
        // Over HTTP only a stream has messages before a reply, and the handshake era alone allows any.
        let (shown_over, shown_at) = match change {
            Change::Before(_) => (Some(TransportKind::Duplex), Some(Revision::NEWEST_HANDSHAKE)),
            _ => (only_over, None),
        };
        Self { name, allowed_by, change, sign, only_over, shown_over, shown_at, since, sets }
    }

    /// Has an effect over HTTP only.
    pub(crate) const fn only_over_http(self) -> Self {
        let http = Some(TransportKind::Router);
        Self { only_over: http, shown_over: http, ..self }
    }

    pub(crate) const fn shown_over(self, transport: TransportKind) -> Self {
        Self { shown_over: Some(transport), ..self }
    }

    pub(crate) const fn shown_at(self, revision: Revision) -> Self {
        Self { shown_at: Some(revision), ..self }
    }

    pub(crate) const fn shown_by(self, sign: Sign) -> Self {
        Self { sign, ..self }
    }

    pub(crate) const fn since(self, since: Revision) -> Self {
        Self { since, ..self }
    }

    pub(crate) const fn sets(self, sets: &'static str) -> Self {
        Self { sets, ..self }
    }

    /// Whether both can be shown by one peer: they have an effect over the same transport, and set different things.
    pub(crate) fn goes_with(&self, other: &Self) -> bool {
        let meets = match (self.only_over, other.only_over) {
            (Some(one), Some(another)) => one == another,
            _ => true,
        };
        // Nothing is changed in what a process of its own writes.
        let is_process = [self, other].iter().any(|it| matches!(it.change, Change::Shell(_)));
        let is_alike = !self.sets.is_empty() && self.sets == other.sets
            || [self.sets, other.sets].contains(&EVERYTHING);
        self.name != other.name && meets && !is_process && !is_alike && !self.sets_member_of(other)
    }

    /// Whether faults of both put values into the same member of a message, or one into a part of what the other sets.
    fn sets_member_of(&self, other: &Self) -> bool {
        let (Change::Faults(own), Change::Faults(others)) = (self.change, other.change) else {
            return false;
        };
        let is_part = |one: &str, of: &str| {
            one.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        own.iter().any(|one| {
            others.iter().any(|another| {
                let (one, another) = (place(one), place(another));
                is_part(&one, &another) || is_part(&another, &one)
            })
        })
    }
}

/// What a fault sets: `tools/list/com.example~1x` of `set:tools/list:/com.example~1x:{}`, in lower case like the names of headers.
fn place(fault: &str) -> String {
    let mut parts = fault.split(':');
    let place = match (parts.next(), parts.next(), parts.next()) {
        (Some("set"), Some(method), Some(pointer)) => format!("{method}{pointer}"),
        (Some("header"), Some(method), Some(name)) => format!("{method} {name}"),
        (Some("content-type"), Some(method), _) => format!("{method} Content-Type"),
        (Some(word), Some(method), _) => format!("{word} {method}"),
        _ => fault.to_owned(),
    };
    place.to_ascii_lowercase()
}
