//! The metadata of a scripted authorization server.

use super::{Behavior, MetadataAt, StatedEndpoints};
use crate::json::{Object, Value};
use crate::oauth::client::{AuthenticationMethod, GrantType};
use crate::oauth::well_known::{AUTHORIZATION_SERVER, OPENID};

/// The path of the metadata, if there is any.
pub(super) fn path(behavior: &Behavior) -> Option<String> {
    match behavior.metadata {
        MetadataAt::OAuth => Some(format!("{AUTHORIZATION_SERVER}{}", behavior.path)),
        MetadataAt::OpenId => Some(format!("{}{OPENID}", behavior.path)),
        MetadataAt::Nowhere => None,
    }
}

/// Whether clients look for metadata at a path.
pub(super) fn may_be_at(path: &str) -> bool {
    path.contains(AUTHORIZATION_SERVER) || path.contains(OPENID)
}

/// The metadata of the server with this issuer and origin.
pub(super) fn document(behavior: &Behavior, issuer: &str, origin: &str) -> Value {
    let mut document = Object::new();
    document.insert("issuer", behavior.stated_issuer.unwrap_or(issuer));
    let base = format!("{origin}{}{}", behavior.path, behavior.endpoints);
    let StatedEndpoints { authorization, token, registration } = &behavior.stated_endpoints;
    let endpoint = |stated: &Option<String>, name: &str| {
        stated.clone().unwrap_or_else(|| format!("{base}/{name}"))
    };
    let mut authorization = endpoint(authorization, "authorize");
    authorization.extend(behavior.authorization_suffix.as_deref());
    document.insert("authorization_endpoint", authorization);
    document.insert("token_endpoint", endpoint(token, "token"));
    if behavior.registers {
        document.insert("registration_endpoint", endpoint(registration, "register"));
    }
    if !behavior.scopes.is_empty() {
        document.insert("scopes_supported", behavior.scopes.to_vec());
    }
    document.insert("response_types_supported", vec!["code"]);
    let grants: Vec<&str> = behavior.grants.iter().copied().map(GrantType::as_str).collect();
    document.insert("grant_types_supported", grants);
    if behavior.states_pkce {
        document.insert("code_challenge_methods_supported", vec!["S256"]);
    }
    let methods: Vec<&str> =
        behavior.methods.iter().copied().map(AuthenticationMethod::as_str).collect();
    document.insert("token_endpoint_auth_methods_supported", methods);
    if behavior.methods.contains(&AuthenticationMethod::PrivateKeyJwt) {
        document.insert("token_endpoint_auth_signing_alg_values_supported", vec!["ES256"]);
    }
    if behavior.states_iss {
        document.insert("authorization_response_iss_parameter_supported", true);
    }
    if behavior.takes_metadata_documents {
        document.insert("client_id_metadata_document_supported", true);
    }
    if !behavior.dpop.is_empty() {
        document.insert("dpop_signing_alg_values_supported", behavior.dpop.to_vec());
    }
    if behavior.metadata == MetadataAt::OpenId {
        document.insert("jwks_uri", format!("{base}/jwks"));
        document.insert("subject_types_supported", vec!["public"]);
        document.insert("id_token_signing_alg_values_supported", vec!["ES256"]);
    }
    if let Some(place) = &behavior.linked_documents {
        for (name, path) in LINKED_DOCUMENTS {
            document.insert(name, format!("{place}{path}"));
        }
    }
    document.into()
}

/// The members of metadata that link to documents (RFC 8414, section 2).
const LINKED_DOCUMENTS: [(&str, &str); 4] = [
    ("jwks_uri", "/jwks"),
    ("service_documentation", "/documentation"),
    ("op_policy_uri", "/policy"),
    ("op_tos_uri", "/terms"),
];
