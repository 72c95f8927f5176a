//! What the server publishes about itself, and where.

use super::client::{AuthenticationMethod, GrantType};
use super::server_state::ServerState;
use super::well_known::{AUTHORIZATION_SERVER, OPENID};
use crate::jose::Algorithm;
use crate::json::{Object, Value};

/// The grant for what an identity provider asserts.
const ID_JAG: &str = "urn:ietf:params:oauth:grant-profile:id-jag";

/// The document at a path, if there is one.
///
/// RFC 8414 puts the well-known part before the path of the issuer, OpenID Connect after it; MCP has clients try each.
pub(super) fn at(path: &str, server: &ServerState) -> Option<Value> {
    let base = server.base.as_str();
    if path.strip_prefix(AUTHORIZATION_SERVER) == Some(base) {
        return Some(document(server).into());
    }
    if path.strip_prefix(OPENID) == Some(base) || path.strip_suffix(OPENID) == Some(base) {
        return Some(openid_document(server).into());
    }
    None
}

/// The metadata of RFC 8414.
fn document(server: &ServerState) -> Object {
    let issuer = server.issuer.as_str();
    let mut document = Object::new();
    document.insert("issuer", issuer);
    for (name, path) in [
        ("authorization_endpoint", "authorize"),
        ("token_endpoint", "token"),
        ("registration_endpoint", "register"),
        ("jwks_uri", "jwks"),
    ] {
        document.insert(name, format!("{issuer}/{path}"));
    }
    if !server.scopes.is_empty() {
        document.insert("scopes_supported", server.scopes.clone());
    }
    document.insert("response_types_supported", vec!["code"]);
    document.insert("response_modes_supported", vec!["query"]);
    document.insert(
        "grant_types_supported",
        server.grant_types().map(GrantType::as_str).collect::<Vec<_>>(),
    );
    let methods = AuthenticationMethod::ALL.map(AuthenticationMethod::as_str);
    document.insert("token_endpoint_auth_methods_supported", methods.to_vec());
    let algorithms = Algorithm::ALL.map(Algorithm::as_str);
    document.insert("token_endpoint_auth_signing_alg_values_supported", algorithms.to_vec());
    document.insert("code_challenge_methods_supported", vec!["S256"]);
    document.insert("authorization_response_iss_parameter_supported", true);
    document.insert("dpop_signing_alg_values_supported", algorithms.to_vec());
    if server.documents.are_fetched() {
        document.insert("client_id_metadata_document_supported", true);
    }
    if !server.trusted_issuers.is_empty() {
        document.insert("authorization_grant_profiles_supported", vec![ID_JAG]);
    }
    document
}

/// The same, with what OpenID Connect Discovery requires: a client that reads it must not refuse it.
fn openid_document(server: &ServerState) -> Object {
    let mut document = document(server);
    document.insert("subject_types_supported", vec!["public"]);
    let algorithm = server.key.public().algorithm().as_str();
    document.insert("id_token_signing_alg_values_supported", vec![algorithm]);
    document
}
