//! The constructors of faults, one for each kind.

use std::time::Duration;

use super::change::{Change, Plain, TextFault};
use super::{Fault, Misbehavior};
use crate::json::Value;
use crate::spec::error_code;

/// The message of an injected error whose code has no name.
const INJECTED: &str = "made up by a fault";

/// Declares the constructors whose only argument is a method.
macro_rules! on_method {
    ($(#[$group:meta])* impl Fault { $($(#[$about:meta])* $name:ident => $change:expr,)* }) => {
        $(#[$group])*
        impl Fault {$(
            $(#[$about])*
            #[must_use]
            pub fn $name(method: impl Into<String>) -> Self {
                Self::new(method, $change)
            }
        )*}
    };
}

on_method! {
    /// Faults of the message.
    impl Fault {
        /// Sends an id other than the right one.
        wrong_id => Change::Plain(Plain::WrongId),
        /// Sends the right id in the wrong type: `"1"` for `1`.
        retyped_id => Change::Plain(Plain::RetypedId),
        /// Sends `null` as id.
        null_id => Change::Plain(Plain::NullId),
        /// Sends the message twice.
        twice => Change::Plain(Plain::Twice),
        /// Never sends the message.
        never => Change::Plain(Plain::Never),
        /// Ignores this message from the other side, such as `notifications/cancelled`.
        ignore => Change::Plain(Plain::Ignore),
    }
}

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

    /// Removes a member or an item from the message.
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
        let message = error_code::name_of(code).unwrap_or(INJECTED).to_owned();
        Self::new(method, Change::Error { code, message })
    }

    /// Delays the message while others pass it.
    #[must_use]
    pub fn late(method: impl Into<String>, by: Duration) -> Self {
        Self::new(method, Change::Late { by })
    }

    /// Answers with this result without doing anything else.
    #[must_use]
    pub fn answer(method: impl Into<String>, result: impl Into<Value>) -> Self {
        Self::new(method, Change::Answer { result: result.into() })
    }

    /// Sends an unsolicited message before the message.
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

on_method! {
    /// Faults of the bytes and of the connection.
    impl Fault {
        /// Sends half of the text as if it were complete.
        truncate => Change::Text(TextFault::Truncated),
        /// Starts the text with a byte order mark.
        bom => Change::Text(TextFault::ByteOrderMark),
        /// Puts NUL bytes before the text.
        nul => Change::Text(TextFault::Nul),
        /// Adds a member to the message that contains a byte that is not valid UTF-8.
        invalid_utf8 => Change::Text(TextFault::InvalidUtf8),
        /// Adds a member to the message that is nested deeper than any reader has to follow.
        deep => Change::Text(TextFault::Deep),
        /// Sends half of the text, then breaks the connection.
        cut => Change::Plain(Plain::Cut),
        /// Closes the connection instead of sending the message.
        close_on => Change::Plain(Plain::Close),
        /// Exits instead of sending the message.
        exit_on => Change::Plain(Plain::Exit),
        /// Exits once the message is sent.
        exit_after => Change::Plain(Plain::ExitAfter),
    }
}

impl Fault {
    /// Adds a member to the message that makes its text this many bytes longer.
    #[must_use]
    pub fn pad(method: impl Into<String>, bytes: usize) -> Self {
        Self::new(method, Change::Pad { bytes })
    }
}

on_method! {
    /// Faults of lines.
    impl Fault {
        /// Writes an empty line before the message.
        blank_line => Change::Plain(Plain::BlankLine),
        /// Writes the message twice on the same line.
        two_on_a_line => Change::Plain(Plain::TwoOnALine),
        /// Spreads the message over several lines.
        embedded_newline => Change::Plain(Plain::EmbeddedNewline),
    }
}

impl Fault {
    /// Prints a line that is not a message before anything else.
    #[must_use]
    pub fn banner(text: impl Into<String>) -> Self {
        Self::new("*", Change::Banner { text: text.into() })
    }

    /// Prints a line that is not a message before the message.
    #[must_use]
    pub fn noise(method: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(method, Change::Noise { text: text.into() })
    }
}

on_method! {
    /// Faults of HTTP and its event streams.
    impl Fault {
        /// Answers with an HTML page.
        html => Change::Plain(Plain::Html),
        /// Sends an empty HTTP body.
        empty_body => Change::Plain(Plain::EmptyBody),
        /// Sends a chunked body whose first chunk has no readable size.
        wrong_chunks => Change::Plain(Plain::WrongChunks),
        /// Sends the whole HTTP response twice.
        two_responses => Change::Plain(Plain::TwoResponses),
        /// Sends the message as an event, one byte at a time: allowed, but hard on the reader.
        sse_split => Change::Plain(Plain::SseSplit),
        /// Sends the message in lines that are not fields of an event.
        sse_garble => Change::Plain(Plain::SseGarble),
        /// Ends the event stream before the message.
        sse_end => Change::Plain(Plain::SseEnd),
        /// Leaves the event stream open after the message.
        sse_open => Change::Plain(Plain::SseOpen),
    }
}

impl Fault {
    /// Answers with another HTTP status.
    #[must_use]
    pub fn status(method: impl Into<String>, status: u16) -> Self {
        Self::new(method, Change::Status { status })
    }

    /// Sends a header, replacing any of the same name.
    #[must_use]
    pub fn header(
        method: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self::new(method, Change::Header { name: name.into(), value: value.into() })
    }

    /// Leaves out a header.
    #[must_use]
    pub fn no_header(method: impl Into<String>, name: impl Into<String>) -> Self {
        Self::new(method, Change::NoHeader { name: name.into() })
    }

    /// Sends another `Content-Type`.
    #[must_use]
    pub fn content_type(method: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(method, Change::ContentType { value: value.into() })
    }

    /// Redirects the client to this location with status 307.
    #[must_use]
    pub fn redirect(method: impl Into<String>, location: impl Into<String>) -> Self {
        Self::new(method, Change::Redirect { location: location.into() })
    }

    /// Issues session ids that contain this text, such as a space, which they must not have.
    #[must_use]
    pub fn session_id(text: impl Into<String>) -> Self {
        Self::new("*", Change::SessionId { text: text.into() })
    }
}

/// Faults of a client that signs in.
impl Fault {
    /// Sends this parameter in a request of OAuth: `authorize`, `token`, `refresh`, which redeems a refresh token, `exchange` at an
    /// identity provider, or `register`, of whose JSON it is a member. In `assertion` it is a claim of what the client authenticates with.
    #[must_use]
    pub fn parameter(
        request: impl Into<String>,
        name: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::new(request, Change::Parameter { name: name.into(), value: Some(text.into()) })
    }

    /// Gives up before a step of signing in: `discover`, the metadata of the server; `metadata`, those of the authorization
    /// server; `register`, `authorize`, or `token`.
    #[must_use]
    pub fn give_up(step: impl Into<String>) -> Self {
        Self::new(step, Change::GiveUp)
    }

    /// Leaves out a parameter of a request of OAuth.
    #[must_use]
    pub fn no_parameter(request: impl Into<String>, name: impl Into<String>) -> Self {
        Self::new(request, Change::Parameter { name: name.into(), value: None })
    }
}

/// Faults of behavior.
impl Fault {
    /// Neglects a duty, or does something that is not allowed.
    #[must_use]
    pub fn misbehavior(misbehavior: Misbehavior) -> Self {
        Self::new("*", Change::Misbehavior(misbehavior))
    }

    pub(super) fn new(method: impl Into<String>, change: Change) -> Self {
        Self { on: method.into(), change }
    }
}
