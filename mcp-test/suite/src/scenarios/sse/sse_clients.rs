//! `sse-clients`.

use super::{Stream, post_to};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{finding, opening_request, request};

scenario! {
    /// Two clients with a stream each get the replies to their own requests.
    ///
    /// The servers of this transport find the stream of a POST by its URI. Both clients initialize with the same id; then
    /// one of them sends `ping`, and the other one another request with the same id as that.
    Server "sse-clients": "Two clients get their own replies over HTTP+SSE",
    revisions: Revisions::only(Revision::V2024_11_05),
    transports: Only [Sse],
    checks: [
        check!("replies-on-own-stream",
            "Of two clients that use equal ids, each gets the replies to its requests on its own stream",
            [TRANSPORT_SSE_MULTIPLE_CLIENTS]),
    ],
}

const REVISION: Revision = Revision::V2024_11_05;

/// The id of the second request of both clients.
const ID: i64 = 7;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut streams = [Stream::open(ctx).await?, Stream::open(ctx).await?];
    let mut endpoints = Vec::new();
    for stream in &streams {
        endpoints.push(stream.require_endpoint()?);
    }
    for (client, endpoint) in endpoints.iter().enumerate() {
        send(ctx, endpoint, &opening_request(REVISION, 1)).await?;
        if let Err(missing) = reply_on(&mut streams[client], 1).await {
            // It may have gone to the other client instead.
            let is_elsewhere = reply_on(&mut streams[1 - client], 1).await.is_ok();
            let got = if is_elsewhere { "it is on the other stream" } else { "no such event" };
            ctx.check("replies-on-own-stream").fail(missing.got(got));
            return Ok(());
        }
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        send(ctx, endpoint, &initialized).await?;
    }
    // Of the two, only `ping` has a result, and only the other one an error.
    for (endpoint, method) in endpoints.iter().zip(["ping", "mcp-test/unknown"]) {
        send(ctx, endpoint, &request(REVISION, ID, method, json!({}))).await?;
    }
    let mut are_results = Vec::new();
    for stream in &mut streams {
        are_results.push(matches!(reply_on(stream, ID).await?, Message::Response(_)));
    }
    let is_mixed_up = are_results == [false, true];
    let answer = streams[0].exchange.answer();
    ctx.check("replies-on-own-stream").judge(ensure(!is_mixed_up, || {
        finding("each of two clients received the reply to the other one", answer)
            .expected("the result of `ping` on the stream of the client that sent it")
            .got("an error, and the result on the stream of the other client")
    }));
    Ok(())
}

/// Posts a message, whose response says only that it was accepted.
async fn send(ctx: &mut Ctx, endpoint: &str, message: &serde_json::Value) -> Result<(), Finding> {
    let _accepted = ctx.open_http(post_to(endpoint, message)).await?.close();
    Ok(())
}

/// The reply with this id on a stream.
async fn reply_on(stream: &mut Stream, id: i64) -> Result<Message, Finding> {
    let own = Id::from(id);
    let mut found = None;
    let is_own = |message: &Message| {
        let is_own = message.is_reply() && message.id() == Some(&own);
        if is_own {
            found = Some(message.clone());
        }
        is_own
    };
    stream.exchange.read_until_message(Deadline::after(super::FIRST), is_own).await;
    found.ok_or_else(|| {
        finding("a client gets no reply on its stream", stream.exchange.answer())
            .expected(format!("the reply with id {id}"))
            .got("no such event")
            .requires(Requirement::TRANSPORT_SSE_MULTIPLE_CLIENTS)
    })
}

proofs! {
    passes on everything();
    catches "replies-on-own-stream" by misbehavior(Misbehavior::MixesStreams);
}
