//! What faults do to the HTTP exchange that carries a message, whichever side writes it.

use bytes::Bytes;

use super::{Fault, change::Change};

const HTML: &str = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>\n";

/// What becomes of the head and the body that go with some message: of a response at a server, of a request at a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpDamage {
    /// The status, where it is another.
    pub status: Option<u16>,
    /// The headers that are set, or left out where there is no value.
    pub headers: Vec<(String, Option<String>)>,
    /// The body that stands in for the right one.
    pub body: Option<Bytes>,
    /// Whether the body comes in chunks of which the first has no readable size.
    pub wrong_chunks: bool,
}

impl HttpDamage {
    /// What the faults do to the exchange of a message of this method, or to a `GET` or a `DELETE`.
    ///
    /// `is_request` tells whether faults for all methods are for it, too.
    #[must_use]
    pub fn of(method: &str, is_request: bool, faults: &[Fault]) -> Self {
        let mut damage = Self::default();
        for fault in faults {
            if fault.names(method) || is_request && fault.is_for_all() {
                damage.take(&fault.change);
            }
        }
        damage
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Does to a list of headers what is done to them here.
    pub fn change_headers(&self, headers: &mut Vec<(String, String)>) {
        for (name, value) in &self.headers {
            headers.retain(|(present, _)| !present.eq_ignore_ascii_case(name));
            headers.extend(value.clone().map(|value| (name.clone(), value)));
        }
    }

    fn take(&mut self, change: &Change) {
        match change {
            Change::Status { status } => self.status = Some(*status),
            Change::Header { name, value } => self.header(name, Some(value.as_str())),
            Change::NoHeader { name } => self.header(name, None),
            Change::ContentType { value } => self.header("Content-Type", Some(value)),
            Change::Redirect { location } => {
                self.status = Some(307);
                self.header("Location", Some(location));
                self.body = Some(Bytes::new());
            }
            Change::Html => {
                self.header("Content-Type", Some("text/html; charset=utf-8"));
                self.body = Some(Bytes::from_static(HTML.as_bytes()));
            }
            Change::EmptyBody => self.body = Some(Bytes::new()),
            Change::WrongChunks => self.wrong_chunks = true,
            // The rest is done to messages.
            _ => {}
        }
    }

    fn header(&mut self, name: &str, value: Option<&str>) {
        self.headers.push((name.to_owned(), value.map(str::to_owned)));
    }
}
