//! Where the metadata of protected servers and authorization servers is, below the origin by which a request reached them.

use http::header;
use http::request::Parts;

/// The metadata of a protected server (RFC 9728, section 3).
pub const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";
/// The metadata of an authorization server (RFC 8414, section 3).
pub(crate) const AUTHORIZATION_SERVER: &str = "/.well-known/oauth-authorization-server";
/// The same for OpenID Connect.
pub(crate) const OPENID: &str = "/.well-known/openid-configuration";

/// Scheme, host and port by which a request reached the server.
pub(super) fn origin(head: &Parts) -> String {
    let host = head.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    format!("http://{}", host.unwrap_or("localhost"))
}
