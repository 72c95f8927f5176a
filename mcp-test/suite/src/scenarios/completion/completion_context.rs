//! `completion-context`.

use mcp_test_core::expect::not;
use mcp_test_core::server::params;

use super::targets::targets;
use crate::scenarios::prelude::*;

scenario! {
    /// The server completes with and without the values of other arguments.
    ///
    /// Since 2025-06-18 a client may send what the user has chosen already as `context`. A server that needs none of it
    /// ignores it, and one that would use it copes without: clients of older revisions never send it.
    Server "completion-context": "Completion works with and without a context",
    revisions: Revisions::from(Revision::V2025_06_18),
    needs: [Need::Capability(Capability::Completions)],
    shares_connection: Revisions::all(),
    checks: [
        check!("context-tolerated",
            "What is completed without a context is also completed with an empty one and with other arguments, and the reverse",
            [COMPLETION_CONTEXT_SERVER_TOLERATES]),
    ],
}

/// How many arguments are completed, in several ways each.
const TARGETS: usize = 3;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let (targets, _) = targets(ctx).await?;
    let contexts = [
        None,
        Some(json!({})),
        Some(json!({"arguments": {}})),
        Some(json!({"arguments": {"mcp-test": "x"}})),
    ];
    let mut was_completed = false;
    let mut outcomes = Vec::new();
    for target in targets.iter().take(TARGETS) {
        let mut replies = Vec::new();
        for context in &contexts {
            let mut params = target.params("");
            if let Some(context) = context {
                params["context"] = context.clone();
            }
            replies.push((ctx.request("completion/complete", params).await?, context));
        }
        // An argument that is never completed shows nothing about the context.
        let completed = replies.iter().any(|(reply, _)| reply.outcome().is_ok());
        was_completed |= completed;
        for (reply, context) in replies {
            let Err(error) = reply.outcome() else { continue };
            if completed {
                let sent = context
                    .as_ref()
                    .map_or("no context".to_owned(), |it| format!("the context {it}"));
                outcomes.push(
                    Finding::peer(format!("`completion/complete` with {sent} is refused"))
                        .expected("a result, as with another context or without one")
                        .got(error.to_string())
                        .evidence_all(reply.evidence()),
                );
            }
        }
    }
    if !was_completed {
        ctx.skip_the_rest("the server completes nothing that it lists");
        return Ok(());
    }
    let check = ctx.check("context-tolerated");
    outcomes.into_iter().fold(check, CheckBuilder::fail).pass();
    Ok(())
}

proofs! {
    passes on everything();
    // Takes the context for a required parameter.
    catches "context-tolerated" on refusing(not(object().member("context", object())));
    catches "context-tolerated" on knowing_its_arguments();
}

/// Answers a completion with an error if its parameters match.
fn refusing(wrong: impl Matcher + 'static) -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "wrong context");
    let rule = given(method("completion/complete")).and(params(wrong));
    reference_server_with([rule.respond_with(error)])
}

/// Refuses the values of arguments that its prompt does not have.
fn knowing_its_arguments() -> Server {
    let unknown = object().member("mcp-test", anything());
    refusing(object().member("context", object().member("arguments", unknown)))
}
