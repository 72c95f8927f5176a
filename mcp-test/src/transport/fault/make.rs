//! Making faults: a function for each.

use std::time::Duration;

use super::{
    Fault, Lapse,
    change::{Change, Damage},
};
use crate::{json::Value, spec::error_code};

/// The message of an error that a fault makes up.
const MADE_UP: &str = "made up by a fault";

/// The message itself.
impl Fault {
    /// Puts a value into the message.
    #[must_use]
    pub fn set(
        method: impl Into<String>,
        pointer: impl Into<String>,
        value: impl Into<Value>,
    ) -> Self {
        Self::new(method, Change::Set { pointer: pointer.into(), value: value.into() })
    }

    /// Takes a member or an item out of the message.
    #[must_use]
    pub fn remove(method: impl Into<String>, pointer: impl Into<String>) -> Self {
        Self::new(method, Change::Remove { pointer: pointer.into() })
    }

    /// Turns a value of the message into one of another type: a string into a number, an object into an array.
    #[must_use]
    pub fn retype(method: impl Into<String>, pointer: impl Into<String>) -> Self {
        Self::new(method, Change::Retype { pointer: pointer.into() })
    }

    /// Writes a member twice, with its value both times.
    #[must_use]
    pub fn duplicate(method: impl Into<String>, pointer: impl Into<String>) -> Self {
        Self::new(method, Change::Duplicate { pointer: pointer.into() })
    }

    /// Answers with a JSON-RPC error instead.
    #[must_use]
    pub fn reply_error(method: impl Into<String>, code: i64) -> Self {
        let message = error_code::name_of(code).unwrap_or(MADE_UP).to_owned();
        Self::new(method, Change::Error { code, message })
    }

    /// Sends an id that is not the right one.
    #[must_use]
    pub fn wrong_id(method: impl Into<String>) -> Self {
        Self::new(method, Change::WrongId)
    }

    /// Sends the right id in the wrong type: `"1"` for `1`.
    #[must_use]
    pub fn retyped_id(method: impl Into<String>) -> Self {
        Self::new(method, Change::RetypedId)
    }

    /// Sends `null` as id.
    #[must_use]
    pub fn null_id(method: impl Into<String>) -> Self {
        Self::new(method, Change::NullId)
    }

    /// Sends the message twice.
    #[must_use]
    pub fn twice(method: impl Into<String>) -> Self {
        Self::new(method, Change::Twice)
    }

    /// Sends the message later, while other messages pass it.
    #[must_use]
    pub fn late(method: impl Into<String>, by: Duration) -> Self {
        Self::new(method, Change::Late { by })
    }

    /// Never sends the message.
    #[must_use]
    pub fn never(method: impl Into<String>) -> Self {
        Self::new(method, Change::Never)
    }

    /// Answers with this result whatever is asked, and does nothing else.
    #[must_use]
    pub fn answer(method: impl Into<String>, result: impl Into<Value>) -> Self {
        Self::new(method, Change::Answer { result: result.into() })
    }

    /// Does not hear what it is sent, such as `notifications/cancelled`.
    #[must_use]
    pub fn ignore(method: impl Into<String>) -> Self {
        Self::new(method, Change::Ignore)
    }

    /// Sends a message that nobody asked for before the message.
    #[must_use]
    pub fn stray(method: impl Into<String>, message: impl Into<Value>) -> Self {
        Self::new(method, Change::Stray { message: message.into() })
    }

    /// Sends this many notifications before the message.
    #[must_use]
    pub fn flood(method: impl Into<String>, count: usize) -> Self {
        Self::new(method, Change::Flood { count })
    }
}

/// The bytes of its text, and what becomes of the connection.
impl Fault {
    /// Breaks the text off in the middle, and goes on as if it were whole.
    #[must_use]
    pub fn truncate(method: impl Into<String>) -> Self {
        Self::new(method, Change::Text(Damage::Truncated))
    }

    /// Starts the text with a byte order mark.
    #[must_use]
    pub fn bom(method: impl Into<String>) -> Self {
        Self::new(method, Change::Text(Damage::ByteOrderMark))
    }

    /// Puts NUL bytes before the text.
    #[must_use]
    pub fn nul(method: impl Into<String>) -> Self {
        Self::new(method, Change::Text(Damage::Nul))
    }

    /// Adds a member to the message that holds a byte which is no UTF-8.
    #[must_use]
    pub fn invalid_utf8(method: impl Into<String>) -> Self {
        Self::new(method, Change::Text(Damage::InvalidUtf8))
    }

    /// Adds a member to the message that is nested deeper than anybody has to read.
    #[must_use]
    pub fn deep(method: impl Into<String>) -> Self {
        Self::new(method, Change::Text(Damage::Deep))
    }

