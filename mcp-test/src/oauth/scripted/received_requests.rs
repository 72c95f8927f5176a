//! What the actors of a test received of a client that signs in, in order, for scenarios to judge.
//!
//! Beside the trace, because it has the secrets, which a trace must not have: it stays in memory, and has no `Debug`. The trace
//! gets a remark about each request, without its values.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::dpop::Proof;
use super::super::oauth_error::ErrorCode;
use super::super::parameters::Parameters;
use crate::json::Value;
use crate::trace::{ConnectionId, EventKind, Party, Recorder, Seq};

/// How many requests are kept; a client that makes more has failed already.
const MOST_KEPT: usize = 500;

/// The requests of one test; clones share them.
#[derive(Clone)]
pub(crate) struct ReceivedRequests {
    recorder: Recorder,
    connection: ConnectionId,
    kept: Arc<Mutex<Vec<ReceivedRequest>>>,
}

/// A request, and the remark about it in the trace.
#[derive(Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) seq: Seq,
    pub(crate) kind: RequestKind,
}

/// What a request is.
#[derive(Clone)]
pub(crate) enum RequestKind {
    /// For the metadata of the protected server.
    ResourceMetadata { path: String, found: bool },
    /// For the metadata of an authorization server.
    ServerMetadata { path: String, found: bool },
    /// A dynamic registration.
    Registration { issuer: String, document: Value },
    /// For consent of the user.
    Authorization { issuer: String, parameters: Parameters },
    /// For a token.
    Token(TokenRequest),
    /// To the MCP endpoint.
    Mcp(McpRequest),
}

/// A request for a token.
#[derive(Clone)]
pub(crate) struct TokenRequest {
    pub(crate) issuer: String,
    pub(crate) parameters: Parameters,
    pub(crate) credentials: PresentedCredentials,
    /// The challenge of the authorization request whose code it redeems, or else of the last one.
    pub(crate) challenge: Option<String>,
    pub(crate) proof: Option<Result<Proof, &'static str>>,
    /// Why it was refused.
    pub(crate) refusal: Option<ErrorCode>,
}

/// By what a client authenticates at the token endpoint.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum PresentedCredentials {
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
pub(crate) struct McpRequest {
    /// The HTTP method.
    pub(crate) verb: String,
    /// The method of the message, if it is one.
    pub(crate) method: Option<String>,
    /// The credentials in `Authorization`.
    pub(crate) credentials: Option<McpCredentials>,
    pub(crate) proof: Option<Result<Proof, &'static str>>,
    /// The HTTP status of its refusal.
    pub(crate) refused: Option<u16>,
}

/// A token in `Authorization`.
#[derive(Clone)]
pub(crate) struct McpCredentials {
    pub(crate) scheme: String,
    /// Whether a server of the test has issued it.
    pub(crate) is_issued: bool,
}

impl ReceivedRequests {
    /// None yet; the remarks go to this recorder.
    pub(crate) fn new(recorder: Recorder) -> Self {
        let connection = recorder.open("http (OAuth)");
        Self { recorder, connection, kept: Arc::default() }
    }

    /// Adds a request.
    pub(crate) fn add(&self, kind: RequestKind) {
        let note = EventKind::Note(kind.summary());
        let seq = self.recorder.record_in(self.connection, None, Party::Client, note);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.push(ReceivedRequest { seq, kind });
        }
    }

    /// All requests so far.
    pub(crate) fn all(&self) -> Vec<ReceivedRequest> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl RequestKind {
    /// The request without its values, most of which are secrets.
    fn summary(&self) -> String {
        let status = |found: &bool| if *found { "" } else { ", which is not there" };
        match self {
            Self::ResourceMetadata { path, found } | Self::ServerMetadata { path, found } => {
                format!("the client asked for the metadata at {path}{}", status(found))
            }
            Self::Registration { document, .. } => {
                let members = document.as_object().into_iter().flat_map(|object| object.iter());
                let names: Vec<&str> = members.map(|(name, _)| name).collect();
                format!("the client registered with {}", names.join(", "))
            }
            Self::Authorization { parameters, .. } => {
                format!("the client asked for authorization with {}", parameters.names())
            }
            Self::Token(request) => match request.refusal {
                None => format!("the client got a token with {}", request.parameters.names()),
                Some(code) => {
                    let names = request.parameters.names();
                    format!("the client asked for a token with {names}: {}", code.as_str())
                }
            },
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
        }
    }
}
