//! Protected servers (feature `auth`): what they say to clients without a token, and which tokens they accept.
//!
//! These scenarios run where the target has tokens for tests (`--auth`).
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>

mod endpoint;
mod reference;

scenarios![
    authorization_challenge,
    authorization_metadata,
    authorization_tokens,
    authorization_scopes,
    authorization_sessions,
    authorization_dpop,
    authorization_passthrough,
];
