//! Authorization servers that grant what they must refuse, or refuse what they announce, for the proofs.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use mcp_test_core::jose::{SigningKey, base64url};
use mcp_test_core::oauth::answer::Answer;
use mcp_test_core::oauth::client_documents::{DocumentPolicy, Keeping};
use mcp_test_core::oauth::parameters::Parameters;
use mcp_test_core::scenario::AuthorizationPeer;
use ring::digest;

use super::good_server;
use super::wrong_answers::{change, query_value};
use crate::scenarios::prelude::*;

/// The client that mcp-test is registered as.
const OWN: &str = "mcp-test";

/// The form in a request.
fn form(request: &Parts) -> Parameters {
    request.extensions.get::<Bytes>().map(|body| Parameters::parse(body)).unwrap_or_default()
}

/// A server that grants a token where the good one refuses it, and this holds for the form of the request.
fn grants(
    grant_type: &'static str,
    takes: impl Fn(&Parameters) -> bool + Send + Sync + 'static,
) -> AuthorizationPeer {
    good_server().altered(move |request, answer| {
        let form = form(request);
        if answer.status == StatusCode::BAD_REQUEST
            && request.uri.path().ends_with("/token")
            && form.first("grant_type") == Some(grant_type)
            && takes(&form)
        {
            *answer = token(&form);
        }
    })
}

fn token(form: &Parameters) -> Answer {
    let mut body = json!({"access_token": "another", "token_type": "Bearer", "expires_in": 60});
    if let Some(scope) = form.first("scope") {
        body["scope"] = scope.into();
    }
    Answer::json(StatusCode::OK, body.into())
}

/// A server that redeems a code for another client.
pub(super) fn redeems_for_anyone() -> AuthorizationPeer {
    grants("authorization_code", |form| form.first("client_id") != Some(OWN))
}

/// A server that does not compare the verifier with the challenge.
pub(super) fn redeems_with_any_verifier() -> AuthorizationPeer {
    grants("authorization_code", |form| {
        form.first("redirect_uri").is_some_and(|uri| uri.ends_with("/callback"))
            && form.first("client_id") == Some(OWN)
    })
}

/// A server that does not compare the verifier, but demands one.
pub(super) fn redeems_with_another_verifier() -> AuthorizationPeer {
    let challenge = Mutex::new(String::new());
    good_server().altered(move |request, answer| {
        let mut challenge = challenge.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sent) = query_value(request, "code_challenge") {
            *challenge = sent;
        }
        let form = form(request);
        let Some(verifier) = form.first("code_verifier") else { return };
        let of_verifier = base64url(digest::digest(&digest::SHA256, verifier.as_bytes()));
        if answer.status == StatusCode::BAD_REQUEST && of_verifier != *challenge {
            *answer = token(&form);
        }
    })
}

/// A server that redeems a code without a verifier.
pub(super) fn redeems_without_verifier() -> AuthorizationPeer {
    grants("authorization_code", |form| form.first("code_verifier").is_none())
}

/// A server that does not compare the redirect URI of a token request.
pub(super) fn redeems_with_other_uri() -> AuthorizationPeer {
    grants("authorization_code", |form| {
        form.first("redirect_uri").is_some_and(|uri| uri.ends_with("/other"))
    })
}

/// A server that takes any refresh token.
pub(super) fn refreshes_anything() -> AuthorizationPeer {
    grants("refresh_token", |_| true)
}

/// A server that takes a refresh token from any client.
pub(super) fn refreshes_for_anyone() -> AuthorizationPeer {
    grants("refresh_token", |form| form.first("client_id") != Some(OWN))
}

/// A server that grants by a refresh token whatever scope is asked for.
pub(super) fn widens_scopes() -> AuthorizationPeer {
    grants("refresh_token", |form| form.first("scope").is_some())
}

/// A server that takes a refresh token that it has replaced.
pub(super) fn refreshes_again() -> AuthorizationPeer {
    takes_again(|_| ())
}

