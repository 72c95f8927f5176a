//! Tool arguments that are mirrored into HTTP headers: `x-mcp-header` in an `inputSchema`, and `Mcp-Param-*`.
//!
//! [Specification](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters)

use super::header::{MCP_PARAM_PREFIX, X_MCP_HEADER, encode_value};
use crate::json::Value;
use crate::spec::Requirement;

/// An argument that is mirrored into a header.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    /// The value of the annotation: the header without its `Mcp-Param-` prefix.
    pub name: String,
    /// The JSON Pointer to the value in the arguments of a call.
    pub pointer: String,
}

/// Why the annotations of an `inputSchema`, and with them the tool, are invalid.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{X_MCP_HEADER}` at {at} {why}")]
pub struct InvalidParamHeader {
    /// The JSON Pointer to the schema that has the annotation.
    pub at: String,
    /// What is wrong, to be read after "the annotation": `is empty`.
    pub why: String,
    /// The violated requirement.
    pub requirement: &'static Requirement,
}

impl ParamHeader {
    /// The full name of the header.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::spec::param_headers;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {
    ///     "region": {"type": "string", "x-mcp-header": "Region"},
    /// }});
    /// let headers = param_headers(&schema.into())?;
    /// assert_eq!(headers[0].header(), "Mcp-Param-Region");
    /// assert_eq!(headers[0].value(&json!({"region": "eu"}).into()).as_deref(), Some("eu"));
    /// assert_eq!(headers[0].value(&json!({"region": null}).into()), None);
    /// # Ok::<(), mcp_test::spec::InvalidParamHeader>(())
    /// ```
    #[must_use]
    pub fn header(&self) -> String {
        format!("{MCP_PARAM_PREFIX}{}", self.name)
    }

    /// The value of the header for these arguments; `None` if they have no value that a header can mirror.
    #[must_use]
    pub fn value(&self, arguments: &Value) -> Option<String> {
        let text = match arguments.at(&self.pointer)? {
            Value::String(text) => text.clone(),
            Value::Bool(truth) => truth.to_string(),
            // JSON Schema counts 42.0 as an integer; the header carries it as 42.
            Value::Number(number) if number.is_integer() => number
                .as_i64()
                .map_or_else(|| number.as_str().to_owned(), |whole| whole.to_string()),
            _ => return None,
        };
        Some(encode_value(&text))
    }
}

/// The arguments that an `inputSchema` declares to be mirrored, in its order.
///
/// # Errors
///
/// Returns the first annotation that violates the specification.
#[doc(hidden)]
pub fn param_headers(input_schema: &Value) -> Result<Vec<ParamHeader>, InvalidParamHeader> {
    let mut found = Vec::new();
    // The recursion is bounded by the depth that the JSON parser accepts.
    collect(input_schema, &SchemaLocation::ROOT, &mut found)?;
    Ok(found)
}

/// Keywords whose values are data, in which the annotation has no meaning.
const DATA: [&str; 4] = ["default", "examples", "enum", "const"];

/// The location of a subschema, as a step from its parent: only an annotation needs the whole path as a text, and most
/// schemas have none.
struct SchemaLocation<'a> {
    parent: Option<&'a Self>,
    step: Step<'a>,
}

/// A step from a schema into it.
#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    /// The value of a keyword.
    Keyword(&'a str),
    /// An item of an array.
    Item(usize),
    /// A schema under its name in a map of schemas, which is the value of a keyword.
    Named(&'a str, &'a str),
}

impl<'a> SchemaLocation<'a> {
    const ROOT: Self = Self { parent: None, step: Step::Root };

    fn child(&'a self, step: Step<'a>) -> Self {
        Self { parent: Some(self), step }
    }

    /// The JSON Pointer to it in the whole schema.
    fn at(&self) -> String {
        let at = self.parent.map(Self::at).unwrap_or_default();
        match self.step {
            Step::Root => at,
            Step::Keyword(keyword) => format!("{at}/{}", escaped(keyword)),
            Step::Item(index) => format!("{at}/{index}"),
            Step::Named(keyword, name) => format!("{at}/{}/{}", escaped(keyword), escaped(name)),
        }
    }

