//! Arguments of a tool that are mirrored into HTTP headers: `x-mcp-header` in its `inputSchema`, and `Mcp-Param-*`.
//!
//! [Specification](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters)

use super::header::{MCP_PARAM_PREFIX, X_MCP_HEADER, encode_value};
use crate::json::Value;

/// An argument that is mirrored into a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    /// What the annotation says: the header without its `Mcp-Param-`.
    pub name: String,
    /// Where the value stands in the arguments of a call, as a JSON Pointer.
    pub pointer: String,
}

/// Why the annotations of an `inputSchema` are not valid, and with them the tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{X_MCP_HEADER}` at {at} {why}")]
pub struct InvalidParamHeader {
    /// Where in the schema, as a JSON Pointer.
    pub at: String,
    /// What is wrong with it, as the end of a sentence about the annotation.
    pub why: String,
    /// The requirement that it breaks.
    pub requirement: &'static str,
}

impl ParamHeader {
    /// The whole name of the header.
    ///
    /// ```
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

    /// What the header carries for these arguments; nothing where they have no value that a header can mirror.
    #[must_use]
    pub fn value(&self, arguments: &Value) -> Option<String> {
        let text = match arguments.at(&self.pointer)? {
            Value::String(text) => text.clone(),
            Value::Bool(truth) => truth.to_string(),
            Value::Number(number) if number.is_integer() => number
                .as_i64()
                .map_or_else(|| number.as_str().to_owned(), |whole| whole.to_string()),
            _ => return None,
        };
        Some(encode_value(&text))
    }
}

/// The arguments that an `inputSchema` wants mirrored, in its order.
///
/// # Errors
///
/// The first annotation that breaks a rule of the specification.
pub fn param_headers(input_schema: &Value) -> Result<Vec<ParamHeader>, InvalidParamHeader> {
    let mut found = Vec::new();
    read(input_schema, &Place { at: String::new(), pointer: Some(String::new()) }, &mut found)?;
    Ok(found)
}

/// Keywords whose values are data or references, in which the annotation would mean nothing.
const DATA: [&str; 4] = ["default", "examples", "enum", "const"];

/// Where a schema stands.
struct Place {
    /// In the whole schema.
    at: String,
    /// Of what it describes in the arguments, as long as only `properties` lead to it.
    pointer: Option<String>,
}

fn read(
    schema: &Value,
    place: &Place,
    found: &mut Vec<ParamHeader>,
) -> Result<(), InvalidParamHeader> {
    if let Value::Array(items) = schema {
        for (index, item) in items.iter().enumerate() {
            read(item, &Place { at: format!("{}/{index}", place.at), pointer: None }, found)?;
        }
    }
    let Some(members) = schema.as_object() else { return Ok(()) };
    if let Some(annotation) = members.get(X_MCP_HEADER) {
        found.push(annotated(schema, annotation, place, found)?);
    }
    for (name, value) in members.iter().filter(|(name, _)| !DATA.contains(name)) {
        let at = format!("{}/{}", place.at, escaped(name));
        match (name, value.as_object()) {
            ("properties", Some(properties)) => {
                for (property, schema) in properties.iter() {
                    let step = escaped(property);
                    let pointer = place.pointer.as_ref().map(|way| format!("{way}/{step}"));
                    read(schema, &Place { at: format!("{at}/{step}"), pointer }, found)?;
                }
            }
            // Named schemas: the names are no keywords.
            ("$defs" | "definitions" | "patternProperties" | "dependentSchemas", Some(named)) => {
                for (name, schema) in named.iter() {
                    let at = format!("{at}/{}", escaped(name));
                    read(schema, &Place { at, pointer: None }, found)?;
                }
            }
            _ => read(value, &Place { at, pointer: None }, found)?,
        }
    }
    Ok(())
}

fn annotated(
    schema: &Value,
    annotation: &Value,
    place: &Place,
    found: &[ParamHeader],
) -> Result<ParamHeader, InvalidParamHeader> {
    let wrong = |requirement, why: String| {
        let at = if place.at.is_empty() { "the root".to_owned() } else { place.at.clone() };
        Err(InvalidParamHeader { at, why, requirement })
    };
    let Some(name) = annotation.as_str() else {
        return wrong("tools.x-mcp-header.token-syntax", format!("is {}", annotation.kind()));
    };
    if name.is_empty() {
        return wrong("tools.x-mcp-header.non-empty", "is empty".to_owned());
    }
    if name.chars().any(char::is_control) {
        let why = format!("has control characters: {name:?}");
        return wrong("tools.x-mcp-header.no-control-characters", why);
    }
    if !name.bytes().all(is_token) {
        let why = format!("is no name of an HTTP header: {name:?}");
        return wrong("tools.x-mcp-header.token-syntax", why);
    }
    let Some(pointer) = place.pointer.clone().filter(|pointer| !pointer.is_empty()) else {
        let why = "is not reached from the root through `properties` only".to_owned();
        return wrong("tools.x-mcp-header.statically-reachable", why);
    };
    if !is_primitive(schema.get("type")) {
        let got = schema.get("type").map_or("none".to_owned(), |kind| kind.short(40));
        let why = format!("stands on a type other than string, integer or boolean: {got}");
        return wrong("tools.x-mcp-header.primitive-types", why);
    }
    if found.iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
        return wrong("tools.x-mcp-header.unique", format!("comes a second time: {name:?}"));
    }
    Ok(ParamHeader { name: name.to_owned(), pointer })
}

/// Whether a `type` allows only what a header can mirror; `null` beside it means that there may be no value.
fn is_primitive(kind: Option<&Value>) -> bool {
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
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
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
    fn values_are_found_where_the_properties_lead_and_written_as_headers_carry_them() {
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
    fn what_breaks_a_rule_is_named() {
        insta::assert_snapshot!(why(&json!({"a": {"type": "string", "x-mcp-header": ""}})), @"`x-mcp-header` at /properties/a is empty");
        insta::assert_snapshot!(why(&json!({"a": {"type": "string", "x-mcp-header": 5}})), @"`x-mcp-header` at /properties/a is a number");
        insta::assert_snapshot!(why(&json!({"a": {"type": "string", "x-mcp-header": "a b"}})), @r#"`x-mcp-header` at /properties/a is no name of an HTTP header: "a b""#);
        insta::assert_snapshot!(why(&json!({"a": {"type": "string", "x-mcp-header": "a\r\nb"}})), @r#"`x-mcp-header` at /properties/a has control characters: "a\r\nb""#);
        insta::assert_snapshot!(why(&json!({"a": {"type": "number", "x-mcp-header": "A"}})), @r#"`x-mcp-header` at /properties/a stands on a type other than string, integer or boolean: "number""#);
        insta::assert_snapshot!(why(&json!({"a": {"x-mcp-header": "A"}})), @"`x-mcp-header` at /properties/a stands on a type other than string, integer or boolean: none");
        insta::assert_snapshot!(why(&json!({
            "a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}})), @r#"`x-mcp-header` at /properties/b comes a second time: "a""#);
        insta::assert_snapshot!(why(&json!({
            "a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}})), @"`x-mcp-header` at /properties/a/items is not reached from the root through `properties` only");
        insta::assert_snapshot!(why(&json!({
            "a": {"oneOf": [{"type": "string", "x-mcp-header": "A"}]}})), @"`x-mcp-header` at /properties/a/oneOf/0 is not reached from the root through `properties` only");
        let root = param_headers(&json!({"type": "string", "x-mcp-header": "A"}).into());
        insta::assert_snapshot!(root.expect_err("invalid"), @"`x-mcp-header` at the root is not reached from the root through `properties` only");
    }
}
