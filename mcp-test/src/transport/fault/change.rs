//! What can be changed: the kinds of faults, and how far each reaches.

use std::time::Duration;

use crate::{json::Value, transport::CarrierKind};

/// What a fault does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    Set { pointer: String, value: Value },
    Remove { pointer: String },
    Retype { pointer: String },
    Duplicate { pointer: String },
    Error { code: i64, message: String },
    WrongId,
    RetypedId,
    NullId,
    Twice,
    Late { by: Duration },
    Never,
    Answer { result: Value },
    Ignore,
    Stray { message: Value },
    Flood { count: usize },
    Text(Damage),
    Pad { bytes: usize },
    Cut,
    Close,
    Exit,
    ExitAfter,
    Banner { text: String },
    Noise { text: String },
    BlankLine,
    TwoOnALine,
    EmbeddedNewline,
    Status { status: u16 },
    Header { name: String, value: String },
    NoHeader { name: String },
    ContentType { value: String },
    Redirect { location: String },
    Html,
    EmptyBody,
    WrongChunks,
    SessionId { text: String },
    SseSplit,
    SseGarble,
    SseEnd,
    SseOpen,
    Lapse(Lapse),
}

/// What is wrong with the bytes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    Truncated,
    ByteOrderMark,
    Nul,
    InvalidUtf8,
    Deep,
}

/// Something that a peer owes and leaves undone, or must not do and does, whatever the message.
///
/// Who owes it asks the tap: [`Wire::lapses`](crate::transport::tap::Wire::lapses).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lapse {
    /// Goes on when its input has ended.
    IgnoresEof,
    /// Goes on when it is asked to terminate.
    IgnoresTerm,
    /// Serves whatever `Origin` and `Host` say.
    AllowsAnyOrigin,
    /// Refuses foreign hosts, and serves foreign origins.
    LooksAtHostOnly,
    /// Serves whatever `MCP-Protocol-Version` says.
    SkipsVersion,
    /// Refuses a version that it does not speak with another code than that of such an error.
    VagueVersion,
    /// Serves requests without the members of `_meta` that each must have.
    SkipsMeta,
    /// Refuses requests that do not say who their client is.
    WantsClientInfo,
    /// Tells subscriptions of what they did not ask for.
    SkipsFilter,
    /// Serves requests whose mirrored headers say something else than their body.
    SkipsMirrors,
    /// Refuses mirrored headers that say something else than the body, and does not say that it is for this.
    VagueMirrors,
    /// Issues no session id, and wants none.
    NoSession,
    /// Issues the same session id again and again.
    ReusesSessionId,
    /// Knows no session any more once it is initialized.
    ForgetsSession,
    /// Goes on with a session that was ended by DELETE.
    KeepsSession,
    /// Sends no event ids, and so no priming event either.
    NoEventIds,
    /// Gives the events of every stream the same ids.
    ReusesEventIds,
    /// Never says when to come back.
    NoRetry,
    /// Forgets what a client that comes back has missed.
    NoReplay,
}

/// Where a fault shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// On every carrier.
    Everywhere,
    /// Where a message is a line.
    Lines,
    /// Where the peer is a process.
    Process,
    /// Where HTTP is spoken.
    Http,
    /// Where HTTP is spoken over a network.
    Network,
}

impl Reach {
    /// Whether that is so of a carrier.
    #[must_use]
    pub fn covers(self, carrier: CarrierKind) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Lines => carrier.is_lines(),
            Self::Process => !matches!(carrier, CarrierKind::Duplex | CarrierKind::Router),
            Self::Http => carrier.is_http(),
            Self::Network => carrier == CarrierKind::Http,
        }
    }
}

impl Change {
    /// The word that stands for it.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Set { .. } => "set",
            Self::Remove { .. } => "remove",
            Self::Retype { .. } => "retype",
            Self::Duplicate { .. } => "duplicate",
            Self::Error { .. } => "error",
            Self::WrongId => "wrong-id",
            Self::RetypedId => "retyped-id",
            Self::NullId => "null-id",
            Self::Twice => "twice",
            Self::Late { .. } => "late",
            Self::Never => "never",
            Self::Answer { .. } => "answer",
            Self::Ignore => "ignore",
            Self::Stray { .. } => "stray",
            Self::Flood { .. } => "flood",
            Self::Text(damage) => damage.word(),
            Self::Pad { .. } => "pad",
            Self::Cut => "cut",
            Self::Close => "close",
            Self::Exit => "exit",
            Self::ExitAfter => "exit-after",
            Self::Banner { .. } => "banner",
            Self::Noise { .. } => "noise",
            Self::BlankLine => "blank-line",
            Self::TwoOnALine => "two-on-a-line",
            Self::EmbeddedNewline => "embedded-newline",
            Self::Status { .. } => "status",
            Self::Header { .. } => "header",
            Self::NoHeader { .. } => "no-header",
            Self::ContentType { .. } => "content-type",
            Self::Redirect { .. } => "redirect",
            Self::Html => "html",
            Self::EmptyBody => "empty-body",
            Self::WrongChunks => "wrong-chunks",
            Self::SessionId { .. } => "session-id",
            Self::SseSplit => "sse-split",
            Self::SseGarble => "sse-garble",
            Self::SseEnd => "sse-end",
            Self::SseOpen => "sse-open",
            Self::Lapse(lapse) => lapse.word(),
        }
    }
}

impl Damage {
    pub(super) const ALL: [Self; 5] =
        [Self::Truncated, Self::ByteOrderMark, Self::Nul, Self::InvalidUtf8, Self::Deep];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Truncated => "truncate",
            Self::ByteOrderMark => "bom",
            Self::Nul => "nul",
            Self::InvalidUtf8 => "invalid-utf8",
            Self::Deep => "deep",
        }
    }
}

impl Lapse {
    pub(super) const ALL: [Self; 19] = [
        Self::IgnoresEof,
        Self::IgnoresTerm,
        Self::AllowsAnyOrigin,
        Self::LooksAtHostOnly,
        Self::SkipsVersion,
        Self::VagueVersion,
        Self::SkipsMeta,
        Self::WantsClientInfo,
        Self::SkipsFilter,
        Self::SkipsMirrors,
        Self::VagueMirrors,
        Self::NoSession,
        Self::ReusesSessionId,
        Self::ForgetsSession,
        Self::KeepsSession,
        Self::NoEventIds,
        Self::ReusesEventIds,
        Self::NoRetry,
        Self::NoReplay,
    ];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::IgnoresEof => "ignore-eof",
            Self::IgnoresTerm => "ignore-term",
            Self::AllowsAnyOrigin => "any-origin",
            Self::LooksAtHostOnly => "host-only",
            Self::SkipsVersion => "any-version",
            Self::VagueVersion => "vague-version",
            Self::SkipsMeta => "any-meta",
            Self::WantsClientInfo => "want-client-info",
            Self::SkipsFilter => "any-filter",
            Self::SkipsMirrors => "any-mirror",
            Self::VagueMirrors => "vague-mirror",
            Self::NoSession => "no-session",
            Self::ReusesSessionId => "same-session-id",
            Self::ForgetsSession => "forget-session",
            Self::KeepsSession => "keep-session",
            Self::NoEventIds => "no-event-ids",
            Self::ReusesEventIds => "same-event-ids",
            Self::NoRetry => "no-retry",
            Self::NoReplay => "no-replay",
        }
    }
}
