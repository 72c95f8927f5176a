//! `client-token-recipients`.

use mcp_test_core::oauth::scripted::{
    Behavior, Canary, ProtectedResource, ScriptedServer, Verdict,
};

use super::flow::judge_flow;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;

scenario! {
    /// The client signs in, and the server redirects its `tools/list` to another origin, where another server listens. The token was not
    /// issued for that one, so that it must not get it, in whatever part of a request. The client may follow without the token, or fail.
    ///
    /// Whoever can have a server redirect its clients would get their tokens otherwise.
    Client "client-token-recipients": "The client sends its token to no other server",
    revisions: Revisions::from(Revision::V2025_06_18),
    transports: StreamableHttp,
    tolerates_failed_exit: true,
    checks: [
        check!(NOT_ELSEWHERE, "The client does not take its token along to another origin",
            [AUTH_TOKEN_CLIENT_ONLY_AS_ISSUED]),
    ],
}

const NOT_ELSEWHERE: &str = "client-token-not-redirected";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let facts = facts(test);
    let server = ScriptedServer::start(Behavior::default(), &facts)?;
    let canary = Canary::start(&facts)?;
    let resource = ProtectedResource::new(&facts, vec![server])
        .endpoint_moved_to(format!("{}/mcp", canary.origin()))
        .with_canary(canary)
        .admits(|access| match access.token {
            None => Verdict::Unauthorized { scope: None },
            Some(_) if access.method == Some("tools/list") => Verdict::Moved,
            Some(_) => Verdict::Admit,
        });
    Ok(server_behind(test, resource))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let row = judging.check(NOT_ELSEWHERE);
    let sent = flow.stray.iter().find(|stray| stray.request.has_token);
    let was_redirected = flow.mcp.iter().any(|received| received.request.refused == Some(307));
    match sent {
        Some(sent) => row.fail(
            Finding::peer("the client sends its token to another server")
                .expected("the token at the server that it was issued for, and nowhere else")
                .got(format!("`{}` with the token, at another origin", sent.request.summary))
                .evidence(sent.seq)
                .hint("remove `Authorization` when a redirect leads to another origin"),
        ),
        None if was_redirected => row.pass(),
        None => row.missing(Finding::peer("the client sent no `tools/list` with a token")),
    };
    Ok(())
}

proofs! {
    passes on signing_in_client();
    catches "client-token-not-redirected" by misbehavior(Misbehavior::SendsTokenOnRedirect);
}
