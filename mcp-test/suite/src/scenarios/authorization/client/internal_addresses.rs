//! The scenarios whose server leads the client to where it should not go.
//!
//! Loopback is exempt during development, and every server of a test is on loopback. So the addresses are those of this machine in
//! another form: 0.0.0.0, which is reserved (RFC 6890), and leads here all the same.

use mcp_test_core::oauth::scripted::{
    Behavior, Canary, McpRequest, ProtectedResource, ScriptedServer, SharedFacts, StatedEndpoints,
    StrayRequest, Verdict,
};

use super::flow::{Flow, Received, judge_flow};
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

client_scenarios! {
    all: {
        revisions: Revisions::from(Revision::V2025_11_25),
        transports: StreamableHttp,
        tolerates_failed_exit: true,
    }
    client_insecure_resource_metadata {
        /// The client signs in, and then its token is refused with a challenge that names a URL for the metadata of the server with `http`, on
        /// a host that is not loopback. The client should not use that URL; that it fails is right.
        ///
        /// A server can have a client that uses any URL send requests to other servers in the network of the client.
        "client-insecure-resource-metadata": "The client uses no URL of a challenge that is not secure",
        checks: [
            check!("client-refuses-insecure-resource-metadata",
                "The client does not ask for metadata over `http` at a host that is not loopback",
                [AUTH_SSRF_CLIENT_HTTPS]),
        ],
        serve: |test| serve_with_canary(test, |facts, authority| {
            let server = ScriptedServer::start(Behavior::default(), facts)?;
            let moved = format!("http://{authority}/metadata");
            // At first it is as always, which shows that the client signs in at all.
            Ok(ProtectedResource::new(facts, vec![server])
                .announces(move |has_token| has_token.then(|| moved.clone()))
                .admits(|access| match access.token {
                    Some(_) if access.method != Some("tools/list") => Verdict::Admit,
                    _ => Verdict::Unauthorized { scope: None },
                }))
        }),
        judge: |judging| judge_reached(
            judging,
            "client-refuses-insecure-resource-metadata",
            "a URL of the challenge with `http`, whose host is not loopback",
            token_was_refused,
        ),
        proofs: {
            passes on signing_in_client();
            warns "client-refuses-insecure-resource-metadata" by misbehavior(Misbehavior::UsesAnyUrl);
        },
    }
    client_internal_authorization_server {
        /// The metadata of the server names an authorization server with `https` at a reserved address. The client should not ask there; that it
        /// fails is right.
        ///
        /// A connection counts, since it tells whether something listens in the network of the client.
        "client-internal-authorization-server": "The client asks no authorization server at an internal address",
        checks: [
            check!("client-refuses-internal-authorization-server",
                "The client does not connect to an authorization server at a reserved address",
                [AUTH_SSRF_CLIENT_PRIVATE_ADDRESSES]),
        ],
        serve: |test| serve_with_canary(test, |facts, authority| {
            let issuer = format!("https://{authority}");
            Ok(ProtectedResource::new(facts, Vec::new()).issuers(vec![issuer]))
        }),
        judge: |judging| judge_reached(
            judging,
            "client-refuses-internal-authorization-server",
            "an authorization server at a reserved address",
            |flow| flow.found_resource_metadata().is_some(),
        ),
        proofs: {
            passes on signing_in_client();
            warns "client-refuses-internal-authorization-server" by misbehavior(Misbehavior::UsesAnyUrl);
        },
    }
    client_insecure_endpoints {
        /// The metadata of the authorization server names endpoints for registrations and for tokens with `http`, on a host that is not loopback.
        /// The client should not use them; that it fails is right.
        ///
        /// Everyone on the way can read what it would send there: a code and its verifier.
        "client-insecure-endpoints": "The client uses no endpoint that is not secure",
        checks: [
            check!("client-refuses-insecure-endpoints",
                "The client sends nothing to an endpoint with `http` at a host that is not loopback",
                [AUTH_SSRF_CLIENT_HTTPS]),
        ],
        serve: |test| serve_with_canary(test, |facts, authority| {
            let endpoint = |name: &str| Some(format!("http://{authority}/{name}"));
            let (token, registration) = (endpoint("token"), endpoint("register"));
            let stated_endpoints = StatedEndpoints { authorization: None, token, registration };
            behind(facts, Behavior { stated_endpoints, ..Behavior::default() })
        }),
        judge: |judging| judge_reached(
            judging,
            "client-refuses-insecure-endpoints",
            "an endpoint with `http`, whose host is not loopback",
            |flow| flow.found_server_metadata().is_some(),
        ),
        proofs: {
            passes on signing_in_client();
            warns "client-refuses-insecure-endpoints" by misbehavior(Misbehavior::UsesAnyUrl);
        },
    }
    client_redirected_metadata {
        /// The URL of the metadata of the server is a good one, but redirects to one with `http` at a reserved address. The client should judge
        /// the target as it should judge the first URL, and not follow; that it fails is right.
        "client-redirected-metadata": "The client follows no redirect of metadata to an internal address",
        checks: [
            check!("client-judges-redirect-of-metadata", "The client does not follow a redirect to a reserved address",
                [AUTH_SSRF_CLIENT_REDIRECT_TARGETS]),
        ],
        serve: |test| serve_with_canary(test, |facts, authority| {
            let target = format!("http://{authority}/metadata");
            Ok(ProtectedResource::new(facts, Vec::new()).metadata_moved_to(target))
        }),
        judge: |judging| judge_reached(
            judging,
            "client-judges-redirect-of-metadata",
            "a redirect to a reserved address",
            |flow| flow.found_resource_metadata().is_some(),
        ),
        proofs: {
            passes on signing_in_client();
            warns "client-judges-redirect-of-metadata" by misbehavior(Misbehavior::UsesAnyUrl);
        },
    }
    client_linked_documents {
        /// The metadata of the authorization server link to its keys, its documentation, its policy and its terms, all at a reserved address.
        /// The client needs none of them to sign in, and should get nothing from there.
        "client-linked-documents": "The client gets no documents from an internal address",
        checks: [
            check!("client-ignores-internal-documents",
                "The client requests no keys, policies or other documents from a reserved address",
                [AUTH_SSRF_CLIENT_PRIVATE_ADDRESSES]),
        ],
        serve: |test| serve_with_canary(test, |facts, authority| {
            let linked_documents = Some(format!("http://{authority}"));
            behind(facts, Behavior { linked_documents, ..Behavior::default() })
        }),
        judge: |judging| judge_reached(
            judging,
            "client-ignores-internal-documents",
            "a link to a document at a reserved address",
            |flow| flow.found_server_metadata().is_some(),
        ),
        proofs: {
            passes on signing_in_client();
            warns "client-ignores-internal-documents" by misbehavior(Misbehavior::GetsLinkedDocuments);
        },
    }
}

