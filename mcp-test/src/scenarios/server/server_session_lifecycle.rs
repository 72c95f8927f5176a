//! `server-session-lifecycle`.

use serde_json::json;

use super::raw::{Session, finding, is_success, post, request};
use super::references::SESSION;
use crate::check::Finding;
use crate::scenario::{CheckSpec, Ctx, Official};
use crate::server::reference::everything;
use crate::spec::{Revision, Revisions, header};
use crate::transport::HttpAnswer;
use crate::transport::fault::Lapse;
use crate::{proofs, scenario};

scenario! {
    /// A session begins with `initialize`, carries the requests that name it, and ends with DELETE.
    ///
    /// Afterwards its id is worth nothing: a server that goes on answering lets anybody who has picked up an old id speak
    /// for its owner, and never frees what belongs to it. Whether a server has sessions is up to it; one that issues no
    /// session id passes with nothing to test.
    Server "server-session-lifecycle": "A session begins, and ends for good",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    official: Official::active(Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25)),
    carriers: StreamableHttp,
    checks: [
        CheckSpec::official(
            "server-session-lifecycle-error",
            "SessionLifecycleError",
            "A session can be opened; only told if not",
            &[SESSION],
        )
        .requires(&["lifecycle.initialize-response"])
        .conditional(),
        CheckSpec::official(
            "server-session-lifecycle-skipped",
            "SessionLifecycleSkipped",
            "The server issues session ids; only told if not",
            &[SESSION],
        )
        .requires(&["transport.http.sessionless-tolerated"])
        .conditional()
        .informs(),
        CheckSpec::official(
            "server-session-initialized-accepted",
            "SessionInitializedAccepted",
            "`notifications/initialized` is accepted in the session",
            &[SESSION],
        )
        .requires(&["transport.http.accepted-202"]),
        CheckSpec::official(
            "server-session-delete-accepted",
            "SessionDeleteAccepted",
            "DELETE ends the session, or is refused with HTTP 405",
            &[SESSION],
        )
        .requires(&["transport.http.session-delete"])
        .warns(),
        CheckSpec::official(
            "server-session-terminated-returns-404",
            "SessionTerminatedReturns404",
            "A request in a session that has ended gets HTTP 404",
            &[SESSION],
        )
        .requires(&["transport.http.session-terminated-404"]),
        CheckSpec::own(
            "server-session-terminated-everywhere",
            "SessionTerminatedEverywhere",
            "So do a notification and a GET in a session that has ended",
        )
        .requires(&["transport.http.session-terminated-404"]),
        CheckSpec::own(
            "server-session-missing-400",
            "SessionMissing400",
            "A request without a session id gets HTTP 400, if it is not served",
        )
        .requires(&["transport.http.session-id-missing-400"])
        .warns(),
        CheckSpec::own(
            "server-session-id-unique",
            "SessionIdUnique",
            "A second session has an id of its own",
        )
        .requires(&["transport.http.session-id-secure"])
        .warns(),
        CheckSpec::own(
            "server-session-version-header",
            "SessionVersionHeader",
            "A request whose `MCP-Protocol-Version` names no revision gets HTTP 400",
        )
        .requires(&["transport.http.version-header-invalid-400"])
        .within(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    ],
}

/// What is said when the server has no sessions.
const NONE: &str = "the server issues no session id";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let outcome = lifecycle(ctx).await;
    ctx.conclude("server-session-lifecycle-error", outcome)
}

