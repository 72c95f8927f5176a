//! `mcp-test cases schema`: the JSON Schema of the format, for editors.

use super::super::error::CliError;
use super::super::output;
use crate::cases;
use crate::json::Value;

/// Prints it.
pub(super) fn print() -> Result<u8, CliError> {
    output::print(&(Value::from(cases::json_schema()).pretty() + "\n"))?;
    Ok(0)
}
