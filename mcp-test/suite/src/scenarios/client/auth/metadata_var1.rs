//! `auth/metadata-var1`.

use mcp_test_core::oauth::scripted::{Behavior, MetadataAt, ProtectedResource};

use super::flow::{Step, judge_whole_flow};
use super::flow_proofs::of_whole_flow;
use super::resource_parameter::{
    CONSISTENT, IN_AUTHORIZATION, IN_TOKEN, MATCHES, VALID, judge_resource,
};
use super::served::protected;
use super::{METADATA_SUITES, signing_in_client};
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in with a server whose challenge does not say where its metadata is: it is where RFC 9728 has it,
    /// with the path of the endpoint.
    ///
    /// The metadata of the authorization server is where OpenID Connect has it.
    Client "auth/metadata-var1": "The client finds metadata that no challenge names",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), METADATA_SUITES),
    transports: StreamableHttp,
    checks: signing_in![whole: flow::PRM, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES],
}

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let behavior = Behavior { metadata: MetadataAt::OpenId, ..Behavior::default() };
    protected(test, behavior, ProtectedResource::unannounced)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_whole_flow(judging, &Step::ALL)?;
    let named = judging.server_url();
    judge_resource(judging, &flow, &named);
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares of_whole_flow();
    catches "prm-pathbased-requested" by give_up("discover"), under Strict;
}
