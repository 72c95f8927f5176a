//! `server-session-lifecycle`.

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, finding, is_success, post, request};
use crate::scenarios::references::SESSION;

scenario! {
    /// A session begins with `initialize`, serves the requests that name it, and ends with DELETE.
    ///
    /// Its id is invalid afterwards: a server that continues to answer lets anybody with an old id impersonate its owner,
    /// and never frees the resources of the session. Sessions are optional; a server that issues no session id passes.
    Server "server-session-lifecycle": "A session begins and ends",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25)),
    transports: StreamableHttp,
    checks: [
        check!("server-session-lifecycle-error", "A session can be opened; reported only on failure",
            [LIFECYCLE_INITIALIZE_RESPONSE]).official(&[SESSION]).named("SessionLifecycleError").conditional(),
        check!("server-session-lifecycle-skipped", "The server issues session ids; reported only if not",
            [TRANSPORT_HTTP_SESSIONLESS_TOLERATED])
            .official(&[SESSION]).named("SessionLifecycleSkipped").conditional().informs(),
        check!("server-session-initialized-accepted", "`notifications/initialized` is accepted in the session",
            [TRANSPORT_HTTP_ACCEPTED_202]).official(&[SESSION]).named("SessionInitializedAccepted"),
        check!("server-session-delete-accepted", "DELETE ends the session, or is refused with HTTP 405",
            [TRANSPORT_HTTP_SESSION_DELETE]).official(&[SESSION]).named("SessionDeleteAccepted"),
        check!("server-session-terminated-returns-404", "A request in a terminated session gets HTTP 404",
            [TRANSPORT_HTTP_SESSION_TERMINATED_404]).official(&[SESSION]).named("SessionTerminatedReturns404"),
        check!("server-session-terminated-everywhere",
            "A notification and a GET in a terminated session get HTTP 404",
            [TRANSPORT_HTTP_SESSION_TERMINATED_404]).named("SessionTerminatedEverywhere"),
        check!("server-session-missing-400", "A request without a session id gets HTTP 400, unless it is accepted",
            [TRANSPORT_HTTP_SESSION_ID_MISSING_400]).named("SessionMissing400"),
        check!("server-session-id-unique", "A second session has a different id",
            [TRANSPORT_HTTP_SESSION_ID_SECURE]).named("SessionIdUnique"),
        check!("server-session-version-header", "A request with an unknown `MCP-Protocol-Version` gets HTTP 400",
            [TRANSPORT_HTTP_VERSION_HEADER_INVALID_400]).named("SessionVersionHeader"),
    ],
}

/// The reason for skipping when the server has no sessions.
const NO_SESSION_ID: &str = "the server issues no session id";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let outcome = lifecycle(ctx).await;
    ctx.conclude("server-session-lifecycle-error", outcome)
}

async fn lifecycle(ctx: &mut Ctx) -> Result<(), Finding> {
    let session = Session::open(ctx).await?;
    // A server MAY do without sessions (`basic/transports#session-management`); the version header does not depend on them.
    if session.id.is_none() {
        ctx.check("server-session-lifecycle-skipped").info(NO_SESSION_ID);
        version_header(ctx, &session).await?;
        ctx.skip_the_rest(NO_SESSION_ID);
        return Ok(());
    }
    let accepted = ctx.http(session.initialized()).await?;
    if !is_success(&accepted) {
        let refused = finding("`notifications/initialized` is refused in the session", &accepted);
        ctx.check("server-session-initialized-accepted").fail(refused.expected("HTTP 202"));
        session.close(ctx).await;
        ctx.skip_the_rest("the session was not accepted");
        return Ok(());
    }
    ctx.check("server-session-initialized-accepted").pass();
    // The termination comes last, since the others need the session.
    version_header(ctx, &session).await?;
    missing_id(ctx).await?;
    unique_id(ctx, &session).await?;
    termination(ctx, &session).await
}

async fn version_header(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    if !ctx.revision().sends_version_header() {
        return Ok(());
    }
    // An invalid version MUST be answered with 400 (`basic/transports#protocol-version-header`).
    let wrong = session.post(&list_tools(ctx, 3)).with(header::MCP_PROTOCOL_VERSION, "1999-01-01");
    let answer = ctx.http(wrong).await?;
    ctx.check("server-session-version-header").judge(expect_status(
        "an unknown version is not refused",
        &answer,
        400,
    ));
    Ok(())
}

