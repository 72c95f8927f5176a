//! `completion-declared`.

use super::targets::{Target, targets};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::refused;

scenario! {
    /// The server supports completion if and only if it declares `completions`.
    ///
    /// Clients offer completion only where it is declared, so undeclared completion is code that no client uses. A server without
    /// completion returns -32601 (method not found); an empty list would mean that it has no suggestions for this input.
    Server "completion-declared": "Completion exists exactly if it is declared",
    revisions: Revisions::from(Revision::V2025_03_26),
    shares_connection: Revisions::all(),
    checks: [
        check!("completion-declared",
            "A server that declares `completions` has the method, and one that does not proposes no values",
            [COMPLETION_CAPABILITY_DECLARE, COMPLETION_COMPLETE_RESPOND]),
        check!("completion-unknown-method",
            "A server that does not declare `completions` refuses `completion/complete` with -32601",
            [COMPLETION_ERROR_CAPABILITY_NOT_SUPPORTED_32601]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let (listed, _) = targets(ctx).await?;
    let unlisted = Target {
        reference: json!({"type": "ref/prompt", "name": "no-such-prompt-of-mcp-test"}),
        argument: "name".to_owned(),
    };
    let target = listed.into_iter().next().unwrap_or(unlisted);
    let is_declared = ctx.declares(Capability::Completions).await?;
    let request = ctx.request("completion/complete", target.params("")).deliberate();
    let reply = if is_declared { request.await? } else { request.promptly().await? };
    if is_declared {
        let check =
            ctx.check("completion-declared").requires(Requirement::COMPLETION_COMPLETE_RESPOND);
        check.judge(is_known(&reply));
        return Ok(());
    }
    let check =
        ctx.check("completion-declared").requires(Requirement::COMPLETION_CAPABILITY_DECLARE);
    check.judge(proposes_nothing(&reply));
    ctx.check("completion-unknown-method").judge(refused(&reply, error_code::METHOD_NOT_FOUND));
    Ok(())
}

/// Whether the method exists, whatever the answer is.
fn is_known(reply: &Reply) -> Result<(), Finding> {
    match reply.outcome() {
        Err(error) if error.code == error_code::METHOD_NOT_FOUND => {
            Err(Finding::peer("the server declares `completions` and does not have the method")
                .expected("an answer to `completion/complete`")
                .got(error.to_string())
                .evidence_all(reply.evidence())
                .in_any_state())
        }
        _ => Ok(()),
    }
}

fn proposes_nothing(reply: &Reply) -> Result<(), Finding> {
    let values = reply.outcome().ok().and_then(|result| result.at("/completion/values"));
    match values.and_then(Value::as_array) {
        Some(values) if !values.is_empty() => {
            Err(Finding::peer("the server completes without declaring `completions`")
                .expected("the capability `completions`, or error -32601")
                .got(format!("{} values", values.len()))
                .evidence_all(reply.evidence())
                .in_any_state())
        }
        _ => Ok(()),
    }
}

proofs! {
    passes on everything();
    catches "completion-declared" by reply_error("completion/complete", -32601);
    // Returns completion values without declaring the capability.
    catches "completion-declared" on answering(json!({"completion": {"values": ["paris"]}}).into());
    // Returns an internal error instead of "method not found".
    warns "completion-unknown-method" on answering(Answer::error(error_code::INTERNAL_ERROR, "no completion"));
    // Returns an empty list, the default of its library.
    warns "completion-unknown-method" on answering(json!({"completion": {"values": []}}).into());
}

fn answering(answer: Answer) -> Server {
    let server = everything().capabilities(json!({"tools": {"listChanged": true}}));
    server.mount(given(method("completion/complete")).respond_with(answer));
    server
}
