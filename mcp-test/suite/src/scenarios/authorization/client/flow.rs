//! The checks that every scenario makes of a client that signs in, and what such a client has done.

use mcp_test_core::jose::base64url;
use mcp_test_core::oauth::parameters::Parameters;
use mcp_test_core::oauth::scripted::{
    McpRequest, ReceivedRequests, RequestKind, StrayRequest, TokenRequest,
};
use reqwest::Url;
use ring::digest;

use crate::scenarios::prelude::*;
use crate::scenarios::references::{
    ACCESS_TOKEN_USAGE, AUTHORIZATION_ENDPOINT, METADATA_DISCOVERY, PKCE, PRM_DISCOVERY,
    REGISTRATION_PAGE, RFC_8414, RFC_9728, TOKEN_REQUEST,
};

pub(in crate::scenarios) const PRM: CheckSpec = check!(
    "prm-pathbased-requested",
    "The client asks for the metadata of the protected server",
    [AUTH_DISCOVERY_PRM_CLIENT]
)
.official(&[RFC_9728, PRM_DISCOVERY])
.named("PRMPathBasedRequested");
pub(in crate::scenarios) const METADATA: CheckSpec = check!(
    "authorization-server-metadata",
    "The client asks for the metadata of the authorization server",
    [AUTH_DISCOVERY_AS_MULTIPLE_WELL_KNOWN]
)
.official(&[RFC_8414, METADATA_DISCOVERY])
.within(Revisions::from(Revision::V2025_06_18), "the official suite makes it at 2025-06-18, too");
pub(in crate::scenarios) const REGISTRATION: CheckSpec = check!(
    "client-registration",
    "The client registers with the authorization server",
    [AUTH_REGISTRATION_DCR_FALLBACK]
)
.official(&[REGISTRATION_PAGE])
.always_fails("the official suite fails it")
.within(Revisions::from(Revision::V2025_06_18), "the official suite makes it at 2025-06-18, too");
pub(in crate::scenarios) const APPLICATION_TYPE: CheckSpec = check!(
    "sep-837-application-type-present",
    "The registration says whether the client is a native application or one of the web",
    [AUTH_REGISTRATION_APPLICATION_TYPE]
)
.official(&[REGISTRATION_PAGE])
.named("DCR application_type specified")
.conditional();
pub(in crate::scenarios) const AUTHORIZATION: CheckSpec = check!(
    "authorization-request",
    "The client asks for the consent of the user",
    [AUTH_CHALLENGE_CLIENT_PARSES_WWW_AUTHENTICATE]
)
.official(&[AUTHORIZATION_ENDPOINT]);
pub(in crate::scenarios) const CHALLENGE_SENT: CheckSpec = check!(
    "pkce-code-challenge-sent",
    "The authorization request has a code challenge",
    [AUTH_PKCE_CLIENT_USES]
)
.official(&[PKCE])
.named("PKCE Code Challenge")
.conditional();
pub(in crate::scenarios) const S256: CheckSpec =
    check!("pkce-s256-method-used", "The method of the code challenge is S256", [AUTH_PKCE_S256])
        .official(&[PKCE])
        .named("PKCE S256 Method")
        .conditional()
        .within(
            Revisions::from(Revision::V2025_06_18),
            "the official suite makes it at 2025-06-18, too",
        );
