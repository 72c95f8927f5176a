//! `auth/2025-03-26-oauth-endpoint-fallback`.

use mcp_test_core::oauth::scripted::{Behavior, MetadataAt, ProtectedResource, SentIssuer};
use mcp_test_core::scenario::Suite;

use super::flow::{Step, judge_whole_flow};
use super::flow_proofs::older_fallback_proofs;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in with a server of 2025-03-26 that has no metadata at all: the endpoints are `/register`, `/authorize` and `/token`
    /// at the origin of the server.
    Client "auth/2025-03-26-oauth-endpoint-fallback": "The client falls back to the default endpoints of 2025-03-26",
    revisions: Revisions::only(Revision::V2025_03_26),
    official: Official::client_auth(Revisions::only(Revision::V2025_03_26), &[Suite::Backcompat]),
    transports: StreamableHttp,
    checks: signing_in![older_fallback:],
}

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior {
        metadata: MetadataAt::Nowhere,
        states_iss: false,
        iss: SentIssuer::None,
        ..Behavior::default()
    };
    let resource = ProtectedResource::new(&facts(test), Vec::new());
    Ok(server_behind(test, resource.with_own_server(behavior)))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judge_whole_flow(judging, &Step::ALL[2..])?;
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares older_fallback_proofs();
}
