//! Scenarios for clients that sign in, about what the official suite does not try (feature `auth`).
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>

use crate::scenarios::client::auth::{flow, served, signing_in_client};

scenarios![client_pkce_support, client_state, client_token_use];
