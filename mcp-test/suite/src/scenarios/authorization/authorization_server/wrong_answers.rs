//! Authorization servers that are wrong in one place, for the proofs.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode, header};
use mcp_test_core::oauth::answer::Answer;
use mcp_test_core::scenario::AuthorizationPeer;
use mcp_test_core::scenario::authorization::asks_for_openid;
use reqwest::Url;

use super::good_server;
use crate::scenarios::prelude::*;

/// Where clients look for metadata.
const WELL_KNOWN: &str = "/.well-known/";

/// A server whose metadata has another value in a member; `null` takes it out.
pub(super) fn says(member: &'static str, text: &'static str) -> AuthorizationPeer {
    let value = Value::parse(text.as_bytes()).map_or(Value::Null, |document| document.value);
    good_server().altered(move |request, answer| {
        if request.uri.path().contains(WELL_KNOWN) {
            change(answer, member, &value);
        }
    })
}

/// A server whose metadata of OpenID Connect do not say what PKCE it has.
pub(super) fn openid_without_pkce() -> AuthorizationPeer {
    good_server().altered(|request, answer| {
        if asks_for_openid(request) {
            change(answer, "code_challenge_methods_supported", &Value::Null);
        }
    })
}

/// A server that has only the metadata of OpenID Connect.
pub(super) fn only_openid() -> AuthorizationPeer {
    good_server().altered(|request, answer| {
        if request.uri.path().contains(WELL_KNOWN) && !asks_for_openid(request) {
            *answer = Answer::empty(StatusCode::NOT_FOUND);
        }
    })
}

/// A server without metadata.
pub(super) fn unpublished() -> AuthorizationPeer {
    good_server().altered(|request, answer| {
        if request.uri.path().contains(WELL_KNOWN) {
            *answer = Answer::empty(StatusCode::NOT_FOUND);
        }
    })
}

/// A server whose answers at a path have another header.
pub(super) fn header_at(
    path: &'static str,
    name: &'static str,
    value: &'static str,
) -> AuthorizationPeer {
    good_server().altered(move |request, answer| {
        if request.uri.path().starts_with(path) {
            let name = HeaderName::from_static(name);
            answer.headers.retain(|(own, _)| *own != name);
            answer.headers.push((name, HeaderValue::from_static(value)));
        }
    })
}

/// A server that redirects with another value of a parameter; an empty one takes it out.
pub(super) fn redirects_with(name: &'static str, value: &'static str) -> AuthorizationPeer {
    redirects_otherwise("code", move |target| set_parameter(target, name, value))
}

/// A server that redirects with another value of a parameter where it refuses; an empty one takes it out.
pub(super) fn refuses_with(name: &'static str, value: &'static str) -> AuthorizationPeer {
    redirects_otherwise("error", move |target| set_parameter(target, name, value))
}

fn set_parameter(target: &mut Url, name: &str, value: &str) {
    let kept: Vec<(String, String)> =
        target.query_pairs().into_owned().filter(|(own, _)| own != name).collect();
    let new = Some((name, value)).filter(|_| !value.is_empty());
    target.query_pairs_mut().clear().extend_pairs(kept).extend_pairs(new);
}

/// A server that redirects to another path of the same listener.
pub(super) fn redirects_elsewhere() -> AuthorizationPeer {
    redirects_otherwise("code", |target| target.set_path("/elsewhere"))
}

/// A server that redirects with two codes.
pub(super) fn redirects_with_two_codes() -> AuthorizationPeer {
    redirects_otherwise("code", |target| {
        target.query_pairs_mut().append_pair("code", "another");
    })
}

