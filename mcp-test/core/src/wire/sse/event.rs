//! The items of an event stream: events, comments and violations.

use std::fmt;

/// One event: the fields of its block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field, the event's type; see [`SseEvent::event_type`].
    pub event: Option<String>,
    /// The `data` fields, joined with `\n`.
    pub data: String,
    /// The `id` field of this block; the id of an earlier block stays in effect, see
    /// [`Decoder::last_event_id`](super::Decoder::last_event_id).
    pub id: Option<String>,
    /// The `retry` field, in milliseconds.
    pub retry: Option<u64>,
}

impl SseEvent {
    /// An event of the default type with nothing but data.
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

    /// The type that a listener sees: the `event` field, else `message`.
    #[must_use]
    pub fn event_type(&self) -> &str {
        // WHATWG: an empty type counts as none.
        self.event.as_deref().filter(|event| !event.is_empty()).unwrap_or("message")
    }
}

/// One item of an event stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseItem {
    /// An event.
    Event(SseEvent),
    /// A block without `data`: no listener sees an event, but `id` and `retry` take effect.
    Silent(SseEvent),
    /// A comment line, without the colon and one space after it.
    Comment(String),
    /// Something that a conforming reader ignores or repairs.
    Violation(SseViolation),
}

/// What a conforming reader ignores or repairs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseViolation {
    /// A line with an unknown field name; often a message written without `data:`.
    UnknownField {
        /// The whole line.
        line: String,
    },
    /// An `id` that contains NUL, ignored.
    NulInId {
        /// The value.
        value: String,
    },
    /// A `retry` that is not all digits, or too large; ignored.
    BadRetry {
        /// The value.
        value: String,
    },
    /// A line that is not UTF-8; invalid bytes were read as U+FFFD.
    InvalidUtf8 {
        /// The line as it was read.
        line: String,
    },
    /// A block exceeded the limit; it is dropped up to the next empty line.
    ///
    /// Reported as soon as the limit is exceeded, so that an endless block is reported too.
    TooLong {
        /// The limit in bytes.
        limit: usize,
        /// The first bytes of the line that exceeded it.
        head: String,
    },
    /// The stream ended within a block, which is dropped.
    Unfinished {
        /// Its data so far, or its last line if there is no data.
        text: String,
    },
}

impl SseViolation {
    /// What is wrong, without the offending text.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::UnknownField { .. } => "a line that is not a field of an event stream".to_owned(),
            Self::NulInId { .. } => "an event id with a NUL character".to_owned(),
            Self::BadRetry { .. } => "a retry time that is not a number of milliseconds".to_owned(),
            Self::InvalidUtf8 { .. } => "a line that is not UTF-8".to_owned(),
            Self::TooLong { limit, .. } => format!("an event of more than {limit} bytes"),
            Self::Unfinished { .. } => "an event without the empty line that ends it".to_owned(),
        }
    }

    /// The offending text, or its beginning.
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
