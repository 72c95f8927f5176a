//! `http-malformed-bodies`.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, error, finding, is_served, is_success, post, request};

scenario! {
    /// The server rejects bodies that are not messages, and keeps serving requests.
    ///
    /// HTTP 202 says that a notification was accepted. That cannot be true of a body whose `method` is missing or a number, nor of
    /// a request in an array at a revision without batches: the sender would never learn that it was lost. The server may do as it
    /// likes with other invalid bodies: text that is not JSON, truncated JSON, and bodies larger than many servers accept. It must
    /// still answer the next request.
    Server "http-malformed-bodies": "Malformed bodies are refused and do no harm",
    revisions: Revisions::from(Revision::V2025_03_26),
    repeats: OncePerEra,
    transports: StreamableHttp,
    checks: [
        check!("malformed-notification-refused",
            "A notification whose `method` is a number, an object without `method` and a request in an array are not accepted with HTTP 202",
            [TRANSPORT_HTTP_REJECTED_INPUT_ERROR_STATUS])
            .fails_or_warns("an error in the body of a success does not accept the message"),
        check!("served-after-malformed", "A valid request is answered after malformed and oversized ones",
            [JSONRPC_REQUEST_ANSWERED]),
    ],
}

/// More than the 4 MiB that the TypeScript SDK reads, the largest limit of the SDKs that have one.
const LARGE: usize = 5 * 1024 * 1024;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let revision = ctx.revision();
    if revision.era() == Era::Stateless {
        return malformed(ctx, |message| post(revision, message)).await;
    }
    let session = Session::open(ctx).await?;
    ctx.http(session.initialized()).await?;
    let outcome = malformed(ctx, |message| session.post(message)).await;
    session.close(ctx).await;
    outcome
}

async fn malformed(ctx: &mut Ctx, post: impl Fn(&Value) -> HttpRequest) -> Result<(), Finding> {
    let (revision, method) = (ctx.revision(), always_answered(ctx.revision()));
    let before = ctx.http(post(&request(revision, 2, method, json!({})))).await?;
    is_served("a valid request is not answered", &before, 2)
        .map_err(|it| it.requires(Requirement::JSONRPC_REQUEST_ANSWERED))?;

    for (what, body) in [
        ("a notification whose `method` is a number", json!({"jsonrpc": "2.0", "method": 5})),
        ("an object without `method`", json!({"jsonrpc": "2.0"})),
    ] {
        let answer = ctx.http(post(&body)).await?;
        ctx.check("malformed-notification-refused").judge(refused(what, &answer));
    }
    if !revision.has_batches() {
        let answer = ctx.http(post(&json!([request(revision, 5, method, json!({}))]))).await?;
        // A server that answers the request anyway loses nothing.
        let is_lost = is_success(&answer)
            && answer.body.trim_ascii().is_empty()
            && answer.messages().is_empty();
        let outcome = if is_lost { refused("a request in an array", &answer) } else { Ok(()) };
        ctx.check("malformed-notification-refused").judge(outcome);
    }

    let valid = post(&request(revision, 3, method, json!({})));
    let padded = request(revision, 4, method, json!({"padding": "x".repeat(LARGE)}));
    let mut cut = valid.clone();
    cut.body.truncate(valid.body.len() / 2);
    let mut text = valid.clone();
    text.body = "not JSON".into();
    for invalid in [text, cut, post(&padded)] {
        // Refused, answered, or cut off while it is sent: all of that is allowed.
        ctx.attempt_http(invalid).await?.ok();
    }
    let after = ctx.http(valid).await?;
    let headline = "a valid request is not answered after malformed ones";
    ctx.check("served-after-malformed").judge(is_served(headline, &after, 3));
    Ok(())
}

fn refused(what: &str, answer: &HttpResponse) -> Result<(), Finding> {
    if !is_success(answer) {
        return Ok(());
    }
    let accepted = finding(format!("{what} is accepted"), answer)
        .expected("an HTTP error status, such as 400");
    // A server that treats it as a request returns an error in the body, so at least it does not accept it.
    Err(if error(answer).is_some() { accepted.should() } else { accepted })
}

proofs! {
    passes on everything();
    // Accepts a message without a method as if it were a notification.
    catches "malformed-notification-refused" on everything().faults([Fault::status("", 202), Fault::empty_body("")]);
    warns "malformed-notification-refused" by status("", 200);
    catches "served-after-malformed" on breaking_down(), at V2025_11_25;
}

/// A server that fails the first `ping` that is too large for it, and every later one.
fn breaking_down() -> Server {
    let is_broken = Arc::new(AtomicBool::new(false));
    everything().on("ping", move |call: Call| {
        is_broken.fetch_or(call.param("padding").is_some(), Ordering::Relaxed);
        let is_broken = is_broken.load(Ordering::Relaxed);
        async move {
            match is_broken {
                true => Answer::error(error_code::INTERNAL_ERROR, "out of memory"),
                false => json!({}).into(),
            }
        }
    })
}
