//! Faults: named ways in which a good server's replies go wrong on the wire.
//!
//! A fault stands on the tap between actor and carrier, so that the actor stays good and the fault is the only thing
//! that changes. `words` gives them names, `apply` does the damage. What they prove is not known here.

mod apply;
mod parts;
mod words;

use std::fmt;

use super::CarrierKind;
use crate::{json::Value, spec::error_code};

pub use apply::{Delivery, Part, Then};
pub(super) use apply::{banners, session_id};
pub use words::{FaultError, FaultWord, WORDS};

/// One way in which a reply goes wrong.
///
/// A method is the one whose *reply* is meant; `*` stands for all. A pointer leads into the result, or into the whole
/// message where it starts with a member of the envelope: `/result`, `/error`, `/id`, `/jsonrpc`.
///
/// ```
/// use mcp_test::transport::Fault;
///
/// let fault = Fault::remove("tools/list", "/tools/0/inputSchema");
/// assert_eq!(fault.name(), "remove:tools/list:/tools/0/inputSchema");
/// assert_eq!("remove:tools/list:/tools/0/inputSchema".parse(), Ok(fault));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    on: String,
    change: Change,
}

#[derive(Debug, Clone, PartialEq)]
enum Change {
    Set { pointer: String, value: Value },
    Remove { pointer: String },
    Retype { pointer: String },
    Error { code: i64, message: String },
    WrongId,
    RetypedId,
    Twice,
    Never,
    Stray { message: Value },
    Truncate,
    Close,
    Exit,
    Banner { text: String },
    BlankLine,
    Status { status: u16 },
    ContentType { value: String },
    Html,
    EmptyBody,
    SessionId { text: String },
}

/// The message of an error that a fault makes up.
const MADE_UP: &str = "made up by a fault";

impl Fault {
    fn new(method: impl Into<String>, change: Change) -> Self {
        Self { on: method.into(), change }
    }

    /// Puts a value into the reply.
    #[must_use]
    pub fn set(
        method: impl Into<String>,
        pointer: impl Into<String>,
        value: impl Into<Value>,
    ) -> Self {
        Self::new(method, Change::Set { pointer: pointer.into(), value: value.into() })
    }

    /// Takes a member or an item out of the reply.
    #[must_use]
    pub fn remove(method: impl Into<String>, pointer: impl Into<String>) -> Self {
        Self::new(method, Change::Remove { pointer: pointer.into() })
    }

    /// Turns a value of the reply into one of another type: a string into a number, an object into an array.
    #[must_use]
    pub fn retype(method: impl Into<String>, pointer: impl Into<String>) -> Self {
        Self::new(method, Change::Retype { pointer: pointer.into() })
    }

    /// Answers with a JSON-RPC error instead.
    #[must_use]
    pub fn reply_error(method: impl Into<String>, code: i64) -> Self {
        let message = error_code::name_of(code).unwrap_or(MADE_UP).to_owned();
        Self::new(method, Change::Error { code, message })
    }

    /// Answers under an id that was never asked.
    #[must_use]
    pub fn wrong_id(method: impl Into<String>) -> Self {
        Self::new(method, Change::WrongId)
    }

    /// Answers under the right id in the wrong type: `"1"` for `1`.
    #[must_use]
    pub fn retyped_id(method: impl Into<String>) -> Self {
        Self::new(method, Change::RetypedId)
    }

    /// Sends the reply twice.
    #[must_use]
    pub fn twice(method: impl Into<String>) -> Self {
        Self::new(method, Change::Twice)
    }

    /// Never answers.
    #[must_use]
    pub fn never(method: impl Into<String>) -> Self {
        Self::new(method, Change::Never)
    }

    /// Sends a message that nobody asked for before the reply.
    #[must_use]
    pub fn stray(method: impl Into<String>, message: impl Into<Value>) -> Self {
        Self::new(method, Change::Stray { message: message.into() })
    }

    /// Breaks the reply off in the middle of its JSON.
    #[must_use]
    pub fn truncate(method: impl Into<String>) -> Self {
        Self::new(method, Change::Truncate)
    }

    /// Closes the connection instead of answering.
    #[must_use]
    pub fn close_on(method: impl Into<String>) -> Self {
        Self::new(method, Change::Close)
    }

    /// Ends the whole server instead of answering.
    #[must_use]
    pub fn exit_on(method: impl Into<String>) -> Self {
        Self::new(method, Change::Exit)
    }

    /// Prints a line that is no message before anything else.
    #[must_use]
    pub fn banner(text: impl Into<String>) -> Self {
        Self::new("*", Change::Banner { text: text.into() })
    }

    /// Writes an empty line before the reply.
    #[must_use]
    pub fn blank_line(method: impl Into<String>) -> Self {
        Self::new(method, Change::BlankLine)
    }

    /// Answers with another HTTP status.
    #[must_use]
    pub fn status(method: impl Into<String>, status: u16) -> Self {
        Self::new(method, Change::Status { status })
    }

    /// Answers with another `Content-Type`.
    #[must_use]
    pub fn content_type(method: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(method, Change::ContentType { value: value.into() })
    }

    /// Answers with a page of HTML, status 200.
    #[must_use]
    pub fn html(method: impl Into<String>) -> Self {
        Self::new(method, Change::Html)
    }

    /// Answers with an empty HTTP body.
    #[must_use]
    pub fn empty_body(method: impl Into<String>) -> Self {
        Self::new(method, Change::EmptyBody)
    }

    /// Issues session ids with this text inside, such as a space, which they must not have.
    #[must_use]
    pub fn session_id(text: impl Into<String>) -> Self {
        Self::new("*", Change::SessionId { text: text.into() })
    }

    /// Whether the fault has any effect on that carrier.
    #[must_use]
    pub fn applies_to(&self, carrier: CarrierKind) -> bool {
        match self.change {
            Change::Banner { .. } | Change::BlankLine | Change::Exit => carrier.is_lines(),
            Change::Status { .. }
            | Change::ContentType { .. }
            | Change::Html
            | Change::EmptyBody
            | Change::SessionId { .. } => carrier.is_http(),
            _ => true,
        }
    }

    /// The method whose reply it changes, `*` for all.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.on
    }

    /// The name by which [`FromStr`](std::str::FromStr) finds it again.
    #[must_use]
    pub fn name(&self) -> String {
        self.to_string()
    }

    fn concerns(&self, method: &str) -> bool {
        self.on == "*" || self.on == method
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        words::write(self, f)
    }
}

#[cfg(test)]
mod tests;
