//! [`Fixtures`]: the names that a server has for the fixtures of the official suite.
//!
//! A scenario names the official fixture, and [`Client`](super::Client) sends the server's own name, so that the trace shows
//! what was really sent, also in the headers that mirror it.

use std::collections::BTreeMap;

use crate::json::{Object, Value};
use crate::spec::LISTEN;

/// What takes the place of fixtures: tools, prompts, resources and resource templates of the server.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::client::Fixtures;
///
/// let mut fixtures = Fixtures::new();
/// fixtures.replace("test_simple_text", "my_tool", None);
/// assert_eq!(fixtures.name("test_simple_text"), "my_tool");
/// assert_eq!(fixtures.name("test_sampling"), "test_sampling");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fixtures {
    replacements: BTreeMap<String, Replacement>,
}

/// What takes the place of a fixture.
#[derive(Debug, Clone, PartialEq)]
struct Replacement {
    name: String,
    /// The arguments, or the values of variables; `None` for those of the scenario.
    arguments: Option<Object>,
}

impl Fixtures {
    /// The official names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Names what takes the place of a fixture, and the arguments, if they differ from those of the scenarios.
    pub fn replace(
        &mut self,
        fixture: impl Into<String>,
        name: impl Into<String>,
        arguments: Option<Object>,
    ) {
        self.replacements.insert(fixture.into(), Replacement { name: name.into(), arguments });
    }

    /// Whether something takes the place of the fixture.
    #[must_use]
    pub fn replaces(&self, fixture: &str) -> bool {
        self.replacements.contains_key(fixture)
    }

    /// The name of what takes the place of the fixture: its own, unless it is replaced.
    #[must_use]
    pub fn name<'a>(&'a self, fixture: &'a str) -> &'a str {
        self.replacements.get(fixture).map_or(fixture, |it| &it.name)
    }

    /// The arguments that were stated for what takes the place of the fixture.
    #[must_use]
    pub fn arguments(&self, fixture: &str) -> Option<&Object> {
        self.replacements.get(fixture)?.arguments.as_ref()
    }

    /// The name in backticks, for messages; of a replaced fixture with both names.
    #[must_use]
    pub fn describe(&self, fixture: &str) -> String {
        match self.replacements.get(fixture) {
            None => format!("`{fixture}`"),
            Some(own) => format!("`{}` (for the fixture `{fixture}`)", own.name),
        }
    }