    /// The JSON Pointer to its value in the arguments, if it is reached through `properties` only.
    fn pointer(&self) -> Option<String> {
        match (self.parent, self.step) {
            (None, _) => Some(String::new()),
            (Some(parent), Step::Named(PROPERTIES, name)) => {
                Some(format!("{}/{}", parent.pointer()?, escaped(name)))
            }
            _ => None,
        }
    }
}

const PROPERTIES: &str = "properties";

fn collect(
    schema: &Value,
    location: &SchemaLocation<'_>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), InvalidParamHeader> {
    if let Value::Array(items) = schema {
        for (index, item) in items.iter().enumerate() {
            collect(item, &location.child(Step::Item(index)), found)?;
        }
    }
    let Some(members) = schema.as_object() else { return Ok(()) };
    if let Some(annotation) = members.get(X_MCP_HEADER) {
        found.push(param_header(schema, annotation, location, found)?);
    }
    for (keyword, value) in members.iter().filter(|(name, _)| !DATA.contains(name)) {
        match (keyword, value.as_object()) {
            // Maps of schemas, whose keys are names rather than keywords.
            (
                PROPERTIES | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Some(named),
            ) => {
                for (name, schema) in named.iter() {
                    collect(schema, &location.child(Step::Named(keyword, name)), found)?;
                }
            }
            // Any other keyword is searched, too: an annotation there is a violation, not to be ignored.
            _ => collect(value, &location.child(Step::Keyword(keyword)), found)?,
        }
    }
    Ok(())
}

fn param_header(
    schema: &Value,
    annotation: &Value,
    location: &SchemaLocation<'_>,
    found: &[ParamHeader],
) -> Result<ParamHeader, InvalidParamHeader> {
    let invalid = |requirement, why: String| {
        let at = Some(location.at()).filter(|at| !at.is_empty());
        let at = at.unwrap_or_else(|| "the root".to_owned());
        Err(InvalidParamHeader { at, why, requirement })
    };
    let Some(name) = annotation.as_str() else {
        return invalid(
            Requirement::TOOLS_X_MCP_HEADER_TOKEN_SYNTAX,
            format!("is {}", annotation.kind()),
        );
    };
    if name.is_empty() {
        return invalid(Requirement::TOOLS_X_MCP_HEADER_NON_EMPTY, "is empty".to_owned());
    }
    // Before the syntax of a token, which excludes them too: the specification names them in a requirement of their own.
    if name.chars().any(char::is_control) {
        let why = format!("has control characters: {name:?}");
        return invalid(Requirement::TOOLS_X_MCP_HEADER_NO_CONTROL_CHARACTERS, why);
    }
    if !name.bytes().all(is_token) {
        let why = format!("is not a valid HTTP header name: {name:?}");
        return invalid(Requirement::TOOLS_X_MCP_HEADER_TOKEN_SYNTAX, why);
    }
    let Some(pointer) = location.pointer().filter(|pointer| !pointer.is_empty()) else {
        let why = "is not reachable from the root through `properties` alone".to_owned();
        return invalid(Requirement::TOOLS_X_MCP_HEADER_STATICALLY_REACHABLE, why);
    };
    if !is_primitive(schema.get("type")) {
        let got = schema.get("type").map_or("none".to_owned(), |kind| kind.short(40));
        let why = format!("is on a type other than string, integer or boolean: {got}");
        return invalid(Requirement::TOOLS_X_MCP_HEADER_PRIMITIVE_TYPES, why);
    }
    // HTTP header names are case-insensitive.
    if found.iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
        return invalid(Requirement::TOOLS_X_MCP_HEADER_UNIQUE, format!("is used twice: {name:?}"));
    }
    Ok(ParamHeader { name: name.to_owned(), pointer })
}