/// A server whose redirects with this parameter are other ones.
fn redirects_otherwise(
    with: &'static str,
    change: impl Fn(&mut Url) + Send + Sync + 'static,
) -> AuthorizationPeer {
    good_server().altered(move |_, answer| {
        let location = answer.headers.iter_mut().find(|(name, _)| *name == header::LOCATION);
        let Some((_, location)) = location else { return };
        let target = location.to_str().ok().and_then(|text| Url::parse(text).ok());
        let has_it = |url: &Url| url.query_pairs().any(|(name, _)| name == with);
        let Some(mut target) = target.filter(has_it) else { return };
        change(&mut target);
        if let Ok(changed) = HeaderValue::try_from(target.as_str()) {
            *location = changed;
        }
    })
}

/// A server that redirects also to a URI that is not registered.
pub(super) fn redirects_anywhere() -> AuthorizationPeer {
    redirects_whatever_is_wrong("redirect_uri")
}

/// A server that grants a code to a request without PKCE.
pub(super) fn grants_without_pkce() -> AuthorizationPeer {
    redirects_whatever_is_wrong("code_challenge")
}

/// A server that grants a code whatever is wrong with this parameter, which has the other tests of a request.
fn redirects_whatever_is_wrong(with: &'static str) -> AuthorizationPeer {
    good_server().altered(move |request, answer| {
        if !request.uri.path().ends_with("/authorize") {
            return;
        }
        let value = |name: &str| query_value(request, name);
        // A request without PKCE is refused by a redirect, one with a wrong URI without one.
        let is_it = match with {
            "redirect_uri" => answer.status == StatusCode::BAD_REQUEST,
            _ => value(with).is_none(),
        };
        let Some(target) = value("redirect_uri").filter(|_| is_it) else { return };
        *answer = Answer::redirect(&format!("{target}?code=c1"));
    })
}

/// A server whose token responses have another value in a member; `null` takes it out.
pub(super) fn token_with(member: &'static str, text: &'static str) -> AuthorizationPeer {
    let value = Value::parse(text.as_bytes()).map_or(Value::Null, |document| document.value);
    good_server().altered(move |request, answer| {
        if request.uri.path().ends_with("/token") && answer.status == StatusCode::OK {
            change(answer, member, &value);
        }
    })
}

/// A server that answers every token request with this status.
pub(super) fn token_status(status: u16) -> AuthorizationPeer {
    good_server().altered(move |request, answer| {
        if request.uri.path().ends_with("/token") {
            answer.status = StatusCode::from_u16(status).unwrap_or_default();
        }
    })
}

/// A server that redeems a code again.
pub(super) fn redeems_again() -> AuthorizationPeer {
    good_server().altered(|request, answer| {
        if request.uri.path().ends_with("/token") && answer.status == StatusCode::BAD_REQUEST {
            let token = json!({"access_token": "another", "token_type": "Bearer"});
            *answer = Answer::json(StatusCode::OK, token.into());
        }
    })
}

/// A server that refreshes a token without a new refresh token.
pub(super) fn keeps_refresh_token() -> AuthorizationPeer {
    let answered = AtomicUsize::new(0);
    good_server().altered(move |request, answer| {
        let is_token = request.uri.path().ends_with("/token") && answer.status == StatusCode::OK;
        // The first one is for the code.
        if is_token && answered.fetch_add(1, Ordering::Relaxed) > 0 {
            change(answer, "refresh_token", &Value::Null);
        }
    })
}

/// A server at which nobody consents.
pub(super) fn nobody_consents() -> AuthorizationPeer {
    good_server().alone()
}

/// The value of a parameter in the query of a request.
pub(super) fn query_value(request: &Parts, name: &str) -> Option<String> {
    let url = Url::parse(&format!("http://127.0.0.1{}", request.uri)).ok()?;
    url.query_pairs().find(|(own, _)| own == name).map(|(_, value)| value.into_owned())
}

pub(super) fn change(answer: &mut Answer, member: &str, value: &Value) {
    if let Some(document) = answer.body.as_mut().and_then(Value::as_object_mut) {
        document.remove(member);
        if !value.is_null() {
            document.insert(member, value.clone());
        }
    }
}
