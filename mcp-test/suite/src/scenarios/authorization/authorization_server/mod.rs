//! Scenarios for authorization servers: those of the official suite, in its order, and then those of our own.

mod discovery;
mod grant;
mod preparation;
mod probes;
mod token_claims;
mod wrong_answers;
mod wrong_grants;

scenarios![
    authorization_server_metadata_endpoint,
    authorization_code_grant,
    authorization_code_exchange,
    authorization_redirect_uris,
    authorization_refresh_tokens,
    authorization_audience,
    authorization_registration,
    authorization_client_documents,
    authorization_client_credentials,
];

use mcp_test_core::scenario::AuthorizationPeer;

/// The authorization server on which the scenarios pass.
fn good_server() -> AuthorizationPeer {
    AuthorizationPeer::default()
}
