//! Multi round-trip requests.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>

mod round;

scenarios![mrtr_retries, mrtr_state];
