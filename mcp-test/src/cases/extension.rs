//! What the keys with `_` say, as data.
//!
//! | key | what it says | read into |
//! |---|---|---|
//! | `_before`, `_after` | commands that are run before and after the case | [`Hook`] |
//! | `_match` | how a message is compared, by the key of the message | [`Rule`] |
//! | `_capture` | what is kept of a message, by the key of the message | [`Capture`] |
//! | `_inputs` | values from outside, such as secrets | [`Input`] |
//! | `_given` | the states that the server is to be in | [`State`] |
//! | `_tags`, `_skip`, `_only`, `_revision`, `_timeout`, `_transport`, `_handshake`, `_continues` | when and how the case runs | [`Settings`] |

use std::collections::BTreeMap;
use std::time::Duration;

use crate::json::{Pointer, Value};
use crate::spec::Revisions;
use crate::transport::CarrierKind;
use crate::yaml::Span;

/// Everything that the keys with `_` say of a case as a whole.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Settings {
    /// `_before`: commands that are started in this order.
    pub before: Vec<Hook>,
    /// `_after`: commands that are run afterwards, whatever came of the case.
    pub after: Vec<Hook>,
    /// `_inputs`: values from outside.
    pub inputs: Vec<Input>,
    /// `_given`: the states that the server is to be in.
    pub given: Vec<State>,
    /// `_tags`.
    pub tags: Vec<String>,
    /// `_skip`: why the case is not run.
    pub skip: Option<String>,
    /// `_only`: while one case has it, others are not run.
    pub only: bool,
    /// `_revision`: where the case holds.
    pub revisions: Option<Revisions>,
    /// `_timeout`: how long the case may take.
    pub timeout: Option<Duration>,
    /// `_transport`: where the case holds; empty for everywhere.
    pub transports: Vec<CarrierKind>,
    /// `_handshake: false`: nothing is said but what the case has.
    pub bare: bool,
    /// `_continues: true`: the conversation of the case before goes on.
    pub continues: bool,
}

/// A command of `_before` or `_after`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hook {
    /// The words of the command; no shell reads them.
    pub run: Vec<String>,
    /// Its working directory, if not that of the file.
    pub cwd: Option<String>,
    /// Variables of its environment.
    pub env: BTreeMap<String, String>,
    /// When it is ready. Without it, when it has exited with 0.
    pub ready: Option<Ready>,
    /// How long it may take until then.
    pub timeout: Option<Duration>,
    /// Where it stands.
    pub span: Span,
}

/// When a command that goes on running is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ready {
    /// When a line of its output holds this text.
    Line(String),
    /// When a connection to this `HOST:PORT` is accepted.
    Port(String),
}

/// A state of `_given`: a name, and what belongs to it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// What the hook is asked for: `a user named Ada`.
    pub name: String,
    /// Parameters, an object.
    pub params: Value,
    /// Where it stands.
    pub span: Span,
}

/// A value from outside, for `${name}`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Input {
    /// The name.
    pub name: String,
    /// What it is for.
    pub about: Option<String>,
    /// What it is if nothing is given.
    pub default: Option<Value>,
    /// Whether it must not be shown.
    pub secret: bool,
    /// Where it stands.
    pub span: Span,
}

/// How a message is compared: `_match`.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Rule {
    /// What the message as a whole has to hold.
    pub mode: Mode,
    /// Places where something else than equality is asked for; a `*` in a pointer stands for every item or member.
    pub matchers: Vec<(Pointer, Matcher, Span)>,
}

/// What a message as a whole has to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Everything that the case has, and nothing else.
    #[default]
    Exact,
    /// Everything that the case has; objects may have more members, arrays more items.
    Contains,
}

/// What is asked of one place.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Matcher {
    /// Anything, as long as it is there.
    Any,
    /// A JSON type: `string`, `number`, `integer`, `boolean`, `object`, `array`, `null`.
    Type(JsonType),
    /// A text in which the expression is found.
    Regex(String),
    /// One of these values.
    OneOf(Vec<Value>),
    /// A number that is not further away than `within`.
    Approximate {
        /// The number.
        number: f64,
        /// How far it may be away.
        within: f64,
    },
    /// Nothing has to be there, whatever the case has.
    Ignored,
    /// What the case has there and below, and nothing else: [`Mode::Exact`] from here on down.
    Exact,
    /// What the case has there and below, maybe among other things: [`Mode::Contains`] from here on down.
    Contains,
    /// An array with the items of the case in any order.
    Unordered,
}

/// A type of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the words of JSON Schema")]
pub enum JsonType {
    String,
    Number,
    Integer,
    Boolean,
    Object,
    Array,
    Null,
}

impl JsonType {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::String,
        Self::Number,
        Self::Integer,
        Self::Boolean,
        Self::Object,
        Self::Array,
        Self::Null,
    ];

    /// The word of JSON Schema.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::Null => "null",
        }
    }
}

/// A value that is kept for later messages: `_capture`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capture {
    /// The name, used as `${name}`.
    pub name: String,
    /// The place in the message that really came.
    pub pointer: Pointer,
    /// Where it stands.
    pub span: Span,
}
