//! Logging.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging>

scenarios![
    logging_set_level,
    tools_call_with_logging,
    logging_malformed_level,
    logging_request_level,
    logging_threshold,
];

use mcp_test_core::spec::log_level::LEVELS;

use crate::scenarios::prelude::*;

/// Sets the least severe level, so that the server withholds no message from the scenarios that use the connection afterwards.
pub(in crate::scenarios) async fn send_everything_again(ctx: &mut Ctx) -> Result<(), Finding> {
    // Whether that succeeds is for the checks of `logging-set-level`.
    let _ = ctx.set_level(LEVELS[0]).await?.error();
    Ok(())
}
