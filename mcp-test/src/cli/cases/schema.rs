//! `mcp-test cases schema`: the JSON Schema of the format, for editors.

use crate::cases;
use crate::cli::error::CliError;
use crate::cli::output;
use crate::json::Value;

/// Prints the schema; returns the exit code.
pub(super) fn print() -> Result<u8, CliError> {
    output::print(&(Value::from(cases::json_schema()).pretty() + "\n"))?;
    Ok(0)
}