async fn missing_id(ctx: &mut Ctx) -> Result<(), Finding> {
    let answer = ctx.http(post(ctx.revision(), &list_tools(ctx, 4))).await?;
    let check = ctx.check("server-session-missing-400");
    if is_success(&answer) {
        // Only a server that requires a session id should answer 400 (`basic/transports`, "Session Management").
        check.info("the server requires no session id");
    } else {
        let headline = "a request without a session id is refused with another status";
        check.judge(expect_status(headline, &answer, 400));
    }
    Ok(())
}

async fn unique_id(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    // Two ids can only show that they are not unique; that they cannot be guessed is not observable.
    let second = Session::open(ctx).await?;
    let check = ctx.check("server-session-id-unique");
    match (&second.id, &session.id) {
        (None, _) => check.info("the server issues no second session id"),
        (Some(second), Some(first)) if first == second => check.fail(
            Finding::peer("two sessions have the same id")
                .expected("a unique id that cannot be guessed")
                .got("the id of the first session"),
        ),
        _ => check.pass(),
    };
    // With the id of the first session, DELETE would end the session that is still tested.
    if second.id != session.id {
        second.close(ctx).await;
    }
    Ok(())
}

async fn termination(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    let deleted = ctx.http(session.delete()).await?;
    let after = ctx.http(session.post(&list_tools(ctx, 2))).await?;
    // As in the official suite: a 404 for DELETE counts if the session is gone, whether or not the request has ended it.
    let is_gone = is_success(&deleted) || (deleted.status == 404 && after.status == 404);

    let check = ctx.check("server-session-delete-accepted");
    match deleted.status {
        // A server MAY refuse to let clients terminate sessions (`basic/transports#session-management`).
        405 => check.skip("the server does not let clients terminate sessions (HTTP 405)"),
        _ if is_gone => check.pass(),
        _ => check.fail(
            finding("DELETE does not terminate the session", &deleted)
                .expected("HTTP 2xx, or 405 if clients may not terminate sessions"),
        ),
    };
    if !is_gone {
        ctx.skip_the_rest("the session was not terminated");
        return Ok(());
    }
    let expect_gone = |headline, answer: &HttpResponse| {
        expect_status(headline, answer, 404).map_err(|mut finding| {
            // One cause, whichever message shows it, unless the endpoint demands credentials.
            let cause = Cause::Requirement(Requirement::TRANSPORT_HTTP_SESSION_TERMINATED_404);
            finding.cause.get_or_insert_with(|| Box::new(cause));
            finding
        })
    };
    let headline = "a request in a terminated session is not answered with HTTP 404";
    let outcome = expect_gone(headline, &after);
    ctx.check("server-session-terminated-returns-404").judge(outcome);

    let notified = ctx.http(session.initialized()).await?;
    // Only the status matters: a stream that is opened would not end.
    let listened = ctx.open_http(session.get()).await?.close();
    let mut check = ctx.check("server-session-terminated-everywhere");
    let headline = "a notification in a terminated session is not answered with HTTP 404";
    check = check.judge(expect_gone(headline, &notified));
    // A server without a listening stream may answer 405 before it looks at the session.
    if listened.status != 405 {
        let headline = "GET in a terminated session is not answered with HTTP 404";
        check = check.judge(expect_gone(headline, &listened));
    }
    drop(check);
    Ok(())
}

fn list_tools(ctx: &Ctx, id: i64) -> serde_json::Value {
    request(ctx.revision(), id, "tools/list", json!({}))
}

fn expect_status(headline: &str, answer: &HttpResponse, status: u16) -> Result<(), Finding> {
    ensure(answer.status == status, || finding(headline, answer).expected(format!("HTTP {status}")))
}

proofs! {
    passes on everything();
    catches "server-session-lifecycle-error" by status("initialize", 500);
    catches "server-session-initialized-accepted" by status("notifications/initialized", 500);
    warns "server-session-delete-accepted" by status("DELETE", 500);
    catches "server-session-terminated-returns-404" by misbehavior(Misbehavior::KeepsSession);
    catches "server-session-terminated-everywhere" by status("GET", 200);
    warns "server-session-missing-400" by status("tools/list", 404);
    warns "server-session-id-unique" by misbehavior(Misbehavior::ReusesSessionId);
    catches "server-session-version-header" by misbehavior(Misbehavior::SkipsVersion);
}
