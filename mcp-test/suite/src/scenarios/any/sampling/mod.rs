//! Sampling: what the server makes of the answers of a model.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/sampling>

scenarios![sampling_answers];
