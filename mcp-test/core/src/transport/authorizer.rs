//! Credentials of a client: what adds them to its requests, and gets others when a server refuses them.
//!
//! Only the interface: who signs in, and where, is not known here.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;

/// The header with a token.
pub const AUTHORIZATION: &str = "Authorization";

/// Adds credentials to the requests of a client, and gets others when the server refuses them.
pub trait Authorizer: Debug + Send + Sync {
    /// The headers that authorize a request with this method to this URL; none, as long as there are no credentials.
    fn headers(&self, method: &str, url: &str) -> Vec<(String, String)>;

    /// Why there are no credentials, if they could not be got.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Learns of the response to a request; returns whether to send that again, with other credentials.
    ///
    /// It must return `false` some time, since the request is sent again as often as it returns `true`.
    fn responded<'a>(&'a self, exchange: AuthorizedExchange<'a>) -> BoxFuture<'a, bool>;
}

/// A request with the headers that an [`Authorizer`] added, and the head of its response.
#[derive(Debug, Clone, Copy)]
pub struct AuthorizedExchange<'a> {
    /// The URL of the request.
    #[doc(hidden)]
    pub url: &'a str,
    /// What the authorizer added.
    #[doc(hidden)]
    pub added: &'a [(String, String)],
    /// The HTTP status.
    #[doc(hidden)]
    pub status: u16,
    /// The headers of the response.
    #[doc(hidden)]
    pub headers: &'a [(String, String)],
}

/// What a target adds to each HTTP request.
#[derive(Debug, Clone, Default)]
pub(in crate::transport) struct AddedHeaders {
    /// The same for every request.
    pub(in crate::transport) fixed: Vec<(String, String)>,
    /// Credentials that may change; they are not recorded.
    pub(in crate::transport) authorizer: Option<Arc<dyn Authorizer>>,
}

impl AuthorizedExchange<'_> {
    /// The values of a header of the response.
    pub(crate) fn response_headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.headers.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }
}
