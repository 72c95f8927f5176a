//! `client-redirected-metadata`.

use mcp_test_core::oauth::scripted::{Canary, ProtectedResource};

use super::flow::judge_flow;
use super::internal_addresses::judge_reached;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The URL of the metadata of the server is a good one, but redirects to one with `http` at a reserved address. The client should judge
    /// the target as it should judge the first URL, and not follow; that it fails is right.
    Client "client-redirected-metadata": "The client follows no redirect of metadata to an internal address",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REFUSES, "The client does not follow a redirect to a reserved address",
            [AUTH_SSRF_CLIENT_REDIRECT_TARGETS]),
    ],
}

const REFUSES: &str = "client-judges-redirect-of-metadata";
const URL: &str = "a redirect to a reserved address";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let facts = facts(test);
    let canary = Canary::start(&facts)?;
    let target = format!("http://{}/metadata", canary.reserved_authority()?);
    let resource = ProtectedResource::new(&facts, Vec::new()).metadata_moved_to(target);
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
    warns "client-judges-redirect-of-metadata" by misbehavior(Misbehavior::UsesAnyUrl);
}
