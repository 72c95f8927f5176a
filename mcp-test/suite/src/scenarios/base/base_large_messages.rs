//! `base-large-messages`.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::refused_in_any_way;

scenario! {
    /// A message of 1 MiB is answered, and the server goes on.
    ///
    /// A document as the argument of a tool is soon that large. Readers of lines with a fixed buffer, and limits for bodies
    /// that nobody remembers, fail at it: some servers then answer nothing any more. Over HTTP a server may refuse such a
    /// body, best with HTTP 413. The text is in a parameter that no request has, so that nothing is done with it.
    Server "base-large-messages": "A large message is answered",
    revisions: Revisions::all(),
    repeats: OncePerEra,
    shares_connection: Revisions::all(),
    checks: [
        check!("large-request-answered",
            "A request of 1 MiB is answered with a result or an error; over HTTP it may be refused with HTTP 4xx",
            [JSONRPC_REQUEST_ANSWERED]),
        check!("served-after-large-request", "The next request is answered with a result as before",
            [JSONRPC_REQUEST_ANSWERED]),
    ],
}

/// Well above the buffers of 64 KiB that readers of lines have, and below the limit for bodies of the SDKs.
const LARGE: usize = 1024 * 1024;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let known = always_answered(ctx.revision());
    // Answered without the text, so that a missing answer has no other reason.
    ctx.request(known, json!({})).await?.result()?;
    let large = ctx.request(known, json!({"padding": "x".repeat(LARGE)})).deliberate().await;
    // An error is as good as a result: the parameter is unknown to every server.
    let outcome = refused_in_any_way(&ctx.trace(), large, |reply| {
        let _ = reply.outcome();
        Ok(())
    });
    let hint = "read messages without a limit for the length of a line, and refuse a body over HTTP with 413";
    let is_answered = outcome.is_ok();
    ctx.check("large-request-answered").judge(outcome.map_err(|finding| finding.hint(hint)));
    if !is_answered {
        // Of a silent server one wait is enough.
        ctx.skip_the_rest("the large request is not answered");
        return Ok(());
    }
    let next = ctx.request(known, json!({})).await;
    let next = next.and_then(|reply| reply.result().map(|_| ()));
    ctx.check("served-after-large-request").judge(next);
    Ok(())
}

proofs! {
    passes on everything();
    catches "large-request-answered" on closing_at_large_messages(), at V2025_11_25;
    catches "served-after-large-request" on out_of_memory(), at V2025_11_25;
}

/// Closes the connection instead of an answer to a large message.
fn closing_at_large_messages() -> Server {
    everything().on("ping", |call: Call| async move {
        match call.param("padding") {
            Some(_) => Answer::close(),
            None => json!({}).into(),
        }
    })
}

/// Fails at the request after a large message.
fn out_of_memory() -> Server {
    let is_broken = Arc::new(AtomicBool::new(false));
    everything().on("ping", move |call: Call| {
        let was_broken = is_broken.swap(call.param("padding").is_some(), Ordering::Relaxed);
        async move {
            match was_broken {
                true => Answer::error(error_code::INTERNAL_ERROR, "out of memory"),
                false => json!({}).into(),
            }
        }
    })
}
