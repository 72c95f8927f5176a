//! The keywords of JSON Schema 2020-12 that a schema keeps on its way through a server or a client.

use mcp_test_core::expect::{ObjectMatcher, anything, array, equals, object, some_item};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What is left of the input schema of `json_schema_2020_12_tool`, keyword by keyword: `$schema`, `$defs`,
/// `additionalProperties`, composition, conditions, and `$anchor`.
///
/// The official suite looks at no more than this.
pub(super) fn kept_keywords() -> [ObjectMatcher; 6] {
    let definition =
        |address: ObjectMatcher| object().member("$defs", object().member("address", address));
    let condition = object().member("if", anything()).member("then", anything());
    [
        object().member("$schema", equals(DIALECT)),
        definition(object()),
        object().member("additionalProperties", equals(false)),
        object().member("allOf", some_item(object().member("anyOf", array()))),
        condition.member("else", anything()),
        definition(object().member("$anchor", anything())),
    ]
}
