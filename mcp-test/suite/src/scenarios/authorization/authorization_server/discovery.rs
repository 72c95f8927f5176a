//! The metadata of an authorization server: where they are, and what clients of MCP need of them.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::{AuthorizationCtx, AuthorizationResponse};
use reqwest::Url;

use crate::scenarios::prelude::*;

const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

/// The metadata that were found.
pub(super) struct Metadata {
    /// Where they are.
    pub(super) url: String,
    /// Whether they are where RFC 8414 has them.
    pub(super) is_oauth: bool,
    pub(super) response: AuthorizationResponse,
    /// The body, if it is a JSON object.
    pub(super) document: Option<Value>,
}

impl Metadata {
    fn new(url: String, response: AuthorizationResponse) -> Self {
        let (is_oauth, document) = (url.contains(OAUTH), response.object());
        Self { url, is_oauth, response, document }
    }

    /// Whether the `Content-Type` says that it is JSON.
    pub(super) fn is_served_as_json(&self) -> bool {
        let kind = self.response.header("content-type").unwrap_or_default();
        kind.to_ascii_lowercase().contains("application/json")
    }

    /// The text of a member; empty if it has none.
    pub(super) fn text(&self, name: &str) -> &str {
        let member = self.document.as_ref().and_then(|document| document.get(name));
        member.and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether a member is a list that has this text; `None` without a list.
    pub(super) fn lists(&self, name: &str, text: &str) -> Option<bool> {
        let list = self.document.as_ref()?.get(name)?.as_array()?;
        Some(list.iter().any(|item| item.as_str() == Some(text)))
    }

    /// The texts in a list; none, if there is no list.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let list = self.document.as_ref().and_then(|document| document.get(name)?.as_array());
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    /// Whether a member is true.
    pub(super) fn is_true(&self, name: &str) -> bool {
        let member = self.document.as_ref().and_then(|document| document.get(name));
        member.and_then(Value::as_bool).unwrap_or_default()
    }

    /// A member for a message.
    pub(super) fn shown(&self, name: &str) -> String {
        let member = self.document.as_ref().and_then(|document| document.get(name));
        member.map_or_else(
            || "no such member".to_owned(),
            |member| words::excerpt(&member.to_string()).into_owned(),
        )
    }

    /// A finding about these metadata.
    pub(super) fn finding(
        &self,
        headline: impl Into<String>,
        requirement: &'static Requirement,
    ) -> Finding {
        let finding = Finding::peer(headline).requires(requirement);
        finding.evidence_all(self.response.evidence())
    }
}

/// The requirement to publish metadata.
pub(super) fn publishes(revision: Revision) -> &'static Requirement {
    Requirement::first_at(
        revision,
        &[
            Requirement::AUTH_DISCOVERY_AS_METADATA_EITHER,
            Requirement::AUTH_DISCOVERY_AS_METADATA_RFC8414,
            Requirement::AUTH_DISCOVERY_SERVER_RFC8414,
        ],
    )
}

/// The requirement that the issuer of the metadata is the one by which it was found.
fn identifies(ctx: &AuthorizationCtx) -> &'static Requirement {
    let identical = Requirement::AUTH_DISCOVERY_AS_ISSUER_IDENTICAL;
    // RFC 8414, section 3.3.
    Requirement::first_at(ctx.revision(), &[identical, publishes(ctx.revision())])
}

/// Where clients look for metadata, in this order.
fn places(issuer: &str) -> Vec<String> {
    let Ok(url) = Url::parse(issuer) else { return Vec::new() };
    let (origin, path) = (url.origin().ascii_serialization(), url.path().trim_end_matches('/'));
    let mut places = vec![format!("{origin}{OAUTH}{path}"), format!("{origin}{OPENID}{path}")];
    if !path.is_empty() {
        places.push(format!("{origin}{path}{OPENID}"));
    }
    places
}

