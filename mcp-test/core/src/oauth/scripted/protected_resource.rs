//! The protected MCP server of a test: its metadata, its challenges, and who is admitted.

use std::sync::OnceLock;
use std::{fmt, future};

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};

use super::scripted_server::ScriptedState;
use super::{
    Behavior, Canary, IssuedToken, McpCredentials, McpRequest, RequestKind, ScriptedServer,
    SharedFacts, metadata,
};
use crate::json::{Object, Value};
use crate::oauth::answer::Answer;
use crate::oauth::dpop::{DPOP_NONCE, ProvenRequest, USE_DPOP_NONCE};
use crate::oauth::parameters::Parameters;
use crate::oauth::well_known::{PROTECTED_RESOURCE, origin};
use crate::transport::serve_http::{AccessControl, GuardedRequest};

/// The path of the MCP endpoint.
const ENDPOINT: &str = "/mcp";

/// A protected MCP server, in front of the one that answers.
pub struct ProtectedResource {
    facts: SharedFacts,
    /// The authorization servers; the metadata names the one that `current` selects.
    servers: Vec<ScriptedServer>,
    current: Box<dyn Fn() -> usize + Send + Sync>,
    /// An authorization server at the same origin.
    own_server: Option<(Behavior, OnceLock<Option<ScriptedState>>)>,
    metadata_at: Option<&'static str>,
    is_announced: bool,
    /// Where a challenge says that its metadata is, if that is elsewhere.
    announces: Option<Box<Announces>>,
    /// The issuers that its metadata names instead of its server.
    issuers: Option<Vec<String>>,
    /// Where its metadata redirect to.
    metadata_moved_to: Option<String>,
    /// Where requests to the MCP endpoint are redirected to.
    endpoint_moved_to: Option<String>,
    /// Stopped with this server.
    canaries: Vec<Canary>,
    resource: ResourceName,
    scopes_supported: &'static [&'static str],
    scheme: &'static str,
    nonce: Option<&'static str>,
    guards_post_alone: bool,
    admits: Box<Admits>,
}

type Admits = dyn Fn(&Access<'_>) -> Verdict + Send + Sync;
/// Gets whether the request has a token.
type Announces = dyn Fn(bool) -> Option<String> + Send + Sync;

/// What the metadata names as the resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceName {
    /// The URL of the MCP endpoint.
    Endpoint,
    /// The same with the scheme in upper case, which names the same resource (RFC 3986, section 6.2.2.1).
    UpperCaseEndpoint,
    /// Its origin.
    Origin,
    /// Another URL.
    Other(&'static str),
}

/// A request to the MCP endpoint.
pub struct Access<'a> {
    /// The method of its message.
    #[doc(hidden)]
    pub method: Option<&'a str>,
    /// Whether it has a token, be it an invented one.
    #[doc(hidden)]
    pub has_token: bool,
    /// The token, if a server of the test has issued it.
    #[doc(hidden)]
    pub token: Option<&'a IssuedToken>,
}

/// Whether a request is admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Admit,
    /// It needs a token, for this scope.
    Unauthorized {
        scope: Option<&'static str>,
    },
    /// Its token lacks this scope.
    InsufficientScope {
        scope: &'static str,
    },
    /// The client has tried too often.
    Gone,
    /// The endpoint has moved.
    Moved,
}

impl ProtectedResource {
    /// A server that trusts these authorization servers; its metadata is where RFC 9728 has it for the endpoint `/mcp`,
    /// and it admits every request with a token of one of the servers.
    #[doc(hidden)]
    pub fn new(facts: &SharedFacts, servers: Vec<ScriptedServer>) -> Self {
        Self {
            facts: facts.clone(),
            servers,
            current: Box::new(|| 0),
            own_server: None,
            metadata_at: Some("/.well-known/oauth-protected-resource/mcp"),
            is_announced: true,
            announces: None,
            issuers: None,
            metadata_moved_to: None,
            endpoint_moved_to: None,
            canaries: Vec::new(),
            resource: ResourceName::Endpoint,
            scopes_supported: &[],
            scheme: "Bearer",
            nonce: None,
            guards_post_alone: false,
            admits: Box::new(|access| match access.token {
                Some(_) => Verdict::Admit,
                None => Verdict::Unauthorized { scope: None },
            }),
        }
    }

    /// Has its metadata at this path.
    #[doc(hidden)]
    pub fn metadata_at(mut self, path: &'static str) -> Self {
        self.metadata_at = Some(path);
        self
    }

    /// Does not say in its challenges where its metadata is.
    #[doc(hidden)]
    pub fn unannounced(mut self) -> Self {
        self.is_announced = false;
        self
    }

    /// Says in the challenges for which this returns a URL that its metadata is there; it gets whether the request has a token.
    #[doc(hidden)]
    pub fn announces(
        mut self,
        announces: impl Fn(bool) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.announces = Some(Box::new(announces));
        self
    }

