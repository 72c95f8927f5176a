//! `http-response-end`.

use mcp_test_core::expect::words::quoted;
use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, finding, harmless_method, post, request};

scenario! {
    /// A request gets exactly one response, which ends where its headers say.
    ///
    /// A client that reuses the connection takes any further data as the response to its next request; behind a proxy, that may be
    /// another user's request. The scenario keeps reading from the connection after the responses to a request, to an unknown
    /// method and to a notification, until the server closes it. The server may report a request timeout, and may end a body with
    /// an empty line. The check does not run over TLS.
    Server "http-response-end": "Nothing follows the response to a request",
    revisions: Revisions::from(Revision::V2025_03_26),
    repeats: OncePerEra,
    transports: Only [Http],
    checks: [
        check!("nothing-after-response", "The server sends nothing after the end of a response",
            [MCP_TEST_HTTP_RESPONSE_END]),
    ],
}

/// How long a response may take; a server may leave an event stream open after the reply.
const END: Duration = Duration::from_secs(2);

/// An unsolicited response that HTTP allows before a server closes a connection: 408 (RFC 9110, section 15.5.9), for which some
/// send 400.
const TIMED_OUT: [&[u8]; 4] = [b"HTTP/1.1 408", b"HTTP/1.1 400", b"HTTP/1.0 408", b"HTTP/1.0 400"];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let revision = ctx.revision();
    let method = harmless_method(ctx).await?;
    if revision.era() == Era::Stateless {
        return responses(ctx, method, |message| post(revision, message)).await;
    }
    let session = Session::open(ctx).await?;
    ctx.http(session.initialized()).await?;
    let outcome = responses(ctx, method, |message| session.post(message)).await;
    session.close(ctx).await;
    outcome
}

async fn responses(
    ctx: &mut Ctx,
    method: &str,
    post: impl Fn(&Value) -> HttpRequest,
) -> Result<(), Finding> {
    let revision = ctx.revision();
    let mut notification = request(revision, 0, "notifications/no-such-notification", json!({}));
    notification.as_object_mut().map(|message| message.remove("id"));
    let messages = [
        request(revision, 10, method, json!({})),
        request(revision, 11, "mcp-test/no-such-method", json!({})),
        notification,
    ];
    let mut ended = 0;
    for message in messages {
        // Other scenarios report a missing response.
        let Ok(exchange) = ctx.attempt_open_http(post(&message).reading_on()).await? else {
            continue;
        };
        let response = exchange.finish(Deadline::after(END)).await;
        if !response.complete {
            continue;
        }
        let Some(excess) = &response.excess else {
            ctx.check("nothing-after-response").skip("the connection cannot be read over TLS");
            return Ok(());
        };
        ended += 1;
        ctx.check("nothing-after-response").judge(is_allowed(excess, &message, &response));
    }
    if ended == 0 {
        ctx.check("nothing-after-response").skip("no response has ended");
    }
    Ok(())
}

fn is_allowed(excess: &[u8], message: &Value, response: &HttpResponse) -> Result<(), Finding> {
    // Some servers end a body with a line break that does not count (RFC 9112, section 2.2).
    let is_blank = excess.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
    if is_blank || TIMED_OUT.iter().any(|start| excess.starts_with(start)) {
        return Ok(());
    }
    let method = message["method"].as_str().unwrap_or_default();
    let headline = match excess.starts_with(b"HTTP/1.") {
        true => format!("`{method}` is answered with two HTTP responses"),
        false => format!("the response to `{method}` is longer than its headers say"),
    };
    Err(finding(headline, response)
        .expected("nothing on the connection after the end of the response")
        .got(quoted(excess)))
}

proofs! {
    passes on everything();
    catches "nothing-after-response" by two_responses("tools/list");
    catches "nothing-after-response" by two_responses("tools/list"), at V2025_11_25;
}
