//! Matchers of objects.

use std::fmt::Write;

use super::{Matcher, Mismatch, satisfying, words};
use crate::json::{Object, Pointer, Value};

/// Matches objects; expected members are added by chaining.
///
/// Other members are ignored, unless [`ObjectMatcher::and_nothing_else`] is added.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::{expect::*, json::Value};
/// use serde_json::json;
///
/// let tool = object().member("name", non_empty_string()).optional("title", string());
/// assert!(tool.check(&json!({"name": "add", "_meta": {}}).into()).is_ok());
/// assert_eq!(
///     tool.check(&json!({"nam": "add"}).into()).unwrap_err().to_string(),
///     "expected /name is a non-empty string\ngot nothing, which the member \"nam\" may explain",
/// );
/// ```
pub fn object() -> ObjectMatcher {
    ObjectMatcher { members: Vec::new(), closed: false }
}

/// Matches objects without members.
#[must_use]
pub fn empty_object() -> impl Matcher {
    satisfying("an empty object", |got| got.as_object().is_some_and(Object::is_empty))
}

/// A matcher of objects by their members, made by [`object`].
#[must_use]
pub struct ObjectMatcher {
    members: Vec<Member>,
    closed: bool,
}

struct Member {
    name: String,
    presence: Presence,
}

enum Presence {
    Required(Box<dyn Matcher>),
    Optional(Box<dyn Matcher>),
    Absent,
}

impl ObjectMatcher {
    /// Requires a member `name` that matches.
    pub fn member(self, name: impl Into<String>, matcher: impl Matcher + 'static) -> Self {
        self.with(name, Presence::Required(Box::new(matcher)))
    }

    /// Allows a member `name` if it matches; `null` does not count as absent.
    pub fn optional(self, name: impl Into<String>, matcher: impl Matcher + 'static) -> Self {
        self.with(name, Presence::Optional(Box::new(matcher)))
    }

    /// Forbids a member `name`.
    pub fn without(self, name: impl Into<String>) -> Self {
        self.with(name, Presence::Absent)
    }

    /// Forbids members that are not named.
    pub fn and_nothing_else(self) -> Self {
        Self { closed: true, ..self }
    }

    fn with(mut self, name: impl Into<String>, presence: Presence) -> Self {
        self.members.push(Member { name: name.into(), presence });
        self
    }

    /// The names of allowed members.
    fn known(&self) -> impl Iterator<Item = &str> {
        let known =
            self.members.iter().filter(|member| !matches!(member.presence, Presence::Absent));
        known.map(|member| member.name.as_str())
    }

    /// The unknown member of `object` that is probably a misspelled `name`, to be read after "which".
    fn misspelled(&self, name: &str, object: &Object) -> Option<String> {
        // A member that is expected elsewhere in the object is not a misspelling.
        let unknown = object.keys().filter(|key| self.known().all(|known| known != *key));
        let near = words::closest(name, unknown)?;
        Some(format!("the member {} may explain", Value::from(near)))
    }
}

impl Member {
    fn check(&self, all: &ObjectMatcher, object: &Object) -> Result<(), Mismatch> {
        match (&self.presence, object.get(&self.name)) {
            // Also for `null`: the optional members of MCP's schemas may be absent, but are not nullable.
            (Presence::Required(matcher) | Presence::Optional(matcher), Some(value)) => {
                matcher.check(value)
            }
            (Presence::Required(matcher), None) => Err(Mismatch {
                which: all.misspelled(&self.name, object),
                ..Mismatch::absent(matcher.describe())
            }),
            (Presence::Absent, Some(value)) => Err(Mismatch::because("absent", value, None)),
            (Presence::Optional(_) | Presence::Absent, None) => Ok(()),
        }
    }
}