pub(in crate::scenarios) const TOKEN: CheckSpec = check!(
    "token-request",
    "The client asks for a token",
    [AUTH_CHALLENGE_CLIENT_PARSES_WWW_AUTHENTICATE]
)
.official(&[TOKEN_REQUEST]);
pub(in crate::scenarios) const VERIFIER_SENT: CheckSpec = check!(
    "pkce-code-verifier-sent",
    "The request that redeems a code has a code verifier",
    [AUTH_PKCE_CLIENT_USES]
)
.official(&[PKCE])
.named("PKCE Code Verifier")
.conditional();
pub(in crate::scenarios) const VERIFIER_MATCHES: CheckSpec = check!(
    "pkce-verifier-matches-challenge",
    "The code verifier is that of the code challenge",
    [AUTH_PKCE_CLIENT_USES]
)
.official(&[PKCE])
.named("PKCE Verifier Validation")
.conditional();
pub(in crate::scenarios) const VALID_BEARER: CheckSpec = check!(
    "valid-bearer-token",
    "The client sends a token that it got",
    [AUTH_TOKEN_AUTHORIZATION_HEADER]
)
.official(&[ACCESS_TOKEN_USAGE])
.conditional()
.informs();
pub(in crate::scenarios) const INVALID_BEARER: CheckSpec = check!(
    "invalid-bearer-token",
    "The client sends no token that it did not get",
    [AUTH_TOKEN_CLIENT_ONLY_AS_ISSUED]
)
.official(&[ACCESS_TOKEN_USAGE])
.conditional();

/// What a client did to sign in.
#[derive(Default)]
pub(in crate::scenarios) struct Flow {
    pub(in crate::scenarios) resource_metadata: Vec<Received<Fetched>>,
    pub(in crate::scenarios) server_metadata: Vec<Received<Fetched>>,
    pub(in crate::scenarios) registrations: Vec<Received<Registered>>,
    pub(in crate::scenarios) authorizations: Vec<Received<Authorized>>,
    pub(in crate::scenarios) tokens: Vec<Received<TokenRequest>>,
    /// The requests to an identity provider.
    pub(in crate::scenarios) exchanges: Vec<Received<TokenRequest>>,
    pub(in crate::scenarios) mcp: Vec<Received<McpRequest>>,
    /// The requests for what does not exist.
    pub(in crate::scenarios) unknown: Vec<Received<Unknown>>,
    /// The places of refresh tokens that must not be there.
    pub(in crate::scenarios) misplaced: Vec<Received<&'static str>>,
    /// The requests to a server that no client should talk to.
    pub(in crate::scenarios) stray: Vec<Received<StrayRequest>>,
}

/// A request, and the remark about it in the trace.
pub(in crate::scenarios) struct Received<T> {
    pub(in crate::scenarios) seq: Seq,
    pub(in crate::scenarios) request: T,
}

/// A request for metadata.
pub(in crate::scenarios) struct Fetched {
    pub(in crate::scenarios) path: String,
    /// Whether they are there.
    pub(in crate::scenarios) found: bool,
    /// `MCP-Protocol-Version`, of a request for the metadata of an authorization server.
    pub(in crate::scenarios) protocol_version: Option<String>,
}

/// A request for what does not exist.
pub(in crate::scenarios) struct Unknown {
    /// The HTTP method.
    pub(in crate::scenarios) verb: String,
    pub(in crate::scenarios) path: String,
}

/// A registration.
pub(in crate::scenarios) struct Registered {
    pub(in crate::scenarios) issuer: String,
    pub(in crate::scenarios) document: Value,
}

/// An authorization request.
#[derive(PartialEq, Eq)]
pub(in crate::scenarios) struct Authorized {
    pub(in crate::scenarios) issuer: String,
    pub(in crate::scenarios) parameters: Parameters,
}

impl Authorized {
    /// The scopes that it asks for.
    pub(in crate::scenarios) fn scopes(&self) -> Vec<&str> {
        let scopes = self.parameters.first("scope").unwrap_or_default();
        scopes.split_ascii_whitespace().collect()
    }
}

