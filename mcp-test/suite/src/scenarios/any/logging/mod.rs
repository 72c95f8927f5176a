//! Logging.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging>

scenarios![logging_malformed_level, logging_request_level, logging_threshold];
