//! `auth/metadata-default`.

use mcp_test_core::oauth::scripted::Behavior;

use super::flow::{Step, judge_whole_flow};
use super::flow_proofs::of_whole_flow;
use super::references::PRM_DISCOVERY;
use super::resource_parameter::{
    CONSISTENT, IN_AUTHORIZATION, IN_TOKEN, MATCHES, VALID, judge_resource,
};
use super::served::protected;
use super::{METADATA_SUITES, signing_in_client};
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in with a server whose challenge says where its metadata is.
    ///
    /// The metadata of the authorization server is where RFC 8414 has it. A client that also looks for the metadata of the
    /// server at the root of its origin, which the challenge does not name, is at fault.
    Client "auth/metadata-default": "The client follows the challenge to the metadata of the server",
    revisions: Revisions::from(Revision::V2025_11_25),
    official: Official::client_auth(Revisions::from(Revision::V2025_11_25), METADATA_SUITES),
    transports: StreamableHttp,
    checks: signing_in![whole: flow::PRM, IN_AUTHORIZATION, IN_TOKEN, VALID, CONSISTENT, MATCHES,
        check!(ORDER, "The client does not ask for metadata at the root of the origin",
            [AUTH_DISCOVERY_CLIENT_PRM_FROM_HEADER])
            .official(&[PRM_DISCOVERY]).named("PRMPriorityOrder").conditional(),
    ],
}

const ORDER: &str = "prm-priority-order";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    protected(test, Behavior::default(), |resource| resource)
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_whole_flow(judging, &Step::ALL)?;
    let named = judging.server_url();
    judge_resource(judging, &flow, &named);
    for missed in flow.resource_metadata.iter().filter(|fetched| !fetched.request.found) {
        let finding = Finding::peer("the client asked for metadata at another place")
            .expected("the URL in `resource_metadata` of the challenge")
            .got(format!("`GET {}`", missed.request.path));
        judging.check(ORDER).fail(finding.evidence(missed.seq));
    }
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares of_whole_flow();
    catches "prm-pathbased-requested" by give_up("discover"), under Strict;
    catches "prm-priority-order" by misbehavior(Misbehavior::TriesRootFirst);
}