impl Flow {
    /// What the client of a test did.
    pub(in crate::scenarios) fn of(judging: &Judging) -> Self {
        let kept: Option<Arc<ReceivedRequests>> = judging.kept();
        let is_official = judging.profile() == Profile::Official;
        let mut flow = Self::default();
        for received in kept.map(|kept| kept.all()).unwrap_or_default() {
            let seq = received.seq;
            match received.kind {
                RequestKind::ResourceMetadata { path, found } => {
                    let request = Fetched { path, found, protocol_version: None };
                    flow.resource_metadata.push(Received { seq, request });
                }
                RequestKind::ServerMetadata { path, found, protocol_version } => {
                    let request = Fetched { path, found, protocol_version };
                    flow.server_metadata.push(Received { seq, request });
                }
                RequestKind::Registration { issuer, document } => {
                    let request = Registered { issuer, document };
                    flow.registrations.push(Received { seq, request });
                }
                RequestKind::Authorization { issuer, parameters } => {
                    let request = Authorized { issuer, parameters };
                    if !is_official && flow.has_just_made(&request) {
                        continue;
                    }
                    flow.authorizations.push(Received { seq, request });
                }
                RequestKind::Token(request) => flow.tokens.push(Received { seq, request }),
                RequestKind::Exchange(request) => flow.exchanges.push(Received { seq, request }),
                RequestKind::Mcp(request) => flow.mcp.push(Received { seq, request }),
                RequestKind::Unknown { verb, path } => {
                    flow.unknown.push(Received { seq, request: Unknown { verb, path } });
                }
                RequestKind::MisplacedRefreshToken(place) => {
                    flow.misplaced.push(Received { seq, request: place });
                }
                RequestKind::Stray(request) => flow.stray.push(Received { seq, request }),
            }
        }
        flow
    }

    /// Whether the last authorization request was the same, and came to nothing yet: some clients try the URL before their user opens it,
    /// who may also open it again.
    fn has_just_made(&self, request: &Authorized) -> bool {
        let Some(last) = self.authorizations.last() else { return false };
        last.request == *request && self.tokens.last().is_none_or(|token| token.seq < last.seq)
    }

    /// Whether the client did anything to sign in.
    fn has_begun(&self) -> bool {
        [&self.resource_metadata, &self.server_metadata].iter().any(|fetched| !fetched.is_empty())
            || !self.registrations.is_empty()
            || !self.authorizations.is_empty()
            || !self.tokens.is_empty()
            || !self.exchanges.is_empty()
    }

    /// The first request for metadata of the server that was found.
    pub(in crate::scenarios) fn found_resource_metadata(&self) -> Option<&Received<Fetched>> {
        self.resource_metadata.iter().find(|fetched| fetched.request.found)
    }

    /// The first request for metadata of the authorization server that was found.
    pub(in crate::scenarios) fn found_server_metadata(&self) -> Option<&Received<Fetched>> {
        self.server_metadata.iter().find(|fetched| fetched.request.found)
    }
}

/// A client that never began to sign in.
///
/// Authorization is optional, so that this breaks no requirement.
pub(in crate::scenarios) fn never_signed_in(judging: &Judging) -> Finding {
    judging
        .task_not_done("the client did not sign in")
        .expected("a request for the metadata of the server, after HTTP 401")
        .got("none of the requests of OAuth")
}

/// Makes the checks that every scenario has, as far as the client came; the error is that it never began.
pub(in crate::scenarios) fn judge_flow(judging: &mut Judging) -> Result<Flow, Finding> {
    let flow = Flow::of(judging);
    judge_steps(judging, &flow);
    if flow.tokens.is_empty() {
        // Authorization is optional, and a person would have to consent: whoever has no token cannot go on.
        judging.tolerate_failed_exit();
    }
    match flow.has_begun() {
        true => Ok(flow),
        false => Err(never_signed_in(judging)),
    }
}

/// The same, where each of these steps must have been taken.
pub(in crate::scenarios) fn judge_whole_flow(
    judging: &mut Judging,
    steps: &[Step],
) -> Result<Flow, Finding> {
    let flow = judge_flow(judging)?;
    for step in steps {
        step.demand(judging, &flow);
    }
    Ok(flow)
}

