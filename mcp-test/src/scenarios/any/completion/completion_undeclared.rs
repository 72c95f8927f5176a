//! `completion-undeclared`.

use serde_json::json;

use super::targets::{Target, targets};
use crate::check::Finding;
use crate::client::Reply;
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx};
use crate::scenarios::refusal::refused;
use crate::server::reference::everything;
use crate::server::{Answer, Server, given, method};
use crate::spec::{Capability, Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// A server that does not declare `completions` does not complete.
    ///
    /// Clients offer completion only where it is declared, so that a server which completes without saying so has written code
    /// that nobody uses. One without completion says with -32601 that it does not have the method; an empty list of values
    /// would say that it has nothing to propose this time.
    Server "completion-undeclared": "Completion is declared, or refused as an unknown method",
    revisions: Revisions::from(Revision::V2025_03_26),
    shares_connection: true,
    checks: [
        CheckSpec::own(
            "completion-declared",
            "CompletionDeclared",
            "A server that does not declare `completions` proposes no values",
        )
        .requires(&["completion.capability.declare"]),
        CheckSpec::own(
            "completion-unknown-method",
            "CompletionUnknownMethod",
            "A server that does not declare `completions` refuses `completion/complete` with -32601",
        )
        .requires(&["completion.error.capability-not-supported-32601"])
        .warns(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    if ctx.declares(Capability::Completions).await? {
        ctx.skip_the_rest("the server declares `completions`");
        return Ok(());
    }
    let (listed, _) = targets(ctx).await?;
    let unlisted = Target {
        reference: json!({"type": "ref/prompt", "name": "no-such-prompt-of-mcp-test"}),
        argument: "name".to_owned(),
    };
    let target = listed.into_iter().next().unwrap_or(unlisted);
    let reply = ctx.request("completion/complete", target.params("")).deliberate().await?;
    ctx.check("completion-declared").judge(proposes_nothing(&reply));
    ctx.check("completion-unknown-method").judge(refused(&reply, error_code::METHOD_NOT_FOUND));
    Ok(())
}

fn proposes_nothing(reply: &Reply) -> Result<(), Finding> {
    let values = reply.outcome().ok().and_then(|result| result.at("/completion/values"));
    match values.and_then(Value::as_array) {
        Some(values) if !values.is_empty() => {
            Err(Finding::peer("the server completes without declaring `completions`")
                .expected("the capability `completions`, or error -32601")
                .got(format!("{} values", values.len()))
                .evidence_all(reply.evidence()))
        }
        _ => Ok(()),
    }
}

proofs! {
    passes on without_completion();
    catches "completion-declared" on completing_undeclared(), also "completion-unknown-method" Warning;
    warns "completion-unknown-method" by reply_error("completion/complete", -32603);
    warns "completion-unknown-method" by answer("completion/complete", json!({"resultType": "complete", "completion": {"values": []}}));
}

/// The reference server without its completion.
fn without_completion() -> Server {
    answering(Answer::error(error_code::METHOD_NOT_FOUND, "unknown method"))
}

/// Completes, but has forgotten to say so.
fn completing_undeclared() -> Server {
    answering(json!({"completion": {"values": ["paris"]}}).into())
}

fn answering(answer: Answer) -> Server {
    let server = everything().capabilities(json!({"tools": {"listChanged": true}}));
    server.mount(given(method("completion/complete")).respond_with(answer));
    server
}