/// Serves a resource that leads the client to this authority, where requests are recorded.
fn serve_with_canary(
    test: &ClientTest,
    resource: impl FnOnce(&SharedFacts, &str) -> Result<ProtectedResource, Finding>,
) -> Result<Server, Finding> {
    let facts = facts(test);
    let canary = Canary::start(&facts)?;
    let resource = resource(&facts, &canary.reserved_authority()?)?;
    Ok(server_behind(test, resource.with_canary(canary)))
}

/// A resource with one authorization server, which behaves in this way.
fn behind(facts: &SharedFacts, behavior: Behavior) -> Result<ProtectedResource, Finding> {
    let server = ScriptedServer::start(behavior, facts)?;
    Ok(ProtectedResource::new(facts, vec![server]))
}

fn token_was_refused(flow: &Flow) -> bool {
    flow.mcp.iter().any(|received| {
        let McpRequest { credentials, refused, .. } = &received.request;
        credentials.is_some() && *refused == Some(401)
    })
}

/// Makes the check that nothing has reached the address; `was_led` is whether the client has received its URL.
fn judge_reached(
    judging: &mut Judging,
    check: &str,
    url: &str,
    was_led: fn(&Flow) -> bool,
) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let row = judging.check(check);
    match flow.stray.first() {
        Some(Received { seq, request: StrayRequest { summary, .. } }) => row.fail(
            Finding::peer(format!("the client uses {url}"))
                .expected("no request: outside of development, such a URL leads to where no server of OAuth should be")
                .got(format!("`{summary}` at the address 0.0.0.0"))
                .evidence(*seq)
                .should(),
        ),
        None if was_led(&flow) => row.pass(),
        None => row.missing(Finding::peer(format!("the client did not come as far as {url}"))),
    };
    Ok(())
}
