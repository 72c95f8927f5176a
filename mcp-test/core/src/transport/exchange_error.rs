//! Why an HTTP exchange failed, in terms that do not depend on the HTTP libraries.

use bytes::Bytes;

/// Why there is no response to an HTTP request, or why its body broke off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(dead_code, reason = "which variants occur depends on the features")]
pub enum ExchangeError {
    #[error("connection refused: nothing listens there")]
    Refused,
    #[error("the server reset the connection")]
    Reset,
    #[error("nothing answers at that address")]
    TimedOut,
    #[error("the address cannot be reached: {0}")]
    Unreachable(String),
    #[error("the host name cannot be resolved: {0}")]
    UnknownHost(String),
    #[error("the response is not TLS: is the server at http:// instead of https://?")]
    NotTls,
    #[error("its certificate is not accepted: {0}")]
    Certificate(String),
    #[error("the response is not HTTP: {0}")]
    NotHttp(String),
    #[error("the response is not HTTP, or is HTTP inside TLS: {0}")]
    NotPlainHttp(String),
    #[error("wrong chunking: {0}")]
    WrongChunks(String),
    #[error("the connection was closed before the last chunk")]
    MissingChunks,
    #[error("the connection was closed before the announced end of the body")]
    Truncated,
    #[error("the server closed the connection")]
    Closed,
    #[error("the server closed the connection before a response")]
    NoResponse,
    /// No response on a connection that had been used before, which the server may have closed as idle; holds how it failed.
    #[error("{0}")]
    ReusedConnectionClosed(Box<Self>),
    #[error("the service panicked: {0}")]
    Panicked(String),
    #[error("the request is not valid HTTP: {0}")]
    InvalidRequest(String),
    #[error("the URL has no host")]
    NoHost,
    #[error("{}", not_http(.0))]
    NotHttpUrl(String),
    #[error("an https URL needs the feature `tls` of mcp-test")]
    NeedsTlsFeature,
    /// Not an error: the response is complete. Holds the beginning of what follows it on its connection, if anything does.
    #[error("the response is complete")]
    Excess(Bytes),
    #[error("{0}")]
    Other(String),
}

/// Why nothing can be requested from a URL with this scheme.
#[doc(hidden)]
#[must_use]
pub fn not_http(scheme: &str) -> String {
    match scheme {
        "ws" | "wss" => format!("`{scheme}` is WebSocket, which is not a transport of MCP"),
        _ => format!("`{scheme}` is not HTTP"),
    }
}

impl ExchangeError {
    /// How an exchange without a response ended, as the end of a sentence that begins with "the exchange".
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP has exchanges"))]
    pub(super) fn how(&self) -> String {
        format!("failed without an HTTP response: {self}")
    }
}