    /// Names these issuers in its metadata.
    #[doc(hidden)]
    pub fn issuers(mut self, issuers: Vec<String>) -> Self {
        self.issuers = Some(issuers);
        self
    }

    /// Answers requests for its metadata with a redirect.
    #[doc(hidden)]
    pub fn metadata_moved_to(mut self, url: String) -> Self {
        self.metadata_moved_to = Some(url);
        self
    }

    /// Where it redirects requests whose verdict is [`Verdict::Moved`].
    #[doc(hidden)]
    pub fn endpoint_moved_to(mut self, url: String) -> Self {
        self.endpoint_moved_to = Some(url);
        self
    }

    /// Stops this one when it stops itself.
    #[doc(hidden)]
    pub fn with_canary(mut self, canary: Canary) -> Self {
        self.canaries.push(canary);
        self
    }

    /// Has no metadata, but an authorization server at its own origin, as in 2025-03-26.
    #[doc(hidden)]
    pub fn with_own_server(mut self, behavior: Behavior) -> Self {
        (self.metadata_at, self.is_announced) = (None, false);
        self.own_server = Some((behavior, OnceLock::new()));
        self
    }

    /// Names this as the resource.
    #[doc(hidden)]
    pub fn named(mut self, resource: ResourceName) -> Self {
        self.resource = resource;
        self
    }

    /// Lists these scopes in its metadata.
    #[doc(hidden)]
    pub fn scopes_supported(mut self, scopes: &'static [&'static str]) -> Self {
        self.scopes_supported = scopes;
        self
    }

    /// Names the authorization server of this index in its metadata.
    #[doc(hidden)]
    pub fn current(mut self, current: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        self.current = Box::new(current);
        self
    }

    /// Asks for proofs of possession, with this nonce if there is one.
    #[doc(hidden)]
    pub fn dpop(mut self, nonce: Option<&'static str>) -> Self {
        (self.scheme, self.nonce) = ("DPoP", nonce);
        self
    }

    /// Admits every request but POST, as the official servers do.
    #[doc(hidden)]
    pub fn guarding_post_alone(mut self) -> Self {
        self.guards_post_alone = true;
        self
    }

    /// Admits requests as this says.
    #[doc(hidden)]
    pub fn admits(
        mut self,
        admits: impl Fn(&Access<'_>) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        self.admits = Box::new(admits);
        self
    }

    /// Notes if a request to the MCP endpoint has a refresh token, wherever it is.
    fn look_for_refresh_tokens(&self, head: &Parts, message: Option<&Value>) {
        let query = head.uri.query().unwrap_or_default();
        self.facts.look_for_refresh_token("a URL of the MCP server", query);
        for value in head.headers.values() {
            let value = value.to_str().unwrap_or_default();
            self.facts.look_for_refresh_token("a header for the MCP server", value);
        }
        let message = message.map(Value::to_string).unwrap_or_default();
        self.facts.look_for_refresh_token("a message for the MCP server", &message);
    }

    fn metadata(&self, origin: &str) -> Value {
        let mut document = Object::new();
        let resource = match self.resource {
            ResourceName::Endpoint => format!("{origin}/mcp"),
            ResourceName::UpperCaseEndpoint => format!("{origin}/mcp").replacen("http", "HTTP", 1),
            ResourceName::Origin => origin.to_owned(),
            ResourceName::Other(url) => url.to_owned(),
        };
        document.insert("resource", resource);
        let named = self.servers.get((self.current)());
        let own = || named.iter().map(|server| server.issuer().to_owned()).collect();
        document.insert("authorization_servers", self.issuers.clone().unwrap_or_else(own));
        if !self.scopes_supported.is_empty() {
            document.insert("scopes_supported", self.scopes_supported.to_vec());
        }
        document.into()
    }

    /// The response with a challenge.
    fn challenge(&self, head: &Parts, status: StatusCode, parameters: &[(&str, &str)]) -> Response {
        let announced = self.metadata_at.filter(|_| self.is_announced);
        let stated = self.announces.as_ref();
        let stated = stated.and_then(|announces| announces(presented(head).is_some()));
        let url = stated.or(announced.map(|path| format!("{}{path}", origin(head))));
        let all = parameters
            .iter()
            .map(|(name, value)| format!("{name}=\"{value}\""))
            .chain(url.map(|url| format!("resource_metadata=\"{url}\"")));
        let parameters = all.collect::<Vec<_>>().join(", ");
        let challenge = format!("{} {parameters}", self.scheme);
        let mut answer = Answer::empty(status);
        let challenge = HeaderValue::from_str(challenge.trim_end());
        answer.headers.extend(challenge.map(|value| (header::WWW_AUTHENTICATE, value)));
        if parameters.contains(USE_DPOP_NONCE)
            && let Some(nonce) = self.nonce
        {
            let name = http::HeaderName::from_static(DPOP_NONCE);
            answer.headers.push((name, HeaderValue::from_static(nonce)));
        }
        answer.into_response()
    }
}

