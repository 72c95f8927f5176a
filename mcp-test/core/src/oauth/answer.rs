//! A response of an authorization server.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};

use super::oauth_error::OAuthError;
use crate::json::{Object, Value};
use crate::transport::memory_budget::MemoryUsedUp;

/// What is sent.
pub struct Answer {
    #[doc(hidden)]
    pub status: StatusCode,
    #[doc(hidden)]
    pub headers: Vec<(HeaderName, HeaderValue)>,
    #[doc(hidden)]
    pub body: Option<Value>,
}

impl Answer {
    #[doc(hidden)]
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: Vec::new(), body: None }
    }

    #[doc(hidden)]
    pub fn json(status: StatusCode, body: Value) -> Self {
        let headers = vec![
            (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
            // Tokens and secrets must not be kept by anyone on the way (RFC 6749, section 5.1).
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ];
        Self { status, headers, body: Some(body) }
    }

    #[doc(hidden)]
    pub fn redirect(target: &str) -> Self {
        // A URL in its canonical form has nothing that a header cannot carry.
        let Ok(location) = HeaderValue::from_str(target) else {
            return Self::empty(StatusCode::BAD_REQUEST);
        };
        let no_store = (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let headers = vec![(header::LOCATION, location), no_store];
        Self { headers, ..Self::empty(StatusCode::FOUND) }
    }

    pub(super) fn error(error: OAuthError) -> Self {
        let mut answer = Self::json(error.status(), error.to_value());
        if answer.status == StatusCode::UNAUTHORIZED {
            // RFC 6749, section 5.2; without it 401 would not be valid HTTP.
            let challenge = HeaderValue::from_static("Basic realm=\"token\"");
            answer.headers.push((header::WWW_AUTHENTICATE, challenge));
        }
        answer
    }

    /// The refusal of a request for which no memory is left.
    pub(super) fn used_up(error: MemoryUsedUp) -> Self {
        let mut body = Object::new();
        // Of the codes of RFC 6749 (section 4.1.2.1), the one that says to try again.
        body.insert("error", "temporarily_unavailable");
        body.insert("error_description", error.to_string());
        let mut answer = Self::json(StatusCode::SERVICE_UNAVAILABLE, body.into());
        let after = HeaderValue::from_static(MemoryUsedUp::RETRY_AFTER);
        answer.headers.push((header::RETRY_AFTER, after));
        answer
    }

    pub(super) fn not_allowed(allowed: &Method) -> Self {
        let allowed = HeaderValue::from_str(allowed.as_str());
        let headers = allowed.into_iter().map(|allowed| (header::ALLOW, allowed)).collect();
        Self { headers, ..Self::empty(StatusCode::METHOD_NOT_ALLOWED) }
    }

    pub(super) fn into_response(self) -> Response {
        let body = self.body.map(|body| Body::from(body.to_string())).unwrap_or_default();
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        response.headers_mut().extend(self.headers);
        response
    }
}