    /// The replacements of these fixtures only.
    #[must_use]
    pub fn only<'a>(&self, fixtures: impl IntoIterator<Item = &'a str>) -> Self {
        let known = |name: &'a str| Some((name.to_owned(), self.replacements.get(name)?.clone()));
        Self { replacements: fixtures.into_iter().filter_map(known).collect() }
    }

    /// All replacements in one phrase; `None` if there are none.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let phrase = |(fixture, own): (&String, &Replacement)| {
            format!("`{}` takes the place of the fixture `{fixture}`", own.name)
        };
        let phrases: Vec<String> = self.replacements.iter().map(phrase).collect();
        (!phrases.is_empty()).then(|| phrases.join(", "))
    }

    /// The parameters of a request, with the names and arguments of what takes the place of the fixtures in them.
    #[must_use]
    pub fn apply(&self, method: &str, mut params: Value) -> Value {
        if self.replacements.is_empty() {
            return params;
        }
        match method {
            "tools/call" | "prompts/get" => {
                let replaced = self.rename(&mut params, "/name");
                if let Some(arguments) = replaced.and_then(|it| it.arguments.clone()) {
                    params.set("/arguments", arguments.into());
                }
            }
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                self.rename(&mut params, "/uri");
            }
            "completion/complete" => {
                let by_name = self.rename(&mut params, "/ref/name");
                let replaced = by_name.or_else(|| self.rename(&mut params, "/ref/uri"));
                self.rename_argument(&mut params, replaced);
            }
            LISTEN => {
                const URIS: &str = "/notifications/resourceSubscriptions";
                let uris = params.at(URIS).and_then(Value::as_array).map_or(0, <[Value]>::len);
                for index in 0..uris {
                    self.rename(&mut params, &format!("{URIS}/{index}"));
                }
            }
            _ => {}
        }
        params
    }

    /// Replaces the name of a fixture at this place, and returns what takes its place.
    fn rename(&self, params: &mut Value, pointer: &str) -> Option<&Replacement> {
        let replacement = self.replacements.get(params.at(pointer)?.as_str()?)?;
        params.set(pointer, replacement.name.as_str().into());
        Some(replacement)
    }

    /// Completes the first stated argument instead of one that is not among them.
    fn rename_argument(&self, params: &mut Value, replaced: Option<&Replacement>) {
        const NAME: &str = "/argument/name";
        let stated = replaced.and_then(|it| it.arguments.as_ref());
        let completed = params.at(NAME).and_then(Value::as_str);
        let is_stated = |stated: &Object| completed.is_some_and(|name| stated.contains(name));
        let first = stated.filter(|stated| !is_stated(stated)).and_then(|it| it.keys().next());
        if let Some(first) = first {
            params.set(NAME, first.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fixtures() -> Fixtures {
        let object = |value: serde_json::Value| Value::from(value).as_object().cloned();
        let mut fixtures = Fixtures::new();
        fixtures.replace("tool", "mine", None);
        fixtures.replace("mine", "tool", object(json!({ "a": 1 })));
        fixtures.replace("prompt", "greet", object(json!({ "who": "x", "arg1": "y" })));
        fixtures.replace("test://a", "db://a", None);
        fixtures.replace("test://{id}", "db://{key}", object(json!({ "key": "7" })));
        fixtures
    }

    fn applied(method: &str, params: serde_json::Value) -> String {
        fixtures().apply(method, params.into()).to_string()
    }

    #[test]
    fn names_and_arguments_are_replaced_where_a_method_has_them() {
        let call = |name: &str| json!({ "name": name, "arguments": { "b": 2 }, "extra": "tool" });
        insta::assert_snapshot!(applied("tools/call", call("tool")), @r#"{"arguments":{"b":2},"extra":"tool","name":"mine"}"#);
        insta::assert_snapshot!(applied("tools/call", call("mine")), @r#"{"arguments":{"a":1},"extra":"tool","name":"tool"}"#);
        insta::assert_snapshot!(applied("tools/call", call("other")), @r#"{"arguments":{"b":2},"extra":"tool","name":"other"}"#);
        insta::assert_snapshot!(applied("prompts/get", json!({ "name": "prompt" })), @r#"{"name":"greet","arguments":{"arg1":"y","who":"x"}}"#);
        for method in ["resources/read", "resources/subscribe", "resources/unsubscribe"] {
            assert_eq!(applied(method, json!({ "uri": "test://a" })), r#"{"uri":"db://a"}"#);
        }
        let filter = json!({ "notifications": { "resourceSubscriptions": ["b", "test://a"] } });
        insta::assert_snapshot!(applied("subscriptions/listen", filter), @r#"{"notifications":{"resourceSubscriptions":["b","db://a"]}}"#);
        assert_eq!(applied("tools/list", json!({ "name": "tool" })), r#"{"name":"tool"}"#);
        assert_eq!(applied("tools/call", json!([1])), "[1]");
    }

    #[test]
    fn an_argument_is_completed_that_the_replacement_has() {
        let complete = |reference: serde_json::Value, name: &str| {
            let params = json!({ "argument": { "name": name }, "ref": reference });
            applied("completion/complete", params)
        };
        let prompt = || json!({ "name": "prompt" });
        insta::assert_snapshot!(complete(prompt(), "who"), @r#"{"argument":{"name":"who"},"ref":{"name":"greet"}}"#);
        insta::assert_snapshot!(complete(prompt(), "arg2"), @r#"{"argument":{"name":"arg1"},"ref":{"name":"greet"}}"#);
        insta::assert_snapshot!(complete(json!({ "uri": "test://{id}" }), "id"), @r#"{"argument":{"name":"key"},"ref":{"uri":"db://{key}"}}"#);
        insta::assert_snapshot!(complete(json!({ "name": "tool" }), "a"), @r#"{"argument":{"name":"a"},"ref":{"name":"mine"}}"#);
    }

    #[test]
    fn messages_name_both() {
        insta::assert_snapshot!(fixtures().describe("tool"), @"`mine` (for the fixture `tool`)");
        insta::assert_snapshot!(fixtures().describe("other"), @"`other`");
        let some = fixtures().only(["prompt", "other"]);
        insta::assert_snapshot!(some.summary().unwrap_or_default(), @"`greet` takes the place of the fixture `prompt`");
        assert_eq!(Fixtures::new().summary(), None);
    }
}
