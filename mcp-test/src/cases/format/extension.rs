//! The values of keys with `_`.
//!
//! | key | meaning | type |
//! |---|---|---|
//! | `_before`, `_after` | commands to run before and after the case | [`Hook`] |
//! | `_match` | how messages are compared | [`Rule`] |
//! | `_capture` | values to keep from messages | [`Capture`] |
//! | `_inputs` | values supplied from outside, such as secrets | [`Input`] |
//! | `_given` | states that the server must be in | [`State`] |
//! | `_tags`, `_skip`, `_only`, `_revision`, `_timeout`, `_transport`, `_handshake`, `_continues` | when and how the case runs | [`Settings`] |

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::spec::Revisions;
use mcp_test_core::transport::TransportKind;
use mcp_test_core::yaml::Span;

/// The settings of a case.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Settings {
    /// `_before`: commands to start, in order.
    pub before: Vec<Hook>,
    /// `_after`: commands to run afterwards, whatever the result.
    pub after: Vec<Hook>,
    /// `_inputs`: values supplied from outside.
    pub inputs: Vec<Input>,
    /// `_given`: states that the server must be in.
    pub given: Vec<State>,
    /// `_tags`.
    pub tags: Vec<String>,
    /// `_skip`: the reason for not running the case.
    pub skip: Option<String>,
    /// `_only`: if any case has it, cases without it do not run.
    pub only: bool,
    /// `_revision`: the revisions to which the case applies.
    pub revisions: Option<Revisions>,
    /// `_timeout`: the time limit of the case.
    pub timeout: Option<Duration>,
    /// `_transport`: the transports to which the case applies; empty for all.
    pub transports: Vec<TransportKind>,
    /// `_handshake: false`: only the messages of the case are sent.
    pub bare: bool,
    /// `_continues: true`: the case continues the conversation of the previous one.
    pub continues: bool,
}

/// A command of `_before` or `_after`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hook {
    /// The program and its arguments; no shell is involved.
    pub run: Vec<String>,
    /// Its working directory; by default that of the file.
    pub cwd: Option<String>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// When it is ready; by default when it has exited with 0 or, in `_before`, opened its [port](Self::port).
    pub ready: Option<Ready>,
    /// The time limit for becoming ready.
    pub timeout: Option<Duration>,
    /// Its range.
    pub span: Span,
}

impl Hook {
    /// The port that its arguments or its variables name, such as `--port 1234`, `--listen=127.0.0.1:1234` or `PORT=1234`.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        // From the right, because an IPv6 address has colons itself. Port 0 means any port, which is not known.
        let port = |value: &str| {
            let number = value.rsplit(':').next().and_then(|number| number.parse::<u16>().ok());
            number.filter(|number| *number > 0)
        };
        let words = self.run.iter().map(String::as_str);
        let pairs = words.clone().zip(words.clone().skip(1));
        let mut options = pairs.chain(words.filter_map(|word| word.split_once('=')));
        let of_option = options.find_map(|(name, value)| port(value).filter(|_| names_port(name)));
        of_option.or_else(|| self.env.get("PORT").and_then(|value| port(value)))
    }
}

/// Whether an option is one for the port or the address at which a server listens.
fn names_port(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    let is_known = ["p", "port", "listen", "bind", "addr", "address"].contains(&name);
    option.starts_with('-') && (is_known || name.ends_with("-port"))
}

/// When a command that keeps running is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ready {
    /// When a line of its output contains this string.
    Line(String),
    /// When a connection to this `HOST:PORT` is accepted.
    Port(String),
}

/// A state of `_given`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// The name by which the hook is called: `a user named Ada`.
    pub name: String,
    /// Parameters, an object.
    pub params: Value,
    /// Its range.
    pub span: Span,
}

/// A value supplied from outside, for `${name}`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Input {
    /// The name.
    pub name: String,
    /// Its description.
    pub about: Option<String>,
    /// Its default.
    pub default: Option<Value>,
    /// Whether it is hidden in output.
    pub secret: bool,
    /// Its range.
    pub span: Span,
}

/// How a message is compared: `_match`.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Rule {
    /// How the message as a whole is compared.
    pub mode: Mode,
    /// Matchers by pointer, in which `*` stands for every item or member.
    pub matchers: Vec<(Pointer, Matcher, Span)>,
}

impl Rule {
    /// Whether a matcher that `accepts` takes applies to a place, or to a value that contains it.
    pub(in crate::cases) fn covers(
        &self,
        place: &Pointer,
        accepts: impl Fn(&Matcher) -> bool,
    ) -> bool {
        self.matchers.iter().any(|(pointer, matcher, _)| {
            let mut steps = place.tokens();
            let leads_there =
                |step: String| steps.next().is_some_and(|it| step == "*" || step == it);
            accepts(matcher) && pointer.tokens().all(leads_there)
        })
    }
}

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// It has everything in the case, and nothing else.
    #[default]
    Exact,
    /// It has everything in the case; objects may have more members, arrays more items.
    Contains,
}

/// How the value at a pointer is compared.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Matcher {
    /// Any value, which must exist.
    Any,
    /// A JSON type: `string`, `number`, `integer`, `boolean`, `object`, `array`, `null`.
    Type(JsonType),
    /// A string in which the expression matches.
    Regex(String),
    /// One of these values.
    OneOf(Vec<Value>),
    /// A number at most `within` away.
    Approximate {
        /// The number.
        number: f64,
        /// The largest distance.
        within: f64,
    },
    /// Any value, which need not exist.
    Ignored,
    /// [`Mode::Exact`] from here on down.
    Exact,
    /// [`Mode::Contains`] from here on down.
    Contains,
    /// An array with the items in the case in any order.
    Unordered,
}

impl Matcher {
    /// Whether it sets a mode instead of matching a value.
    pub(in crate::cases) const fn is_mode(&self) -> bool {
        matches!(self, Self::Exact | Self::Contains | Self::Unordered)
    }
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
    /// All types.
    pub const ALL: [Self; 7] = [
        Self::String,
        Self::Number,
        Self::Integer,
        Self::Boolean,
        Self::Object,
        Self::Array,
        Self::Null,
    ];

    /// Its name in JSON Schema.
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

/// A value to keep for later messages: `_capture`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capture {
    /// The name, used as `${name}`.
    pub name: String,
    /// The pointer into the received message.
    pub pointer: Pointer,
    /// Its range.
    pub span: Span,
}
