//! `completion-complete`.

use mcp_test_core::expect::array;

use super::completion_values::{
    a_consistent_total, a_truthful_has_more, at_most_100_values, completion, shape,
};
use crate::scenarios::prelude::*;
use crate::scenarios::references::COMPLETION;
use crate::scenarios::refusal::refused;

scenario! {
    /// The server completes an argument of the prompt `test_prompt_with_arguments`.
    ///
    /// The official check expects any list; our own checks look at its items, at `total` and `hasMore`, and at the refusal
    /// of an unknown prompt, for which the server needs no prompt of its own. At 2024-11-05 completion cannot be declared, so a server without it refuses the request.
    Server "completion-complete": "The server completes an argument",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Completions)],
    optional_needs: [FIXTURE],
    shares_connection: Revisions::all(),
    checks: [
        check!("completion-complete", "`completion.values` is an array",
            [COMPLETION_COMPLETE_RESPOND, SCHEMA_COMPLETE_RESULT]).official(&[COMPLETION]),
        check!("completion-complete-values",
            "There are at most 100 values, all strings, and `total` and `hasMore` are consistent with them",
            [
                SCHEMA_COMPLETE_RESULT, COMPLETION_RESULT_MAX_100, COMPLETION_RESULT_TOTAL_CONSISTENT,
                COMPLETION_RESULT_HAS_MORE_TRUTHFUL,
            ]),
        check!("completion-complete-unknown-prompt",
            "Completion for a prompt that does not exist is refused with -32602",
            [COMPLETION_ERROR_UNKNOWN_PROMPT_32602]),
    ],
}

/// The prompt whose argument is completed.
const PROMPT: &str = "test_prompt_with_arguments";
const FIXTURE: Need = Need::Prompt(PROMPT);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // The official suite completes the argument of its prompt, whatever the server lists.
    let is_official = ctx.profile() == Profile::Official;
    let unmet =
        FIXTURE.unmet(ctx.inventory(), ctx.fixtures(), ctx.revision()).filter(|_| !is_official);
    match unmet {
        Some(reason) => {
            for check in OF_VALUES {
                ctx.check(check).missing(Finding::peer(&reason));
            }
        }
        None => check_values(ctx).await?,
    }
    // 2024-11-05 does not say how an unknown prompt is answered.
    if ctx.makes("completion-complete-unknown-prompt") {
        let reply = complete(ctx, "no_such_prompt").await?;
        ctx.check("completion-complete-unknown-prompt")
            .judge(refused(&reply, error_code::INVALID_PARAMS));
    }
    Ok(())
}

/// The checks of the values for an argument of the fixture.
const OF_VALUES: [&str; 2] = ["completion-complete", "completion-complete-values"];

async fn check_values(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = complete(ctx, PROMPT).await?;
    if !ctx.revision().has_completions_capability() && is_unsupported(&reply) {
        for check in OF_VALUES {
            ctx.check(check).skip(
                "the server does not support completion, which cannot be declared at this revision",
            );
        }
        return Ok(());
    }
    reply.result()?;
    ctx.check("completion-complete")
        .requires(Requirement::SCHEMA_COMPLETE_RESULT)
        .expect(&reply, completion(object().member("values", array())));
    ctx.check("completion-complete-values")
        .requires(Requirement::SCHEMA_COMPLETE_RESULT)
        .expect(&reply, completion(shape()))
        .requires(Requirement::COMPLETION_RESULT_MAX_100)
        .expect(&reply, completion(at_most_100_values()))
        // Both members are optional and only SHOULD be right (`server/utilities/completion#completion-results`).
        .requires(Requirement::COMPLETION_RESULT_TOTAL_CONSISTENT)
        .should(&reply, completion(a_consistent_total()))
        .requires(Requirement::COMPLETION_RESULT_HAS_MORE_TRUTHFUL)
        .should(&reply, completion(a_truthful_has_more()));
    Ok(())
}

async fn complete(ctx: &mut Ctx, prompt: &str) -> Result<Reply, Finding> {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": prompt},
        "argument": {"name": "arg1", "value": "test"},
    });
    ctx.request("completion/complete", params).await
}

fn is_unsupported(reply: &Reply) -> bool {
    reply.outcome().is_err_and(|error| error.code == error_code::METHOD_NOT_FOUND)
}

proofs! {
    passes on everything();
    catches "completion-complete" by reply_error("completion/complete", -32601);
    catches "completion-complete" by reply_error("completion/complete", -32603), at V2024_11_05;
    catches "completion-complete" by remove("completion/complete", "/completion/values");
    catches "completion-complete-values" by set("completion/complete", "/completion/values", json!([7]));
    catches "completion-complete-values" by set("completion/complete", "/completion/values", json!(vec!["a"; 101]));
    warns "completion-complete-values" by set("completion/complete", "/completion/total", json!(0));
    warns "completion-complete-values" by set("completion/complete", "/completion/hasMore", json!(true));
    warns "completion-complete-unknown-prompt" on accepting_any_prompt();
}

/// Completes the arguments of any prompt.
fn accepting_any_prompt() -> Server {
    everything().on("completion/complete", |_: Call| async {
        json!({"completion": {"values": ["test"], "total": 1, "hasMore": false}})
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_test_core::check::{Check, Status};
    use mcp_test_core::scenario::{Inventory, Listing, Setup};
    use mcp_test_core::spec::ItemKind;
    use mcp_test_core::transport::TransportKind;

    use super::*;

    /// The checks on a server that accepts any prompt and lists these, at 2025-11-25.
    async fn checks(profile: Profile, prompts: Listing) -> Vec<(String, Status)> {
        let (transport, revision) = (TransportKind::Duplex, Revision::V2025_11_25);
        let target = accepting_any_prompt().target();
        let setup = Setup::new(target, transport, revision, profile, Duration::from_secs(20));
        let inventory = Inventory::default().with(ItemKind::Prompt, prompts);
        let mut ctx = Ctx::new(Setup { inventory, ..setup }, Some(SCENARIO.declared()));
        run(&mut ctx).await.expect("replies");
        let row = |check: Check| (check.id, check.status);
        ctx.end().await.checks.into_iter().map(row).collect()
    }

    fn rows(statuses: [Status; 3]) -> Vec<(String, Status)> {
        let ids = OF_VALUES.into_iter().chain(["completion-complete-unknown-prompt"]);
        ids.map(str::to_owned).zip(statuses).collect()
    }

    #[tokio::test]
    async fn values_are_expected_only_of_a_listed_prompt() {
        use Status::{Failure, Skipped, Success, Warning};
        let list = |name| Listing::Listed([json!({ "name": name })].into_iter().collect());
        let others = || list("greet");
        let undeclared = || Listing::Undeclared(Capability::Prompts);
        let listed = list(PROMPT);
        let adaptive = Profile::Adaptive;
        assert_eq!(checks(adaptive, listed).await, rows([Success, Success, Warning]));
        assert_eq!(checks(adaptive, others()).await, rows([Skipped, Skipped, Warning]));
        assert_eq!(checks(adaptive, undeclared()).await, rows([Skipped, Skipped, Warning]));
        let strict = checks(Profile::Strict, undeclared()).await;
        assert_eq!(strict, rows([Failure, Failure, Warning]));
        let official = checks(Profile::Official, undeclared()).await;
        assert_eq!(official, rows([Success, Success, Warning]));
    }
}
