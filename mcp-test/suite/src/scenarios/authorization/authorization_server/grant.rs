//! The authorization code grant as a client of MCP does it: the request, its response, and the exchange of the code.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_test_core::expect::words;
use mcp_test_core::jose::base64url;
use mcp_test_core::oauth::parameters::Parameters;
use mcp_test_core::scenario::authorization::is_secure;
use mcp_test_core::scenario::{
    AuthorizationCtx, AuthorizationResponse, Callback, RegisteredAs, Stop,
};
use mcp_test_core::transport::generated_id::generate_id;
use reqwest::Url;
use ring::digest;

use super::discovery::Metadata;
use crate::scenarios::prelude::*;

/// One authorization, from its request on.
#[derive(Clone)]
pub(super) struct Grant {
    client: RegisteredAs,
    method: Method,
    authorization_endpoint: String,
    token_endpoint: String,
    issuer: String,
    resource: Option<String>,
    scope: Option<String>,
    redirect_uri: String,
    state: String,
    verifier: String,
}

/// How the client authenticates at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    None,
    Post,
    Basic,
}

impl Grant {
    /// A grant that has not begun, by metadata that are right.
    ///
    /// # Errors
    ///
    /// Why there can be none.
    pub(super) fn new(
        ctx: &AuthorizationCtx,
        client: RegisteredAs,
        found: &Metadata,
        redirect_uri: &str,
    ) -> Result<Self, Stop> {
        let method = method(&client, found).ok_or_else(|| {
            let name = "token_endpoint_auth_methods_supported";
            ctx.not_testable(format!(
                "the token endpoint has no method to authenticate that mcp-test has for this client; {name}: {}",
                found.shown(name)
            ))
        })?;
        Ok(Self {
            client,
            method,
            authorization_endpoint: found.text("authorization_endpoint").to_owned(),
            token_endpoint: found.text("token_endpoint").to_owned(),
            issuer: found.text("issuer").to_owned(),
            resource: ctx.resource(),
            scope: None,
            redirect_uri: redirect_uri.to_owned(),
            state: generate_id(),
            // Both are hexadecimal, so that the verifier has 64 of the characters that RFC 7636 allows.
            verifier: format!("{}{}", generate_id(), generate_id()),
        })
    }

    /// The same for this MCP server.
    pub(super) fn for_resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// The same, which asks for these scopes.
    pub(super) fn for_scope(mut self, scope: Option<String>) -> Self {
        self.scope = scope;
        self
    }

