//! The requests that a test's servers received from a client that signs in, in order, for scenarios to judge.
//!
//! Kept apart from the trace, because the requests contain secrets and a trace must not: the list stays in memory and has no
//! `Debug`. The trace gets a note about each request, without its values.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Assertion, AssertionFault, PresentedRefreshToken, StrayRequest};
use crate::json::{Object, Value};
use crate::oauth::dpop::Proof;
use crate::oauth::oauth_error::ErrorCode;
use crate::oauth::parameters::Parameters;
use crate::trace::{ConnectionId, EventKind, Party, Recorder, Seq};

/// How many requests are kept; a client that makes more has failed already.
const MOST_KEPT: usize = 500;
/// The maximum total size of the kept requests, in bytes. JSON takes many times as much memory as its text, and several scenarios
/// run at once.
const MOST_BYTES: usize = 1024 * 1024;

/// The requests of one test; clones share them.
#[derive(Clone)]
pub struct ReceivedRequests {
    recorder: Recorder,
    connection: ConnectionId,
    kept: Arc<Mutex<Kept>>,
}

/// What is kept.
#[derive(Default)]
struct Kept {
    requests: Vec<ReceivedRequest>,
    bytes: usize,
}

/// A request, and the note about it in the trace.
#[derive(Clone)]
pub struct ReceivedRequest {
    #[doc(hidden)]
    pub seq: Seq,
    #[doc(hidden)]
    pub kind: RequestKind,
}

/// The kind of a request, with its data.
#[derive(Clone)]
pub enum RequestKind {
    /// For the metadata of the protected server.
    ResourceMetadata { path: String, found: bool },
    /// For the metadata of an authorization server.
    ServerMetadata { path: String, found: bool, protocol_version: Option<String> },
    /// A dynamic registration.
    Registration { issuer: String, document: Value },
    /// For the user's consent.
    Authorization { issuer: String, parameters: Parameters },
    /// For a token.
    Token(TokenRequest),
    /// To an identity provider, for an assertion.
    Exchange(TokenRequest),
    /// To the MCP endpoint.
    Mcp(McpRequest),
    /// For a path that does not exist.
    Unknown { verb: String, path: String },
    /// A refresh token in another request, in a place where none may be sent.
    MisplacedRefreshToken(&'static str),
    /// To a server that no client should talk to.
    Stray(StrayRequest),
}

/// A request for a token.
#[derive(Clone)]
pub struct TokenRequest {
    #[doc(hidden)]
    pub issuer: String,
    #[doc(hidden)]
    pub parameters: Parameters,
    #[doc(hidden)]
    pub credentials: PresentedCredentials,
    /// Whether `Authorization` uses `Basic` with an id and a secret that form-decoding does not change.
    #[doc(hidden)]
    pub is_plain_basic: bool,
    /// The assertion, if the server verifies one.
    pub(crate) assertion: Option<Result<Assertion, AssertionFault>>,
    /// The challenge of the authorization request whose code it redeems, or else of the last one.
    #[doc(hidden)]
    pub challenge: Option<String>,
    #[doc(hidden)]
    pub proof: Option<Result<Proof, &'static str>>,
    /// The refresh token that it redeems, if that is its grant.
    #[doc(hidden)]
    pub refresh_token: Option<PresentedRefreshToken>,
    /// Why it was refused.
    #[doc(hidden)]
    pub refusal: Option<ErrorCode>,
}

/// How a client authenticates at the token endpoint.
#[derive(Clone, PartialEq, Eq)]
pub enum PresentedCredentials {
    Nothing,
    /// `Authorization: Basic` with an id and a secret, if it can be decoded.
    Basic(Option<(String, String)>),
    /// A secret in the form.
    Post,
    /// A signed assertion.
    Assertion,
}

/// A request to the MCP endpoint.
#[derive(Clone)]
pub struct McpRequest {
    /// The HTTP method.
    #[doc(hidden)]
    pub verb: String,
    /// The method of the message, if the body is a message.
    #[doc(hidden)]
    pub method: Option<String>,
    /// Whether its URL has `access_token`.
    #[doc(hidden)]
    pub has_token_in_query: bool,
    /// The credentials in `Authorization`.
    #[doc(hidden)]
    pub credentials: Option<McpCredentials>,
    #[doc(hidden)]
    pub proof: Option<Result<Proof, &'static str>>,
    /// The HTTP status of its refusal.
    #[doc(hidden)]
    pub refused: Option<u16>,
}

/// A token in `Authorization`.
#[derive(Clone)]
pub struct McpCredentials {
    #[doc(hidden)]
    pub scheme: String,
    /// Whether a server of the test has issued it.
    #[doc(hidden)]
    pub is_issued: bool,
    /// The thumbprint of the key that it is bound to.
    #[doc(hidden)]
    pub key: Option<String>,
}

impl ReceivedRequests {
    /// Creates an empty list; notes about requests go to this recorder.
    #[doc(hidden)]
    pub fn new(recorder: Recorder) -> Self {
        let connection = recorder.open("http (OAuth)");
        Self { recorder, connection, kept: Arc::default() }
    }

    /// Adds a request, unless the limit on their number or size is reached; then the trace gets no note either.
    pub(crate) fn add(&self, kind: RequestKind) {
        #[cfg(feature = "suite")]
        kind.secrets().for_each(super::seen_secrets::add);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += kind.bytes();
        if kept.requests.len() == MOST_KEPT || kept.bytes > MOST_BYTES {
            return;
        }
        let note = EventKind::Note(kind.summary());
        let seq = self.recorder.record_in(self.connection, None, Party::Client, note);
        kept.requests.push(ReceivedRequest { seq, kind });
    }

