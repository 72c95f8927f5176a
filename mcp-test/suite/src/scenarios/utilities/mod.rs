//! Ping, cancellation and progress.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities>

scenarios![
    ping,
    tools_call_with_progress,
    ping_removed,
    cancellation_ignored,
    cancellation_running,
    progress_tokens,
];
