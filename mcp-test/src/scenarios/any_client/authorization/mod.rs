//! Scenarios for clients that sign in, about what the official suite does not try (feature `auth`).
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>

use crate::scenarios::client::auth::{flow, serve_enterprise, served, signing_in_client};

mod declared_extension;
mod expiry;
mod older;

scenarios![
    client_pkce_support,
    client_state,
    client_token_use,
    client_token_refresh,
    client_token_expiry,
    client_scopes,
    client_discovery,
    client_default_endpoints,
    client_sign_in_requests,
    client_no_registration,
    client_resource_case,
    client_credentials_renewal,
    client_enterprise_token,
];
