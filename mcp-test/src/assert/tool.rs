//! Assertions of the arguments that a tool or a prompt takes, and of what else a tool says of itself.

use super::item::{PromptAssert, ToolAssert};
use super::plain_assertions;
use super::text::names;
use crate::check::Finding;
use crate::expect::{Matcher, equals, words};
use crate::json::{Object, Pointer, Value};

plain_assertions! { [] ToolAssert {
    /// Asserts that the tool takes this argument and cannot do without it.
    assert_requires / try_requires (self, argument: &str) { check_argument(&self, argument, true) }

    /// Asserts that the tool takes this argument and can do without it.
    assert_optional / try_optional (self, argument: &str) { check_argument(&self, argument, false) }

    /// Asserts that the input schema gives this argument this `type`, alone or among others.
    assert_property_type / try_property_type (self, argument: &str, kind: &str) {
        check_type(&self, argument, kind)
    }

    /// Asserts that the input schema of one argument matches.
    assert_property / try_property (self, argument: &str, matcher: impl Matcher) {
        property(&self, argument).and_then(|_| self.check_member(place(argument).as_str(), &matcher))
    }

    /// Asserts that the input schema matches; [`equals`] compares it as a whole.
    assert_input_schema / try_input_schema (self, matcher: impl Matcher) {
        self.check_member("/inputSchema", &matcher)
    }

    /// Asserts that the output schema matches; [`equals`] compares it as a whole.
    assert_output_schema / try_output_schema (self, matcher: impl Matcher) {
        self.check_member("/outputSchema", &matcher)
    }

    /// Asserts the value of an annotation, such as `readOnlyHint`.
    assert_annotation / try_annotation (self, name: &str, value: impl Into<Value>) {
        let place = Pointer::root().member("annotations").member(name);
        self.check_member(place.as_str(), &equals(value))
    }
}}

plain_assertions! { [] PromptAssert {
    /// Asserts that the prompt takes this argument and cannot do without it.
    assert_requires / try_requires (self, argument: &str) { check_argument(&self, argument, true) }

    /// Asserts that the prompt takes this argument and can do without it.
    assert_optional / try_optional (self, argument: &str) { check_argument(&self, argument, false) }
}}

/// Something that is called with named arguments.
trait Callable {
    /// The names of the arguments, each with whether it is required.
    fn arguments(&self) -> Vec<(&str, bool)>;
    fn noun(&self) -> String;
    fn finding(&self, headline: String) -> Finding;
}

impl Callable for ToolAssert {
    fn arguments(&self) -> Vec<(&str, bool)> {
        let schema = |name| self.value().get("inputSchema")?.get(name);
        let required = schema("required").and_then(Value::as_array).unwrap_or_default();
        let required: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
        let properties = schema("properties").and_then(Value::as_object);
        let properties: Vec<&str> = properties.into_iter().flat_map(Object::keys).collect();
        // A schema may require what it does not describe.
        let described = properties.iter().map(|name| (*name, required.contains(name)));
        let bare = required.iter().filter(|name| !properties.contains(name));
        described.chain(bare.map(|name| (*name, true))).collect()
    }

    fn noun(&self) -> String {
        self.noun()
    }

    fn finding(&self, headline: String) -> Finding {
        self.finding(headline)
    }
}

impl Callable for PromptAssert {
    fn arguments(&self) -> Vec<(&str, bool)> {
        let arguments = self.value().get("arguments").and_then(Value::as_array);
        arguments.unwrap_or_default().iter().filter_map(named).collect()
    }

    fn noun(&self) -> String {
        self.noun()
    }

    fn finding(&self, headline: String) -> Finding {
        self.finding(headline)
    }
}

/// An argument of a prompt, and whether it is required.
fn named(argument: &Value) -> Option<(&str, bool)> {
    let required = argument.get("required").and_then(Value::as_bool).unwrap_or(false);
    Some((argument.get("name")?.as_str()?, required))
}

fn check_argument(item: &impl Callable, argument: &str, required: bool) -> Result<(), Finding> {
    let arguments = item.arguments();
    match arguments.iter().find(|(name, _)| *name == argument) {
        None => Err(no_argument(item, argument)),
        Some((_, is)) if *is == required => Ok(()),
        Some(_) => {
            let (does, wanted, is) = if required {
                ("does not require", "a required", "an optional")
            } else {
                ("requires", "an optional", "a required")
            };
            Err(item
                .finding(format!("{} {does} `{argument}`", item.noun()))
                .expected(format!("{wanted} argument `{argument}`"))
                .got(format!("{is} one ({})", taken(&arguments))))
        }
    }
}

fn no_argument(item: &impl Callable, argument: &str) -> Finding {
    let arguments = item.arguments();
    let finding = item
        .finding(format!("{} has no argument `{argument}`", item.noun()))
        .expected(format!("an argument `{argument}`"))
        .got(match arguments.as_slice() {
            [] => "no arguments at all".to_owned(),
            arguments => format!("these: {}", taken(arguments)),
        });
    match words::closest(argument, arguments.iter().map(|(name, _)| *name)) {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => finding,
    }
}

/// Which arguments there are, in words.
fn taken(arguments: &[(&str, bool)]) -> String {
    let of = |required: bool| {
        let of = arguments.iter().filter(move |(_, is)| *is == required).map(|(name, _)| *name);
        of.collect::<Vec<_>>()
    };
    let parts = [("required", of(true)), ("optional", of(false))];
    let parts = parts.into_iter().filter(|(_, of)| !of.is_empty());
    let parts: Vec<String> = parts.map(|(word, of)| format!("{word} {}", names(of))).collect();
    parts.join(", ")
}

fn place(argument: &str) -> Pointer {
    Pointer::root().member("inputSchema").member("properties").member(argument)
}

fn property<'a>(tool: &'a ToolAssert, argument: &str) -> Result<&'a Value, Finding> {
    tool.value().at(place(argument).as_str()).ok_or_else(|| no_argument(tool, argument))
}

fn check_type(tool: &ToolAssert, argument: &str, kind: &str) -> Result<(), Finding> {
    let got = property(tool, argument)?.get("type");
    let is = |value: &Value| value.as_str() == Some(kind);
    if got.is_some_and(|got| is(got) || got.as_array().unwrap_or_default().iter().any(is)) {
        return Ok(());
    }
    Err(tool
        .finding(format!("argument `{argument}` of {} has another type than expected", tool.noun()))
        .expected(format!("`{}` is \"{kind}\"", place(argument).member("type")))
        .got(words::got(got)))
}
