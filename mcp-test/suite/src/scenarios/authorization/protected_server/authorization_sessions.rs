//! `authorization-sessions`.

use mcp_test_core::transport::test_tokens::TokenKind;

use super::endpoint::{ProtectedServer, is_served, is_unauthorized, message, opening};
use super::reference::protected;
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, describe, finding, is_success};

const VERIFIED: &str = "session-request-verified";
const BOUND: &str = "session-bound-to-user";

scenario! {
    /// The id of a session authorizes nobody: a request of the session needs a token all the same, and the token of another user
    /// does not open it.
    ///
    /// A session is opened with the token of `user`. Then a request, a notification and a GET with its id are sent without a token,
    /// and a request with the token of `other-user`. Servers without sessions have nothing to judge.
    Server "authorization-sessions": "The id of a session authorizes nobody",
    revisions: Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25),
    transports: StreamableHttp,
    needs: [Need::Protection],
    checks: [
        check!(VERIFIED, "A request of an open session is refused without a token",
            [AUTH_SESSION_VERIFY_INBOUND, AUTH_SESSION_NOT_AUTHENTICATION]),
        check!(BOUND, "The session of one user is refused to another one",
            [AUTH_SESSION_BOUND_TO_USER]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(server) = ProtectedServer::of(ctx) else { return Ok(()) };
    let Some(token) = server.tokens.token(TokenKind::User, &server.url) else {
        ctx.skip_the_rest("there is no token for the role `user`");
        return Ok(());
    };
    let opened = ctx.http(server.with(opening(ctx), &token)).await?;
    let session = Session::opened(&opened, ctx.revision());
    if !is_served(&opened) {
        let why = "the server does not accept the token of `user`, which should be good";
        ctx.skip_the_rest(&format!("{why}: {}", describe(&opened)));
    } else if session.id.is_none() {
        ctx.skip_the_rest("the server has no sessions");
    } else {
        ctx.http(server.with(session.initialized(), &token)).await?;
        let outcome = in_session(ctx, &server, &session, &token).await;
        server.close(ctx, &opened, &token).await;
        return outcome;
    }
    Ok(())
}

async fn in_session(
    ctx: &mut Ctx,
    server: &ProtectedServer,
    session: &Session,
    token: &str,
) -> Result<(), Finding> {
    let own = ctx.http(server.with(session.post(&message(ctx, 2)), token)).await?;
    if !is_success(&own) {
        let why = format!("the session is not served to its own user: {}", describe(&own));
        ctx.skip_the_rest(&why);
        return Ok(());
    }
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } });
    for (what, request) in [
        ("a request", session.post(&message(ctx, 3))),
        ("a notification", session.post(&notification)),
        ("a GET", session.get()),
    ] {
        // The head is enough: a stream that is opened does not end.
        let answer = ctx.open_http(request.anonymous()).await?.close();
        let what = format!("{what} with the id of a session, without a token,");
        let outcome = is_unauthorized(&what, &answer);
        // A server need not have a stream for GET, and no other check is about that.
        ctx.check(VERIFIED).judge(if answer.status == 405 { Ok(()) } else { outcome });
    }
    let other = match server.accepted(ctx, TokenKind::OtherUser).await? {
        Ok(other) => other,
        Err(why) => {
            ctx.check(BOUND).skip(why);
            return Ok(());
        }
    };
    let answer = ctx.http(server.with(session.post(&message(ctx, 4)), &other)).await?;
    ctx.check(BOUND).judge(ensure(!is_success(&answer), || {
        finding("the session of one user is served to another one", &answer)
            .expected("a refusal, such as HTTP 404")
            .should()
    }));
    Ok(())
}

proofs! {
    passes on protected();
    catches "session-request-verified" by misbehavior(Misbehavior::TrustsSession);
    catches "session-request-verified" by misbehavior(Misbehavior::GuardsPostAlone);
    warns "session-bound-to-user" by misbehavior(Misbehavior::SharesSessions);
}
