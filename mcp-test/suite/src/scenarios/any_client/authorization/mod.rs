//! Scenarios for clients that sign in, about what the official suite does not try (feature `auth`).
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>

use crate::scenarios::client::auth::{flow, serve_enterprise, served, signing_in_client};

mod declared_extension;
mod expiry;
mod older;
mod opened_urls;

scenarios![
    pkce_support::{client_pkce_support, client_pkce_support_openid},
    client_state,
    client_token_use,
    client_token_recipients,
    internal_addresses::{
        client_insecure_resource_metadata, client_internal_authorization_server,
        client_insecure_endpoints, client_redirected_metadata, client_linked_documents,
    },
    authorization_url_schemes::{client_authorization_url_scheme, client_authorization_url_file},
    client_authorization_url_insecure,
    client_authorization_url_shell,
    client_several_authorization_servers,
    client_registration_refused,
    client_metadata_document_refused,
    client_iss_in_error,
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
