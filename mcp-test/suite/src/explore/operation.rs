//! What a step of a chain requests: a tool, a resource or a prompt.

use std::fmt;

use mcp_test_core::expect::words::excerpt;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::uri_template::UriTemplate;

/// The template of any URI, as it was found in a result.
pub(super) const ANY_URI: &str = "{+uri}";

/// What is requested, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// A call of the tool with this name.
    Tool(String),
    /// A read of a URI that this template expands to; `{+uri}` is a URI as a result has it.
    Resource(String),
    /// A get of the prompt with this name.
    Prompt(String),
}

impl Operation {
    /// The method of the request.
    #[must_use]
    pub fn method(&self) -> &'static str {
        match self {
            Self::Tool(_) => "tools/call",
            Self::Resource(_) => "resources/read",
            Self::Prompt(_) => "prompts/get",
        }
    }

    /// The params of the request.
    #[must_use]
    pub fn params(&self, arguments: &Value) -> Value {
        let named = |name: &str, arguments| {
            Object::from_iter([("name", Value::from(name)), ("arguments", arguments)])
        };
        Value::Object(match self {
            Self::Tool(name) => named(name, arguments.clone()),
            Self::Prompt(name) => named(name, texts(arguments)),
            Self::Resource(template) => {
                let texts = texts(arguments);
                let text = |name: &str| texts.get(name)?.as_str();
                let uri = match text("uri").filter(|_| template == ANY_URI) {
                    // An expansion encodes some of its characters.
                    Some(uri) => uri.to_owned(),
                    None => UriTemplate::new(template).expand(text),
                };
                Object::from_iter([("uri", Value::from(uri))])
            }
        })
    }

    /// Whether the arguments are sent as they are, so that a value from a result can be put into the params.
    pub(super) fn sends_as_is(&self, arguments: &Value) -> bool {
        let has_only_texts = || {
            arguments.as_object().is_some_and(|it| it.iter().all(|(_, it)| it.as_str().is_some()))
        };
        match self {
            Self::Tool(_) => true,
            Self::Resource(template) => template == ANY_URI && has_only_texts(),
            Self::Prompt(_) => has_only_texts(),
        }
    }
}

/// The tool by its name alone, for people.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(name) => write!(f, "{}", excerpt(name)),
            Self::Resource(template) if template == ANY_URI => f.write_str("resource"),
            Self::Resource(template) => write!(f, "resource {}", excerpt(template)),
            Self::Prompt(name) => write!(f, "prompt {}", excerpt(name)),
        }
    }
}

/// The arguments as texts: what is not one becomes its JSON.
fn texts(arguments: &Value) -> Value {
    let members = arguments.as_object().into_iter().flat_map(Object::iter);
    let text = |value: &Value| match value.as_str() {
        Some(_) => value.clone(),
        None => Value::from(value.to_string()),
    };
    Value::Object(Object::from_iter(members.map(|(name, value)| (name, text(value)))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn params(operation: &Operation, arguments: serde_json::Value) -> String {
        operation.params(&arguments.into()).to_string()
    }

    #[test]
    fn a_resource_is_read_by_its_uri() {
        let users = Operation::Resource("users://{id}/{part}".to_owned());
        assert_eq!(params(&users, json!({"id": 7, "part": "a/b"})), r#"{"uri":"users://7/a%2Fb"}"#);
        let any = Operation::Resource(ANY_URI.to_owned());
        assert_eq!(params(&any, json!({"uri": "a://b c"})), r#"{"uri":"a://b c"}"#);
    }

    #[test]
    fn the_arguments_of_a_prompt_are_texts() {
        let prompt = Operation::Prompt("p".to_owned());
        assert_eq!(params(&prompt, json!({"id": 7})), r#"{"name":"p","arguments":{"id":"7"}}"#);
        let tool = Operation::Tool("t".to_owned());
        assert_eq!(params(&tool, json!({"id": 7})), r#"{"name":"t","arguments":{"id":7}}"#);
    }

    #[test]
    fn only_whole_values_are_sent_as_they_are() {
        let as_is = |operation: Operation, arguments: serde_json::Value| {
            operation.sends_as_is(&arguments.into())
        };
        assert!(as_is(Operation::Resource(ANY_URI.to_owned()), json!({"uri": "a://b"})));
        assert!(!as_is(Operation::Resource("a://{id}".to_owned()), json!({"id": "b"})));
        assert!(!as_is(Operation::Prompt("p".to_owned()), json!({"id": 1})));
        assert!(as_is(Operation::Tool("t".to_owned()), json!({"id": 1})));
    }
}
