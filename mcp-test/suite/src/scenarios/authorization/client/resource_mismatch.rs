//! `auth/resource-mismatch`.

use mcp_test_core::oauth::scripted::{Behavior, ResourceName};

use super::flow::judge_flow;
use super::served::protected;
use super::signing_in_client;
use crate::scenarios::prelude::*;
use crate::scenarios::references::{RESOURCE_PARAMETER, RFC_8707};

scenario! {
    /// The metadata of the server names another resource, at `https://evil.example.com`. The client must not ask for a token with it; that it
    /// fails is right.
    Client "auth/resource-mismatch": "The client refuses the metadata of another resource",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: signing_in![stopping:
        check!(REJECTED, "The client makes no authorization request with the metadata of another resource",
            [AUTH_DISCOVERY_PRM_RESOURCE_VALIDATED])
            .official(&[RFC_8707, RESOURCE_PARAMETER]).named("Client rejects mismatched resource"),
    ],
}

const REJECTED: &str = "resource-mismatch-rejected";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let other = ResourceName::Other("https://evil.example.com/mcp");
    protected(test, Behavior::default(), |resource| resource.named(other))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let outcome = match (flow.found_resource_metadata(), flow.authorizations.first()) {
        (_, Some(made)) => Err(Finding::peer("the client uses the metadata of another resource")
            .expected("no authorization request, since the metadata is not that of the server")
            .got("an authorization request")
            .evidence(made.seq)),
        (None, None) => {
            let finding = Finding::peer("the client never found the metadata of the server");
            judging.check(REJECTED).missing(finding);
            return Ok(());
        }
        (Some(_), None) => Ok(()),
    };
    judging.check(REJECTED).judge(outcome);
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "resource-mismatch-rejected" by misbehavior(Misbehavior::IgnoresResource);
}
