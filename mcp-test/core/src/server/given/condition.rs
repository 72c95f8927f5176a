//! Conditions: which messages a rule matches.

use super::ClientMessage;
use crate::expect::{Matcher, words};
use crate::json::{Pointer, Value};
use crate::spec;
use crate::spec::Revision;

/// How a message deviates from a condition, in words to follow "a message".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct Unmet {
    description: String,
    /// The message has another method, so that nothing else about it matters.
    pub(super) is_other_method: bool,
}

impl Unmet {
    /// A deviation, such as ``whose `/name` is "sub"``.
    pub fn new(description: impl Into<String>) -> Self {
        Self { description: description.into(), is_other_method: false }
    }
}

/// A condition on a message of a client.
///
/// The functions of this module create the usual ones; a closure over the message is a condition, too.
pub trait Condition: Send + Sync + 'static {
    /// A description to follow "a message": `` `ping` ``, ``whose `/name` is "add"``.
    fn describe(&self) -> String;

    /// Checks a message.
    ///
    /// # Errors
    ///
    /// How the message deviates.
    fn check(&self, message: &ClientMessage) -> Result<(), Unmet>;

    /// The only method that a message may have, if there is one.
    fn method(&self) -> Option<&str> {
        None
    }

    /// A warning about the condition itself, such as a misspelled method.
    fn warning(&self) -> Option<String> {
        None
    }
}

impl<F: Fn(&ClientMessage) -> bool + Send + Sync + 'static> Condition for F {
    fn describe(&self) -> String {
        "for which a function says yes".to_owned()
    }

    fn check(&self, message: &ClientMessage) -> Result<(), Unmet> {
        if self(message) { Ok(()) } else { Err(Unmet::new("for which the function says no")) }
    }
}

/// A condition with a fixed description and a function.
struct Described<F> {
    description: String,
    check: F,
}

impl<F> Condition for Described<F>
where
    F: Fn(&ClientMessage) -> Result<(), Unmet> + Send + Sync + 'static,
{
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn check(&self, message: &ClientMessage) -> Result<(), Unmet> {
        (self.check)(message)
    }
}

/// Any message.
#[must_use]
pub fn any_message() -> impl Condition {
    Described { description: "of any kind".to_owned(), check: |_: &ClientMessage| Ok(()) }
}

/// A request or a notification of this method.
#[must_use]
pub fn method(name: impl Into<String>) -> impl Condition {
    Method(name.into())
}

struct Method(String);

impl Condition for Method {
    fn describe(&self) -> String {
        format!("`{}`", self.0)
    }

    fn check(&self, message: &ClientMessage) -> Result<(), Unmet> {
        match message.method() {
            Some(method) if method == self.0 => Ok(()),
            Some(_) => {
                Err(Unmet { is_other_method: true, ..Unmet::new("which is another method") })
            }
            None => Err(Unmet { is_other_method: true, ..Unmet::new("which has no method") }),
        }
    }

    fn method(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn warning(&self) -> Option<String> {
        if spec::method(&self.0).is_some() {
            return None;
        }
        // A method that resembles none of MCP may belong to an extension.
        let near = words::closest(&self.0, spec::METHODS.iter().map(|method| method.name))?;
        Some(format!("`{}` is not a method of MCP; did you mean `{near}`?", self.0))
    }
}

/// A call of this tool.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::server::{calls, given, param};
/// use serde_json::json;
///
/// let sum = json!({"content": [{"type": "text", "text": "3"}]});
/// let rule = given(calls("add")).and(param("/arguments/a", 1)).respond_with(sum);
/// # drop(rule);
/// ```
#[must_use]
pub fn calls(tool: impl Into<String>) -> impl Condition {
    Calls(tool.into())
}

struct Calls(String);

impl Condition for Calls {
    fn describe(&self) -> String {
        format!("`tools/call` of `{}`", self.0)
    }

    fn check(&self, message: &ClientMessage) -> Result<(), Unmet> {
        Method("tools/call".to_owned()).check(message)?;
        match message.param("/name") {
            Some(Value::String(name)) if *name == self.0 => Ok(()),
            other => Err(Unmet::new(format!("whose `/name` is {}", words::got(other)))),
        }
    }

    fn method(&self) -> Option<&str> {
        Some("tools/call")
    }
}

/// A message with a matching parameter; `pointer` locates it in the parameters.
#[must_use]
pub fn param(pointer: impl Into<String>, matcher: impl Matcher + 'static) -> impl Condition {
    at(String::new(), pointer.into(), matcher)
}

/// A message whose parameters match as a whole; missing ones are `null`.
#[must_use]
pub fn params(matcher: impl Matcher + 'static) -> impl Condition {
    at(String::new(), String::new(), matcher)
}

/// A message with a matching member of `_meta`.
#[must_use]
pub fn meta(key: &str, matcher: impl Matcher + 'static) -> impl Condition {
    at(
        format!("`{key}` in `_meta`"),
        Pointer::root().member("_meta").member(key).to_string(),
        matcher,
    )
}

fn at(name: String, pointer: String, matcher: impl Matcher + 'static) -> impl Condition {
    let name = match (name.is_empty(), pointer.is_empty()) {
        (false, _) => name,
        (true, false) => format!("`{pointer}`"),
        (true, true) => "the parameters".to_owned(),
    };
    let whose = if name == "the parameters" { "with which" } else { "whose" };
    let description = format!("{whose} {name} is {}", matcher.describe());
    let check = move |message: &ClientMessage| match message.param(&pointer) {
        None => Err(Unmet::new(format!("without {name}"))),
        Some(found) => matcher.check(found).map_err(|mismatch| {
            let inside = match mismatch.pointer.as_str() {
                "" => name.clone(),
                within => format!("{name}, at `{within}`,"),
            };
            Unmet::new(format!("{whose} {inside} is {}", mismatch.got))
        }),
    };
    Described { description, check }
}

/// A message served at this revision.
#[must_use]
pub fn revision(wanted: Revision) -> impl Condition {
    let check = move |message: &ClientMessage| match message.revision {
        Some(revision) if revision == wanted => Ok(()),
        Some(revision) => Err(Unmet::new(format!("of revision {revision}"))),
        None => Err(Unmet::new("before a revision is negotiated")),
    };
    Described { description: format!("of revision {wanted}"), check }
}

/// A message of the client with this name.
#[must_use]
pub fn by_client(name: impl Into<String>) -> impl Condition {
    let name = name.into();
    let description = format!("of the client `{name}`");
    let check = move |message: &ClientMessage| match message.client_name() {
        Some(given) if given == name => Ok(()),
        Some(given) => Err(Unmet::new(format!("of the client `{given}`"))),
        None => Err(Unmet::new("of a client without a name")),
    };
    Described { description, check }
}
