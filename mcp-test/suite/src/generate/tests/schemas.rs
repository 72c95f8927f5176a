//! Schemas as generators of schemas and people write them.

use serde_json::{Value as Json, json};

/// Schemas of tools, each with a name.
pub(super) fn schemas() -> Vec<(&'static str, Json)> {
    let object = |properties: Json| json!({"type": "object", "properties": properties});
    let required = |properties: Json| {
        let names: Vec<String> =
            properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    vec![
        ("no arguments", json!({"type": "object"})),
        ("closed and empty", json!({"type": "object", "additionalProperties": false})),
        ("no keywords", json!({})),
        ("true", json!(true)),
        ("two numbers", required(json!({"a": {"type": "number"}, "b": {"type": "number"}}))),
        (
            "integer bounds",
            required(
                json!({"n": {"type": "integer", "minimum": -3, "exclusiveMaximum": 7, "multipleOf": 2}}),
            ),
        ),
        (
            "fraction bounds",
            required(
                json!({"n": {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "multipleOf": 0.01}}),
            ),
        ),
        (
            "open fractions",
            required(
                json!({"n": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}}),
            ),
        ),
        (
            "schemars integers",
            required(json!({
                "a": {"type": "integer", "format": "uint32", "minimum": 0},
                "b": {"type": ["integer", "null"], "format": "int64"},
                "c": {"type": "number", "format": "double"},
                "d": {"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255},
            })),
        ),
        ("lengths", required(json!({"s": {"type": "string", "minLength": 2, "maxLength": 5}}))),
        (
            "pydantic optional",
            object(json!({
                "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Name"},
                "count": {"anyOf": [{"type": "integer", "maximum": 10}, {"type": "null"}], "default": 3},
            })),
        ),
        (
            "pydantic model",
            json!({
                "$defs": {
                    "Address": {"type": "object", "title": "Address", "required": ["city"], "properties": {
                        "city": {"type": "string", "title": "City"}, "zip": {"type": "string", "pattern": "^[0-9]{5}$"}}},
                    "Color": {"enum": ["red", "green"], "type": "string", "title": "Color"},
                },
                "type": "object",
                "properties": {"address": {"$ref": "#/$defs/Address"}, "color": {"$ref": "#/$defs/Color"}},
                "required": ["address", "color"],
            }),
        ),
        (
            "zod 3 draft 7",
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
                "required": ["path", "edits"],
                "properties": {
                    "path": {"type": "string"},
                    "edits": {"type": "array", "items": {"type": "object", "additionalProperties": false,
                        "required": ["oldText", "newText"],
                        "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}}}},
                    "dryRun": {"type": "boolean", "default": false},
                },
            }),
        ),
        (
            "zod discriminated union",
            required(json!({"shape": {"anyOf": [
                {"type": "object", "required": ["kind", "r"], "additionalProperties": false,
                    "properties": {"kind": {"type": "string", "const": "circle"}, "r": {"type": "number", "minimum": 0}}},
                {"type": "object", "required": ["kind", "w"], "additionalProperties": false,
                    "properties": {"kind": {"type": "string", "const": "square"}, "w": {"type": "number"}}},
            ]}})),
        ),
        (
            "schemars enum",
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Args", "type": "object",
                "required": ["action"],
                "properties": {"action": {"oneOf": [
                    {"description": "Starts", "type": "string", "const": "start"},
                    {"type": "string", "enum": ["stop", "pause"]},
                    {"type": "object", "required": ["goto"], "properties": {"goto": {"type": "integer"}}, "additionalProperties": false},
                ]}},
            }),
        ),
        (
            "overlapping oneOf",
            required(
                json!({"n": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]}}),
            ),
        ),
        (
            "recursive tree",
            json!({
                "$defs": {"Node": {"type": "object", "required": ["value"], "properties": {
                    "value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}},
                "type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "required": ["root"],
            }),
        ),
        (
            "recursive list",
            json!({
                "$defs": {"List": {"type": "object", "required": ["head", "tail"], "properties": {
                    "head": {"type": "string"}, "tail": {"anyOf": [{"$ref": "#/$defs/List"}, {"type": "null"}]}}}},
                "$ref": "#/$defs/List", "type": "object",
            }),
        ),
        (
            "recursive root",
            json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#"}, "maxItems": 2}}}),
        ),
        ("enum of types", required(json!({"x": {"enum": [1, "a", null, true, [1], {"b": 2}]}}))),
        ("const", required(json!({"version": {"const": 2}, "none": {"const": null}}))),
        (
            "type union",
            required(json!({"x": {"type": ["string", "integer", "boolean", "array", "null"]}})),
        ),
        (
            "patterns",
            required(json!({
                "slug": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 12},
                "date": {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"},
                "part": {"type": "string", "pattern": "foo|bar"},
                "password": {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*[0-9]).{8,16}$"},
            })),
        ),
        (
            "formats",
            required(json!({
                "a": {"type": "string", "format": "date-time"}, "b": {"type": "string", "format": "email"},
                "c": {"type": "string", "format": "uri"}, "d": {"type": "string", "format": "uuid"},
                "e": {"type": "string", "format": "ipv4"}, "f": {"type": "string", "format": "made-up"},
            })),
        ),
        (
            "array bounds",
            required(json!({"tags": {"type": "array", "items": {"type": "string", "minLength": 1},
            "minItems": 1, "maxItems": 3, "uniqueItems": true}})),
        ),
        (
            "unique integers",
            required(
                json!({"ids": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9},
            "minItems": 4, "uniqueItems": true}}),
            ),
        ),
        (
            "unique objects",
            required(json!({"rows": {"type": "array", "minItems": 2, "uniqueItems": true,
            "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}})),
        ),
        (
            "tuple 2020-12",
            required(
                json!({"point": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}],
            "items": false, "minItems": 2}}),
            ),
        ),
        (
            "tuple draft 7",
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["point"],
            "properties": {"point": {"type": "array", "items": [{"type": "number"}, {"type": "string"}],
                "additionalItems": false, "minItems": 2}}}),
        ),
        (
            "contains",
            required(
                json!({"list": {"type": "array", "contains": {"const": "x"}, "items": {"type": "string"}}}),
            ),
        ),
        (
            "map",
            required(
                json!({"env": {"type": "object", "additionalProperties": {"type": "string"}}}),
            ),
        ),
        (
            "pattern properties",
            required(json!({"headers": {"type": "object",
            "patternProperties": {"^X-[A-Z]+$": {"type": "integer"}}, "additionalProperties": false, "minProperties": 1}})),
        ),
        (
            "property names",
            required(
                json!({"labels": {"type": "object", "propertyNames": {"pattern": "^[a-z]{2,4}$"},
            "minProperties": 2, "maxProperties": 3}}),
            ),
        ),
        (
            "dependencies",
            json!({"type": "object", "properties": {"card": {"type": "string"}, "address": {"type": "string"}},
            "dependentRequired": {"card": ["address"]}}),
        ),
        (
            "dependencies draft 7",
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"card": {"type": "string"}, "address": {"type": "string"}},
            "dependencies": {"card": ["address"], "address": {"required": ["country"]}}}),
        ),
        (
            "if then else",
            json!({"type": "object", "required": ["country", "code"],
            "properties": {"country": {"enum": ["US", "NL"]}, "code": {"type": "string"}},
            "if": {"properties": {"country": {"const": "US"}}},
            "then": {"properties": {"code": {"pattern": "^[0-9]{5}$"}}},
            "else": {"properties": {"code": {"pattern": "^[0-9]{4} [A-Z]{2}$"}}}}),
        ),
        (
            "allOf",
            json!({"type": "object", "allOf": [
            {"properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
            {"properties": {"a": {"maximum": 5}, "b": {"type": "string"}}, "required": ["b"]}]}),
        ),
        (
            "one of two members",
            json!({"type": "object",
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
            "oneOf": [{"required": ["id"]}, {"required": ["name"]}]}),
        ),
        (
            "not",
            json!({"type": "object", "required": ["s"], "properties": {"s": {"type": "string", "not": {"const": "a"}}},
            "not": {"required": ["secret"]}}),
        ),
        (
            "unevaluated",
            json!({"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}],
            "properties": {"b": {"type": "string"}}, "unevaluatedProperties": false}),
        ),
        (
            "examples",
            json!({"type": "object", "required": ["path", "mode"], "examples": [{"path": "/tmp", "mode": "r"}],
            "properties": {"path": {"type": "string", "examples": ["/etc/hosts", "/tmp"]},
                "mode": {"type": "string", "enum": ["r", "w"], "default": "r"}, "deep": {"type": "boolean", "default": true}}}),
        ),
        (
            "mirrored",
            json!({"type": "object", "required": ["region", "n"], "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"}, "n": {"type": "integer", "x-mcp-header": "N"}}}),
        ),
        (
            "anchors and ids",
            json!({"$id": "https://example.com/tool", "type": "object",
            "properties": {"a": {"$ref": "#item"}, "b": {"$ref": "https://example.com/tool#/$defs/x%20y"}},
            "required": ["a", "b"],
            "$defs": {"i": {"$anchor": "item", "type": "integer"}, "x y": {"type": "boolean"}}}),
        ),
    ]
}