async fn lifecycle(ctx: &mut Ctx) -> Result<(), Finding> {
    let session = Session::open(ctx).await?;
    if session.id.is_none() {
        ctx.check("server-session-lifecycle-skipped").info(NONE);
        version_header(ctx, &session).await?;
        ctx.skip_the_rest(NONE);
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
    version_header(ctx, &session).await?;
    missing(ctx).await?;
    unique(ctx, &session).await?;
    ending(ctx, &session).await
}

async fn version_header(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    if !ctx.revision().sends_version_header() {
        return Ok(());
    }
    let wrong = session.post(&list(ctx, 3)).with(header::MCP_PROTOCOL_VERSION, "1999-01-01");
    let answer = ctx.http(wrong).await?;
    ctx.check("server-session-version-header").judge(expect_status(
        "a version that nobody knows is not refused",
        &answer,
        400,
    ));
    Ok(())
}

async fn missing(ctx: &mut Ctx) -> Result<(), Finding> {
    let answer = ctx.http(post(ctx.revision(), &list(ctx, 4))).await?;
    let check = ctx.check("server-session-missing-400");
    if is_success(&answer) {
        check.info("the server requires no session id");
    } else {
        let headline = "a request without a session id is refused with another status";
        check.judge(expect_status(headline, &answer, 400));
    }
    Ok(())
}

async fn unique(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    let second = Session::open(ctx).await?;
    let check = ctx.check("server-session-id-unique");
    match (&second.id, &session.id) {
        (None, _) => check.info("the server issues no second session id"),
        (Some(second), Some(first)) if first == second => check.fail(
            Finding::peer("two sessions have the same id")
                .expected("an id that nobody can guess, and that no other session has")
                .got("the id of the first session"),
        ),
        _ => check.pass(),
    };
    if second.id != session.id {
        second.close(ctx).await;
    }
    Ok(())
}

async fn ending(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    let deleted = ctx.http(session.delete()).await?;
    let after = ctx.http(session.post(&list(ctx, 2))).await?;
    let is_gone = is_success(&deleted) || (deleted.status == 404 && after.status == 404);

    let check = ctx.check("server-session-delete-accepted");
    match deleted.status {
        405 => check.skip("the server does not let clients end sessions: HTTP 405"),
        _ if is_gone => check.pass(),
        _ => check.fail(
            finding("DELETE does not end the session", &deleted)
                .expected("HTTP 2xx, or 405 if clients may not end sessions"),
        ),
    };
    if !is_gone {
        ctx.skip_the_rest("the session was not ended");
        return Ok(());
    }
    let headline = "a request in a session that has ended is not answered with HTTP 404";
    let outcome = expect_status(headline, &after, 404);
    ctx.check("server-session-terminated-returns-404").judge(outcome);

    let told = ctx.http(session.initialized()).await?;
    let listened = ctx.open_http(session.get()).await?.close();
    let mut check = ctx.check("server-session-terminated-everywhere");
    check = check.judge(expect_status(
        "a notification in a session that has ended is not answered with HTTP 404",
        &told,
        404,
    ));
    // A server that offers no stream may say so first.
    if listened.status != 405 {
        check = check.judge(expect_status(
            "GET in a session that has ended is not answered with HTTP 404",
            &listened,
            404,
        ));
    }
    drop(check);
    Ok(())
}

fn list(ctx: &Ctx, id: i64) -> serde_json::Value {
    request(ctx.revision(), id, "tools/list", json!({}))
}

fn expect_status(headline: &str, answer: &HttpAnswer, status: u16) -> Result<(), Finding> {
    if answer.status == status {
        return Ok(());
    }
    Err(finding(headline, answer).expected(format!("HTTP {status}")))
}

proofs! {
    passes on everything();
    catches "server-session-lifecycle-error" by status("initialize", 500),
        also "server-session-initialized-accepted" Skipped, also "server-session-delete-accepted" Skipped,
        also "server-session-terminated-returns-404" Skipped, also "server-session-terminated-everywhere" Skipped,
        also "server-session-missing-400" Skipped, also "server-session-id-unique" Skipped,
        also "server-session-version-header" Skipped;
    catches "server-session-initialized-accepted" by status("notifications/initialized", 500),
        also "server-session-delete-accepted" Skipped, also "server-session-terminated-returns-404" Skipped,
        also "server-session-terminated-everywhere" Skipped, also "server-session-missing-400" Skipped,
        also "server-session-id-unique" Skipped, also "server-session-version-header" Skipped;
    warns "server-session-delete-accepted" by status("DELETE", 500),
        also "server-session-terminated-returns-404" Skipped, also "server-session-terminated-everywhere" Skipped;
    catches "server-session-terminated-returns-404" by lapse(Lapse::KeepsSession),
        also "server-session-terminated-everywhere" Failure;
    catches "server-session-terminated-everywhere" by status("GET", 200);
    warns "server-session-missing-400" by status("tools/list", 404), also "server-session-version-header" Failure;
    warns "server-session-id-unique" by lapse(Lapse::ReusesSessionId);
    catches "server-session-version-header" by lapse(Lapse::SkipsVersion);
}
