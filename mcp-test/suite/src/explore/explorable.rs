//! What can be explored: a tool, a resource or a prompt, and what can be made of its definition.

use mcp_test_core::json::{Object, Value};
use mcp_test_core::json_schema::{Limits, Validator};
use mcp_test_core::scenario::CallableTool;
use mcp_test_core::spec::uri_template::UriTemplate;

use super::operation::{ANY_URI, Operation};
use crate::generate::{Class, GenerateError, Generator};

/// An operation with what its definition says.
pub(super) struct Explorable {
    pub(super) operation: Operation,
    /// Makes the arguments of a tool, unless its schema does not allow that. Those of resources and prompts come from results.
    generator: Result<Option<Generator>, GenerateError>,
    /// Arguments that the user has given; the only ones it is called with.
    pub(super) fixed: Option<Value>,
    /// Validates its structured results, if it declares how they are made.
    pub(super) output: Option<Validator>,
    /// Validates its arguments.
    input: Option<Validator>,
    /// Its arguments.
    pub(super) arguments: Vec<Argument>,
    /// Whether it changes nothing, by its annotations.
    pub(super) is_read_only: bool,
    /// Whether it runs only as a task.
    pub(super) requires_task: bool,
}

/// An argument of an operation.
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) is_required: bool,
}

impl Explorable {
    pub(super) fn tool(tool: &CallableTool, fixed: Option<Value>) -> Self {
        let limits = Limits::default();
        let input = tool.definition.get("inputSchema").cloned().unwrap_or(Value::Null);
        let names = input.get("properties").and_then(Value::as_object);
        // What is required is generated.
        let argument = |name: &str| Argument { name: name.to_owned(), is_required: false };
        let arguments = names.into_iter().flat_map(Object::keys).map(argument).collect();
        let output = tool.definition.get("outputSchema");
        let hint = tool.definition.at("/annotations/readOnlyHint").and_then(Value::as_bool);
        let task_support = tool.definition.at("/execution/taskSupport").and_then(Value::as_str);
        Self {
            is_read_only: hint == Some(true),
            requires_task: task_support == Some("required"),
            operation: Operation::Tool(tool.name.clone()),
            generator: Generator::new(&input, &limits).map(Some),
            input: Validator::compile(&input, &limits).ok(),
            fixed,
            // One that is not a schema is reported by the rules for lists.
            output: output.and_then(|schema| Validator::compile(schema, &limits).ok()),
            arguments,
        }
    }

    /// Any URI that a result has.
    pub(super) fn any_resource() -> Self {
        Self::linked(Operation::Resource(ANY_URI.to_owned()), vec![Argument::required("uri")])
    }

    /// The resources of a template as it is listed.
    pub(super) fn resources(template: &Value) -> Option<Self> {
        let template = template.get("uriTemplate")?.as_str()?;
        let variables = UriTemplate::new(template).variables();
        let arguments: Vec<_> = variables.into_iter().map(Argument::required).collect();
        (!arguments.is_empty())
            .then(|| Self::linked(Operation::Resource(template.to_owned()), arguments))
    }

    /// A prompt as it is listed.
    pub(super) fn prompt(prompt: &Value) -> Option<Self> {
        let arguments = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
        let argument = |argument: &Value| {
            let is_required = argument.get("required").and_then(Value::as_bool) == Some(true);
            Some(Argument { name: argument.get("name")?.as_str()?.to_owned(), is_required })
        };
        let arguments: Vec<_> = arguments.iter().filter_map(argument).collect();
        let name = prompt.get("name")?.as_str()?.to_owned();
        (!arguments.is_empty()).then(|| Self::linked(Operation::Prompt(name), arguments))
    }

    /// An operation whose arguments all come from results.
    fn linked(operation: Operation, arguments: Vec<Argument>) -> Self {
        let generator = Ok(None);
        Self {
            operation,
            generator,
            fixed: None,
            output: None,
            input: None,
            arguments,
            is_read_only: true,
            requires_task: false,
        }
    }

    /// The name of the tool, which often says what it returns; empty if it is none.
    pub(super) fn tool_name(&self) -> &str {
        match &self.operation {
            Operation::Tool(name) => name,
            Operation::Resource(_) | Operation::Prompt(_) => "",
        }
    }

    pub(super) fn is_tool(&self) -> bool {
        matches!(self.operation, Operation::Tool(_))
    }

    /// Whether its schema allows the arguments that the user has given.
    pub(super) fn class_of(&self, arguments: &Value) -> Class {
        let failures = self.input.as_ref().and_then(|input| input.failures(arguments).ok());
        match failures.unwrap_or_default().into_iter().next() {
            None => Class::Valid,
            Some(failure) => {
                Class::Invalid { keyword: failure.keyword, instance: failure.mismatch.pointer }
            }
        }
    }

    /// Whether its schema allows these arguments.
    pub(super) fn allows(&self, arguments: &Value) -> bool {
        let is_valid = |input: &Validator| input.is_valid(arguments).unwrap_or(false);
        self.input.as_ref().map_or(!self.is_tool(), is_valid)
    }

    /// Whether none of the arguments is missing that it requires.
    pub(super) fn has_required(&self, arguments: &Value) -> bool {
        let mut required = self.arguments.iter().filter(|argument| argument.is_required);
        required.all(|argument| arguments.get(&argument.name).is_some())
    }

    /// What makes its arguments: nothing, if the user has given them, or if they come from results.
    ///
    /// # Errors
    ///
    /// Why no arguments can be made.
    pub(super) fn generator(&self) -> Result<Option<&Generator>, &GenerateError> {
        match (&self.fixed, &self.generator) {
            (Some(_), _) => Ok(None),
            (None, Ok(generator)) => Ok(generator.as_ref()),
            (None, Err(error)) => Err(error),
        }
    }

    /// Smaller arguments of the same class, the smallest first.
    pub(super) fn smaller(&self, arguments: &Value, class: &Class) -> Vec<Value> {
        match self.generator() {
            Ok(Some(generator)) => generator.smaller(arguments, class).collect(),
            _ => Vec::new(),
        }
    }
}

impl Argument {
    fn required(name: &str) -> Self {
        Self { name: name.to_owned(), is_required: true }
    }
}
