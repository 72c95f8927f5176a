//! What an event stream holds: events, comments, and what breaks the rules.

use std::fmt;

/// One event: the fields that its block had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field, the event's type; see [`SseEvent::event_type`].
    pub event: Option<String>,
    /// The `data` fields, joined with `\n`.
    pub data: String,
    /// The `id` field of this block; the id of an earlier one goes on to hold, see
    /// [`Decoder::last_event_id`](super::Decoder::last_event_id).
    pub id: Option<String>,
    /// The `retry` field, in milliseconds.
    pub retry: Option<u64>,
}

impl SseEvent {
    /// An event of the default type with only data.
    pub fn data(data: impl Into<String>) -> Self {
        Self { data: data.into(), ..Self::default() }
    }

    /// The same event with a type.
    #[must_use]
    pub fn with_event(self, event: impl Into<String>) -> Self {
        Self { event: Some(event.into()), ..self }
    }

    /// The same event with an id.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// The same event with a reconnection time in milliseconds.
    #[must_use]
    pub fn with_retry(self, milliseconds: u64) -> Self {
        Self { retry: Some(milliseconds), ..self }
    }

    /// The type a listener sees: `message`, unless the event says otherwise.
    #[must_use]
    pub fn event_type(&self) -> &str {
        self.event.as_deref().filter(|event| !event.is_empty()).unwrap_or("message")
    }
}

/// Something an event stream turned out to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseItem {
    /// An event.
    Event(SseEvent),
    /// A block with fields but without `data`: no listener sees an event, but `id` and `retry` hold.
    Silent(SseEvent),
    /// A comment line, without the colon and one space after it.
    Comment(String),
    /// Something that the rules tell a reader to ignore or to repair.
    Violation(SseViolation),
}

/// What a reader of events must ignore or repair.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseViolation {
    /// A line whose field name means nothing; often a message written without `data:`.
    UnknownField {
        /// The whole line.
        line: String,
    },
    /// An `id` with a NUL in it, ignored.
    NulInId {
        /// The value.
        value: String,
    },
    /// A `retry` that is not digits only (or too many), ignored.
    BadRetry {
        /// The value.
        value: String,
    },
    /// A line that is not UTF-8; what is not was read as U+FFFD.
    InvalidUtf8 {
        /// The line as it was read.
        line: String,
    },
    /// A block grew beyond the limit; it is dropped up to the next empty line.
    ///
    /// Reported as soon as the limit is passed, so that an endless block is seen too.
    TooLong {
        /// How many bytes a block may have.
        limit: usize,
        /// The first bytes of the line that was too much.
        head: String,
    },
    /// The stream ended within a block, which is dropped.
    Unfinished {
        /// What was read of its data, or of its last line if there is no data.
        text: String,
    },
}

impl SseViolation {
    /// What is wrong, without the text of it.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::UnknownField { .. } => "a line that is no field of an event stream".to_owned(),
            Self::NulInId { .. } => "an event id with a NUL character".to_owned(),
            Self::BadRetry { .. } => "a retry time that is no number of milliseconds".to_owned(),
            Self::InvalidUtf8 { .. } => "a line that is not UTF-8".to_owned(),
            Self::TooLong { limit, .. } => format!("an event of more than {limit} bytes"),
            Self::Unfinished { .. } => "an event without the empty line that ends it".to_owned(),
        }
    }

    /// The text that is wrong, or its beginning.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::UnknownField { line } | Self::InvalidUtf8 { line } => line,
            Self::NulInId { value } | Self::BadRetry { value } => value,
            Self::TooLong { head: text, .. } | Self::Unfinished { text } => text,
        }
    }
}

impl fmt::Display for SseViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.reason(), self.text())
    }
}