    /// Adds a member to the message that makes its text so many bytes longer.
    #[must_use]
    pub fn pad(method: impl Into<String>, bytes: usize) -> Self {
        Self::new(method, Change::Pad { bytes })
    }

    /// Sends half of the text, and then the connection breaks.
    #[must_use]
    pub fn cut(method: impl Into<String>) -> Self {
        Self::new(method, Change::Cut)
    }

    /// Closes the connection instead of sending the message.
    #[must_use]
    pub fn close_on(method: impl Into<String>) -> Self {
        Self::new(method, Change::Close)
    }

    /// Ends the whole peer instead of sending the message.
    #[must_use]
    pub fn exit_on(method: impl Into<String>) -> Self {
        Self::new(method, Change::Exit)
    }

    /// Ends the whole peer once the message is sent.
    #[must_use]
    pub fn exit_after(method: impl Into<String>) -> Self {
        Self::new(method, Change::ExitAfter)
    }
}

/// The lines.
impl Fault {
    /// Prints a line that is no message before anything else.
    #[must_use]
    pub fn banner(text: impl Into<String>) -> Self {
        Self::new("*", Change::Banner { text: text.into() })
    }

    /// Prints a line that is no message before the message.
    #[must_use]
    pub fn noise(method: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(method, Change::Noise { text: text.into() })
    }

    /// Writes an empty line before the message.
    #[must_use]
    pub fn blank_line(method: impl Into<String>) -> Self {
        Self::new(method, Change::BlankLine)
    }

    /// Writes the message twice on the same line.
    #[must_use]
    pub fn two_on_a_line(method: impl Into<String>) -> Self {
        Self::new(method, Change::TwoOnALine)
    }

    /// Writes the message over several lines.
    #[must_use]
    pub fn embedded_newline(method: impl Into<String>) -> Self {
        Self::new(method, Change::EmbeddedNewline)
    }
}

/// HTTP and its streams.
impl Fault {
    /// Answers with another HTTP status.
    #[must_use]
    pub fn status(method: impl Into<String>, status: u16) -> Self {
        Self::new(method, Change::Status { status })
    }

    /// Sends a header, instead of the one of this name if there is one.
    #[must_use]
    pub fn header(
        method: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self::new(method, Change::Header { name: name.into(), value: value.into() })
    }

    /// Leaves a header out.
    #[must_use]
    pub fn no_header(method: impl Into<String>, name: impl Into<String>) -> Self {
        Self::new(method, Change::NoHeader { name: name.into() })
    }

    /// Sends another `Content-Type`.
    #[must_use]
    pub fn content_type(method: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(method, Change::ContentType { value: value.into() })
    }

    /// Sends the other elsewhere, with status 307.
    #[must_use]
    pub fn redirect(method: impl Into<String>, location: impl Into<String>) -> Self {
        Self::new(method, Change::Redirect { location: location.into() })
    }

    /// Answers with a page of HTML.
    #[must_use]
    pub fn html(method: impl Into<String>) -> Self {
        Self::new(method, Change::Html)
    }

    /// Sends an empty HTTP body.
    #[must_use]
    pub fn empty_body(method: impl Into<String>) -> Self {
        Self::new(method, Change::EmptyBody)
    }

    /// Sends a chunked body whose first chunk has no readable size.
    #[must_use]
    pub fn wrong_chunks(method: impl Into<String>) -> Self {
        Self::new(method, Change::WrongChunks)
    }

    /// Issues session ids with this text inside, such as a space, which they must not have.
    #[must_use]
    pub fn session_id(text: impl Into<String>) -> Self {
        Self::new("*", Change::SessionId { text: text.into() })
    }

    /// Sends the message as an event, a byte at a time: allowed, and hard on whoever reads it.
    #[must_use]
    pub fn sse_split(method: impl Into<String>) -> Self {
        Self::new(method, Change::SseSplit)
    }

    /// Sends the message in lines that are no fields of an event stream.
    #[must_use]
    pub fn sse_garble(method: impl Into<String>) -> Self {
        Self::new(method, Change::SseGarble)
    }

    /// Ends the event stream before the message.
    #[must_use]
    pub fn sse_end(method: impl Into<String>) -> Self {
        Self::new(method, Change::SseEnd)
    }

    /// Never ends the event stream after the message.
    #[must_use]
    pub fn sse_open(method: impl Into<String>) -> Self {
        Self::new(method, Change::SseOpen)
    }
}

/// Behaviour.
impl Fault {
    /// Leaves undone what it owes, or does what it must not.
    #[must_use]
    pub fn lapse(lapse: Lapse) -> Self {
        Self::new("*", Change::Lapse(lapse))
    }

    pub(super) fn new(method: impl Into<String>, change: Change) -> Self {
        Self { on: method.into(), change }
    }
}