    /// All requests so far.
    #[doc(hidden)]
    pub fn all(&self) -> Vec<ReceivedRequest> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }
}

impl TokenRequest {
    /// The assertion, which counts as missing where the server verifies none.
    #[doc(hidden)]
    pub fn assertion(&self) -> Result<&Assertion, AssertionFault> {
        match &self.assertion {
            Some(read) => read.as_ref().map_err(|fault| *fault),
            None => Err(AssertionFault::Missing),
        }
    }

    /// The id of the client.
    #[doc(hidden)]
    pub fn client(&self) -> Option<String> {
        match &self.credentials {
            PresentedCredentials::Basic(Some((id, _))) => Some(id.clone()),
            _ => self.parameters.first("client_id").map(str::to_owned),
        }
    }

    fn summary(&self, what: &str) -> String {
        let names = self.parameters.names();
        match self.refusal {
            None => format!("the client got {what} with {names}"),
            Some(code) => format!("the client asked for {what} with {names}: {}", code.as_str()),
        }
    }
}

impl RequestKind {
    /// Roughly how many bytes from the client it holds.
    fn bytes(&self) -> usize {
        match self {
            Self::ResourceMetadata { path, .. }
            | Self::ServerMetadata { path, .. }
            | Self::Unknown { path, .. } => path.len(),
            Self::MisplacedRefreshToken(place) => place.len(),
            Self::Registration { document, .. } => document.to_string().len(),
            Self::Authorization { parameters, .. } => parameters.bytes(),
            // Doubled, because a verified assertion keeps its claims as well as its text.
            Self::Token(request) | Self::Exchange(request) => 2 * request.parameters.bytes(),
            Self::Mcp(McpRequest { method, .. }) => method.as_ref().map_or(0, String::len),
            Self::Stray(request) => request.summary.len(),
        }
    }

    /// The request without its values, most of which are secrets.
    fn summary(&self) -> String {
        let status = |found: &bool| if *found { "" } else { ", which do not exist" };
        match self {
            Self::ResourceMetadata { path, found } | Self::ServerMetadata { path, found, .. } => {
                format!("the client asked for the metadata at {path}{}", status(found))
            }
            Self::Registration { document, .. } => {
                let members = document.as_object().into_iter().flat_map(Object::iter);
                let names: Vec<&str> = members.map(|(name, _)| name).collect();
                format!("the client registered with {}", names.join(", "))
            }
            Self::Authorization { parameters, .. } => {
                format!("the client asked for authorization with {}", parameters.names())
            }
            Self::Token(request) => request.summary("a token"),
            Self::Exchange(request) => request.summary("an assertion"),
            Self::Mcp(McpRequest { verb, method, credentials, refused, .. }) => {
                let what = method.as_deref().unwrap_or(verb);
                let token = match credentials {
                    None => "no token",
                    Some(credentials) if credentials.is_issued => "a token",
                    Some(_) => "a token that nobody issued",
                };
                let refused = refused.map(|status| format!(": HTTP {status}")).unwrap_or_default();
                format!("the client sent `{what}` with {token}{refused}")
            }
            Self::Unknown { verb, path } => {
                format!("the client sent `{verb} {path}`, which does not exist")
            }
            Self::MisplacedRefreshToken(place) => {
                format!("the client sent its refresh token in {place}")
            }
            Self::Stray(StrayRequest { summary, has_token }) => {
                let token = if *has_token { ", with a token" } else { "" };
                format!("the client sent `{summary}` to a server that it should not trust{token}")
            }
        }
    }
}

/// The parameters of token requests that are secrets.
#[cfg(feature = "suite")]
const SECRET_PARAMETERS: [&str; 7] = [
    "assertion",
    "client_assertion",
    "client_secret",
    "code",
    "code_verifier",
    "refresh_token",
    "subject_token",
];

impl RequestKind {
    /// The secrets in a request.
    #[cfg(feature = "suite")]
    fn secrets(&self) -> impl Iterator<Item = &str> {
        let request = match self {
            Self::Token(request) | Self::Exchange(request) => Some(request),
            _ => None,
        };
        request.into_iter().flat_map(|TokenRequest { parameters, credentials, .. }| {
            let secret = match credentials {
                PresentedCredentials::Basic(Some((_, secret))) => Some(secret.as_str()),
                _ => None,
            };
            SECRET_PARAMETERS.iter().flat_map(|name| parameters.all(name)).chain(secret)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_flood_is_bounded() {
        let recorder = Recorder::new();
        let received = ReceivedRequests::new(recorder.clone());
        let document = Value::from(vec!["x".repeat(1024); 60]);
        for _ in 0..MOST_KEPT {
            let (issuer, document) = (String::new(), document.clone());
            received.add(RequestKind::Registration { issuer, document });
        }
        let kept = received.all().len();
        assert!((10..20).contains(&kept), "{kept}");
        assert_eq!(recorder.trace().events.len(), kept + 1, "a remark each, and the opening");
        let path = || "/".to_owned();
        let few = ReceivedRequests::new(Recorder::new());
        for _ in 0..=MOST_KEPT {
            let protocol_version = None;
            few.add(RequestKind::ServerMetadata { path: path(), found: false, protocol_version });
        }
        assert_eq!(few.all().len(), MOST_KEPT);
    }
}
