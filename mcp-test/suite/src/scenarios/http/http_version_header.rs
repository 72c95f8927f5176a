//! `http-version-header`.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, is_served, request};

scenario! {
    /// A request without `MCP-Protocol-Version` is served.
    ///
    /// Clients of 2025-03-26 do not send the header. In a session the server knows the version from `initialize`; without
    /// one it should assume 2025-03-26. A server that has no sessions and does not support that revision may refuse.
    Server "http-version-header": "A request without the version header is served",
    revisions: Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25),
    transports: StreamableHttp,
    checks: [
        check!("served-without-version-header", "In a session, a request without `MCP-Protocol-Version` is answered",
            [TRANSPORT_HTTP_VERSION_HEADER_ABSENT_DEFAULT]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let session = Session::open(ctx).await?;
    ctx.http(session.initialized()).await?;
    let outcome = without_version(ctx, &session).await;
    session.close(ctx).await;
    outcome
}

async fn without_version(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    let ping = |id| request(session.revision, id, "ping", json!({}));
    // Served with the header, so that a refusal without it has no other reason.
    let with = ctx.http(session.post(&ping(2))).await?;
    is_served("`ping` is not answered", &with, 2)
        .map_err(|it| it.requires(Requirement::JSONRPC_REQUEST_ANSWERED))?;
    let without = session.post(&ping(3)).without(header::MCP_PROTOCOL_VERSION);
    let without = ctx.http(without).await?;
    let headline = "a request without `MCP-Protocol-Version` is not served";
    let outcome = is_served(headline, &without, 3).map_err(Finding::should);
    let check = ctx.check("served-without-version-header");
    match (outcome, &session.id) {
        (Err(refused), None) => {
            check.info(format!("the server has no sessions: {}", refused.headline))
        }
        (outcome, _) => check.judge(outcome),
    };
    Ok(())
}

proofs! {
    passes on everything();
    warns "served-without-version-header" on answering_once();
}

/// Answers `ping` once, and then not the one without the header.
fn answering_once() -> Server {
    let answered = AtomicBool::new(false);
    everything().on("ping", move |_: Call| {
        let again = answered.swap(true, Ordering::Relaxed);
        async move {
            match again {
                true => Answer::error(error_code::INVALID_REQUEST, "which version?"),
                false => json!({}).into(),
            }
        }
    })
}