/// Makes a check of each authorization request, or says that there is none.
pub(in crate::scenarios) fn judge_authorizations(
    judging: &mut Judging,
    flow: &Flow,
    check: &str,
    judge: impl Fn(&Authorized) -> Result<(), Finding>,
) {
    if flow.authorizations.is_empty() {
        let finding = Finding::peer("the client made no authorization request");
        judging.check(check).missing(finding);
    }
    for Received { seq, request } in &flow.authorizations {
        judging.check(check).judge(judge(request).map_err(|finding| finding.evidence(*seq)));
    }
}

/// Fails a check for each request for the metadata of another issuer at the same origin.
pub(in crate::scenarios) fn judge_wrong_path(judging: &mut Judging, flow: &Flow, check: &str) {
    let is_root = |fetched: &&Received<Fetched>| {
        fetched.request.path == "/.well-known/oauth-authorization-server"
    };
    for asked in flow.server_metadata.iter().filter(is_root) {
        let finding = Finding::peer("the client asked for the metadata of another issuer")
            .expected("the metadata of the issuer that the server names, which has a path")
            .got(format!("`GET {}`", asked.request.path));
        judging.check(check).fail(finding.evidence(asked.seq));
    }
}

/// A step of a client that signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scenarios) enum Step {
    ResourceMetadata,
    ServerMetadata,
    Registration,
    Authorization,
    Token,
}

impl Step {
    pub(in crate::scenarios) const ALL: [Self; 5] = [
        Self::ResourceMetadata,
        Self::ServerMetadata,
        Self::Registration,
        Self::Authorization,
        Self::Token,
    ];

    /// The finding that it was not taken.
    pub(in crate::scenarios) fn not_taken(self, flow: &Flow) -> Finding {
        let what = match self {
            Self::ResourceMetadata => "find the metadata of the server",
            Self::ServerMetadata => "find the metadata of the authorization server",
            Self::Registration => "register",
            Self::Authorization => "ask for authorization",
            Self::Token => "ask for a token",
        };
        let finding = Finding::peer(format!("the client did not {what}"));
        let fetched = flow.resource_metadata.iter().chain(&flow.server_metadata);
        let tried: Vec<String> =
            fetched.map(|fetched| format!("`GET {}`", fetched.request.path)).collect();
        match tried.as_slice() {
            [] => finding,
            tried => finding.got(format!("{} and nothing after that", tried.join(", "))),
        }
    }

    /// Fails its check if the step was not taken.
    fn demand(self, judging: &mut Judging, flow: &Flow) {
        let (check, is_taken) = match self {
            Self::ResourceMetadata => (PRM, flow.found_resource_metadata().is_some()),
            Self::ServerMetadata => (METADATA, flow.found_server_metadata().is_some()),
            Self::Registration => (REGISTRATION, !flow.registrations.is_empty()),
            Self::Authorization => (AUTHORIZATION, !flow.authorizations.is_empty()),
            Self::Token => (TOKEN, !flow.tokens.is_empty()),
        };
        if is_taken {
            return;
        }
        let finding = self.not_taken(flow);
        let row = judging.check(&check.id);
        // Whether a client registers, and how far it goes, depends on what it supports.
        let row = match self {
            Self::ResourceMetadata | Self::ServerMetadata => row,
            _ => row.by_task(),
        };
        row.fail(finding);
    }
}

