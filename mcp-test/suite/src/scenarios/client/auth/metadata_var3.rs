//! `auth/metadata-var3`.

use mcp_test_core::oauth::scripted::{Behavior, MetadataAt};

use super::flow::{Step, judge_whole_flow, judge_wrong_path};
use super::flow_proofs::of_whole_flow;
use super::references::METADATA_DISCOVERY;
use super::resource_parameter::{
    CONSISTENT, IN_AUTHORIZATION, IN_TOKEN, MATCHES, VALID, judge_resource,
};
use super::served::protected;
use super::{METADATA_SUITES, signing_in_client};
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in with a server whose challenge names a place for its metadata that no standard has.
    ///
    /// The issuer has a path, after which the metadata of the authorization server is, as OpenID Connect has it.
    Client "auth/metadata-var3": "The client finds metadata at any path that the challenge names",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), METADATA_SUITES),
    transports: StreamableHttp,
    checks: signing_in![whole: flow::PRM.conditional().informs(), IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES,
        check!(WRONG_PATH, "The client does not ask for the metadata of another issuer, at the root",
            [AUTH_DISCOVERY_AS_ORDER_PATH_ISSUER]).official(&[METADATA_DISCOVERY]).conditional(),
    ],
}

const WRONG_PATH: &str = "authorization-server-metadata-wrong-path";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let metadata = MetadataAt::OpenId;
    let behavior = Behavior { path: "/tenant1", metadata, ..Behavior::default() };
    protected(test, behavior, |resource| resource.metadata_at("/custom/metadata/location.json"))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_whole_flow(judging, &Step::ALL[1..])?;
    let named = judging.server_url();
    judge_resource(judging, &flow, &named);
    judge_wrong_path(judging, &flow, WRONG_PATH);
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares of_whole_flow();
    catches "authorization-server-metadata-wrong-path" by misbehavior(Misbehavior::TriesRootFirst);
}
