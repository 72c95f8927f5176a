//! `client-several-authorization-servers`.

use mcp_test_core::oauth::scripted::{Behavior, ProtectedResource, ScriptedServer};

use super::flow::{Flow, Step, judge_flow};
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The metadata of the server names two authorization servers, either of which the client may use. It has to use one of them from the
    /// registration to the token, and not one for this and the other for that.
    Client "client-several-authorization-servers": "The client uses one of several authorization servers",
    revisions: Revisions::from(Revision::V2025_06_18),
    transports: StreamableHttp,
    checks: [
        check!(USES_ONE, "The client redeems each code where it has got it, with the id that it has there",
            [AUTH_DISCOVERY_TOLERATE_MULTIPLE_AS]),
    ],
}

const USES_ONE: &str = "client-uses-one-authorization-server";

const IDS: [&str; 2] = ["client-of-the-first-server", "client-of-the-second-server"];

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let facts = facts(test);
    let start = |id| {
        let behavior = Behavior { client_id: Some(id), ..Behavior::default() };
        ScriptedServer::start(behavior, &facts)
    };
    let servers = IDS.into_iter().map(start).collect::<Result<Vec<_>, _>>()?;
    let issuers = servers.iter().map(|server| server.issuer().to_owned()).collect();
    Ok(server_behind(test, ProtectedResource::new(&facts, servers).issuers(issuers)))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let row = judging.check(USES_ONE);
    if flow.tokens.is_empty() {
        row.missing(Step::Token.not_taken(&flow));
        return Ok(());
    }
    row.judge(mixed(&flow).map_or(Ok(()), Err));
    Ok(())
}

/// The first request to one of the servers with what the other one has issued.
fn mixed(flow: &Flow) -> Option<Finding> {
    let finding = |what: &str| {
        Finding::peer("the client mixes up two authorization servers")
            .expected(
                "one of the authorization servers that the metadata names, for all of its requests",
            )
            .got(what.to_owned())
    };
    let elsewhere = flow.tokens.iter().find(|token| {
        let before = |seq| seq < token.seq;
        let asked = flow.authorizations.iter().rev().find(|asked| before(asked.seq));
        asked.is_some_and(|asked| asked.request.issuer != token.request.issuer)
    });
    if let Some(token) = elsewhere {
        return Some(
            finding("a code of one server at the token endpoint of the other").evidence(token.seq),
        );
    }
    let authorizations = flow.authorizations.iter().map(|asked| {
        (asked.seq, &asked.request.issuer, asked.request.parameters.first("client_id"))
    });
    let tokens = flow.tokens.iter().map(|token| {
        (token.seq, &token.request.issuer, token.request.parameters.first("client_id"))
    });
    // The first of the servers where an id is used is where it comes from.
    let mut homes: Vec<(&str, &String)> = Vec::new();
    for (seq, issuer, id) in authorizations.chain(tokens) {
        let Some(id) = id.filter(|id| IDS.contains(id)) else { continue };
        match homes.iter().find(|(own, _)| *own == id) {
            Some((_, home)) if *home != issuer => {
                return Some(finding("the id of one server at the other").evidence(seq));
            }
            Some(_) => {}
            None => homes.push((id, issuer)),
        }
    }
    None
}

proofs! {
    passes on signing_in_client();
    warns "client-uses-one-authorization-server" by misbehavior(Misbehavior::MixesServers);
}
