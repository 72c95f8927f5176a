//! `auth/authorization-server-migration`.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::oauth::scripted::{Behavior, ProtectedResource, ScriptedServer, Verdict};

use super::flow::judge_flow;
use super::flow_proofs::refused_proofs;
use super::served::{facts, server_behind};
use super::signing_in_client;
use crate::scenarios::prelude::*;
use crate::scenarios::references::REGISTRATION_PAGE;

scenario! {
    /// After the first request with a token the server names another authorization server, and refuses the tokens of the first one. The
    /// client must register with the second one; the id that the first one gave it must not be seen there.
    Client "auth/authorization-server-migration": "The client registers again when the authorization server changes",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    checks: signing_in![refused: flow::VALID_BEARER,
        check!(REREGISTERS, "The client registers with the second authorization server",
            [AUTH_REGISTRATION_REREGISTER_ON_AS_CHANGE])
            .official(&[REGISTRATION_PAGE]).named("Client re-registers with the new authorization server"),
        check!(NO_REUSE, "The client does not use the id of the first authorization server at the second one",
            [AUTH_REGISTRATION_NO_REUSE_ON_AS_CHANGE, AUTH_REGISTRATION_BIND_ISSUER])
            .official(&[REGISTRATION_PAGE]).named("Client does not reuse the previous AS client credentials"),
        check!(NO_CROSS_USE, "The client does not take credentials of one authorization server to another one",
            [AUTH_REGISTRATION_NO_CROSS_AS_CREDENTIALS, AUTH_REGISTRATION_SEPARATE_STATE_PER_AS])
            .official(&[REGISTRATION_PAGE]).named("Client does not assume credentials are portable across authorization servers"),
    ],
}

const REREGISTERS: &str = "sep-2352-reregister-on-as-change";
const NO_REUSE: &str = "sep-2352-no-reuse-on-as-change";
const NO_CROSS_USE: &str = "sep-2352-no-cross-as-credential-reuse";

const FIRST_ID: &str = "as1-client-id-LEAKED-IF-SEEN-AT-AS2";
const SECOND_ID: &str = "as2-client-id";

fn serve(test: &ClientTest) -> Result<Server, Finding> {
    let facts = facts(test);
    let [first, second] = [FIRST_ID, SECOND_ID].map(|id| {
        let behavior = Behavior { client_id: Some(id), ..Behavior::default() };
        ScriptedServer::start(behavior, &facts)
    });
    let (first, second) = (first?, second?);
    let issuer = second.issuer().to_owned();
    let has_moved = Arc::new(AtomicBool::new(false));
    let current = Arc::clone(&has_moved);
    let resource = ProtectedResource::new(&facts, vec![first, second])
        .current(move || usize::from(current.load(Ordering::Relaxed)))
        .admits(move |access| match access.token {
            Some(token) if token.issuer == issuer => Verdict::Admit,
            // The first request with a token of the first server is also the last one.
            Some(_) if !has_moved.swap(true, Ordering::Relaxed) => Verdict::Admit,
            _ => Verdict::Unauthorized { scope: None },
        });
    Ok(server_behind(test, resource))
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let flow = judge_flow(judging)?;
    let first = flow.registrations.first().map(|received| received.request.issuer.clone());
    let is_second = |issuer: &str| first.as_deref().is_some_and(|first| first != issuer);
    let registered = flow.registrations.iter().any(|received| is_second(&received.request.issuer));
    let outcome = match registered {
        true => Ok(()),
        false => Err(Finding::peer("the client did not register with the second server")
            .expected("a registration with the authorization server that the metadata names now")
            .evidence_all(flow.registrations.last().map(|received| received.seq))),
    };
    judging.check(REREGISTERS).judge(outcome);
    let authorizations = flow.authorizations.iter().map(|received| {
        let request = &received.request;
        (received.seq, request.issuer.as_str(), request.parameters.first("client_id"))
    });
    let tokens = flow.tokens.iter().map(|received| {
        let request = &received.request;
        (received.seq, request.issuer.as_str(), request.parameters.first("client_id"))
    });
    let at_second: Vec<_> =
        authorizations.chain(tokens).filter(|(_, issuer, _)| is_second(issuer)).collect();
    let reused = at_second.iter().find(|(_, _, id)| *id == Some(FIRST_ID));
    let is_official = judging.profile() == Profile::Official;
    for check in [NO_REUSE, NO_CROSS_USE] {
        let row = judging.check(check);
        match (reused, at_second.first()) {
            (Some((seq, ..)), _) => row.fail(
                Finding::peer("the client uses its id at another authorization server")
                    .expected(format!("`client_id={SECOND_ID}` at the second server"))
                    .got(format!("`client_id={FIRST_ID}`, which the first server gave it"))
                    .evidence(*seq),
            ),
            (None, Some(_)) => row.pass(),
            // Officially that passes.
            (None, None) if is_official => row.pass(),
            (None, None) => {
                row.missing(Finding::peer("the client never used the second authorization server"))
            }
        };
    }
    Ok(())
}

proofs! {
    passes on signing_in_client(), and shares refused_proofs();
    catches "sep-2352-reregister-on-as-change" by misbehavior(Misbehavior::ReusesRegistration);
    catches "sep-2352-no-reuse-on-as-change" by misbehavior(Misbehavior::ReusesRegistration);
    catches "sep-2352-no-cross-as-credential-reuse" by misbehavior(Misbehavior::ReusesRegistration);
}