    /// The same at the token endpoint, but by another client.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub(super) fn presented_by(
        &self,
        ctx: &AuthorizationCtx,
        client: &RegisteredAs,
        found: &Metadata,
    ) -> Result<Self, Stop> {
        let Self { client, method, .. } = Self::new(ctx, client.clone(), found, "")?;
        Ok(Self { client, method, ..self.clone() })
    }

    pub(super) fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Whether the client has no secret.
    pub(super) fn is_public(&self) -> bool {
        self.method == Method::None
    }

    /// The parameters of the authorization request, in the order of the official suite.
    pub(super) fn request(&self) -> Vec<(&'static str, String)> {
        let challenge = base64url(digest::digest(&digest::SHA256, self.verifier.as_bytes()));
        let parameters = [
            ("response_type", "code".to_owned()),
            ("client_id", self.client.id.clone()),
            ("state", self.state.clone()),
            ("redirect_uri", self.redirect_uri.clone()),
            ("code_challenge", challenge),
            ("code_challenge_method", "S256".to_owned()),
        ];
        let resource = self.resource.clone().map(|resource| ("resource", resource));
        let scope = self.scope.clone().map(|scope| ("scope", scope));
        parameters.into_iter().chain(resource).chain(scope).collect()
    }

    /// The URL of an authorization request with these parameters.
    ///
    /// # Errors
    ///
    /// A finding, if no browser should open the endpoint.
    pub(super) fn url(
        &self,
        ctx: &AuthorizationCtx,
        parameters: &[(&'static str, String)],
    ) -> Result<String, Finding> {
        let endpoint = Url::parse(&self.authorization_endpoint);
        match endpoint.ok().filter(|_| is_secure(&self.authorization_endpoint)) {
            Some(mut url) => {
                url.query_pairs_mut().extend_pairs(parameters);
                Ok(url.into())
            }
            None => Err(ctx
                .wrong("`authorization_endpoint` is not a URL that a browser should open")
                .expected("a URL with `https`, or of this machine")
                .got(format!("`{}`", words::excerpt(&self.authorization_endpoint)))),
        }
    }

    /// The code in the response to the authorization request.
    ///
    /// # Errors
    ///
    /// A finding about the first thing that is wrong with it.
    pub(super) fn code(
        &self,
        ctx: &AuthorizationCtx,
        callback: &Callback,
        seq: Seq,
    ) -> Result<String, Finding> {
        let Callback { place, parameters, .. } = callback;
        let wrong = |headline: &str| ctx.wrong(headline).evidence(seq);
        // The official suite looks at the path alone.
        let path = |uri: &str| Url::parse(uri).map(|uri| uri.path().to_owned()).ok();
        let is_official = ctx.profile() == Profile::Official;
        let is_let_off = is_official && path(place) == path(&self.redirect_uri);
        if *place != self.redirect_uri && !is_let_off {
            let finding = wrong("the authorization server redirects to another URI");
            let expected = format!("`{}`", self.redirect_uri);
            return Err(finding.expected(expected).got(format!("`{}`", words::excerpt(place))));
        }
        // Before anything else is looked at: a response of another server must not be used at all.
        let iss: Vec<&str> = parameters.all("iss").collect();
        if !iss.is_empty() && iss != [self.issuer.as_str()] {
            let requirement = Requirement::first_at(
                ctx.revision(),
                &[Requirement::AUTH_REDIRECT_AS_ISS_VALUE, ctx.oauth()],
            );
            let headline = "`iss` of the authorization response is not the issuer";
            let finding = Finding::peer(headline).requires(requirement).evidence(seq);
            let expected = format!("`{}` once", words::excerpt(&self.issuer));
            return Err(finding.expected(expected).got(quoted(&iss)));
        }
        let state: Vec<&str> = parameters.all("state").collect();
        if state != [self.state.as_str()] {
            let finding = wrong("`state` of the authorization response is not that of the request");
            return Err(finding.expected(format!("`{}` once", self.state)).got(quoted(&state)));
        }
        if let Some(error) = parameters.first("error") {
            let why = parameters.first("error_description");
            let why = why.map(|why| format!(": {}", words::excerpt(why))).unwrap_or_default();
            let finding = wrong("the authorization server refuses the authorization");
            return Err(finding
                .expected("a code")
                .got(format!("`{}`{why}", words::excerpt(error))));
        }
        let codes: Vec<&str> = parameters.all("code").collect();
        match codes[..] {
            [code] => Ok(code.to_owned()),
            _ => {
                let finding = wrong("the authorization response does not have one code");
                Err(finding.expected("`code` once").got(words::count(codes.len(), "code")))
            }
        }
    }

    /// Redeems a code.
    ///
    /// # Errors
    ///
    /// A finding, if there is no response.
    pub(super) async fn redeem(
        &self,
        ctx: &mut AuthorizationCtx,
        code: &str,
    ) -> Result<AuthorizationResponse, Finding> {
        self.request_token(ctx, &self.exchange(code)).await
    }

    /// The parameters that redeem a code, without those of the client.
    pub(super) fn exchange<'a>(&'a self, code: &'a str) -> [(&'a str, &'a str); 4] {
        [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri),
            ("code_verifier", &self.verifier),
        ]
    }

    /// Uses a refresh token.
    ///
    /// # Errors
    ///
    /// A finding, if there is no response.
    pub(super) async fn refresh(
        &self,
        ctx: &mut AuthorizationCtx,
        token: &str,
    ) -> Result<AuthorizationResponse, Finding> {
        self.request_token(ctx, &[("grant_type", "refresh_token"), ("refresh_token", token)]).await
    }

    /// Sends a token request with these parameters, and those of the client and of the resource unless they are given.
    ///
    /// # Errors
    ///
    /// A finding, if there is no response.
    pub(super) async fn request_token(
        &self,
        ctx: &mut AuthorizationCtx,
        form: &[(&str, &str)],
    ) -> Result<AuthorizationResponse, Finding> {
        let RegisteredAs { id, secret } = &self.client;
        let secret = secret.as_deref().unwrap_or_default();
        let mut form = form.to_vec();
        let resource = self.resource.as_deref().map(|resource| ("resource", resource));
        let is_given = form.iter().any(|(name, _)| *name == "resource");
        form.extend(resource.filter(|_| !is_given));
        let mut authorization = None;
        match self.method {
            Method::None => form.push(("client_id", id)),
            Method::Post => form.extend([("client_id", id.as_str()), ("client_secret", secret)]),
            Method::Basic => {
                // RFC 6749, section 2.3.1: both are encoded as in a form before they are joined.
                let encoded = |text: &str| {
                    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
                };
                let pair = format!("{}:{}", encoded(id), encoded(secret));
                authorization = Some(format!("Basic {}", STANDARD.encode(pair)));
            }
        }
        ctx.post_form(&self.token_endpoint, &form, authorization.as_deref()).await
    }
}

