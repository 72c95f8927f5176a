//! `client-authorization-url-insecure`.

use mcp_test_core::oauth::scripted::{
    Behavior, Canary, ProtectedResource, ScriptedServer, StatedEndpoints, StrayRequest,
};

use super::flow::{Received, judge_flow};
use super::opened_urls::{browser, opened_urls, shown};
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The authorization endpoint in the metadata is a URL with `http` on a host that is not loopback. The client must not open it, nor ask
    /// there by itself; that it fails is right.
    ///
    /// Everyone on the way could read the request, and answer it. What the client shows to its user instead of opening it is not seen.
    Client "client-authorization-url-insecure": "The client opens no `http` URL of another machine",
    revisions: Revisions::from(Revision::V2025_11_25),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(REJECTS, "The client does not open an authorization URL with `http` at a host that is not loopback",
            [AUTH_URL_SCHEMES]),
    ],
}

const REJECTS: &str = "client-rejects-insecure-authorization-url";
const HOST: &str = "http://0.0.0.0:";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    browser(test)?;
    let facts = facts(test);
    let canary = Canary::start(&facts)?;
    let authorization = Some(format!("http://{}/authorize", canary.reserved_authority()?));
    let stated_endpoints = StatedEndpoints { authorization, ..StatedEndpoints::default() };
    let behavior = Behavior { stated_endpoints, ..Behavior::default() };
    let server = ScriptedServer::start(behavior, &facts)?;
    Ok(server_behind(test, ProtectedResource::new(&facts, vec![server]).with_canary(canary)))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let opened = opened_urls(judging, &flow);
    let row = judging.check(REJECTS);
    let finding = |headline: &str| {
        Finding::peer(headline)
            .expected("no authorization request: over `http` there may be one on this machine only")
    };
    if let Some(Received { seq, request: StrayRequest { summary, .. } }) = flow.stray.first() {
        let finding = finding("the client uses an authorization URL that is not secure");
        row.fail(finding.got(format!("`{summary}` at the address 0.0.0.0")).evidence(*seq));
        return Ok(());
    }
    let urls = match opened {
        Ok(urls) => urls,
        Err(reason) => {
            row.skip(reason);
            return Ok(());
        }
    };
    row.judge(urls.iter().find(|url| url.starts_with(HOST)).map_or(Ok(()), |url| {
        Err(finding("the client opens an authorization URL that is not secure")
            .got(format!("`{}`", shown(url)))
            .evidence_all(flow.found_server_metadata().map(|found| found.seq)))
    }));
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-rejects-insecure-authorization-url" by misbehavior(Misbehavior::OpensAnyUrl);
    catches "client-rejects-insecure-authorization-url" by misbehavior(Misbehavior::UsesAnyUrl);
}