/// Looks for the metadata; the first response with status 200 counts.
///
/// # Errors
///
/// A finding, if there are none.
pub(super) async fn discover(ctx: &mut AuthorizationCtx) -> Result<Metadata, Finding> {
    let mut seen = Vec::new();
    let mut evidence = Vec::new();
    for url in places(ctx.issuer()) {
        let response = ctx.get_document(&url).await?;
        if response.status == 200 {
            return Ok(Metadata::new(url, response));
        }
        seen.push(format!("HTTP {} at {url}", response.status));
        evidence.extend(response.evidence());
    }
    let finding = Finding::peer("the authorization server publishes no metadata");
    let finding = finding.requires(publishes(ctx.revision())).evidence_all(evidence);
    Err(finding.expected("HTTP 200 at one of the well-known URLs").got(words::list(seen, "and")))
}

/// The metadata of OpenID Connect, if the server has it beside that of RFC 8414.
///
/// # Errors
///
/// A finding, if a request has no response.
pub(super) async fn openid_metadata(
    ctx: &mut AuthorizationCtx,
) -> Result<Option<Metadata>, Finding> {
    for url in places(ctx.issuer()) {
        if url.contains(OAUTH) {
            continue;
        }
        let response = ctx.get_document(&url).await?;
        if response.status == 200 {
            return Ok(Some(Metadata::new(url, response)));
        }
    }
    Ok(None)
}

/// What clients of MCP need of the metadata, by the rules of the official suite.
///
/// # Errors
///
/// A finding about the first thing that is wrong.
pub(super) fn examine(ctx: &AuthorizationCtx, found: &Metadata) -> Result<(), Finding> {
    let (publishes, oauth) = (publishes(ctx.revision()), ctx.oauth());
    if !found.is_served_as_json() {
        let kind = found.response.header("content-type").unwrap_or_default();
        let finding = found.finding("the metadata is not served as JSON", publishes);
        let got = if kind.is_empty() { "no `Content-Type`" } else { kind };
        return Err(finding.expected("`Content-Type: application/json`").got(got));
    }
    if found.document.is_none() {
        let finding = found.finding("the metadata is not a JSON object", publishes);
        let body = String::from_utf8_lossy(&found.response.body);
        return Err(finding.expected("a JSON object").got(words::excerpt(&body)));
    }
    for name in ["authorization_endpoint", "token_endpoint"] {
        if found.text(name).is_empty() {
            let finding = found.finding(format!("the metadata has no `{name}`"), publishes);
            return Err(finding.expected("the URL of the endpoint").got(found.shown(name)));
        }
    }
    for (name, text, requirement) in [
        ("response_types_supported", "code", publishes),
        ("code_challenge_methods_supported", "S256", oauth),
    ] {
        if found.lists(name, text) != Some(true) {
            let finding = found.finding(format!("`{name}` does not have `{text}`"), requirement);
            return Err(finding.expected(format!("a list with `{text}`")).got(found.shown(name)));
        }
    }
    if found.text("issuer") != ctx.issuer() {
        let headline = "`issuer` is not the issuer by which the metadata was found";
        let finding = found.finding(headline, identifies(ctx));
        let expected = format!("exactly `{}`", words::inert(ctx.issuer()));
        return Err(finding.expected(expected).got(found.shown("issuer")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_with_a_path_has_three_places() {
        let of = |issuer: &str| places(issuer).join(" ");
        assert_eq!(
            of("https://a.example/tenant/"),
            "https://a.example/.well-known/oauth-authorization-server/tenant \
             https://a.example/.well-known/openid-configuration/tenant \
             https://a.example/tenant/.well-known/openid-configuration"
        );
        assert_eq!(
            of("http://127.0.0.1:3000"),
            "http://127.0.0.1:3000/.well-known/oauth-authorization-server \
             http://127.0.0.1:3000/.well-known/openid-configuration"
        );
    }
}
