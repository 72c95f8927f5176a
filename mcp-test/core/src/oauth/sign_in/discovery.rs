//! Finding the authorization server of a protected server, and what it has.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-discovery>

use super::fetch::{get_document, get_document_by};
use super::origin::origin_and_path;
use super::{Settings, SignInError};
use crate::json::Value;
use crate::oauth::challenge::Challenge;
use crate::oauth::well_known::{AUTHORIZATION_SERVER, OPENID, PROTECTED_RESOURCE};
use crate::spec::{Era, header};
use crate::transport::{HttpRequest, Misbehavior};

/// What was found about a protected server.
pub(super) struct Discovered {
    /// What its metadata call it; `None` without metadata, before 2025-06-18.
    pub(super) resource: Option<String>,
    /// The scopes that its metadata lists.
    pub(super) scopes: Vec<String>,
    pub(super) server: ServerMetadata,
}

/// What an authorization server says about itself.
pub(super) struct ServerMetadata {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: Option<String>,
    pub(super) registration_endpoint: Option<String>,
    pub(super) scopes: Vec<String>,
    /// The methods of authentication at the token endpoint.
    pub(super) methods: Vec<String>,
    pub(super) takes_metadata_documents: bool,
    pub(super) states_iss: bool,
    /// Whether it binds tokens to keys.
    pub(super) has_dpop: bool,
}

/// Finds out about the server at a URL.
pub(super) async fn discover(
    url: &str,
    challenge: &Challenge,
    settings: &Settings,
) -> Result<Discovered, SignInError> {
    let metadata = match settings.revision.has_resource_metadata() {
        true => resource_metadata(url, challenge, settings).await?,
        false => None,
    };
    settings.reach("metadata")?;
    let Some(metadata) = metadata else {
        // Servers of 2025-03-26 have no metadata of their own. Nothing newer than the handshake era can be one.
        if settings.revision.era() == Era::Stateless {
            return Err(SignInError::NoResourceMetadata);
        }
        let (origin, path) = origin_and_path(url)?;
        let base = match settings.misbehaves(Misbehavior::KeepsPath) {
            true => format!("{origin}{path}"),
            false => origin,
        };
        settings.contacts.admit_issuer(url, &base).await?;
        let server = older_server(&base, settings).await?;
        return Ok(Discovered { resource: None, scopes: Vec::new(), server });
    };
    let resource = metadata.get("resource").and_then(Value::as_str).unwrap_or_default();
    let is_right = is_resource_of(resource, url)?
        && (resource == url || !settings.misbehaves(Misbehavior::ComparesResourceAsText));
    if !is_right && !settings.misbehaves(Misbehavior::IgnoresResource) {
        let (expected, got) = (url.to_owned(), resource.to_owned());
        return Err(SignInError::OtherResource { expected, got });
    }
    let issuers = texts(&metadata, "authorization_servers");
    let issuer = issuers.first().ok_or(SignInError::NoAuthorizationServer)?;
    settings.contacts.admit_issuer(url, issuer).await?;
    let mut server = server_metadata(issuer, settings).await?;
    if let Some(other) = issuers.get(1)
        && settings.misbehaves(Misbehavior::MixesServers)
    {
        server.token_endpoint = server_metadata(other, settings).await?.token_endpoint;
    }
    let (resource, scopes) = (Some(resource.to_owned()), texts(&metadata, "scopes_supported"));
    Ok(Discovered { resource, scopes, server })
}

/// The metadata of the protected server: where its challenge says, or where RFC 9728 has it.
async fn resource_metadata(
    url: &str,
    challenge: &Challenge,
    settings: &Settings,
) -> Result<Option<Value>, SignInError> {
    let (origin, path) = origin_and_path(url)?;
    let (of_path, of_root) =
        (format!("{origin}{PROTECTED_RESOURCE}{path}"), format!("{origin}{PROTECTED_RESOURCE}"));
    let mut places = match challenge.get("resource_metadata") {
        Some(stated) => vec![stated.to_owned()],
        None if settings.misbehaves(Misbehavior::SkipsWellKnown) => Vec::new(),
        None => vec![of_path, of_root.clone()],
    };
    if settings.misbehaves(Misbehavior::TriesRootFirst) {
        places.insert(0, of_root);
    }
    first_document("the metadata of the server", &places, settings).await
}

