//! A response of the authorization server under test.

use bytes::Bytes;

use crate::json::Value;
use crate::trace::Seq;

/// A response, which was read completely.
#[doc(hidden)]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AuthorizationResponse {
    /// The method and the URL of the request, for people; without its query.
    pub request: String,
    /// The status code.
    pub status: u16,
    /// The headers in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// The event that records the request.
    pub sent: Seq,
    /// The event that records it.
    pub seq: Seq,
}

impl AuthorizationResponse {
    /// The first header with this name, ignoring case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body, if it is a JSON object.
    #[must_use]
    pub fn object(&self) -> Option<Value> {
        let document = Value::parse(&self.body).ok()?;
        document.value.is_object().then_some(document.value)
    }

    /// The events of the exchange.
    #[must_use]
    pub fn evidence(&self) -> [Seq; 2] {
        [self.sent, self.seq]
    }

    /// The error of OAuth in the body, in words; empty if there is none.
    #[must_use]
    pub fn error(&self) -> String {
        let Some(object) = self.object() else { return String::new() };
        let text = |name| object.get(name).and_then(Value::as_str);
        match (text("error"), text("error_description")) {
            (Some(error), Some(why)) => format!(" `{error}`: {why}"),
            (Some(error), None) => format!(" `{error}`"),
            _ => String::new(),
        }
    }

    /// Whether it sends a browser elsewhere.
    #[must_use]
    pub fn redirect(&self) -> Option<&str> {
        let is_redirect = (300..400).contains(&self.status);
        self.header("location").filter(|_| is_redirect)
    }
}
