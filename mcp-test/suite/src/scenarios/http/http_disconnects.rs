//! `http-disconnects`.

use std::sync::atomic::{AtomicBool, Ordering};

use mcp_test_core::transport::HttpExchange;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, finding, harmless_method, is_served, request};

scenario! {
    /// A client that closes a response or a listening stream can go on in its session.
    ///
    /// Connections break at any time, and a client may stop listening when it likes; neither ends the session. While it
    /// listens, replies still come on the response to their own request: a client that awaits one there misses it if it is
    /// sent on the listening stream.
    Server "http-disconnects": "A session outlives its connections",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    transports: StreamableHttp,
    checks: [
        check!("served-after-broken-response",
            "A session still serves requests after the client has closed a response before its end",
            [TRANSPORT_HTTP_DISCONNECT_TOLERATED]),
        check!("served-after-closed-stream",
            "A session still serves requests after the client has closed its listening stream",
            [TRANSPORT_HTTP_GET_STREAM_CLOSE_TOLERATED]).conditional(),
        check!("no-replies-while-listening", "A listening stream that resumes nothing contains no reply",
            [TRANSPORT_HTTP_GET_NO_RESPONSES]).conditional(),
    ],
}

/// How long the listening stream may go on after the end of its session.
const END: Duration = Duration::from_secs(1);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let method = harmless_method(ctx).await?;
    let session = Session::open(ctx).await?;
    let outcome = in_session(ctx, &session, method).await;
    session.close(ctx).await;
    outcome?;
    // Another session, so that its listening stream is the only one.
    let session = Session::open(ctx).await?;
    replies_while_listening(ctx, &session).await
}

async fn in_session(ctx: &mut Ctx, session: &Session, method: &str) -> Result<(), Finding> {
    ctx.http(session.initialized()).await?;
    // Served before, so that a refusal afterwards is due to what happened in between.
    ping(ctx, session, 2)
        .await?
        .map_err(|it| it.requires(Requirement::JSONRPC_REQUEST_ANSWERED))?;
    let message = request(ctx.revision(), 3, method, json!({}));
    drop(ctx.open_http(session.post(&message)).await?);
    let outcome = ping(ctx, session, 4).await?;
    let is_served = outcome.is_ok();
    ctx.check("served-after-broken-response").judge(outcome);
    if !is_served {
        return Ok(());
    }
    let Some(listening) = listen(ctx, session).await? else { return Ok(()) };
    drop(listening);
    let outcome = ping(ctx, session, 5).await?;
    ctx.check("served-after-closed-stream").judge(outcome);
    Ok(())
}

/// Whether a `ping` in the session is answered.
async fn ping(ctx: &mut Ctx, session: &Session, id: i64) -> Result<Result<(), Finding>, Finding> {
    let message = request(ctx.revision(), id, "ping", json!({}));
    let answer = ctx.http(session.post(&message)).await?;
    Ok(is_served("`ping` is not answered in the session", &answer, id))
}

/// The listening stream, if the server has one.
async fn listen(ctx: &mut Ctx, session: &Session) -> Result<Option<HttpExchange>, Finding> {
    let listening = ctx.open_http(session.get()).await?;
    let answer = listening.answer();
    // Any other answer than a stream is reported by `server-sse-multiple-streams`.
    let is_stream = answer.status == 200 && answer.is_stream();
    Ok(is_stream.then_some(listening))
}

async fn replies_while_listening(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    ctx.http(session.initialized()).await?;
    let Some(mut listening) = listen(ctx, session).await? else {
        session.close(ctx).await;
        return Ok(());
    };
    // Not examined: whether it is answered elsewhere instead is what the stream shows.
    let message = request(ctx.revision(), 6, "ping", json!({}));
    let _ = ctx.attempt_http(session.post(&message)).await;
    // The server ends the streams of a session with it, after everything that it has sent on them.
    session.close(ctx).await;
    let is_reply = |message: &Message| message.is_reply();
    let has_reply = listening.read_until_message(Deadline::after(END), is_reply).await;
    let heard = listening.close();
    ctx.check("no-replies-while-listening").judge(ensure(!has_reply, || {
        finding("the listening stream contains a reply", &heard)
            .expected("the reply to a POST on its own response only")
    }));
    Ok(())
}

proofs! {
    passes on everything();
    catches "served-after-broken-response" on breaking_down();
    catches "served-after-closed-stream" on forgetting_clients();
    catches "no-replies-while-listening" by misbehavior(Misbehavior::RepliesOnGet);
}

/// Serves nothing more once a list was asked for, as if the broken connection had taken the session with it.
fn breaking_down() -> Server {
    let is_broken = Arc::new(AtomicBool::new(false));
    let breaks = is_broken.clone();
    let server = everything().on("tools/list", move |_: Call| {
        breaks.store(true, Ordering::Relaxed);
        async { json!({"tools": []}) }
    });
    server.on("ping", move |_: Call| {
        let is_broken = is_broken.load(Ordering::Relaxed);
        async move { pong(!is_broken) }
    })
}

/// Answers two requests, and no more.
fn forgetting_clients() -> Server {
    let turns = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    everything().on("ping", move |_: Call| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        async move { pong(turn < 2) }
    })
}

fn pong(is_well: bool) -> Answer {
    match is_well {
        true => json!({}).into(),
        false => Answer::error(error_code::INTERNAL_ERROR, "the connection is gone"),
    }
}
