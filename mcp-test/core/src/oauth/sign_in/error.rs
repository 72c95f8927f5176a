//! Why a client cannot sign in.

use std::io;

use crate::jose::JoseError;
use crate::transport::FetchError;

/// Why a client cannot sign in, or must not.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    #[error("a fault gave up")]
    GaveUp,
    #[error("{what} at {url}: {why}")]
    Fetch { what: &'static str, url: String, why: FetchError },
    #[error("{what} at {url} answered HTTP {status}{}", error.as_ref().map(|error| format!(": {error}")).unwrap_or_default())]
    Status { what: &'static str, url: String, status: u16, error: Option<String> },
    #[error("{what} at {url} is not a JSON object")]
    NotObject { what: &'static str, url: String },
    #[error("the server has no metadata that name its authorization server")]
    NoResourceMetadata,
    #[error("the metadata is of another resource: expected {expected}, got {got}")]
    OtherResource { expected: String, got: String },
    #[error("the metadata of the server names no authorization server")]
    NoAuthorizationServer,
    #[error("the authorization server {0} has no metadata")]
    NoServerMetadata(String),
    #[error("the metadata is of another issuer: expected {expected}, got {got}")]
    OtherIssuer { expected: String, got: String },
    #[error("the authorization server does not say that it supports PKCE with S256")]
    NoPkce,
    #[error("`{0}` is not a URL of https, or of http to this machine")]
    UnsafeUrl(String),
    #[error("`{0}` is on this machine, and the server that refers to it is not")]
    ThisMachine(String),
    #[error("it was not allowed {0}")]
    NotAllowed(String),
    #[error("the redirect cannot be received: {0}")]
    Listen(io::Error),
    #[error("nobody has consented within {0}")]
    NoConsent(String),
    #[error("the server demands further scopes each time")]
    TooManyScopes,
    #[error("the server demands scopes that its token was requested with: `{0}`")]
    SameScopes(String),
    #[error("the server refuses the token that it was given")]
    TokenRefused,
    #[error("the authorization server has no `{0}`")]
    NoEndpoint(&'static str),
    #[error("no client id: the authorization server registers no clients, and none was given")]
    NoClientId,
    #[error("the authorization server supports none of the authentication methods of the client")]
    NoMethod,
    #[error("the user did not consent")]
    NobodyConsents,
    #[error("the authorization endpoint did not redirect: HTTP {0}")]
    NoRedirect(u16),
    #[error("the authorization endpoint redirected to another place than the redirect URI")]
    OtherRedirect,
    #[error("the authorization was refused: {error}{}", description.as_ref().map(|text| format!(": {text}")).unwrap_or_default())]
    Refused { error: String, description: Option<String> },
    #[error("the authorization response has another `state` than the request")]
    OtherState,
    #[error("the authorization response is of another issuer, or does not say of which")]
    OtherResponseIssuer,
    #[error("the authorization response has no `code`")]
    NoCode,
    #[error("the token endpoint answered without `access_token`")]
    NoToken,
    #[error("nothing can be signed")]
    Sign(#[from] JoseError),
}
