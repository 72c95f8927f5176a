//! `client-insecure-resource-metadata`.

use mcp_test_core::oauth::scripted::{
    Behavior, Canary, McpRequest, ProtectedResource, ScriptedServer, Verdict,
};

use super::flow::judge_flow;
use super::internal_addresses::judge_reached;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in, and then its token is refused with a challenge that names a URL for the metadata of the server with `http`, on
    /// a host that is not loopback. The client should not use that URL; that it fails is right.
    ///
    /// A server can have a client that uses any URL send requests to other servers in the network of the client.
    Client "client-insecure-resource-metadata": "The client uses no URL of a challenge that is not secure",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REFUSES, "The client does not ask for metadata over `http` at a host that is not loopback",
            [AUTH_SSRF_CLIENT_HTTPS]),
    ],
}

const REFUSES: &str = "client-refuses-insecure-resource-metadata";
const URL: &str = "a URL of the challenge with `http`, whose host is not loopback";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let facts = facts(test);
    let canary = Canary::start(&facts)?;
    let server = ScriptedServer::start(Behavior::default(), &facts)?;
    let moved = format!("http://{}/metadata", canary.reserved_authority()?);
    // At first it is as always, which shows that the client signs in at all.
    let resource = ProtectedResource::new(&facts, vec![server])
        .announces(move |has_token| has_token.then(|| moved.clone()))
        .admits(|access| match access.token {
            Some(_) if access.method != Some("tools/list") => Verdict::Admit,
            _ => Verdict::Unauthorized { scope: None },
        });
    Ok(server_behind(test, resource.with_canary(canary)))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let was_led = flow.mcp.iter().any(|received| {
        let McpRequest { credentials, refused, .. } = &received.request;
        credentials.is_some() && *refused == Some(401)
    });
    judge_reached(judging, &flow, (REFUSES, URL), was_led);
    Ok(())
}

proofs! {
    passes on signing_in_client();
    warns "client-refuses-insecure-resource-metadata" by misbehavior(Misbehavior::UsesAnyUrl);
}
