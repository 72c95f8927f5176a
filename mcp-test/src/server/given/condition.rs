//! Conditions: which messages a rule is for.

use super::ClientMessage;
use crate::{
    expect::{Matcher, words},
    json::Pointer,
    spec::{self, Revision},
};

/// A condition on a message of a client.
///
/// Functions of this module make the usual ones; a closure on the message is one, too.
pub trait Condition: Send + Sync + 'static {
    /// What it asks for, to be read after "a message": `` `ping` ``, ``whose `/name` is "add"``.
    fn describe(&self) -> String;

    /// Holds a message against it.
    ///
    /// # Errors
    ///
    /// What is otherwise, to be read after "a message".
    fn check(&self, message: &ClientMessage) -> Result<(), String>;

    /// What is strange about the condition itself.
    fn doubt(&self) -> Option<String> {
        None
    }
}

impl<F: Fn(&ClientMessage) -> bool + Send + Sync + 'static> Condition for F {
    fn describe(&self) -> String {
        "for which a function says yes".to_owned()
    }

    fn check(&self, message: &ClientMessage) -> Result<(), String> {
        if self(message) { Ok(()) } else { Err("for which the function says no".to_owned()) }
    }
}

/// A condition made of its words and a function.
struct Worded<F> {
    words: String,
    check: F,
}

impl<F> Condition for Worded<F>
where
    F: Fn(&ClientMessage) -> Result<(), String> + Send + Sync + 'static,
{
    fn describe(&self) -> String {
        self.words.clone()
    }

    fn check(&self, message: &ClientMessage) -> Result<(), String> {
        (self.check)(message)
    }
}

/// Any message whatever.
#[must_use]
pub fn any_message() -> impl Condition {
    Worded { words: "of any kind".to_owned(), check: |_: &ClientMessage| Ok(()) }
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

    fn check(&self, message: &ClientMessage) -> Result<(), String> {
        match message.method() {
            Some(method) if method == self.0 => Ok(()),
            Some(_) => Err("which is another method".to_owned()),
            None => Err("which has no method".to_owned()),
        }
    }

    fn doubt(&self) -> Option<String> {
        if spec::method(&self.0).is_some() {
            return None;
        }
        let near = words::closest(&self.0, spec::METHODS.iter().map(|method| method.name))?;
        Some(format!("`{}` is no method of MCP; did you mean `{near}`?", self.0))
    }
}

/// A message with a parameter that matches; `pointer` leads into the parameters.
#[must_use]
pub fn param(pointer: impl Into<String>, matcher: impl Matcher + 'static) -> impl Condition {
    at(String::new(), pointer.into(), matcher)
}

/// A message whose parameters match as a whole; none are `null`.
#[must_use]
pub fn params(matcher: impl Matcher + 'static) -> impl Condition {
    at(String::new(), String::new(), matcher)
}

/// A message with a member of `_meta` that matches.
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
    let words = format!("{whose} {name} is {}", matcher.describe());
    let check = move |message: &ClientMessage| match message.param(&pointer) {
        None => Err(format!("without {name}")),
        Some(found) => matcher.check(found).map_err(|mismatch| {
            let inside = match mismatch.pointer.as_str() {
                "" => name.clone(),
                within => format!("{name}, at `{within}`,"),
            };
            format!("{whose} {inside} is {}", mismatch.got)
        }),
    };
    Worded { words, check }
}

/// A message that is served by this revision.
#[must_use]
pub fn revision(wanted: Revision) -> impl Condition {
    let check = move |message: &ClientMessage| match message.revision {
        Some(revision) if revision == wanted => Ok(()),
        Some(revision) => Err(format!("of revision {revision}")),
        None => Err("before a revision is agreed".to_owned()),
    };
    Worded { words: format!("of revision {wanted}"), check }
}

/// A message of a client that calls itself by this name.
#[must_use]
pub fn by_client(name: impl Into<String>) -> impl Condition {
    let name = name.into();
    let words = format!("of the client `{name}`");
    let check = move |message: &ClientMessage| match message.client_name() {
        Some(given) if given == name => Ok(()),
        Some(given) => Err(format!("of the client `{given}`")),
        None => Err("of a client without a name".to_owned()),
    };
    Worded { words, check }
}
