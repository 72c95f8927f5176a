//! `mcp-test cases schema`: the JSON Schema of the format, for editors.

use mcp_test::cases;
use mcp_test_core::json::Value;

use crate::error::CliError;
use crate::output;

/// Prints the schema; returns the exit code.
pub(super) fn print() -> Result<u8, CliError> {
    output::print(&(Value::from(cases::json_schema()).pretty() + "\n"))?;
    Ok(0)
}
