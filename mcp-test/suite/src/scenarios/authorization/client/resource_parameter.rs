//! The checks of the resource that a client names in its requests (RFC 8707).

use mcp_test_core::oauth::parameters::Parameters;
use reqwest::Url;

use super::flow::{Flow, is_resource_uri};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{
    CANONICAL_URI, RESOURCE_PARAMETER, RFC_8707, RFC_9728_IDENTITY,
};

pub(super) const IN_AUTHORIZATION: CheckSpec = check!(
    "resource-parameter-in-authorization",
    "The authorization request names the resource",
    [AUTH_RESOURCE_IN_AUTHORIZATION_REQUEST]
)
.official(&[RFC_8707, RESOURCE_PARAMETER])
.named("Resource parameter in authorization request");
pub(super) const IN_TOKEN: CheckSpec = check!(
    "resource-parameter-in-token",
    "The token request names the resource",
    [AUTH_RESOURCE_IN_TOKEN_REQUEST]
)
.official(&[RFC_8707, RESOURCE_PARAMETER])
.named("Resource parameter in token request");
pub(super) const VALID: CheckSpec = check!(
    "resource-parameter-valid-uri",
    "The resource is a URL without a fragment",
    [AUTH_RESOURCE_CANONICAL_URI]
)
.official(&[RFC_8707, RESOURCE_PARAMETER])
.named("Resource parameter is valid canonical URI")
.conditional();
pub(super) const CONSISTENT: CheckSpec = check!(
    "resource-parameter-consistency",
    "Both requests name the same resource",
    [AUTH_RESOURCE_IDENTIFIES_TARGET]
)
.official(&[RFC_8707, RESOURCE_PARAMETER])
.named("Resource parameter consistency")
.conditional();
pub(super) const MATCHES: CheckSpec = check!(
    "resource-parameter-matches-prm",
    "The resource is the one in the metadata of the server, character by character",
    [AUTH_RESOURCE_IDENTIFIES_TARGET]
)
.official(&[RFC_8707, RESOURCE_PARAMETER, CANONICAL_URI, RFC_9728_IDENTITY])
.named("Resource parameter matches protected resource metadata")
.conditional();

/// Judges the resource in the client's last authorization request and token request; `named` is the one in the server's metadata.
pub(super) fn judge_resource(judging: &mut Judging, flow: &Flow, named: &str) {
    let last = |parameters: Option<&Parameters>| {
        parameters.and_then(|parameters| parameters.first("resource")).map(str::to_owned)
    };
    let authorization = flow.authorizations.last();
    let token = flow.tokens.last();
    let in_authorization = last(authorization.map(|it| &it.request.parameters));
    let in_token = last(token.map(|it| &it.request.parameters));
    let seqs = [authorization.map(|it| it.seq), token.map(|it| it.seq)];
    for (check, what, seq, resource) in [
        (IN_AUTHORIZATION, "authorization request", seqs[0], &in_authorization),
        (IN_TOKEN, "token request", seqs[1], &in_token),
    ] {
        let row = judging.check(&check.id);
        match (resource, seq) {
            (Some(_), _) => row.pass(),
            (None, Some(seq)) => {
                let finding = Finding::peer(format!("the {what} names no resource"));
                row.fail(finding.expected(format!("`resource={named}`")).evidence(seq))
            }
            (None, None) => row.missing(Finding::peer(format!("the client made no {what}"))),
        };
    }
    let sent: Vec<&String> = in_authorization.iter().chain(&in_token).collect();
    if sent.is_empty() {
        return;
    }
    let wrong = |is_right: &dyn Fn(&str) -> bool, headline: &str, expected: &str| match sent
        .iter()
        .find(|resource| !is_right(resource))
    {
        None => Ok(()),
        Some(resource) => Err(Finding::peer(headline)
            .expected(expected)
            .got(format!("`{resource}`"))
            .evidence_all(seqs.into_iter().flatten())),
    };
    let valid = wrong(&is_resource_uri, "the resource is not a URL", "a URL without a fragment");
    judging.check(&VALID.id).judge(valid);
    if let (Some(first), Some(second)) = (&in_authorization, &in_token) {
        let same = |resource: &str| resource == first;
        let expected = format!("`{first}`, as in the authorization request");
        let outcome = wrong(&same, "the requests name different resources", &expected);
        let row = judging.check(&CONSISTENT.id);
        row.judge(if first == second { Ok(()) } else { outcome });
    }
    if flow.found_resource_metadata().is_some() {
        let expected = format!("`{named}`, as in the metadata of the server");
        let outcome =
            wrong(&|resource| resource == named, "the client names another resource", &expected);
        let with_slash = format!("{named}/");
        let is_equivalent = Url::parse(named).is_ok_and(|url| url.as_str() == with_slash)
            && sent.iter().all(|resource| [named, &with_slash].contains(&resource.as_str()));
        let row = judging.check(&MATCHES.id);
        match is_equivalent {
            true => row.officially_judge(
                outcome,
                "a URL without a path is equivalent to the one with the path `/`, and to omit the slash is only recommended",
            ),
            false => row.judge(outcome),
        };
    }
}
