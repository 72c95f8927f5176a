//! Clients that sign in (feature `auth`).
//!
//! Each scenario serves a protected MCP server and one or more authorization servers, which write down what they receive. They accept
//! everything but what the scenario is about.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>

/// The checks of what a client sends to sign in, beside those of the scenario itself:
///
/// | | |
/// |---|---|
/// | `whole` | a missing step counts by itself, in the scenarios about discovery |
/// | `partial` | it does not, elsewhere |
/// | `registered` | as `partial`, where no client can register |
/// | `refused` | as `partial`, without the checks of tokens |
/// | `machine` | only those of the steps and tokens of a client without a user |
/// | `stopping` | only the steps, where a correct client stops before it has a token |
/// | `stopping_after_consent` | the same, where a correct client makes an authorization request |
/// | `older` | as `whole`, at 2025-03-26 |
/// | `older_fallback` | the same without metadata and PKCE, which the official suite does not check there |
macro_rules! signing_in {
    (whole: $($own:expr),* $(,)?) => {
        signing_in!(@flow flow::METADATA, flow::REGISTRATION, flow::AUTHORIZATION, flow::TOKEN,
            flow::APPLICATION_TYPE, flow::VALID_BEARER, flow::INVALID_BEARER, $($own),*)
    };
    (partial: $($own:expr),* $(,)?) => {
        signing_in!(refused: flow::VALID_BEARER, flow::INVALID_BEARER, $($own),*)
    };
    (registered: $($own:expr),* $(,)?) => {
        signing_in!(@flow flow::PRM.conditional().informs(), flow::METADATA.conditional().informs(),
            flow::AUTHORIZATION.conditional().informs(), flow::TOKEN.conditional().informs(),
            flow::VALID_BEARER, flow::INVALID_BEARER, $($own),*)
    };
    (refused: $($own:expr),* $(,)?) => {
        signing_in!(@flow flow::PRM.conditional().informs(), flow::METADATA.conditional().informs(),
            flow::REGISTRATION.conditional().informs(), flow::AUTHORIZATION.conditional().informs(),
            flow::TOKEN.conditional().informs(), flow::APPLICATION_TYPE, $($own),*)
    };
    (machine: $($own:expr),* $(,)?) => {
        signing_in!(@all flow::PRM.conditional().informs(), flow::METADATA.conditional().informs(),
            flow::TOKEN.conditional().informs(), flow::VALID_BEARER, flow::INVALID_BEARER, $($own),*)
    };
    (stopping_after_consent: $($own:expr),* $(,)?) => {
        signing_in!(stopping: flow::APPLICATION_TYPE, flow::CHALLENGE_SENT, flow::S256, $($own),*)
    };
    (stopping: $($own:expr),* $(,)?) => {
        signing_in!(@all flow::PRM.conditional().informs(), flow::METADATA.conditional().informs(),
            flow::REGISTRATION.conditional().informs(), flow::AUTHORIZATION.conditional().informs(),
            flow::TOKEN.conditional().informs(), $($own),*)
    };
    (older: $($own:expr),* $(,)?) => {
        signing_in!(older_fallback: flow::METADATA.requiring(&[mcp_test_core::spec::Requirement::AUTH_DISCOVERY_CLIENT_RFC8414]),
            flow::CHALLENGE_SENT, flow::S256.requiring(&[mcp_test_core::spec::Requirement::AUTH_PKCE_CLIENT_USES]),
            flow::VERIFIER_SENT, flow::VERIFIER_MATCHES, $($own),*)
    };
    (older_fallback: $($own:expr),* $(,)?) => {
        signing_in!(@all flow::REGISTRATION
                .requiring(&[mcp_test_core::spec::Requirement::AUTH_REGISTRATION_DCR_CLIENT])
                .always_fails("the official suite fails it"),
            flow::AUTHORIZATION.requiring(&[mcp_test_core::spec::Requirement::AUTH_CHALLENGE_CLIENT_STARTS_FLOW]),
            flow::TOKEN.requiring(&[mcp_test_core::spec::Requirement::AUTH_CHALLENGE_CLIENT_STARTS_FLOW]),
            flow::VALID_BEARER,
            flow::INVALID_BEARER.requiring(&[mcp_test_core::spec::Requirement::AUTH_TOKEN_AUTHORIZATION_HEADER]),
            $($own),*)
    };
    (@flow $($check:expr),* $(,)?) => {
        signing_in!(@all flow::CHALLENGE_SENT, flow::S256, flow::VERIFIER_SENT, flow::VERIFIER_MATCHES,
            $($check),*)
    };
    (@all $($check:expr),* $(,)?) => {{
        use $crate::scenarios::authorization::client::flow;
        [$($check,)*]
    }};
}

mod declared_extension;
mod expiry;
mod flow;
mod flow_proofs;
mod older;
mod opened_urls;
mod proofs_of_possession;
mod resource_parameter;
mod scopes;
mod served;
#[doc(hidden)]
pub mod signing_in_client;
mod token_requests;

pub(in crate::scenarios) use enterprise_managed_authorization::serve_with as serve_enterprise;
pub(crate) use signing_in_client::signing_in_client;

use mcp_test_core::scenario::Suite;

/// The official suites of most scenarios.
const CORE_SUITES: &[Suite] = &[Suite::Active, Suite::Auth];
/// Those of the scenarios about metadata.
const METADATA_SUITES: &[Suite] = &[Suite::Active, Suite::Auth, Suite::Metadata];
/// Those of the scenarios about scopes.
const SCOPE_SUITES: &[Suite] = &[Suite::Active, Suite::Auth, Suite::Sep835];

scenarios![
    metadata_places::{metadata_default, metadata_var1, metadata_var2, metadata_var3},
    basic_cimd,
    scope_from_www_authenticate,
    scope_from_scopes_supported,
    scope_omitted_when_undefined,
    scope_step_up,
    scope_retry_limit,
    token_endpoint::{token_endpoint_auth_basic, token_endpoint_auth_post, token_endpoint_auth_none},
    pre_registration,
    oauth_metadata_backcompat,
    oauth_endpoint_fallback,
    resource_mismatch,
    offline_access_scope,
    offline_access_not_supported,
    authorization_server_migration,
    issuers::{iss_supported, iss_not_advertised, iss_supported_missing, iss_wrong_issuer, iss_unexpected, iss_normalized},
    metadata_issuer_mismatch,
    client_credentials_jwt,
    client_credentials_basic,
    enterprise_managed_authorization,
    dpop,
    dpop_nonce,
    wif_jwt_bearer,
    pkce_support::{client_pkce_support, client_pkce_support_openid},
    client_state,
    client_token_use,
    client_token_recipients,
    internal_addresses::{client_insecure_resource_metadata, client_internal_authorization_server, client_insecure_endpoints, client_redirected_metadata, client_linked_documents},
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
