//! Prompts.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/prompts>

scenarios![prompts_get_listed, prompts_get_invalid];
