//! `tools-call-with-progress`.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::heard::{Said, beside, notified, open_stream};
use super::references::PROGRESS;
use crate::check::Finding;
use crate::client::Reply;
use crate::expect::{Matcher, any_of, integer, number, object, string};
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Need, Official, Part};
use crate::server::reference::everything;
use crate::server::{Call, Server};
use crate::spec::{Capability, Revision, Revisions};
use crate::{proofs, scenario};

scenario! {
    /// A call of the tool `test_tool_with_progress`, which asks to be told how far it is, is told so before its result.
    ///
    /// The official check counts notifications with its token and lets a value be repeated; our own ones ask for values
    /// that grow, for a token that comes back in its own JSON type, and for silence towards a call without one.
    Server "tools-call-with-progress": "A tool tells how far it is",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_tool_with_progress")],
    checks: [
        CheckSpec::official(
            "tools-call-with-progress",
            "ToolsCallWithProgress",
            "At least three progress notifications with the token of the call come before its result, and do not fall back",
            &[PROGRESS],
        )
        .requires(&["schema.call-tool-result", "progress.increases"]),
        CheckSpec::own(
            "tools-call-with-progress-values",
            "ToolsCallWithProgressValues",
            "Each notification has the right shape and a greater value than the one before, and none comes after the result",
        )
        .requires(&[
            "schema.progress-notification",
            "progress.increases",
            "progress.stops-after-completion",
        ]),
        CheckSpec::own(
            "tools-call-with-progress-tokens",
            "ToolsCallWithProgressTokens",
            "A token that is a number comes back as a number, and a call without a token gets no progress",
        )
        .requires(&["progress.token-echoed", "progress.token-known"]),
    ],
}

const METHOD: &str = "notifications/progress";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    open_stream(ctx.client().await?).await;
    let token = Value::from("progress-test-1");
    let first = call(ctx, Some(&token)).await?;
    first.result()?;
    let mut told = notified(&ctx.trace(), METHOD);
    told.retain(|said| has_token(said, &token));
    ctx.check("tools-call-with-progress")
        .by_fixture()
        .judge(at_least_three(&told, &first))
        .requires("progress.increases")
        .judge(growing(&told[..told.len().min(3)], |before, after| before <= after));

    let number = Value::from(7);
    call(ctx, Some(&number)).await?.result()?;
    call(ctx, None).await?.result()?;
    let trace = ctx.trace();
    let told = notified(&trace, METHOD);
    let of_first: Vec<Said> = told.iter().filter(|said| has_token(said, &token)).cloned().collect();

    let mut values = ctx.check("tools-call-with-progress-values");
    for (seq, params) in &told {
        let progress = Part::new("a progress notification", params, Some(*seq));
        values = values.requires("schema.progress-notification").expect(&progress, shape());
    }
    values
        .requires("progress.increases")
        .judge(growing(&of_first, |before, after| before < after))
        .requires("progress.stops-after-completion")
        .judge(none_after(&first, &beside(&trace, &of_first, &first)));

    let known = |said: &Said| has_token(said, &token) || has_token(said, &number);
    let mut tokens = ctx.check("tools-call-with-progress-tokens").pass();
    for (seq, params) in told.iter().filter(|said| !known(said)) {
        let respelled = params.get("progressToken").and_then(Value::as_str) == Some("7");
        let requirement = if respelled { "progress.token-echoed" } else { "progress.token-known" };
        let finding = Finding::peer("progress is told by a token that no call has")
            .expected(format!("the token {token} or {number}"))
            .got(params.short(120));
        tokens = tokens.requires(requirement).fail(finding.evidence(*seq));
    }
    Ok(())
}

async fn call(ctx: &mut Ctx, token: Option<&Value>) -> Result<Reply, Finding> {
    let mut params =
        Value::from(json!({"name": "test_tool_with_progress", "arguments": {}, "_meta": {}}));
    if let Some(token) = token {
        params.set("/_meta/progressToken", token.clone());
    }
    ctx.request("tools/call", params).await
}

fn has_token((_, params): &Said, token: &Value) -> bool {
    params.get("progressToken") == Some(token)
}