/// Scheme and credentials in `Authorization`.
fn presented(head: &Parts) -> Option<(&str, &str)> {
    let value = head.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    Some(value.split_once(' ').unwrap_or((value, "")))
}

impl AccessControl for ProtectedResource {
    fn refuse<'a>(&'a self, request: GuardedRequest<'a>) -> BoxFuture<'a, Option<Response>> {
        Box::pin(future::ready(self.refusal(request)))
    }

    fn answer<'a>(&'a self, head: &'a Parts, body: Body) -> BoxFuture<'a, Option<Response>> {
        Box::pin(async move {
            let path = head.uri.path();
            let is_there = self.metadata_at == Some(path);
            if head.method == Method::GET && (is_there || path.starts_with(PROTECTED_RESOURCE)) {
                let (path, found) = (path.to_owned(), is_there);
                self.facts.received.add(RequestKind::ResourceMetadata { path, found });
                let document = || match &self.metadata_moved_to {
                    Some(target) => Answer::redirect(target),
                    None => Answer::json(StatusCode::OK, self.metadata(&origin(head))),
                };
                return is_there.then(|| document().into_response());
            }
            let Some((behavior, state)) = self.own_server.as_ref() else {
                if path != ENDPOINT {
                    self.facts.receive_unknown(head);
                }
                return None;
            };
            let start = || ScriptedState::new(behavior.clone(), origin(head), &self.facts).ok();
            let answer = state.get_or_init(start).as_ref()?.answer(head, body).await;
            // The authorization server has noted a request for its metadata.
            if answer.is_none() && path != ENDPOINT && !metadata::may_be_at(path) {
                self.facts.receive_unknown(head);
            }
            Some(answer?.into_response())
        })
    }
}

impl ProtectedResource {
    fn refusal(
        &self,
        GuardedRequest { head, message, .. }: GuardedRequest<'_>,
    ) -> Option<Response> {
        let method = message.and_then(|message| message.get("method")).and_then(Value::as_str);
        self.look_for_refresh_tokens(head, message);
        let presented = presented(head);
        let token = presented.and_then(|(_, token)| self.facts.tokens.find(token));
        let url = format!("{}{}", origin(head), head.uri.path());
        let (verb, sent) = (head.method.as_str(), presented.map(|(_, token)| token));
        let proven = ProvenRequest { method: verb, url: &url, nonce: None, token: sent };
        let proof = proven.verify(&head.headers);
        let key = token.as_ref().and_then(|token| token.key.clone());
        // What has no valid proof lacks more than the nonce, and is admitted, to be judged later.
        let proof_of_key = proof.as_ref().and_then(|proof| proof.as_ref().ok());
        let proof_of_key = proof_of_key.filter(|proof| Some(&proof.thumbprint) == key.as_ref());
        let lacks_nonce = self.nonce.is_some()
            && proof_of_key.is_some_and(|proof| proof.nonce.as_deref() != self.nonce);
        let is_guarded = !self.guards_post_alone || head.method == Method::POST;
        let access = Access { method, has_token: presented.is_some(), token: token.as_ref() };
        let refusal = match (self.admits)(&access) {
            _ if !is_guarded => None,
            Verdict::Admit if lacks_nonce => {
                let parameters = [("error", USE_DPOP_NONCE)];
                Some(self.challenge(head, StatusCode::UNAUTHORIZED, &parameters))
            }
            Verdict::Admit => None,
            Verdict::Unauthorized { scope } => {
                let invalid = presented.map(|_| ("error", "invalid_token"));
                let scope = scope.map(|scope| ("scope", scope));
                let parameters: Vec<_> = invalid.into_iter().chain(scope).collect();
                Some(self.challenge(head, StatusCode::UNAUTHORIZED, &parameters))
            }
            Verdict::InsufficientScope { scope } => {
                let parameters = [("error", "insufficient_scope"), ("scope", scope)];
                Some(self.challenge(head, StatusCode::FORBIDDEN, &parameters))
            }
            Verdict::Gone => Some(Answer::empty(StatusCode::GONE).into_response()),
            Verdict::Moved => {
                let target = self.endpoint_moved_to.as_deref().unwrap_or_default();
                let mut answer = Answer::redirect(target);
                // As the only redirect beside 308, it has the client send the same message there.
                answer.status = StatusCode::TEMPORARY_REDIRECT;
                Some(answer.into_response())
            }
        };
        let credentials = presented.map(|(scheme, _)| McpCredentials {
            scheme: scheme.to_owned(),
            is_issued: token.is_some(),
            key,
        });
        self.facts.received.add(RequestKind::Mcp(McpRequest {
            verb: verb.to_owned(),
            has_token_in_query: Parameters::parse(head.uri.query().unwrap_or_default().as_bytes())
                .first("access_token")
                .is_some(),
            method: method.map(str::to_owned),
            credentials,
            proof,
            refused: refusal.as_ref().map(|response| response.status().as_u16()),
        }));
        refusal
    }
}

impl fmt::Debug for ProtectedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProtectedResource").field("servers", &self.servers).finish_non_exhaustive()
    }
}