/// A server that takes a refresh token that it has replaced, and replaces it again.
pub(super) fn refreshes_in_a_grace_period() -> AuthorizationPeer {
    let issued = AtomicU64::new(0);
    takes_again(move |answer| {
        let number = issued.fetch_add(1, Ordering::Relaxed);
        change(answer, "refresh_token", &format!("another {number}").into());
    })
}

fn takes_again(more: impl Fn(&mut Answer) + Send + Sync + 'static) -> AuthorizationPeer {
    let used = Mutex::new(HashSet::new());
    good_server().altered(move |request, answer| {
        let form = form(request);
        let Some(refresh) = form.first("refresh_token") else { return };
        let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
        match answer.status {
            StatusCode::OK => drop(used.insert(refresh.to_owned())),
            _ if used.contains(refresh) => {
                *answer = token(&form);
                more(answer);
            }
            _ => {}
        }
    })
}

/// A server that refuses a scope that it announces.
pub(super) fn knows_no_offline_access() -> AuthorizationPeer {
    good_server().altered(|request, answer| {
        let scope = query_value(request, "scope").unwrap_or_default();
        let Some(target) = query_value(request, "redirect_uri") else { return };
        if scope.split(' ').any(|scope| scope == "offline_access") {
            let state = query_value(request, "state").unwrap_or_default();
            *answer = Answer::redirect(&format!("{target}?error=invalid_scope&state={state}"));
        }
    })
}

/// A server whose access tokens are for nobody in particular.
pub(super) fn tokens_for_everyone() -> AuthorizationPeer {
    tokens_for(|_| None)
}

/// A server whose access tokens are for whatever a token request asks for, also if it was not granted.
pub(super) fn grants_other_resources() -> AuthorizationPeer {
    tokens_for(|form| form.first("resource").map(str::to_owned))
}

/// A server whose access tokens have this audience.
fn tokens_for(
    audience: impl Fn(&Parameters) -> Option<String> + Send + Sync + 'static,
) -> AuthorizationPeer {
    good_server().altered(move |request, answer| {
        if !request.uri.path().ends_with("/token") {
            return;
        }
        let form = form(request);
        let claims = match audience(&form) {
            Some(audience) => json!({"aud": audience}),
            None => json!({}),
        };
        let signed = SigningKey::es256().and_then(|key| key.sign("at+jwt", &claims.into()));
        let Ok(signed) = signed else { return };
        if answer.status != StatusCode::OK {
            *answer = token(&form);
        }
        change(answer, "access_token", &signed.into());
    })
}

/// A server that grants a code whatever resource is asked for.
pub(super) fn takes_wrong_resources() -> AuthorizationPeer {
    good_server().altered(|request, answer| {
        let Some(resource) = query_value(request, "resource") else { return };
        let Some(target) = query_value(request, "redirect_uri") else { return };
        if resource.contains('#') || resource.starts_with('/') {
            *answer = Answer::redirect(&format!("{target}?code=c1"));
        }
    })
}

/// A server that redirects to a URI that is not registered, if this is a part of it.
pub(super) fn redirects_alike(part: &'static str) -> AuthorizationPeer {
    redirects_where(move |uri| uri.contains(part))
}

/// A server that redirects the users of unknown clients.
pub(super) fn redirects_unknown_clients() -> AuthorizationPeer {
    redirects_where(|uri| {
        uri.starts_with("http://127.0.0.1:") && uri.ends_with("/callback") && !uri.contains('@')
    })
}

fn redirects_where(is_it: impl Fn(&str) -> bool + Send + Sync + 'static) -> AuthorizationPeer {
    good_server().altered(move |request, answer| {
        let target = query_value(request, "redirect_uri").filter(|uri| is_it(uri));
        let Some(target) = target.filter(|_| answer.status == StatusCode::BAD_REQUEST) else {
            return;
        };
        let separator = if target.contains('?') { '&' } else { '?' };
        *answer = Answer::redirect(&format!("{target}{separator}code=c1"));
    })
}

