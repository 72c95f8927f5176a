//! `auth/metadata-var2`.

use mcp_test_core::oauth::scripted::{Behavior, ResourceName};

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
    /// The client signs in with a server whose challenge does not say where its metadata is: it is at the root of its origin, and
    /// name that as the resource.
    ///
    /// The issuer has a path, before which the metadata of the authorization server is, as RFC 8414 has it.
    Client "auth/metadata-var2": "The client finds metadata at the root, of an issuer with a path",
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
    let behavior = Behavior { path: "/tenant1", ..Behavior::default() };
    protected(test, behavior, |resource| {
        let at_root = resource.metadata_at("/.well-known/oauth-protected-resource");
        at_root.unannounced().named(ResourceName::Origin)
    })
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_whole_flow(judging, &Step::ALL[1..])?;
    let named = judging.server_url().trim_end_matches("/mcp").to_owned();
    judge_resource(judging, &flow, &named);
    judge_wrong_path(judging, &flow, WRONG_PATH);
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares of_whole_flow();
    catches "authorization-server-metadata-wrong-path" by misbehavior(Misbehavior::TriesRootFirst);
}
