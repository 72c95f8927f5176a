//! What faults change in the HTTP exchange of a message: in the response of a server, in the request of a client.

use bytes::Bytes;

use super::Fault;
use super::change::{Change, Plain};

// The welcome page of a web server at whose URL nothing speaks MCP.
const HTML: &str = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>\n";

/// What faults change in the head and the body of an HTTP message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HttpFaults {
    /// The status, if it is replaced.
    pub status: Option<u16>,
    /// The headers that are set, or removed if there is no value.
    pub headers: Vec<(String, Option<String>)>,
    /// The body, if it is replaced.
    pub body: Option<Bytes>,
    /// Whether the body is chunked with an unreadable first size.
    pub wrong_chunks: bool,
    /// Whether the whole response is sent twice.
    pub two_responses: bool,
}

impl HttpFaults {
    /// What the faults change in the exchange of a message of this method, or in a `GET` or a `DELETE`.
    ///
    /// Faults for all methods apply only if `is_request`.
    #[must_use]
    pub(crate) fn of(method: &str, is_request: bool, faults: &[Fault]) -> Self {
        let mut all = Self::default();
        for fault in faults {
            if fault.names(method) || is_request && fault.is_for_all() {
                all.apply(&fault.change);
            }
        }
        all
    }

    /// Whether nothing is changed.
    #[must_use]
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Applies the changes to a list of headers.
    pub(crate) fn change_headers(&self, headers: &mut Vec<(String, String)>) {
        for (name, value) in &self.headers {
            // In the order of the faults, so that a later one overrides an earlier one.
            headers.retain(|(present, _)| !present.eq_ignore_ascii_case(name));
            headers.extend(value.clone().map(|value| (name.clone(), value)));
        }
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Status { status } => self.status = Some(*status),
            Change::Header { name, value } => self.header(name, Some(value.as_str())),
            Change::NoHeader { name } => self.header(name, None),
            Change::ContentType { value } => self.header("Content-Type", Some(value)),
            Change::Redirect { location } => {
                // Unlike 301 and 302, 307 makes a client that follows it repeat the POST (RFC 9110, section 15.4.8).
                self.status = Some(307);
                self.header("Location", Some(location));
                self.body = Some(Bytes::new());
            }
            Change::Plain(Plain::Html) => {
                self.header("Content-Type", Some("text/html; charset=utf-8"));
                self.body = Some(Bytes::from_static(HTML.as_bytes()));
            }
            Change::Plain(Plain::EmptyBody) => self.body = Some(Bytes::new()),
            Change::Plain(Plain::WrongChunks) => self.wrong_chunks = true,
            Change::Plain(Plain::TwoResponses) => self.two_responses = true,
            // The others change messages.
            _ => {}
        }
    }

    fn header(&mut self, name: &str, value: Option<&str>) {
        self.headers.push((name.to_owned(), value.map(str::to_owned)));
    }
}