/// Makes the checks of the steps that the client took.
fn judge_steps(judging: &mut Judging, flow: &Flow) {
    for (check, seen) in [
        (PRM, flow.found_resource_metadata().is_some()),
        (METADATA, flow.found_server_metadata().is_some()),
        (REGISTRATION, !flow.registrations.is_empty()),
        (AUTHORIZATION, !flow.authorizations.is_empty()),
        (TOKEN, !flow.tokens.is_empty()),
    ] {
        if seen && judging.declares(&check.id) {
            judging.check(&check.id).pass();
        }
    }
    judge_each(judging, &APPLICATION_TYPE, &flow.registrations, application_type);
    judge_each(judging, &CHALLENGE_SENT, &flow.authorizations, |request| {
        present(&request.parameters, "code_challenge")
    });
    judge_each(judging, &S256, &flow.authorizations, |request| {
        let method = request.parameters.first("code_challenge_method");
        equal("`code_challenge_method`", method, "S256")
    });
    let redeems = |received: &&Received<TokenRequest>| {
        received.request.parameters.first("grant_type") == Some("authorization_code")
    };
    let redeeming = || flow.tokens.iter().filter(redeems);
    judge_each(judging, &VERIFIER_SENT, redeeming(), |request| {
        present(&request.parameters, "code_verifier")
    });
    judge_each(judging, &VERIFIER_MATCHES, redeeming(), verifier_matches);
    let is_issued = |received: &&Received<McpRequest>| {
        received.request.credentials.as_ref().is_some_and(|credentials| credentials.is_issued)
    };
    let is_invented = |received: &&Received<McpRequest>| {
        received.request.credentials.as_ref().is_some_and(|credentials| !credentials.is_issued)
    };
    judge_each(judging, &VALID_BEARER, flow.mcp.iter().filter(is_issued), |_| Ok(()));
    judge_each(judging, &INVALID_BEARER, flow.mcp.iter().filter(is_invented), |_| {
        Err(Finding::peer("the client sent a token that it never got")
            .expected("a token of the authorization server, or none")
            .got("another text"))
    });
}

/// Makes one check of each of several requests, if the scenario declares it.
fn judge_each<'a, T: 'a>(
    judging: &mut Judging,
    check: &CheckSpec,
    requests: impl IntoIterator<Item = &'a Received<T>>,
    judge: impl Fn(&T) -> Result<(), Finding>,
) {
    if !judging.declares(&check.id) {
        return;
    }
    for received in requests {
        let outcome = judge(&received.request).map_err(|finding| finding.evidence(received.seq));
        judging.check(&check.id).judge(outcome);
    }
}

fn application_type(request: &Registered) -> Result<(), Finding> {
    let stated = request.document.get("application_type").and_then(Value::as_str);
    match stated {
        Some("native" | "web") => Ok(()),
        _ => Err(Finding::peer("the registration has no valid `application_type`")
            .expected("`native` or `web`")
            .got(stated.map_or("nothing".to_owned(), |stated| format!("`{stated}`")))),
    }
}

fn verifier_matches(request: &TokenRequest) -> Result<(), Finding> {
    let verifier = request.parameters.first("code_verifier");
    let hash = |verifier: &str| base64url(digest::digest(&digest::SHA256, verifier.as_bytes()));
    let is_right = verifier.map(hash).is_some_and(|hash| Some(hash) == request.challenge);
    match (is_right, verifier, &request.challenge) {
        (true, ..) => Ok(()),
        // The texts are secrets.
        (false, verifier, challenge) => {
            Err(Finding::peer("the code verifier is not that of the challenge")
                .expected("a `code_verifier` whose SHA-256 is the `code_challenge`")
                .got(match (verifier, challenge) {
                    (None, _) => "no `code_verifier`",
                    (Some(_), None) => "a verifier, but no challenge",
                    (Some(_), Some(_)) => "a verifier with another SHA-256",
                }))
        }
    }
}

fn present(parameters: &Parameters, name: &str) -> Result<(), Finding> {
    match parameters.first(name) {
        Some(_) => Ok(()),
        None => Err(Finding::peer(format!("the request has no `{name}`"))
            .expected(format!("`{name}`"))
            .got(format!("the parameters {}", parameters.names()))),
    }
}

/// Compares a value that is not a secret.
pub(in crate::scenarios) fn equal(
    what: &str,
    got: Option<&str>,
    expected: &str,
) -> Result<(), Finding> {
    match got {
        Some(got) if got == expected => Ok(()),
        got => Err(Finding::peer(format!("{what} is wrong"))
            .expected(format!("`{expected}`"))
            .got(got.map_or("nothing".to_owned(), |got| format!("`{got}`")))),
    }
}

/// Whether a text is a URL without a fragment.
pub(in crate::scenarios) fn is_resource_uri(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| url.fragment().is_none())
}
