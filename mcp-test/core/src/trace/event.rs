//! One thing that happened on a wire or around it.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use super::ParsedText;
use crate::json::VALUE_BYTES;

/// The place of an event in its trace; later events have greater ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub(super) u64);

impl Seq {
    /// The place of an event that is not recorded in a [`Trace`](super::Trace), such as one that is judged as it happens.
    #[doc(hidden)]
    pub const fn nth(place: u64) -> Self {
        Self(place)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One connection of a trace: a pair of streams, a child, or all exchanges with one HTTP endpoint.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub(super) u32);

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Who wrote what an event records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Party {
    /// The MCP client, be it ours or the one under test.
    Client,
    /// The MCP server, be it ours or the one under test.
    Server,
    /// The harness, about the conversation, not in it.
    Harness,
}

impl Party {
    /// The word for it: `client`, `server` or `harness`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Harness => "harness",
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Something that happened, when, on which connection, and who made it happen.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its place in the trace.
    pub seq: Seq,
    /// How long after the start of the trace.
    pub at: Duration,
    /// The connection it belongs to.
    pub connection: ConnectionId,
    /// The number of the HTTP exchange it belongs to, where there is one.
    pub exchange: Option<u64>,
    /// Who wrote it.
    pub party: Party,
    /// It was written as it is on purpose, valid or not: byte for byte, in a batch, by a fault, or because the test
    /// marks it.
    pub deliberate: bool,
    /// What happened.
    pub kind: EventKind,
}

/// What bytes that are not JSON mean for the messages around them.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnparsableKind {
    /// They come between messages: a banner, a blank line.
    Stray,
    /// A message was begun and is lost: broken JSON, a broken frame.
    BrokenMessage,
    /// A whole message that lacks only the newline at its end.
    Unended,
    /// A message larger than mcp-test reads, which is its own limit and not one of MCP.
    OverLimit,
}

/// What may linger longer than it should.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftover {
    /// The process, after the end of its input.
    Process,
    /// A process that it had started, after its own end.
    Descendant,
    /// The event stream of an exchange, after its last reply.
    Stream,
}

impl Leftover {
    pub(super) const ALL: [Self; 3] = [Self::Process, Self::Descendant, Self::Stream];

    /// The word for it: `process`, `descendant` or `stream`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Descendant => "descendant",
            Self::Stream => "stream",
        }
    }
}

/// How long a process was given to exit, and the time by which that was measured.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitWait {
    /// How long its exit was awaited.
    pub waited: Duration,
    /// The time from its start to its first message; `None` if it wrote none.
    pub start_up: Option<Duration>,
}

impl ExitWait {
    /// Whether a process that still runs after the wait is one that does not exit.
    ///
    /// One that has written no message may still be starting. One that has taken longer for its start is slow, and the machine busy:
    /// the end may take as long.
    pub(crate) fn is_conclusive(self) -> bool {
        self.start_up.is_some_and(|start_up| start_up <= self.waited)
    }
}

/// A signal that ends a process.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndSignal {
    /// SIGHUP.
    Hangup,
    /// SIGINT.
    Interrupt,
    /// SIGKILL, which the process cannot handle.
    Kill,
    /// SIGTERM.
    Terminate,
}

impl EndSignal {
    pub(super) const ALL: [Self; 4] = [Self::Hangup, Self::Interrupt, Self::Kill, Self::Terminate];

    /// Its name, such as `SIGTERM`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hangup => "SIGHUP",
            Self::Interrupt => "SIGINT",
            Self::Kill => "SIGKILL",
            Self::Terminate => "SIGTERM",
        }
    }

    /// Its number, which is the same on every unix.
    pub const fn number(self) -> u8 {
        match self {
            Self::Hangup => 1,
            Self::Interrupt => 2,
            Self::Kill => 9,
            Self::Terminate => 15,
        }
    }

    /// The signal with a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.number() == number)
    }
}

