//! `client-discovery`.

use mcp_test_core::oauth::scripted::{Behavior, MetadataAt, ResourceName};

use super::flow::{Fetched, Flow, Received, Unknown, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The challenge of the server does not say where its metadata is: it is at the root of its origin, after the place for the path of
    /// its endpoint. Those of the authorization server, whose issuer has no path, are where OpenID Connect has them, and not where
    /// RFC 8414 has them.
    ///
    /// The official scenarios `auth/metadata-var…` have such servers, and do not compare the order.
    Client "client-discovery": "The client tries the places of metadata in their order",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    checks: [
        check!(WELL_KNOWN, "The client looks for the metadata of the server where RFC 9728 has it",
            [AUTH_DISCOVERY_CLIENT_PRM_WELL_KNOWN_FALLBACK]),
        check!(PATH_FIRST, "The client looks for the metadata of the endpoint before that of the origin",
            [AUTH_DISCOVERY_CLIENT_PRM_WELL_KNOWN_ORDER]),
        check!(OAUTH_FIRST, "The client looks for the metadata of RFC 8414 before that of OpenID Connect",
            [AUTH_DISCOVERY_AS_ORDER_ROOT_ISSUER]).named("ClientTriesOAuthFirst"),
        check!(OPENID, "The client finds an authorization server by OpenID Connect alone",
            [AUTH_DISCOVERY_CLIENT_BOTH_MECHANISMS, AUTH_DISCOVERY_AS_ORDER_ROOT_ISSUER])
            .named("ClientSupportsOpenIdDiscovery"),
        check!(NO_SLASH, "The resource ends without a slash, as in the metadata of the server",
            [AUTH_RESOURCE_NO_TRAILING_SLASH]),
    ],
}

const WELL_KNOWN: &str = "client-tries-well-known-uris";
const PATH_FIRST: &str = "client-tries-path-first";
const OAUTH_FIRST: &str = "client-tries-oauth-first";
const NO_SLASH: &str = "client-names-resource-without-slash";
const OPENID: &str = "client-supports-openid-discovery";

const AT_ROOT: &str = "/.well-known/oauth-protected-resource";
const AT_PATH: &str = "/.well-known/oauth-protected-resource/mcp";
const OF_OAUTH: &str = "/.well-known/oauth-authorization-server";
const OF_OPENID: &str = "/.well-known/openid-configuration";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { metadata: MetadataAt::OpenId, ..Behavior::default() };
    protected(test, behavior, |resource| {
        resource.metadata_at(AT_ROOT).unannounced().named(ResourceName::Origin)
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = Flow::of(judging);
    if let Some(guess) = guess(&flow) {
        judging.tolerate_failed_exit();
        let finding = Finding::peer("the client does not look for the metadata of the server")
            .expected(format!("`GET {AT_PATH}`, and `GET {AT_ROOT}` after that"))
            .got(format!("`{} {}`", guess.request.verb, guess.request.path))
            .evidence(guess.seq);
        judging.check(WELL_KNOWN).fail(finding);
        for check in [PATH_FIRST, OAUTH_FIRST, OPENID, NO_SLASH] {
            judging.check(check).skip("the client does not look for the metadata of the server");
        }
        return Ok(());
    }
    let flow = judge_flow(judging)?;
    judging.check(WELL_KNOWN).pass();
    judge_order(judging, PATH_FIRST, &flow.resource_metadata, [AT_PATH, AT_ROOT]);
    if flow.server_metadata.is_empty() {
        for check in [OAUTH_FIRST, OPENID, NO_SLASH] {
            judging.check(check).skip("the client looks for no authorization server");
        }
        return Ok(());
    }
    judge_order(judging, OAUTH_FIRST, &flow.server_metadata, [OF_OAUTH, OF_OPENID]);
    let outcome = match flow.found_server_metadata() {
        Some(_) => Ok(()),
        None => {
            Err(Finding::peer("the client does not look where OpenID Connect has the metadata")
                .expected(format!("`GET {OF_OPENID}`"))
                .got(tried(&flow.server_metadata))
                .evidence_all(flow.server_metadata.iter().map(|fetched| fetched.seq)))
        }
    };
    judging.check(OPENID).judge(outcome);
    judge_slash(judging, &flow);
    Ok(())
}

/// Judges whether the resource, which is the origin of the server, has the slash that its metadata does not have.
fn judge_slash(judging: &mut Judging, flow: &Flow) {
    let row = judging.check(NO_SLASH);
    let mut named = flow.authorizations.iter().filter_map(|received| {
        received.request.parameters.first("resource").map(|resource| (received.seq, resource))
    });
    match named.next() {
        None => row.skip("the client names no resource"),
        Some((seq, resource)) if resource.ends_with('/') => row.fail(
            Finding::peer("the resource ends with a slash, which its metadata does not have")
                .expected(format!("`{}`", resource.trim_end_matches('/')))
                .got(format!("`{resource}`"))
                .evidence(seq)
                .should(),
        ),
        Some(_) => row.pass(),
    };
}

/// The first request of a client that looks for the authorization server at the origin of the server, without its metadata.
///
/// One that looks for nothing may not support authorization.
fn guess(flow: &Flow) -> Option<&Received<Unknown>> {
    let is_guess = |path: &str| {
        path.contains(OF_OAUTH) || path.contains(OF_OPENID) || path.ends_with("/register")
    };
    let guess = flow.unknown.iter().find(|received| is_guess(&received.request.path));
    guess.filter(|_| flow.resource_metadata.is_empty())
}

/// Judges that the first place was tried before the second one.
fn judge_order(
    judging: &mut Judging,
    check: &str,
    fetched: &[Received<Fetched>],
    [first, second]: [&str; 2],
) {
    let at = |path: &str| fetched.iter().find(|it| it.request.path == path).map(|it| it.seq);
    let outcome = match (at(first), at(second)) {
        (Some(first), Some(second)) if first < second => Ok(()),
        (Some(_), None) => Ok(()),
        (_, second) => {
            Err(Finding::peer("the client tries the places of metadata in another order")
                .expected(format!("`GET {first}` first"))
                .got(tried(fetched))
                .evidence_all(second))
        }
    };
    judging.check(check).judge(outcome);
}

/// The places that were tried, in order.
fn tried(fetched: &[Received<Fetched>]) -> String {
    let paths = fetched.iter().map(|fetched| format!("`GET {}`", fetched.request.path));
    paths.collect::<Vec<_>>().join(", ")
}

proofs! {
    passes on signing_in_client();
    catches "client-tries-well-known-uris" by misbehavior(Misbehavior::SkipsWellKnown), at V2025_11_25;
    catches "client-tries-path-first" by misbehavior(Misbehavior::TriesRootFirst);
    catches "client-tries-oauth-first" by misbehavior(Misbehavior::TriesOpenIdFirst);
    warns "client-names-resource-without-slash" by parameter("authorize", "resource", "http://127.0.0.1/");
    catches "client-supports-openid-discovery" by misbehavior(Misbehavior::SkipsOpenId);
}
