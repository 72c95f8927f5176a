//! Progress.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress>

scenarios![progress_tokens];