/// The method of the client; `None` if the server has none that it has.
fn method(client: &RegisteredAs, found: &Metadata) -> Option<Method> {
    let name = "token_endpoint_auth_methods_supported";
    let has = |method: &str| found.lists(name, method);
    if client.secret.is_none() {
        // Whatever the server announces: it is all that such a client can do.
        return Some(Method::None);
    }
    match (has("client_secret_post"), has("client_secret_basic"), has("none")) {
        (Some(true), ..) => Some(Method::Post),
        (_, Some(true), _) | (None, None, None) => Some(Method::Basic),
        (.., Some(true)) => Some(Method::None),
        _ => None,
    }
}

fn quoted(values: &[&str]) -> String {
    match values {
        [] => "none".to_owned(),
        _ => words::list(values.iter().map(|value| format!("`{}`", words::excerpt(value))), "and"),
    }
}

/// The token response of a server that has redeemed a code.
///
/// # Errors
///
/// A finding about the first thing that is wrong with it.
pub(super) fn token(
    ctx: &AuthorizationCtx,
    response: &AuthorizationResponse,
) -> Result<Value, Finding> {
    let wrong = |headline: &str| ctx.wrong(headline).evidence_all(response.evidence());
    if response.status != 200 {
        let finding = wrong("the token endpoint does not redeem the code");
        let got = format!("HTTP {}{}", response.status, response.error());
        return Err(finding.expected("HTTP 200").got(words::into_inert(got)));
    }
    for (name, value) in [("Content-Type", "application/json"), ("Cache-Control", "no-store")] {
        let sent = response.header(name).unwrap_or_default();
        if !sent.to_ascii_lowercase().contains(value) {
            let finding = wrong(&format!("the token response has a wrong `{name}`"));
            let got = if sent.is_empty() { "no such header".into() } else { words::excerpt(sent) };
            return Err(finding.expected(format!("`{value}`")).got(got));
        }
    }
    let Some(object) = response.object() else {
        return Err(wrong("the token response is not a JSON object"));
    };
    for name in ["access_token", "token_type"] {
        let text = object.get(name).and_then(Value::as_str);
        // The official suite takes any string.
        if text.is_none_or(|text| text.is_empty() && ctx.profile() != Profile::Official) {
            let finding = wrong(&format!("the token response has no `{name}`"));
            let got = if object.get(name).is_some() { "another value" } else { "no such member" };
            return Err(finding.expected("a string").got(got));
        }
    }
    Ok(object)
}

/// The parameters of a redirect.
pub(super) fn parameters_of(location: &str) -> Parameters {
    let query = location.split_once('?').map(|(_, query)| query).unwrap_or_default();
    Parameters::parse(query.split('#').next().unwrap_or_default().as_bytes())
}
