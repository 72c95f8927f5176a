//! The endpoints: which path and method leads where, and what every request has in common.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};

use super::answer::Answer;
use super::dpop::DPOP_NONCE;
use super::exchange_recorder::RecordedExchange;
use super::oauth_error::{ErrorCode, OAuthError};
use super::server_state::ServerState;
use super::{authorization_endpoint, metadata, registration_endpoint, token_endpoint};
use crate::jose::KeySet;
use crate::transport::memory_budget::MemoryBudget;
use crate::transport::request_body::{self, BodyError, BodyLimits};
use crate::wire::{MediaType, essence};

/// The bytes of the largest body that is read: far more than any request of OAuth has.
const LARGEST_BODY: usize = 64 * 1024;
/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// The bytes of the longest path with its query.
const LONGEST_PATH: usize = 16 * 1024;

const FORM: &str = "application/x-www-form-urlencoded";

/// Answers any request.
pub(super) async fn answer(State(server): State<Arc<ServerState>>, request: Request) -> Response {
    let (mut head, body) = request.into_parts();
    let path = head.uri.to_string();
    let is_too_long = path.len() > LONGEST_PATH;
    // Of a path that is too long the beginning says enough; it may end within a secret, so its query is left out.
    let shown = if is_too_long { head.uri.path().get(..256).unwrap_or_default() } else { &path };
    let exchange = server.recorder.request(head.method.as_str(), shown, &head.headers);
    let mut answer = match is_too_long {
        true => Answer::empty(StatusCode::URI_TOO_LONG),
        false => route(&server, &exchange, &mut head, body).await,
    };
    server.alteration.apply(&head, &mut answer);
    exchange.sent(answer.status, &answer.headers, answer.body.as_ref());
    answer.into_response()
}

async fn route(
    server: &ServerState,
    exchange: &RecordedExchange<'_>,
    head: &mut Parts,
    body: Body,
) -> Answer {
    // Against DNS rebinding: a web page must not use a server on this machine by a name of its own.
    let hosts = &server.hosts;
    if !hosts.allows_origin(&head.headers) || !hosts.allows_host(&head.uri, &head.headers) {
        return Answer::empty(StatusCode::FORBIDDEN);
    }
    let path = head.uri.path();
    if let Some(document) = metadata::at(path, server) {
        return only(head, &Method::GET, || Answer::json(StatusCode::OK, document));
    }
    match path.strip_prefix(server.base.as_str()) {
        Some("/jwks") => only(head, &Method::GET, || {
            let keys = KeySet::from_iter([server.key.public().clone()]);
            Answer::json(StatusCode::OK, keys.to_value())
        }),
        Some("/authorize") => {
            if head.method != Method::GET {
                return Answer::not_allowed(&Method::GET);
            }
            let query = head.uri.query().unwrap_or_default();
            match authorization_endpoint::authorize(server, query).await {
                Ok(target) => Answer::redirect(&target),
                Err(error) => Answer::error(error),
            }
        }
        Some(endpoint @ ("/token" | "/register")) if head.method == Method::POST => {
            let body = match read(body).await {
                Ok(body) => body,
                Err(refusal) => return refusal,
            };
            exchange.received(&body);
            // For what alters the answer.
            head.extensions.insert(body.clone());
            let answer = match endpoint {
                "/token" => token(server, head, &body).await,
                _ => register(server, head, &body),
            };
            answer.unwrap_or_else(|error| refusal(server, error))
        }
        Some("/token" | "/register") => Answer::not_allowed(&Method::POST),
        _ => Answer::empty(StatusCode::NOT_FOUND),
    }
}

/// Reads a body; the error is its refusal.
pub(super) async fn read(body: Body) -> Result<Bytes, Answer> {
    let limits = BodyLimits { bytes: LARGEST_BODY, time: Some(BODY_TIME) };
    match request_body::read(&MemoryBudget::for_process(), body, limits).await {
        Ok((body, memory)) => Ok(memory.holding(body)),
        Err(BodyError::TooLarge) => Err(Answer::empty(StatusCode::PAYLOAD_TOO_LARGE)),
        Err(BodyError::Broken) => Err(Answer::empty(StatusCode::BAD_REQUEST)),
        Err(BodyError::Late(_)) => Err(Answer::empty(StatusCode::REQUEST_TIMEOUT)),
        Err(BodyError::UsedUp(used_up)) => Err(Answer::used_up(used_up)),
    }
}

/// The refusal of a request, with the nonce that it should have had.
fn refusal(server: &ServerState, error: OAuthError) -> Answer {
    let mut answer = Answer::error(error);
    let is_about_nonce = error.code == ErrorCode::UseDpopNonce;
    let nonce = server.proofs.nonce().filter(|_| is_about_nonce);
    let nonce = nonce.and_then(|nonce| HeaderValue::from_str(&nonce).ok());
    answer.headers.extend(nonce.map(|nonce| (HeaderName::from_static(DPOP_NONCE), nonce)));
    answer
}

async fn token(server: &ServerState, head: &Parts, body: &Bytes) -> Result<Answer, OAuthError> {
    if !content_type(head).is_some_and(|kind| essence(kind).eq_ignore_ascii_case(FORM)) {
        return Err(ErrorCode::InvalidRequest.because("the body must be a form"));
    }
    let response = token_endpoint::exchange(server, &head.headers, body).await?;
    Ok(Answer::json(StatusCode::OK, response))
}

fn register(server: &ServerState, head: &Parts, body: &Bytes) -> Result<Answer, OAuthError> {
    if !content_type(head).is_some_and(|kind| MediaType::of(kind) == MediaType::Json) {
        return Err(ErrorCode::InvalidClientMetadata.because("the body must be JSON"));
    }
    let registered = registration_endpoint::register(server, body)?;
    Ok(Answer::json(StatusCode::CREATED, registered))
}

fn content_type(head: &Parts) -> Option<&str> {
    head.headers.get(header::CONTENT_TYPE)?.to_str().ok()
}

/// The answer to a request with this method, and a refusal of any other.
fn only(head: &Parts, method: &Method, answer: impl FnOnce() -> Answer) -> Answer {
    if head.method == *method { answer() } else { Answer::not_allowed(method) }
}
