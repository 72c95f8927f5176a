//! Elicitation: what the server makes of the answers of a user.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>

scenarios![elicitation_answers];