/// What happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum EventKind {
    /// A connection was opened.
    Opened {
        /// The transport, with an address where it has one.
        transport: String,
    },
    /// JSON where a message belongs; whether it is one is in `parsed`.
    Message {
        /// The bytes as they were on the wire, without framing.
        text: Bytes,
        /// The bytes as JSON and as JSON-RPC.
        parsed: ParsedText,
    },
    /// Bytes that are not JSON where a message belongs: a banner, an HTML page, half a line.
    Unparsable {
        /// The bytes, as far as they were kept.
        bytes: Bytes,
        /// Why they are not a message.
        why: String,
        /// What they mean for the messages around them.
        kind: UnparsableKind,
    },
    /// The head of an HTTP request.
    HttpRequest {
        /// The method.
        method: String,
        /// The path with its query.
        path: String,
        /// The headers in order.
        headers: Vec<(String, String)>,
    },
    /// The head of an HTTP response.
    HttpResponse {
        /// The status code.
        status: u16,
        /// The headers in order.
        headers: Vec<(String, String)>,
    },
    /// An HTTP request was sent a second time, on a new connection, because the server had closed the reused one.
    Resent {
        /// How the first attempt ended, in words.
        why: String,
    },
    /// The fields of a server-sent event other than its data, which is the next message.
    SseEvent {
        /// Its type, if it has one.
        event: Option<String>,
        /// Its id, if it has one.
        id: Option<String>,
        /// The reconnection time it asks for, in milliseconds.
        retry: Option<u64>,
    },
    /// A comment in a stream of server-sent events.
    SseComment(String),
    /// A line that a child wrote on stderr.
    Stderr(String),
    /// A connection or an exchange came to its end.
    Closed {
        /// How.
        how: String,
    },
    /// A child exited.
    Exited {
        /// How.
        status: String,
    },
    /// A peer sent a signal to the process of the other side, which it had started.
    Signalled {
        /// The signal.
        signal: EndSignal,
        /// How long before that it had closed the standard input of the process; `None` if it had not.
        since_eof: Option<Duration>,
    },
    /// Something of a peer was left when it should have ended.
    Lingered {
        /// What it was.
        what: Leftover,
        /// The details, in words.
        how: String,
        /// How long a process was given to exit; `None` for anything else, and in older files.
        wait: Option<ExitWait>,
    },
    /// A point in the conversation that a scenario marked, to show what came before it.
    Fence(String),
    /// Something was awaited until its deadline passed.
    DeadlineFired {
        /// What was awaited.
        awaited: String,
    },
    /// A remark of the harness.
    Note(String),
    /// A payload was dropped to bound the memory of a long trace.
    Elided {
        /// What it was, in a few words.
        was: String,
        /// How long it was.
        bytes: usize,
    },
}

/// Memory of a small parsed message, by measurement.
const PARSED: usize = 1500;

impl EventKind {
    /// The event of a text that was sent where a message belongs.
    pub fn message(text: Bytes) -> Self {
        let parsed = ParsedText::parse(&text);
        Self::Message { text, parsed }
    }

    /// The bytes that this event keeps alive.
    pub(super) fn weight(&self) -> usize {
        match self {
            // The text, its strings as parts of the value, and the value, which the frame shares.
            Self::Message { text, parsed } => {
                text.len() * 2 + parsed.values() * VALUE_BYTES + PARSED
            }
            Self::Unparsable { bytes, .. } => bytes.len(),
            Self::Stderr(text)
            | Self::SseComment(text)
            | Self::Fence(text)
            | Self::Note(text)
            | Self::Elided { was: text, .. } => text.len(),
            Self::HttpRequest { method, headers, path, .. } => {
                method.len() + path.len() + headers_len(headers)
            }
            Self::HttpResponse { headers, .. } => headers_len(headers),
            Self::SseEvent { event, id, .. } => {
                [event, id].into_iter().flatten().map(String::len).sum()
            }
            _ => 0,
        }
    }

    /// Whether this was on the wire where a message belongs.
    pub(super) fn is_payload(&self) -> bool {
        matches!(self, Self::Message { .. } | Self::Unparsable { .. } | Self::Elided { .. })
    }
}

fn headers_len(headers: &[(String, String)]) -> usize {
    headers.iter().map(|(name, value)| name.len() + value.len()).sum()
}
