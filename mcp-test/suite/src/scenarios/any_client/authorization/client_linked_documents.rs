//! `client-linked-documents`.

use mcp_test_core::oauth::scripted::{Behavior, Canary, ProtectedResource, ScriptedServer};

use super::flow::judge_flow;
use super::internal_addresses::judge_reached;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The metadata of the authorization server link to its keys, its documentation, its policy and its terms, all at a reserved address.
    /// The client needs none of them to sign in, and should get nothing from there.
    Client "client-linked-documents": "The client gets no documents from an internal address",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(IGNORES, "The client requests no keys, policies or other documents from a reserved address",
            [AUTH_SSRF_CLIENT_PRIVATE_ADDRESSES]),
    ],
}

const IGNORES: &str = "client-ignores-internal-documents";
const URL: &str = "a link to a document at a reserved address";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let facts = facts(test);
    let canary = Canary::start(&facts)?;
    let linked_documents = Some(format!("http://{}", canary.reserved_authority()?));
    let server =
        ScriptedServer::start(Behavior { linked_documents, ..Behavior::default() }, &facts)?;
    let resource = ProtectedResource::new(&facts, vec![server]);
    Ok(server_behind(test, resource.with_canary(canary)))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let was_led = flow.found_server_metadata().is_some();
    judge_reached(judging, &flow, (IGNORES, URL), was_led);
    Ok(())
}

proofs! {
    passes on signing_in_client();
    warns "client-ignores-internal-documents" by misbehavior(Misbehavior::GetsLinkedDocuments);
}
