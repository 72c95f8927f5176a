//! `client-resource-case`.

use mcp_test_core::oauth::scripted::{Behavior, ResourceName};

use super::flow::{Step, judge_flow};
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The metadata of the server write the scheme of its URL in upper case, which names the same resource. The client should go on.
    Client "client-resource-case": "The client accepts a resource in upper case",
    revisions: Revisions::from(Revision::V2025_06_18),
    transports: StreamableHttp,
    checks: [
        check!(ACCEPTS, "The client accepts a resource whose scheme is in upper case",
            [AUTH_RESOURCE_ACCEPT_UPPERCASE]),
    ],
}

const ACCEPTS: &str = "client-accepts-upper-case";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let name = ResourceName::UpperCaseEndpoint;
    protected(test, Behavior::default(), |resource| resource.named(name))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    judging.tolerate_failed_exit();
    let flow = judge_flow(judging)?;
    let row = judging.check(ACCEPTS);
    match flow.found_resource_metadata() {
        None => row.missing(Step::ResourceMetadata.not_taken(&flow)),
        Some(_) if !flow.server_metadata.is_empty() || !flow.authorizations.is_empty() => {
            row.pass()
        }
        Some(found) => row.fail(
            Finding::peer("the client does not accept its resource in upper case")
                .expected("the request for the metadata of the authorization server")
                .got("nothing after the metadata of the server")
                .evidence(found.seq)
                .should(),
        ),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    warns "client-accepts-upper-case" by misbehavior(Misbehavior::ComparesResourceAsText);
}
