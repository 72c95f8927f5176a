//! `completion-offered`.

use mcp_test_core::expect::array;

use super::completion_values::{
    a_consistent_total, a_truthful_has_more, at_most_100_values, completion, shape,
};
use super::targets::targets;
use crate::scenarios::prelude::*;

scenario! {
    /// The server completes the arguments of the prompts and the variables of the resource templates that it lists.
    ///
    /// A client that knows the capability `completions` asks for each of them while its user types. Where a server has nothing
    /// to propose, an empty list says so; an error looks like a broken server. A response with more than 100 values, or a
    /// `total` below the number of values, breaks clients that reserve space for them.
    Server "completion-offered": "Listed arguments and variables are completed",
    revisions: Revisions::from(Revision::V2025_03_26),
    needs: [Need::Capability(Capability::Completions)],
    shares_connection: Revisions::all(),
    checks: [
        check!("offered-completed",
            "For a listed prompt or resource template, `completion/complete` is answered with values",
            [COMPLETION_COMPLETE_RESPOND]),
        check!("offered-completion-values",
            "There are at most 100 values, all strings, and `total` and `hasMore` are consistent with them",
            [
                SCHEMA_COMPLETE_RESULT, COMPLETION_RESULT_MAX_100, COMPLETION_RESULT_TOTAL_CONSISTENT,
                COMPLETION_RESULT_HAS_MORE_TRUTHFUL,
            ]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let (targets, has_more) = targets(ctx).await?;
    let mut replies = Vec::new();
    for target in &targets {
        // What a client sends before the user has typed anything.
        replies.push(ctx.request("completion/complete", target.params("")).await?);
    }
    if replies.is_empty() {
        ctx.skip_the_rest("the server lists no argument of a prompt and no resource template");
        return Ok(());
    }
    let mut answered = ctx.check("offered-completed");
    for reply in &replies {
        // Of the other errors none is said to be wrong for an argument without values.
        let is_unknown = |code: i64| code == error_code::METHOD_NOT_FOUND;
        answered = match reply.outcome() {
            Err(error) if !is_unknown(error.code) => answered,
            _ => answered.expect(reply, completion(object().member("values", array()))),
        };
    }
    let refused = replies.iter().filter(|reply| reply.outcome().is_err()).count();
    if has_more || refused > 0 {
        let details = json!({ "completed": replies.len(), "refused": refused, "more": has_more });
        answered = answered.details(details);
    }
    match refused == replies.len() {
        // Still a failure if the method is unknown: a remark does not hide it.
        true => answered.info("the server refuses to complete anything that it lists"),
        false => answered.pass(),
    };
    let mut values = ctx.check("offered-completion-values");
    for reply in replies.iter().filter(|reply| reply.outcome().is_ok()) {
        values = values
            .requires(Requirement::SCHEMA_COMPLETE_RESULT)
            .expect(reply, completion(shape()))
            .requires(Requirement::COMPLETION_RESULT_MAX_100)
            .expect(reply, completion(at_most_100_values()))
            // Both members are optional and only SHOULD be right (`server/utilities/completion#completion-results`).
            .requires(Requirement::COMPLETION_RESULT_TOTAL_CONSISTENT)
            .should(reply, completion(a_consistent_total()))
            .requires(Requirement::COMPLETION_RESULT_HAS_MORE_TRUTHFUL)
            .should(reply, completion(a_truthful_has_more()));
    }
    if refused == replies.len() {
        values.skip("nothing was completed");
    }
    Ok(())
}

proofs! {
    passes on everything();
    catches "offered-completed" by reply_error("completion/complete", -32601);
    catches "offered-completed" by remove("completion/complete", "/completion/values");
    catches "offered-completion-values" on with_all_values();
    warns "offered-completion-values" by set("completion/complete", "/completion/total", json!(-1));
    warns "offered-completion-values" by set("completion/complete", "/completion/hasMore", json!(true));
}

/// Returns all values that it knows, however many these are.
fn with_all_values() -> Server {
    let values: Vec<String> = (0..101).map(|number| format!("value-{number}")).collect();
    everything().on("completion/complete", move |_| {
        let values = values.clone();
        async move { json!({ "completion": { "values": values } }) }
    })
}
