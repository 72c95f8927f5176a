//! A scriptable authorization server for tests of OAuth: an actor, which records what it receives and judges nothing.
//!
//! It has what MCP asks of authorization servers, on a loopback address and without a browser: whoever follows the redirect of
//! its authorization endpoint has the consent of its only user. It is for tests alone: it knows no users, keeps everything
//! in memory, and forgets the oldest of everything.
//!
//! | part | standard |
//! |---|---|
//! | metadata, at the root and with the path of the issuer | RFC 8414, OpenID Connect Discovery |
//! | keys, and signed access tokens | RFC 7517, RFC 9068 |
//! | registration of clients | RFC 7591 |
//! | clients without a secret, with one, or with a key | RFC 6749, RFC 7523 |
//! | authorization code with PKCE, refresh tokens with rotation, client credentials | OAuth 2.1, RFC 7636 |
//! | clients that a metadata document describes | draft-ietf-oauth-client-id-metadata-document |
//! | access tokens that are bound to a key | RFC 9449 |
//! | what a trusted identity provider asserts (ID-JAG), and the identity provider itself | RFC 7523, RFC 8693 |
//! | `iss` in responses | RFC 9207 |
//! | the resource that a token is for | RFC 8707 |
//!
//! Beside it are two others, which are not public: `scripted` has servers that accept everything, for scenarios that judge a client, and
//! `sign_in` is a client.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::oauth::AuthorizationServer;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let server = AuthorizationServer::builder().scopes(["files:read"]).start().await?;
//! assert!(server.issuer().starts_with("http://127.0.0.1:"));
//! // Here a client, or a protected server that trusts this issuer, is tested.
//! assert_eq!(server.trace().events.len(), 1, "nothing but the opening of the connection");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access_token;
#[doc(hidden)]
pub mod alteration;
#[doc(hidden)]
pub mod answer;
mod authorization_endpoint;
mod authorization_server;
#[doc(hidden)]
pub mod challenge;
#[doc(hidden)]
pub mod client;
mod client_assertion;
mod client_authentication;
mod client_description;
#[doc(hidden)]
pub mod client_documents;
mod client_registry;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub mod downstream_service;
#[doc(hidden)]
pub mod dpop;
mod endpoints;
pub(crate) mod exchange_recorder;
mod grants;
mod identity_assertion;
mod identity_provider;
mod internal_address;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub mod issuer_tokens;
mod metadata;
#[doc(hidden)]
pub mod oauth_error;
#[doc(hidden)]
pub mod parameters;
mod pkce;
mod proof_of_possession;
mod random_id;
#[doc(hidden)]
pub mod redirect_uri;
mod registration_endpoint;
mod resource;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub mod resource_server;
mod scope;
#[doc(hidden)]
pub mod scripted;
mod server_state;
#[doc(hidden)]
pub mod sign_in;
mod token_endpoint;
mod trusted_issuer;
#[cfg(feature = "suite")]
#[doc(hidden)]
pub mod trusted_keys;
#[doc(hidden)]
pub mod well_known;

#[cfg(test)]
mod tests;

pub use authorization_server::{AuthorizationServer, AuthorizationServerBuilder, StartError};
pub use client::OAuthClient;
