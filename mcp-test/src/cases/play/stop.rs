//! Whether a conversation goes on after a difference.

use mcp_test_core::check::Finding;

/// Why a message was not the one in the case.
#[derive(Debug)]
pub(super) enum Stop {
    /// It differs; the conversation goes on.
    Differs(Finding),
    /// The conversation cannot go on.
    Here(Finding),
}
