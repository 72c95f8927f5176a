//! Assertions about the arguments of tools and prompts, and about the definitions of tools.

use super::item::{ItemAssert, PromptAssert, ToolAssert};
use super::plain_assertions;
use super::text::{names, suggest};
use crate::check::Finding;
use crate::client::reply::ListKind;
use crate::expect::{Matcher, equals, words};
use crate::json::{Object, Pointer, Value};

plain_assertions! { [] ToolAssert {
    /// Asserts that the tool has this required argument.
    assert_requires / try_requires (self, argument: &str) { check_argument(&self, argument, true) }

    /// Asserts that the tool has this optional argument.
    assert_optional / try_optional (self, argument: &str) { check_argument(&self, argument, false) }

    /// Asserts that this argument has this `type` in the input schema, alone or among others.
    assert_property_type / try_property_type (self, argument: &str, kind: &str) {
        check_type(&self, argument, kind)
    }

    /// Asserts that the input schema of one argument matches.
    assert_property / try_property (self, argument: &str, matcher: impl Matcher) {
        property(&self, argument).and_then(|_| self.check_member(pointer(argument).as_str(), &matcher))
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
        let pointer = Pointer::root().member("annotations").member(name);
        self.check_member(pointer.as_str(), &equals(value))
    }
}}

plain_assertions! { [] PromptAssert {
    /// Asserts that the prompt has this required argument.
    assert_requires / try_requires (self, argument: &str) { check_argument(&self, argument, true) }

    /// Asserts that the prompt has this optional argument.
    assert_optional / try_optional (self, argument: &str) { check_argument(&self, argument, false) }
}}

/// An item with named arguments.
trait Callable {
    /// The names of the arguments, each with whether it is required.
    fn arguments(&self) -> Vec<(&str, bool)>;
}

impl Callable for ToolAssert {
    fn arguments(&self) -> Vec<(&str, bool)> {
        let schema = |name| self.value().get("inputSchema")?.get(name);
        let required = schema("required").and_then(Value::as_array).unwrap_or_default();
        let required: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
        let properties = schema("properties").and_then(Value::as_object);
        let properties: Vec<&str> = properties.into_iter().flat_map(Object::keys).collect();
        // A schema may require arguments that `properties` does not contain.
        let described = properties.iter().map(|name| (*name, required.contains(name)));
        let undescribed = required.iter().filter(|name| !properties.contains(name));
        described.chain(undescribed.map(|name| (*name, true))).collect()
    }
}

impl Callable for PromptAssert {
    fn arguments(&self) -> Vec<(&str, bool)> {
        let arguments = self.value().get("arguments").and_then(Value::as_array);
        arguments.unwrap_or_default().iter().filter_map(named).collect()
    }
}

/// An argument of a prompt, and whether it is required.
fn named(argument: &Value) -> Option<(&str, bool)> {
    // In MCP's schema `required` is optional itself; an argument without it need not be given.
    let required = argument.get("required").and_then(Value::as_bool).unwrap_or(false);
    Some((argument.get("name")?.as_str()?, required))
}

fn check_argument<K: ListKind>(
    item: &ItemAssert<K>,
    argument: &str,
    required: bool,
) -> Result<(), Finding>
where
    ItemAssert<K>: Callable,
{
    let arguments = item.arguments();
    match arguments.iter().find(|(name, _)| *name == argument) {
        None => Err(no_argument(item, argument)),
        Some((_, is)) if *is == required => Ok(()),
        Some(_) => {
            let (mistake, expected, got) = if required {
                ("does not require", "a required", "an optional")
            } else {
                ("requires", "an optional", "a required")
            };
            Err(item
                .finding(format!("{} {mistake} `{argument}`", item.noun()))
                .expected(format!("{expected} argument `{argument}`"))
                .got(format!("{got} one ({})", describe(&arguments))))
        }
    }
}

fn no_argument<K: ListKind>(item: &ItemAssert<K>, argument: &str) -> Finding
where
    ItemAssert<K>: Callable,
{
    let arguments = item.arguments();
    let finding = item
        .finding(format!("{} has no argument `{argument}`", item.noun()))
        .expected(format!("an argument `{argument}`"))
        .got(describe(&arguments));
    suggest(finding, argument, arguments.iter().map(|(name, _)| *name))
}

/// Describes the arguments.
fn describe(arguments: &[(&str, bool)]) -> String {
    if arguments.is_empty() {
        return "no arguments".to_owned();
    }
    let of = |required: bool| {
        let of = arguments.iter().filter(move |(_, is)| *is == required).map(|(name, _)| *name);
        of.collect::<Vec<_>>()
    };
    let parts = [("required", of(true)), ("optional", of(false))];
    let parts = parts.into_iter().filter(|(_, of)| !of.is_empty());
    let parts: Vec<String> = parts.map(|(word, of)| format!("{word} {}", names(of))).collect();
    parts.join(", ")
}

fn pointer(argument: &str) -> Pointer {
    Pointer::root().member("inputSchema").member("properties").member(argument)
}

fn property<'a>(tool: &'a ToolAssert, argument: &str) -> Result<&'a Value, Finding> {
    tool.value().at(pointer(argument).as_str()).ok_or_else(|| no_argument(tool, argument))
}

fn check_type(tool: &ToolAssert, argument: &str, kind: &str) -> Result<(), Finding> {
    let got = property(tool, argument)?.get("type");
    // In JSON Schema `type` is one type, or a list of them.
    let is = |value: &Value| value.as_str() == Some(kind);
    if got.is_some_and(|got| is(got) || got.as_array().unwrap_or_default().iter().any(is)) {
        return Ok(());
    }
    Err(tool
        .finding(format!("argument `{argument}` of {} has an unexpected type", tool.noun()))
        .expected(format!("`{}` is \"{kind}\"", pointer(argument).member("type")))
        .got(words::got(got)))
}
