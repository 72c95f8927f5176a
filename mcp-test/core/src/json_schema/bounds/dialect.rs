//! The dialect of a schema.

use jsonschema::Draft;
use serde_json::Value;

use crate::expect::words;
use crate::json::Pointer;
use crate::json_schema::CompileError;

/// The dialect that `$schema` names, by default 2020-12.
pub(super) fn dialect(schema: &Value) -> Result<Draft, CompileError> {
    let Some(named) = schema.get("$schema") else { return Ok(Draft::default()) };
    match named.as_str().map(Draft::from_schema_uri) {
        Some(draft) if draft != Draft::Unknown => Ok(draft),
        _ => Err(CompileError::UnknownDialect {
            pointer: Pointer::root().member("$schema"),
            name: words::got(Some(&named.into())),
        }),
    }
}
