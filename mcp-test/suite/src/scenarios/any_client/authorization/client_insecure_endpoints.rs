//! `client-insecure-endpoints`.

use mcp_test_core::oauth::scripted::{
    Behavior, Canary, ProtectedResource, ScriptedServer, StatedEndpoints,
};

use super::flow::judge_flow;
use super::internal_addresses::judge_reached;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The metadata of the authorization server names endpoints for registrations and for tokens with `http`, on a host that is not loopback.
    /// The client should not use them; that it fails is right.
    ///
    /// Everyone on the way can read what it would send there: a code and its verifier.
    Client "client-insecure-endpoints": "The client uses no endpoint that is not secure",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REFUSES, "The client sends nothing to an endpoint with `http` at a host that is not loopback",
            [AUTH_SSRF_CLIENT_HTTPS]),
    ],
}

const REFUSES: &str = "client-refuses-insecure-endpoints";
const URL: &str = "an endpoint with `http`, whose host is not loopback";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let facts = facts(test);
    let canary = Canary::start(&facts)?;
    let authority = canary.reserved_authority()?;
    let endpoint = |name: &str| Some(format!("http://{authority}/{name}"));
    let (token, registration) = (endpoint("token"), endpoint("register"));
    let stated_endpoints = StatedEndpoints { authorization: None, token, registration };
    let behavior = Behavior { stated_endpoints, ..Behavior::default() };
    let server = ScriptedServer::start(behavior, &facts)?;
    let resource = ProtectedResource::new(&facts, vec![server]);
    Ok(server_behind(test, resource.with_canary(canary)))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let was_led = flow.found_server_metadata().is_some();
    judge_reached(judging, &flow, (REFUSES, URL), was_led);
    Ok(())
}

proofs! {
    passes on signing_in_client();
    warns "client-refuses-insecure-endpoints" by misbehavior(Misbehavior::UsesAnyUrl);
}
