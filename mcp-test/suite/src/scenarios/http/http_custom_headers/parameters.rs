//! The parameters of the tools, and their values in the context.

use mcp_test_core::spec::header::X_MCP_HEADER;

use super::{BASE64, ENCODES, MIRRORS, OMITS};
use crate::scenarios::prelude::*;

/// A parameter of a tool, and its value in the context.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    kind: serde_json::Value,
    value: serde_json::Value,
    /// The header, without its prefix, and the official check of it.
    pub(super) mirrored: Option<(&'static str, &'static str)>,
}

impl Parameter {
    fn new(
        name: &'static str,
        kind: &'static str,
        value: impl Into<serde_json::Value>,
        header: &'static str,
        check: &'static str,
    ) -> Self {
        let mirrored = Some((header, check)).filter(|_| !header.is_empty());
        Self { name, kind: kind.into(), value: value.into(), mirrored }
    }

    fn schema(&self) -> serde_json::Value {
        let mut schema = json!({ "type": self.kind });
        if let Some((header, _)) = self.mirrored {
            schema[X_MCP_HEADER] = header.into();
        }
        schema
    }
}

/// The parameters of the first tool, in the order of official reports.
pub(super) fn parameters() -> [Parameter; 16] {
    let text =
        |name, value: &str, header, check| Parameter::new(name, "string", value, header, check);
    [
        text("region", "us-west1", "Region", MIRRORS),
        Parameter::new("priority", "integer", 42, "Priority", ENCODES),
        Parameter::new("verbose", "boolean", false, "Verbose", ENCODES),
        Parameter::new("debug", "boolean", true, "Debug", ENCODES),
        text("empty_val", "", "EmptyVal", MIRRORS),
        text("method_val", "test-method", "Method", MIRRORS),
        #[expect(clippy::approx_constant, reason = "the number of the official suite")]
        Parameter::new("float_val", "number", 3.14159, "", MIRRORS),
        text("non_ascii_val", "Hello, 世界", "NonAscii", BASE64),
        text("whitespace_val", " padded ", "Whitespace", BASE64),
        text("leading_space_val", " us-west1", "LeadingSpace", BASE64),
        text("trailing_space_val", "us-west1 ", "TrailingSpace", BASE64),
        text("internal_space_val", "us west 1", "InternalSpace", MIRRORS),
        text("control_char_val", "line1\nline2", "ControlChar", BASE64),
        text("crlf_val", "line1\r\nline2", "CrLf", BASE64),
        text("tab_val", "\tindented", "Tab", BASE64),
        text("query", "SELECT * FROM users", "", MIRRORS),
    ]
}

/// The parameters of the second tool.
pub(super) fn null_parameters(profile: Profile) -> [Parameter; 4] {
    let verbose = Parameter::new("verbose", "boolean", json!(null), "Verbose", OMITS);
    let verbose = match profile {
        Profile::Official => verbose,
        // The official type forbids the value that the client is asked to send.
        Profile::Adaptive | Profile::Strict => {
            Parameter { kind: json!(["boolean", "null"]), ..verbose }
        }
    };
    [
        Parameter::new("region", "string", "us-east1", "Region", OMITS),
        Parameter::new("priority", "integer", 1, "Priority", OMITS),
        verbose,
        Parameter::new("query", "string", "SELECT 1", "", OMITS),
    ]
}

pub(super) fn input_schema(parameters: &[Parameter]) -> serde_json::Value {
    let properties = parameters.iter().map(|it| (it.name.to_owned(), it.schema()));
    let properties: serde_json::Map<_, _> = properties.collect();
    json!({ "type": "object", "properties": properties, "required": ["region", "priority", "query"] })
}

pub(super) fn arguments(parameters: &[Parameter]) -> serde_json::Value {
    let arguments = parameters.iter().map(|it| (it.name.to_owned(), it.value.clone()));
    serde_json::Value::Object(arguments.collect())
}
