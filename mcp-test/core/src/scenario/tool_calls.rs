//! Which tools of a server a run may call, and with which arguments.
//!
//! A tool may do anything, so that only those are called that are annotated as harmless, or that the user names.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{Object, Value};

/// The tools that a run may call without being asked for each of them.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CalledTools {
    /// None.
    None,
    /// Those that are annotated `readOnlyHint: true`.
    #[default]
    ReadOnly,
    /// All but those that are annotated `destructiveHint: true`.
    All,
}

/// The tools that a run may call.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCalls {
    /// The tools that are called without being named.
    pub unnamed: CalledTools,
    /// The tools that are called by name, with their arguments; `None` for those of the tool's own schema.
    pub named: BTreeMap<String, Option<Value>>,
    /// The tools that are not called, whatever else is said.
    pub skipped: BTreeSet<String>,
}

/// A tool that a run may call.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct CallableTool {
    /// The name.
    pub name: String,
    /// As listed.
    pub definition: Value,
    /// Whether the user has named it.
    pub is_named: bool,
    /// Valid arguments; `None` if neither the user nor the schema of the tool states any.
    pub arguments: Option<Value>,
}

impl ToolCalls {
    /// The tool, if it may be called.
    #[must_use]
    pub fn callable(&self, definition: &Value) -> Option<CallableTool> {
        let name = definition.get("name")?.as_str()?;
        let hint = |hint: &str| {
            let annotations = definition.get("annotations");
            annotations.and_then(|it| it.get(hint)) == Some(&Value::Bool(true))
        };
        let named = self.named.get(name);
        let is_permitted = match self.unnamed {
            _ if self.skipped.contains(name) => false,
            _ if named.is_some() => true,
            // Called only by name, also if it is annotated as read-only at the same time.
            _ if hint("destructiveHint") => false,
            CalledTools::None => false,
            CalledTools::ReadOnly => hint("readOnlyHint"),
            CalledTools::All => true,
        };
        let arguments = match named {
            Some(Some(arguments)) => Some(arguments.clone()),
            _ => definition.get("inputSchema").and_then(stated_arguments),
        };
        is_permitted.then(|| CallableTool {
            name: name.to_owned(),
            definition: definition.clone(),
            is_named: named.is_some(),
            arguments,
        })
    }
}

/// The arguments that a schema itself states: an example, or for each required property its only value, its default or an example.
///
/// `None` if there is a required property without.
fn stated_arguments(schema: &Value) -> Option<Value> {
    if let Some(whole @ Value::Object(_)) = stated_value(schema) {
        return Some(whole.clone());
    }
    let mut arguments = Object::new();
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    for name in required.iter().filter_map(Value::as_str) {
        let property = schema.get("properties").and_then(|properties| properties.get(name))?;
        arguments.insert(name, stated_value(property)?.clone());
    }
    Some(Value::Object(arguments))
}

/// A valid value that a schema states.
fn stated_value(schema: &Value) -> Option<&Value> {
    let first = |keyword: &str| schema.get(keyword).and_then(Value::as_array)?.first();
    let stated = schema.get("const").or_else(|| first("examples"));
    stated.or_else(|| schema.get("default")).or_else(|| first("enum"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(annotations: &serde_json::Value) -> Value {
        json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": annotations}).into()
    }

    #[test]
    fn only_harmless_tools_are_called_without_being_named() {
        let named = |name: &str| BTreeMap::from([(name.to_owned(), None)]);
        let read_only = tool(&json!({"readOnlyHint": true}));
        let unknown = tool(&json!({}));
        let destructive = tool(&json!({"destructiveHint": true, "readOnlyHint": true}));
        let permitted = |calls: &ToolCalls| {
            [&read_only, &unknown, &destructive].map(|tool| calls.callable(tool).is_some())
        };
        let calls = |unnamed, named| ToolCalls { unnamed, named, ..ToolCalls::default() };
        assert_eq!(permitted(&ToolCalls::default()), [true, false, false]);
        assert_eq!(permitted(&calls(CalledTools::None, named("u"))), [false, false, false]);
        assert_eq!(permitted(&calls(CalledTools::All, named("u"))), [true, true, false]);
        assert_eq!(permitted(&calls(CalledTools::None, named("t"))), [true, true, true]);
        let skipped = ["t".to_owned()].into();
        let calls = ToolCalls { skipped, ..calls(CalledTools::All, named("t")) };
        assert_eq!(permitted(&calls), [false, false, false]);
    }

    #[test]
    fn arguments_are_those_that_the_schema_states() {
        let stated = |schema: serde_json::Value| {
            stated_arguments(&schema.into()).map(|arguments| arguments.to_string())
        };
        assert_eq!(stated(json!({"type": "object"})).as_deref(), Some("{}"));
        assert_eq!(
            stated(json!({"required": ["a"], "properties": {"a": {"type": "string"}}})),
            None
        );
        assert_eq!(stated(json!({"required": ["a"]})), None);
        let properties = json!({
            "a": {"default": 1}, "b": {"examples": ["x", "y"]}, "c": {"const": null}, "d": {"enum": [2]}, "e": {},
        });
        let schema = json!({"required": ["a", "b", "c", "d"], "properties": properties});
        assert_eq!(stated(schema).as_deref(), Some(r#"{"a":1,"b":"x","c":null,"d":2}"#));
        assert_eq!(stated(json!({"examples": [{"a": 7}]})).as_deref(), Some(r#"{"a":7}"#));
    }

    #[test]
    fn arguments_of_the_user_replace_those_of_the_schema() {
        let named = BTreeMap::from([("t".to_owned(), Some(json!({"a": 1}).into()))]);
        let calls = ToolCalls { named, ..ToolCalls::default() };
        let callable = calls.callable(&tool(&json!({}))).expect("it is named");
        assert_eq!(callable.arguments.map(|it| it.to_string()).as_deref(), Some(r#"{"a":1}"#));
    }
}
