//! `logging-request-level`.

use mcp_test_core::server::meta;
use mcp_test_core::spec::meta as keys;

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::refused;

scenario! {
    /// A request with an unknown log level in its `_meta` is refused with -32602.
    ///
    /// Since 2026-07-28 each request says which log messages its client wants. A level that is ignored looks to the client like
    /// a server that has nothing to report.
    Server "logging-request-level": "An unknown log level of a request is refused",
    revisions: Revisions::from(Revision::V2026_07_28),
    needs: [Need::Capability(Capability::Logging)],
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-request-level-refused", "A request with an unknown level in `_meta` is refused with -32602",
            [LOGGING_PER_REQUEST_INVALID_LEVEL_32602]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut request = "server/discover";
    for kind in ItemKind::ALL {
        if ctx.declares(kind.capability()).await? {
            // More likely to log than what only describes the server.
            request = kind.method();
            break;
        }
    }
    // A server that refuses every level would refuse the unknown one for another reason.
    if let Err(error) = ctx.request(request, json!({})).log_level("emergency").await?.outcome() {
        let reason = format!("`{request}` is refused with a known level, too: {error}");
        ctx.check("unknown-request-level-refused").skip(reason);
        return Ok(());
    }
    // As in other logging libraries, but not a level of MCP.
    let reply =
        ctx.request(request, json!({})).log_level("verbose").deliberate().promptly().await?;
    ctx.check("unknown-request-level-refused").judge(refused(&reply, error_code::INVALID_PARAMS));
    Ok(())
}

proofs! {
    passes on everything();
    // Answers an unknown level with an internal error.
    warns "unknown-request-level-refused" on answering(Answer::error(error_code::INTERNAL_ERROR, "unknown level"));
    // Answers as if no level were named.
    warns "unknown-request-level-refused" on answering(json!({"tools": []}));
}

fn answering(answer: impl Into<Answer>) -> Server {
    let unknown = meta(keys::LOG_LEVEL, equals("verbose"));
    reference_server_with([given(method("tools/list")).and(unknown).respond_with(answer.into())])
}
