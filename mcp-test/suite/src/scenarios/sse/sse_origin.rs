//! `sse-origin`.

use super::{Stream, get, post_to};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{finding, is_local, is_refusal, opening_request};

scenario! {
    /// A local server refuses connections from foreign web pages, on its event stream and on the endpoint for POSTs.
    ///
    /// A page can resolve its own host name to the address of this machine and then reach everything that listens here;
    /// its `Origin` shows where such a request comes from.
    Server "sse-origin": "Requests from foreign web pages are refused over HTTP+SSE",
    revisions: Revisions::only(Revision::V2024_11_05),
    transports: Only [Sse],
    checks: [
        check!("foreign-origin-refused", "GET and POST with a foreign Origin are refused with HTTP 4xx",
            [TRANSPORT_SSE_ORIGIN_VALIDATED]),
    ],
}

/// That of a page which no local server allows.
const FOREIGN: &str = "http://evil.example.com";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let authority = ctx.authority().unwrap_or_default();
    // Rebinding threatens servers on the user's own machine.
    if !is_local(&authority) {
        let why = format!("the server is not reached at a local address, but at {authority}");
        ctx.check("foreign-origin-refused").skip(why);
        return Ok(());
    }
    // Accepted without the header, so that a refusal with it has no other reason.
    let stream = Stream::open(ctx).await?;
    let endpoint = stream.require_endpoint()?;
    let listened = ctx.open_http(get().header("Origin", FOREIGN)).await?.close();
    let message = opening_request(Revision::V2024_11_05, 1);
    let post = post_to(&endpoint, &message).header("Origin", FOREIGN);
    let posted = ctx.open_http(post).await?.close();
    let outcome = refused("GET", &listened).and(refused("POST", &posted));
    ctx.check("foreign-origin-refused").judge(outcome);
    Ok(())
}

fn refused(method: &str, answer: &HttpResponse) -> Result<(), Finding> {
    ensure(is_refusal(answer), || {
        finding(format!("{method} with a foreign Origin is not refused"), answer)
            .expected("HTTP 4xx")
            .caused_by(Cause::Requirement(Requirement::TRANSPORT_SSE_ORIGIN_VALIDATED))
    })
}

proofs! {
    passes on everything();
    catches "foreign-origin-refused" by misbehavior(Misbehavior::LooksAtHostOnly);
}
