//! Sampling.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/sampling>

scenarios![tools_call_sampling, sampling_answers, client_sampling];
