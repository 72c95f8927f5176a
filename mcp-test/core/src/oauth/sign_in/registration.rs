//! The client id at an authorization server: one that it knows, the URL of a metadata document, or a registration.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#client-registration-approaches>

use std::collections::HashMap;

use super::discovery::ServerMetadata;
use super::fetch::{object, send};
use super::{RegisteredClient, Settings, SignInError};
use crate::json::{Object, Value};
use crate::transport::fault::change_parameters;
use crate::transport::{HttpRequest, Misbehavior};

/// How often the fault registers that does not know when to stop.
const ENDLESS_REGISTRATIONS: usize = 10;

/// The clients that authorization servers have registered, by issuer.
pub(super) type Registrations = HashMap<String, RegisteredClient>;

/// The client at a server, registered now if need be.
pub(super) async fn client_at(
    server: &ServerMetadata,
    settings: &Settings,
    registrations: &mut Registrations,
    redirect_uri: &str,
) -> Result<RegisteredClient, SignInError> {
    let always_registers = settings.misbehaves(Misbehavior::AlwaysRegisters);
    if let Some(client) = &settings.registered
        && !always_registers
    {
        return Ok(client.clone());
    }
    let known = match settings.misbehaves(Misbehavior::ReusesRegistration) {
        true => registrations.values().next(),
        // What one server has registered means nothing to another one.
        false => registrations.get(&server.issuer),
    };
    if let Some(client) = known {
        return Ok(client.clone());
    }
    if let Some(url) = &settings.metadata_document
        && (server.takes_metadata_documents || settings.misbehaves(Misbehavior::AssumesDocuments))
        && !always_registers
    {
        let (id, method) = (url.clone(), Some("none".to_owned()));
        return Ok(RegisteredClient { id, secret: None, method });
    }
    let invented = settings.misbehaves(Misbehavior::InventsRegistration);
    let invented = invented.then(|| format!("{}/register", server.issuer));
    let endpoint = server.registration_endpoint.as_deref().or(invented.as_deref());
    let endpoint = endpoint.ok_or(SignInError::NoClientId)?;
    let client = register(endpoint, server, settings, redirect_uri).await?;
    registrations.insert(server.issuer.clone(), client.clone());
    Ok(client)
}

/// Registers the client (RFC 7591).
async fn register(
    endpoint: &str,
    server: &ServerMetadata,
    settings: &Settings,
    redirect_uri: &str,
) -> Result<RegisteredClient, SignInError> {
    let what = "the registration";
    let known = ["none", "client_secret_basic", "client_secret_post"];
    let is_known = |method: &&String| known.contains(&method.as_str());
    let method = server.methods.iter().find(is_known).map_or("none", String::as_str);
    let mut texts = vec![
        ("client_name".to_owned(), "mcp-test".to_owned()),
        ("application_type".to_owned(), "native".to_owned()),
        ("token_endpoint_auth_method".to_owned(), method.to_owned()),
    ];
    change_parameters(&settings.faults, "register", &mut texts);
    let mut document: Object = texts.into_iter().collect();
    document.insert("redirect_uris", vec![redirect_uri]);
    let grants = document.get("grant_types").and_then(Value::as_str);
    let grants = grants.unwrap_or("authorization_code refresh_token").to_owned();
    document.insert("grant_types", grants.split(' ').collect::<Vec<_>>());
    document.insert("response_types", vec!["code"]);
    let body = Value::from(document).to_string().into();
    let request = HttpRequest { body, ..HttpRequest::new("POST") }
        .header("Content-Type", "application/json")
        .header("Accept", "application/json");
    let mut response = send(what, endpoint, &request, settings).await?;
    if settings.misbehaves(Misbehavior::RetriesRegistration) {
        for _ in 0..ENDLESS_REGISTRATIONS {
            response = send(what, endpoint, &request, settings).await?;
        }
    }
    let registered = object(what, endpoint, &response)?;
    let text = |name: &str| registered.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = text("client_id").filter(|_| matches!(response.status, 200 | 201));
    let ignores_refusal = settings.misbehaves(Misbehavior::IgnoresRefusedRegistration);
    // What a program without types makes of a missing member.
    let id = id.or_else(|| ignores_refusal.then(|| "undefined".to_owned()));
    let id = id.ok_or_else(|| SignInError::Status {
        what,
        url: endpoint.to_owned(),
        status: response.status,
        error: text("error"),
    })?;
    let (method, secret) = (text("token_endpoint_auth_method"), text("client_secret"));
    let others = ["registration_access_token"].into_iter().filter_map(text);
    secret.iter().cloned().chain(others).for_each(|secret| settings.learn(&secret));
    Ok(RegisteredClient { id, secret, method })
}
