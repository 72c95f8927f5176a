//! The content types that decide how an HTTP body is read.

/// The content type of an HTTP body, as far as MCP distinguishes it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    /// `application/json`.
    Json,
    /// `text/event-stream`.
    EventStream,
    /// Another type, or none.
    Other,
}

impl MediaType {
    /// Classifies the value of a `Content-Type` header; parameters and case are ignored.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::wire::MediaType;
    ///
    /// assert_eq!(MediaType::of("Application/JSON; charset=utf-8"), MediaType::Json);
    /// assert_eq!(MediaType::of("text/html"), MediaType::Other);
    /// ```
    #[must_use]
    pub fn of(content_type: &str) -> Self {
        // RFC 9110, section 8.3.1: types are compared without regard to case.
        let essence = essence(content_type);
        if essence.eq_ignore_ascii_case("application/json") {
            Self::Json
        } else if essence.eq_ignore_ascii_case("text/event-stream") {
            Self::EventStream
        } else {
            Self::Other
        }
    }

    /// Classifies the first `Content-Type` among these headers; names compare without regard to case.
    #[must_use]
    pub fn from_headers(headers: &[(String, String)]) -> Self {
        let name = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("content-type");
        headers.iter().find(name).map_or(Self::Other, |(_, value)| Self::of(value))
    }
}

/// A media type without its parameters.
pub(crate) fn essence(content_type: &str) -> &str {
    // Servers often add `charset=utf-8`.
    content_type.split(';').next().unwrap_or_default().trim()
}
