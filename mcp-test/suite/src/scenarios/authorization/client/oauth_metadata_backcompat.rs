//! `auth/2025-03-26-oauth-metadata-backcompat`.

use mcp_test_core::oauth::scripted::{Behavior, ProtectedResource};
use mcp_test_core::scenario::Suite;

use super::flow::{Step, judge_whole_flow};
use super::flow_proofs::older_flow_proofs;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in with a server of 2025-03-26: it has no metadata of its own, and the authorization server, at the same origin, has
    /// its endpoints below a path that only its metadata names.
    Client "auth/2025-03-26-oauth-metadata-backcompat": "The client finds the metadata of 2025-03-26",
    revisions: Revisions::only(Revision::V2025_03_26),
    official: Official::client_auth(Revisions::only(Revision::V2025_03_26), &[Suite::Backcompat]),
    transports: StreamableHttp,
    checks: signing_in![older:],
}

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { endpoints: "/oauth", ..Behavior::default() };
    let resource = ProtectedResource::new(&facts(test), Vec::new());
    Ok(server_behind(test, resource.with_own_server(behavior)))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_whole_flow(judging, &Step::ALL[1..])?;
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares older_flow_proofs();
}