fn at_least_three(told: &[Said], reply: &Reply) -> Result<(), Finding> {
    if told.len() >= 3 {
        return Ok(());
    }
    Err(Finding::peer("the tool does not tell how far it is")
        .expected("at least 3 progress notifications with the token of the call before its result")
        .got(told.len().to_string())
        .evidence_all(reply.evidence()))
}

fn growing(told: &[Said], grows: fn(f64, f64) -> bool) -> Result<(), Finding> {
    let value = |(_, params): &Said| params.get("progress").and_then(Value::as_f64);
    for pair in told.windows(2) {
        if let (Some(before), Some(after)) = (value(&pair[0]), value(&pair[1]))
            && !grows(before, after)
        {
            return Err(Finding::peer("the progress of a call does not grow")
                .expected(format!("more than {before}"))
                .got(after.to_string())
                .evidence_all([pair[0].0, pair[1].0]));
        }
    }
    Ok(())
}

fn none_after(reply: &Reply, told: &[&Said]) -> Result<(), Finding> {
    let Some((late, params)) = told.iter().find(|(seq, _)| Some(seq) > reply.evidence().last())
    else {
        return Ok(());
    };
    Err(Finding::peer("progress was told of a call that was over")
        .expected("no progress after the result")
        .got(params.short(120))
        .evidence_all(reply.evidence())
        .evidence(*late))
}

fn shape() -> impl Matcher {
    object()
        .member("progressToken", any_of(vec![Box::new(string()), Box::new(integer())]))
        .member("progress", number())
        .optional("total", number())
        .optional("message", string())
}

proofs! {
    passes on everything();
    catches "tools-call-with-progress" by reply_error("tools/call", -32603),
        also "tools-call-with-progress-values" Skipped, also "tools-call-with-progress-tokens" Skipped;
    catches "tools-call-with-progress" on silent();
    catches "tools-call-with-progress" on falling(), also "tools-call-with-progress-values" Failure;
    catches "tools-call-with-progress-values" on standing();
    catches "tools-call-with-progress-values" on wordy(),
        also "wire-schema-valid" Failure;
    catches "tools-call-with-progress-values" on trailing();
    catches "tools-call-with-progress-tokens" on stringly();
    catches "tools-call-with-progress-tokens" on unasked();
}

/// Tells these values of the progress of each call, by this token.
fn telling(values: [Value; 3], token: fn(Option<&Value>) -> Option<Value>) -> Server {
    everything().on("tools/call", move |call: Call| {
        let values = values.clone();
        async move {
            let asked = call.param("_meta").and_then(|fields| fields.get("progressToken"));
            if let Some(token) = token(asked) {
                for value in values {
                    let mut params = Value::from(json!({}));
                    params.set("/progressToken", token.clone());
                    params.set("/progress", value);
                    call.notify(METHOD, params).await.ok();
                }
            }
            json!({"content": [{"type": "text", "text": "done"}]})
        }
    })
}

fn the_same(token: Option<&Value>) -> Option<Value> {
    token.cloned()
}

fn silent() -> Server {
    telling([1, 2, 3].map(Value::from), |_| None)
}

fn falling() -> Server {
    telling([1, 3, 2].map(Value::from), the_same)
}

fn standing() -> Server {
    telling([1, 2, 2].map(Value::from), the_same)
}

/// Says how far it is in words.
fn wordy() -> Server {
    telling(["a third", "two thirds", "all"].map(Value::from), the_same)
}

/// Tells all tokens as strings.
fn stringly() -> Server {
    telling([1, 2, 3].map(Value::from), |token| {
        token.map(|token| token.as_str().map_or(token.to_string().into(), Value::from))
    })
}

/// Makes up a token where there is none.
fn unasked() -> Server {
    telling([1, 2, 3].map(Value::from), |token| token.cloned().or_else(|| Some(0.into())))
}

/// Comes back to its first call during the others.
fn trailing() -> Server {
    let calls = AtomicUsize::new(0);
    everything().on("tools/call", move |call: Call| {
        let earlier = calls.fetch_add(3, Ordering::Relaxed);
        async move {
            for progress in earlier + 1..=earlier + 3 {
                let params = json!({"progressToken": "progress-test-1", "progress": progress});
                call.notify(METHOD, params).await.ok();
            }
            json!({"content": [{"type": "text", "text": "done"}]})
        }
    })
}