/// Whether a `type` allows only values that a header can mirror; `null` beside them makes the value optional.
fn is_primitive(kind: Option<&Value>) -> bool {
    // Not `number` (`server/tools#x-mcp-header`).
    let mirrored = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    match kind {
        Some(Value::Array(kinds)) => {
            kinds.iter().any(mirrored)
                && kinds.iter().all(|kind| mirrored(kind) || kind.as_str() == Some("null"))
        }
        Some(kind) => mirrored(kind),
        None => false,
    }
}

/// A character of an HTTP token: RFC 9110, section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A name as a step of a JSON Pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn why(properties: &serde_json::Value) -> String {
        let schema = json!({"type": "object", "properties": properties});
        param_headers(&schema.into()).expect_err("invalid").to_string()
    }

    #[test]
    fn values_are_found_through_properties_and_encoded_for_headers() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "integer", "x-mcp-header": "A"},
            "b": {"type": "object", "properties": {"c/d": {"type": ["boolean", "null"], "x-mcp-header": "C"}}},
            "e": {"type": "string", "x-mcp-header": "E", "default": {"x-mcp-header": ""}},
            "x-mcp-header": {"type": "string"},
        }});
        let headers = param_headers(&schema.into()).expect("valid");
        let sent = |arguments: &str| {
            let arguments = Value::parse(arguments.as_bytes()).expect("JSON").value;
            let line = |header: &ParamHeader| {
                Some(format!("{}: {}\n", header.header(), header.value(&arguments)?))
            };
            headers.iter().filter_map(line).collect::<String>()
        };
        insta::assert_snapshot!(sent(r#"{"a": 42.0, "b": {"c/d": false}, "e": "ü"}"#), @"
        Mcp-Param-A: 42
        Mcp-Param-C: false
        Mcp-Param-E: =?base64?w7w=?=
        ");
        insta::assert_snapshot!(sent(r#"{"a": null, "b": 5, "e": 1.5}"#), @"");
    }

    #[test]
    fn violations_are_named() {
        insta::assert_snapshot!(why(&json!({"a": {"type": "string", "x-mcp-header": ""}})), @"`x-mcp-header` at /properties/a is empty");
        insta::assert_snapshot!(why(&json!({"a": {"type": "string", "x-mcp-header": 5}})), @"`x-mcp-header` at /properties/a is a number");
        insta::assert_snapshot!(why(&json!({"a": {"type": "string", "x-mcp-header": "a b"}})), @r#"`x-mcp-header` at /properties/a is not a valid HTTP header name: "a b""#);
        insta::assert_snapshot!(why(&json!({"a": {"type": "string", "x-mcp-header": "a\r\nb"}})), @r#"`x-mcp-header` at /properties/a has control characters: "a\r\nb""#);
        insta::assert_snapshot!(why(&json!({"a": {"type": "number", "x-mcp-header": "A"}})), @r#"`x-mcp-header` at /properties/a is on a type other than string, integer or boolean: "number""#);
        insta::assert_snapshot!(why(&json!({"a": {"x-mcp-header": "A"}})), @"`x-mcp-header` at /properties/a is on a type other than string, integer or boolean: none");
        insta::assert_snapshot!(why(&json!({
            "a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}})), @r#"`x-mcp-header` at /properties/b is used twice: "a""#);
        insta::assert_snapshot!(why(&json!({
            "a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}})), @"`x-mcp-header` at /properties/a/items is not reachable from the root through `properties` alone");
        insta::assert_snapshot!(why(&json!({
            "a": {"oneOf": [{"type": "string", "x-mcp-header": "A"}]}})), @"`x-mcp-header` at /properties/a/oneOf/0 is not reachable from the root through `properties` alone");
        let root = param_headers(&json!({"type": "string", "x-mcp-header": "A"}).into());
        insta::assert_snapshot!(root.expect_err("invalid"), @"`x-mcp-header` at the root is not reachable from the root through `properties` alone");
    }
}