/// A server that also compares the port of a loopback address, with that of clients that register themselves.
pub(super) fn demands_the_port() -> AuthorizationPeer {
    let registered = Mutex::new(String::new());
    good_server().altered(move |request, answer| {
        let mut registered = registered.lock().unwrap_or_else(PoisonError::into_inner);
        if request.uri.path().ends_with("/register") {
            let body = request.extensions.get::<Bytes>();
            *registered = String::from_utf8_lossy(body.map_or(&[], |body| body)).into_owned();
            return;
        }
        let Some(uri) = query_value(request, "redirect_uri") else { return };
        let is_own = query_value(request, "client_id").as_deref() == Some(OWN);
        if !is_own && !registered.contains(&format!("\"{uri}\"")) {
            *answer = Answer::empty(StatusCode::BAD_REQUEST);
        }
    })
}

/// A server whose registrations have another value in a member, or, without a name, another status.
pub(super) fn registers_with(member: &'static str, text: &'static str) -> AuthorizationPeer {
    let value = Value::parse(text.as_bytes()).map_or(Value::Null, |document| document.value);
    good_server().altered(move |_, answer| {
        if answer.status == StatusCode::CREATED {
            match member {
                "" => answer.status = StatusCode::OK,
                member => change(answer, member, &value),
            }
        }
    })
}

/// A server that registers clients with any redirect URI.
pub(super) fn registers_anything() -> AuthorizationPeer {
    good_server().altered(|request, answer| {
        if request.uri.path().ends_with("/register") && answer.status == StatusCode::BAD_REQUEST {
            let body = request.extensions.get::<Bytes>();
            let wanted = body.and_then(|body| Value::parse(body).ok());
            let mut registered = wanted.map(|document| document.value).unwrap_or_default();
            if let Some(members) = registered.as_object_mut() {
                members.insert("client_id", "c1");
            }
            *answer = Answer::json(StatusCode::CREATED, registered);
        }
    })
}

/// A server that refuses registrations with this status.
pub(super) fn refuses_registration_as(status: u16) -> AuthorizationPeer {
    good_server().altered(move |request, answer| {
        if request.uri.path().ends_with("/register") && answer.status == StatusCode::BAD_REQUEST {
            answer.status = StatusCode::from_u16(status).unwrap_or_default();
        }
    })
}

/// A server that refuses every client with a metadata document.
pub(super) fn refuses_documents() -> AuthorizationPeer {
    good_server().altered(|request, answer| {
        if query_value(request, "client_id").is_some_and(|id| id.starts_with("http")) {
            *answer = Answer::empty(StatusCode::BAD_REQUEST);
        }
    })
}

/// A server that accepts the client with this document, whatever is wrong with it or the request.
pub(super) fn takes_client_of(document: &'static str) -> AuthorizationPeer {
    good_server().altered(move |request, answer| {
        let is_it = query_value(request, "client_id")
            .is_some_and(|id| id.ends_with(&format!("/{document}")));
        let target = query_value(request, "redirect_uri").filter(|_| is_it);
        if let (Some(target), StatusCode::BAD_REQUEST) = (target, answer.status) {
            *answer = Answer::redirect(&format!("{target}?code=c1"));
        }
    })
}

/// A server that keeps no metadata document.
pub(super) fn fetches_every_time() -> AuthorizationPeer {
    good_server().documents(DocumentPolicy { keeping: Keeping::Never, ..DocumentPolicy::default() })
}

/// A server that keeps every metadata document.
pub(super) fn keeps_documents_always() -> AuthorizationPeer {
    good_server()
        .documents(DocumentPolicy { keeping: Keeping::Always, ..DocumentPolicy::default() })
}

/// A server that follows the redirects of metadata documents.
pub(super) fn follows_redirects_of_documents() -> AuthorizationPeer {
    good_server().documents(DocumentPolicy { follows_redirects: true, ..DocumentPolicy::default() })
}
