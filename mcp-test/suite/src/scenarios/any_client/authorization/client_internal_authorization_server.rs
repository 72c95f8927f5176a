//! `client-internal-authorization-server`.

use mcp_test_core::oauth::scripted::{Canary, ProtectedResource};

use super::flow::judge_flow;
use super::internal_addresses::judge_reached;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The metadata of the server names an authorization server with `https` at a reserved address. The client should not ask there; that it
    /// fails is right.
    ///
    /// A connection counts, since it tells whether something listens in the network of the client.
    Client "client-internal-authorization-server": "The client asks no authorization server at an internal address",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REFUSES, "The client does not connect to an authorization server at a reserved address",
            [AUTH_SSRF_CLIENT_PRIVATE_ADDRESSES]),
    ],
}

const REFUSES: &str = "client-refuses-internal-authorization-server";
const URL: &str = "an authorization server at a reserved address";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let facts = facts(test);
    let canary = Canary::start(&facts)?;
    let issuer = format!("https://{}", canary.reserved_authority()?);
    let resource = ProtectedResource::new(&facts, Vec::new()).issuers(vec![issuer]);
    Ok(server_behind(test, resource.with_canary(canary)))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let was_led = flow.found_resource_metadata().is_some();
    judge_reached(judging, &flow, (REFUSES, URL), was_led);
    Ok(())
}

proofs! {
    passes on signing_in_client();
    warns "client-refuses-internal-authorization-server" by misbehavior(Misbehavior::UsesAnyUrl);
}