/// Whether a resource is the server at a URL, or what contains it: the same origin, and the beginning of its path.
fn is_resource_of(resource: &str, url: &str) -> Result<bool, SignInError> {
    let Ok((origin, path)) = origin_and_path(resource) else { return Ok(false) };
    let (own_origin, own_path) = origin_and_path(url)?;
    let rest = own_path.strip_prefix(path.as_str());
    Ok(origin == own_origin && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// The metadata of the authorization server with this issuer.
async fn server_metadata(issuer: &str, settings: &Settings) -> Result<ServerMetadata, SignInError> {
    let (origin, path) = origin_and_path(issuer)?;
    let mut places =
        vec![format!("{origin}{AUTHORIZATION_SERVER}{path}"), format!("{origin}{OPENID}{path}")];
    if !path.is_empty() {
        places.push(format!("{origin}{path}{OPENID}"));
    }
    if settings.misbehaves(Misbehavior::TriesRootFirst) {
        places.insert(0, format!("{origin}{AUTHORIZATION_SERVER}"));
    }
    if settings.misbehaves(Misbehavior::TriesOpenIdFirst) {
        places.reverse();
    }
    if settings.misbehaves(Misbehavior::SkipsOpenId) {
        places.retain(|place| !place.contains(OPENID));
    }
    let found = first_document(OF_SERVER, &places, settings).await?;
    let found = found.ok_or_else(|| SignInError::NoServerMetadata(issuer.to_owned()))?;
    let stated = found.get("issuer").and_then(Value::as_str).unwrap_or_default();
    // Compared as text: whoever normalizes URLs takes two servers for one (RFC 8414, section 3.3).
    if stated != issuer && !settings.misbehaves(Misbehavior::IgnoresMetadataIssuer) {
        let (expected, got) = (issuer.to_owned(), stated.to_owned());
        return Err(SignInError::OtherIssuer { expected, got });
    }
    let has_pkce = texts(&found, "code_challenge_methods_supported").contains(&"S256".to_owned());
    if !has_pkce && !settings.misbehaves(Misbehavior::AssumesPkce) {
        return Err(SignInError::NoPkce);
    }
    if let Some(keys) = found.get("jwks_uri").and_then(Value::as_str)
        && settings.misbehaves(Misbehavior::GetsLinkedDocuments)
    {
        // What is there does not matter.
        get_document("the keys", keys, settings).await.ok();
    }
    Ok(ServerMetadata::read(issuer, &found))
}

const OF_SERVER: &str = "the metadata of the authorization server";

/// The authorization server of 2025-03-26: at the origin of the server, with metadata or with the default endpoints.
async fn older_server(origin: &str, settings: &Settings) -> Result<ServerMetadata, SignInError> {
    let request = HttpRequest::get().header("Accept", "application/json");
    // The server may answer by the revision.
    let request = match settings.misbehaves(Misbehavior::HidesVersion) {
        true => request,
        false => request.header(header::MCP_PROTOCOL_VERSION, settings.revision.as_str()),
    };
    let found = match settings.misbehaves(Misbehavior::AssumesEndpoints) {
        true => None,
        false => {
            get_document_by(
                OF_SERVER,
                &format!("{origin}{AUTHORIZATION_SERVER}"),
                &request,
                settings,
            )
            .await?
        }
    };
    Ok(match found {
        Some(found) => ServerMetadata::read(origin, &found),
        None => {
            let endpoint = |path: &str| Some(format!("{origin}/{path}"));
            ServerMetadata {
                authorization_endpoint: endpoint("authorize"),
                token_endpoint: endpoint("token"),
                registration_endpoint: endpoint("register"),
                ..ServerMetadata::read(origin, &Value::Null)
            }
        }
    })
}

/// The first document that exists.
async fn first_document(
    what: &'static str,
    places: &[String],
    settings: &Settings,
) -> Result<Option<Value>, SignInError> {
    for place in places {
        if let Some(found) = get_document(what, place, settings).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl ServerMetadata {
    fn read(issuer: &str, document: &Value) -> Self {
        let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
        let states = |name: &str| document.get(name).and_then(Value::as_bool) == Some(true);
        Self {
            issuer: issuer.to_owned(),
            authorization_endpoint: text("authorization_endpoint"),
            token_endpoint: text("token_endpoint"),
            registration_endpoint: text("registration_endpoint"),
            scopes: texts(document, "scopes_supported"),
            methods: texts(document, "token_endpoint_auth_methods_supported"),
            takes_metadata_documents: states("client_id_metadata_document_supported"),
            states_iss: states("authorization_response_iss_parameter_supported"),
            has_dpop: !texts(document, "dpop_signing_alg_values_supported").is_empty(),
        }
    }
}

/// The texts in an array of a document.
fn texts(document: &Value, name: &str) -> Vec<String> {
    let items = document.get(name).and_then(Value::as_array).unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
