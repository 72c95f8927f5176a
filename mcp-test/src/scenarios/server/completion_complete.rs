//! `completion-complete`.

use serde_json::json;

use super::references::COMPLETION;
use super::refusal::refused;
use crate::check::Finding;
use crate::client::Reply;
use crate::expect::{Matcher, array, array_of, boolean, integer, object, satisfying, string};
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Need, Official};
use crate::server::reference::everything;
use crate::server::{Call, Server};
use crate::spec::{Capability, Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// The server completes an argument of the prompt `test_prompt_with_arguments`.
    ///
    /// The official check asks for a list, of whatever; our own ones ask what is in it, whether what the server says of
    /// the rest fits, and what becomes of a prompt that does not exist. At 2024-11-05 completion cannot be declared, so a
    /// server that does not have it says so by refusing.
    Server "completion-complete": "The server completes an argument",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Completions), Need::Prompt("test_prompt_with_arguments")],
    checks: [
        CheckSpec::official(
            "completion-complete",
            "CompletionComplete",
            "`completion.values` is an array",
            &[COMPLETION],
        )
        .requires(&["completion.complete.respond", "schema.complete-result"]),
        CheckSpec::own(
            "completion-complete-values",
            "CompletionCompleteValues",
            "There are at most 100 values, all of them strings, and `total` and `hasMore` do not contradict them",
        )
        .requires(&[
            "schema.complete-result",
            "completion.result.max-100",
            "completion.result.total-consistent",
            "completion.result.has-more-truthful",
        ])
        .also_warns(),
        CheckSpec::own(
            "completion-complete-unknown-prompt",
            "CompletionCompleteUnknownPrompt",
            "Completion for a prompt that does not exist is refused with -32602",
        )
        .requires(&["completion.error.unknown-prompt-32602"])
        .within(Revisions::from(Revision::V2025_03_26))
        .warns(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = complete(ctx, "test_prompt_with_arguments").await?;
    if ctx.revision() < Revision::V2025_03_26 && is_lacking(&reply) {
        for check in ["completion-complete", "completion-complete-values"] {
            ctx.check(check).skip("the server has no completion, which cannot be declared here");
        }
        return Ok(());
    }
    reply.result()?;
    ctx.check("completion-complete")
        .requires("schema.complete-result")
        .expect(&reply, completion(object().member("values", array())));
    ctx.check("completion-complete-values")
        .requires("schema.complete-result")
        .expect(&reply, completion(shape()))
        .requires("completion.result.max-100")
        .expect(&reply, completion(at_most_100_values()))
        .requires("completion.result.total-consistent")
        .should(&reply, completion(a_total_that_fits()))
        .requires("completion.result.has-more-truthful")
        .should(&reply, completion(a_truthful_has_more()));
    if ctx.revision() >= Revision::V2025_03_26 {
        let reply = complete(ctx, "no_such_prompt").await?;
        ctx.check("completion-complete-unknown-prompt")
            .judge(refused(&reply, error_code::INVALID_PARAMS));
    }
    Ok(())
}

async fn complete(ctx: &mut Ctx, prompt: &str) -> Result<Reply, Finding> {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": prompt},
        "argument": {"name": "arg1", "value": "test"},
    });
    ctx.request("completion/complete", params).await
}

fn is_lacking(reply: &Reply) -> bool {
    reply.outcome().is_err_and(|error| error.code == error_code::METHOD_NOT_FOUND)
}

fn completion(matcher: impl Matcher + 'static) -> impl Matcher {
    object().member("completion", matcher)
}

fn shape() -> impl Matcher {
    object()
        .member("values", array_of(string()))
        .optional("total", integer())
        .optional("hasMore", boolean())
}

fn values(completion: &Value) -> usize {
    completion.get("values").and_then(Value::as_array).map_or(0, <[Value]>::len)
}

fn total(completion: &Value) -> Option<f64> {
    completion.get("total").and_then(Value::as_f64)
}

fn at_most_100_values() -> impl Matcher {
    satisfying("a completion with at most 100 values", |got| values(got) <= 100)
}

#[expect(clippy::cast_precision_loss, reason = "a reply holds fewer values than that")]
fn a_total_that_fits() -> impl Matcher {
    let fits = |got: &Value| total(got).is_none_or(|total| total >= values(got) as f64);
    satisfying("a completion with a total of at least as many values as there are", fits)
}

#[expect(clippy::cast_precision_loss, reason = "a reply holds fewer values than that")]
fn a_truthful_has_more() -> impl Matcher {
    let truthful = |got: &Value| match (total(got), got.get("hasMore")) {
        (Some(total), Some(Value::Bool(more))) => *more == (total > values(got) as f64),
        _ => true,
    };
    satisfying("a completion that has more exactly if its total is more than its values", truthful)
}

proofs! {
    passes on everything();
    catches "completion-complete" by reply_error("completion/complete", -32601),
        also "completion-complete-values" Skipped, also "completion-complete-unknown-prompt" Skipped;
    catches "completion-complete" by reply_error("completion/complete", -32603),
        also "completion-complete-values" Skipped, at V2024_11_05;
    catches "completion-complete" by remove("completion/complete", "/completion/values"),
        also "completion-complete-values" Failure,
        also "wire-schema-valid" Failure;
    catches "completion-complete-values" by set("completion/complete", "/completion/values", json!([7])),
        also "wire-schema-valid" Failure;
    catches "completion-complete-values" by set("completion/complete", "/completion/values", json!(vec!["a"; 101])),
        also "wire-schema-valid" Failure;
    warns "completion-complete-values" by set("completion/complete", "/completion/total", json!(0));
    warns "completion-complete-values" by set("completion/complete", "/completion/hasMore", json!(true));
    warns "completion-complete-unknown-prompt" on guessing();
}

/// Has suggestions for whatever it is asked.
fn guessing() -> Server {
    everything().on("completion/complete", |_: Call| async {
        json!({"completion": {"values": ["test"], "total": 1, "hasMore": false}})
    })
}
