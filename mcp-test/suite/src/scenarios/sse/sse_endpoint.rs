//! `sse-endpoint`.

use super::{Stream, post_to};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{finding, is_success, opening_request};

scenario! {
    /// The event stream names the URI to post to, and what is posted there is answered on the stream.
    ///
    /// A client knows only the URL of the stream. It waits for the event `endpoint` before it sends anything.
    Server "sse-endpoint": "The event stream names its endpoint",
    revisions: Revisions::only(Revision::V2024_11_05),
    transports: Only [Sse],
    checks: [
        check!("endpoint-first", "GET opens an event stream, whose first event is `endpoint` with a URI",
            [TRANSPORT_SSE_ENDPOINT_EVENT, TRANSPORT_SSE_TWO_ENDPOINTS]),
        check!("post-answered-on-stream",
            "`initialize` is accepted by POST at that URI, and its reply comes on the stream",
            [TRANSPORT_SSE_TWO_ENDPOINTS, TRANSPORT_SSE_MESSAGE_EVENTS]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut stream = Stream::open(ctx).await?;
    let answer = stream.exchange.answer().clone();
    if answer.status != 200 || !answer.is_stream() {
        let refused = finding("GET does not open an event stream", &answer)
            .expected("HTTP 200 with text/event-stream")
            .requires(Requirement::TRANSPORT_SSE_TWO_ENDPOINTS);
        ctx.check("endpoint-first").fail(refused);
        ctx.skip_the_rest("there is no event stream");
        return Ok(());
    }
    let endpoint = match stream.require_endpoint() {
        Ok(endpoint) => endpoint,
        Err(missing) => {
            ctx.check("endpoint-first").fail(missing);
            ctx.skip_the_rest("there is no endpoint to post to");
            return Ok(());
        }
    };
    ctx.check("endpoint-first").pass();
    let message = opening_request(Revision::V2024_11_05, 1);
    let posted = ctx.open_http(post_to(&endpoint, &message)).await?.close();
    let accepted = ensure(is_success(&posted), || {
        finding("a POST to the endpoint is refused", &posted)
            .expected("HTTP 2xx")
            .requires(Requirement::TRANSPORT_SSE_TWO_ENDPOINTS)
    });
    let is_accepted = accepted.is_ok();
    let mut check = ctx.check("post-answered-on-stream").judge(accepted);
    if is_accepted {
        let deadline = Deadline::after(super::FIRST);
        let own = Id::from(1);
        let is_own = |message: &Message| message.is_reply() && message.id() == Some(&own);
        let is_answered = stream.exchange.read_until_message(deadline, is_own).await;
        check = check.judge(ensure(is_answered, || {
            finding("a request is not answered on the event stream", stream.exchange.answer())
                .expected("the reply to `initialize` in an event `message`")
                .got("no such event")
                .requires(Requirement::TRANSPORT_SSE_MESSAGE_EVENTS)
        }));
    }
    drop(check);
    Ok(())
}

proofs! {
    passes on everything();
    // The reference server, without the revision that has the transport.
    catches "endpoint-first" on everything().revisions(Revisions::from(Revision::V2025_03_26));
    catches "post-answered-on-stream" by status("initialize", 500);
}