impl Matcher for ObjectMatcher {
    fn describe(&self) -> String {
        let mut words = "an object".to_owned();
        // The first member follows "with", all others a comma.
        let mut link = " with ";
        for Member { name, presence } in &self.members {
            // Writing to a `String` cannot fail.
            let _ = match presence {
                Presence::Required(matcher) => {
                    write!(words, "{link}{name}: {}", matcher.describe())
                }
                Presence::Optional(matcher) => {
                    write!(words, "{link}optional {name}: {}", matcher.describe())
                }
                Presence::Absent => write!(words, "{link}no {name}"),
            };
            link = ", ";
        }
        if self.closed {
            words += if self.members.is_empty() { " without members" } else { " and nothing else" };
        }
        words
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let Some(object) = got.as_object() else {
            return Err(Mismatch::new(self.describe(), got));
        };
        // Before unknown members: if one is misspelled, the missing name is the better report.
        for member in &self.members {
            let here = |mismatch: Mismatch| mismatch.within(Pointer::root().member(&member.name));
            member.check(self, object).map_err(here)?;
        }
        let unknown = object.iter().find(|(name, _)| self.known().all(|known| known != *name));
        match unknown {
            Some((name, value)) if self.closed => {
                Err(Mismatch::because("absent", value, None).within(Pointer::root().member(name)))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::expect::{equals, integer, one_of, string, text_containing};

    fn tool() -> ObjectMatcher {
        object().member("name", string()).optional("size", integer()).without("error")
    }

    fn failure(matcher: &impl Matcher, got: serde_json::Value) -> String {
        matcher.check(&got.into()).unwrap_err().to_string()
    }

    #[test]
    fn members_are_checked() {
        for good in [json!({"name": "a"}), json!({"name": "a", "size": 1, "more": null})] {
            assert_eq!(tool().check(&good.into()), Ok(()));
        }
        let bad = [
            json!([]),
            json!({}),
            json!({"Name": "a"}),
            json!({"name": 1}),
            json!({"name": "a", "size": null}),
            json!({"name": "a", "error": "x"}),
        ];
        let failures: Vec<_> = bad.into_iter().map(|bad| failure(&tool(), bad)).collect();
        insta::assert_snapshot!(failures.join("\n"), @r#"
        expected the value is an object with name: a string, optional size: an integer, no error
        got [], which is an empty array
        expected /name is a string
        got nothing
        expected /name is a string
        got nothing, which the member "Name" may explain
        expected /name is a string
        got 1, which is a number
        expected /size is an integer
        got null
        expected /error is absent
        got "x"
        "#);
    }

    #[test]
    fn a_matcher_owns_its_arguments() {
        let matcher = {
            let (name, part) = (String::from("a"), String::from("b"));
            let either = one_of([name.as_str(), part.as_str()]);
            object()
                .member(&name, equals(name.as_str()))
                .member(&part, text_containing(&part))
                .optional(&part, either)
        };
        assert_eq!(matcher.check(&json!({"a": "a", "b": "b"}).into()), Ok(()));
    }

    #[test]
    fn a_closed_object_forbids_other_members() {
        assert!(tool().and_nothing_else().check(&json!({"name": "a"}).into()).is_ok());
        assert_eq!(
            failure(&tool().and_nothing_else(), json!({"name": "a", "a/b": [1]})),
            "expected /a~1b is absent\ngot [1]"
        );
    }

    #[test]
    fn the_description_lists_members() {
        assert_eq!(
            tool().and_nothing_else().describe(),
            "an object with name: a string, optional size: an integer, no error and nothing else"
        );
        assert_eq!(object().describe(), "an object");
        assert_eq!(object().and_nothing_else().describe(), "an object without members");
    }

    #[test]
    fn the_last_duplicate_counts() {
        let twice = Value::parse(br#"{"name": 1, "name": "a"}"#).unwrap().value;
        assert!(tool().check(&twice).is_ok());
    }

    #[test]
    fn empty_objects() {
        assert!(empty_object().check(&json!({}).into()).is_ok());
        assert!(empty_object().check(&json!([]).into()).is_err());
        assert_eq!(
            failure(&empty_object(), json!({"a": 1})),
            "expected the value is an empty object\ngot {\"a\":1}, which is an object"
        );
    }
}
