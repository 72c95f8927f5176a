//! `tools-call-with-progress`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::expect::{any_of, integer, number};

use crate::scenarios::prelude::*;
use crate::scenarios::references::PROGRESS;
use crate::scenarios::server_messages::{
    Params, notifications, on_stream_of_reply, open_listening_stream,
};

scenario! {
    /// A call of the tool `test_tool_with_progress` with a progress token gets progress notifications before its result.
    ///
    /// The official check counts notifications with the token and accepts repeated values. Our own checks expect values
    /// that increase, a token of the same JSON type, and no progress for a call without a token.
    Server "tools-call-with-progress": "A tool reports progress",
    revisions: Revisions::all(),
    official: Official::active(Revisions::from(Revision::V2025_06_18)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_tool_with_progress")],
    shares_connection: Revisions::all(),
    checks: [
        check!("tools-call-with-progress",
            "At least three progress notifications with the token of the call precede its result, and their values do not decrease",
            [SCHEMA_CALL_TOOL_RESULT, PROGRESS_INCREASES]).official(&[PROGRESS]),
        check!("tools-call-with-progress-values",
            "Each notification has the right shape and a greater value than the one before, and none follows the result",
            [SCHEMA_PROGRESS_NOTIFICATION, PROGRESS_INCREASES, PROGRESS_STOPS_AFTER_COMPLETION]),
        check!("tools-call-with-progress-tokens",
            "A numeric token is returned as a number, and a call without a token gets no progress",
            [PROGRESS_TOKEN_ECHOED, PROGRESS_TOKEN_KNOWN]),
    ],
}

const METHOD: &str = "notifications/progress";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    open_listening_stream(ctx.client().await?).await;
    let token = Value::from("progress-test-1");
    let first = call(ctx, Some(&token)).await?;
    first.result()?;
    // Counted now, as in the official suite: what arrives after the result does not precede it.
    let mut progress = notifications(&ctx.trace(), METHOD);
    progress.retain(|params| has_token(params, &token));
    ctx.check("tools-call-with-progress")
        .by_fixture()
        .judge(at_least_three(&progress, &first))
        .requires(Requirement::PROGRESS_INCREASES)
        // The official check compares the first three, and accepts equal values, although progress MUST increase.
        .judge(increasing(&progress[..progress.len().min(3)], |before, after| before <= after));

    // A number, to see whether its JSON type is kept; then no token, for which there must be no progress.
    let number = Value::from(7);
    call(ctx, Some(&number)).await?.result()?;
    call(ctx, None).await?.result()?;
    let trace = ctx.trace();
    let progress = notifications(&trace, METHOD);
    let of_first: Vec<Params> =
        progress.iter().filter(|params| has_token(params, &token)).cloned().collect();

    let mut values = ctx.check("tools-call-with-progress-values");
    for (seq, params) in &progress {
        let part = Part::new("a progress notification", params, Some(*seq));
        values = values.requires(Requirement::SCHEMA_PROGRESS_NOTIFICATION).expect(&part, shape());
    }
    values
        .requires(Requirement::PROGRESS_INCREASES)
        .judge(increasing(&of_first, |before, after| before < after))
        .requires(Requirement::PROGRESS_STOPS_AFTER_COMPLETION)
        .judge(none_after(&first, &on_stream_of_reply(&trace, &of_first, &first)));

    let known = |params: &Params| has_token(params, &token) || has_token(params, &number);
    let mut tokens = ctx.check("tools-call-with-progress-tokens").pass();
    for (seq, params) in progress.iter().filter(|params| !known(params)) {
        let is_stringified = params.get("progressToken").and_then(Value::as_str) == Some("7");
        let requirement = if is_stringified {
            Requirement::PROGRESS_TOKEN_ECHOED
        } else {
            Requirement::PROGRESS_TOKEN_KNOWN
        };
        let finding = Finding::peer("a progress notification has a token that no call has")
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

fn has_token((_, params): &Params, token: &Value) -> bool {
    params.get("progressToken") == Some(token)
}

fn at_least_three(progress: &[Params], reply: &Reply) -> Result<(), Finding> {
    ensure(progress.len() >= 3, || {
        Finding::peer("the tool does not report enough progress")
            .expected(
                "at least 3 progress notifications with the token of the call before its result",
            )
            .got(progress.len().to_string())
            .evidence_all(reply.evidence())
    })
}

fn increasing(progress: &[Params], is_increase: fn(f64, f64) -> bool) -> Result<(), Finding> {
    let value = |(_, params): &Params| params.get("progress").and_then(Value::as_f64);
    for pair in progress.windows(2) {
        if let (Some(before), Some(after)) = (value(&pair[0]), value(&pair[1]))
            && !is_increase(before, after)
        {
            return Err(Finding::peer("the progress of a call does not increase")
                .expected(format!("more than {before}"))
                .got(after.to_string())
                .evidence_all([pair[0].0, pair[1].0]));
        }
    }
    Ok(())
}

/// Whether nothing was reported after the reply; only on its stream does the order of arrival show that.
fn none_after(reply: &Reply, progress: &[&Params]) -> Result<(), Finding> {
    let Some((late, params)) = progress.iter().find(|(seq, _)| Some(seq) > reply.evidence().last())
    else {
        return Ok(());
    };
    Err(Finding::peer("progress was reported for a call that had ended")
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
    catches "tools-call-with-progress" by reply_error("tools/call", -32603);
    catches "tools-call-with-progress" on reporting([1, 2, 3].map(Value::from), |_| None);
    catches "tools-call-with-progress" on reporting([1, 3, 2].map(Value::from), same_token);
    catches "tools-call-with-progress-values" on reporting([1, 2, 2].map(Value::from), same_token);
    // Reports progress as strings.
    catches "tools-call-with-progress-values"
        on reporting(["a third", "two thirds", "all"].map(Value::from), same_token);
    catches "tools-call-with-progress-values" on reporting_late();
    catches "tools-call-with-progress-tokens" on with_string_tokens();
    // Reports progress with token 0 for calls without a token.
    catches "tools-call-with-progress-tokens"
        on reporting([1, 2, 3].map(Value::from), |token| token.cloned().or_else(|| Some(0.into())));
}

/// Reports these progress values for each call, with this token.
fn reporting(values: [Value; 3], token: fn(Option<&Value>) -> Option<Value>) -> Server {
    everything().on("tools/call", move |call: Call| {
        let values = values.clone();
        async move {
            let requested = call.param("_meta").and_then(|fields| fields.get("progressToken"));
            if let Some(token) = token(requested) {
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

fn same_token(token: Option<&Value>) -> Option<Value> {
    token.cloned()
}

/// Turns all tokens into strings.
fn with_string_tokens() -> Server {
    reporting([1, 2, 3].map(Value::from), |token| {
        token.map(|token| token.as_str().map_or(token.to_string().into(), Value::from))
    })
}

/// Reports progress of its first call during the others.
fn reporting_late() -> Server {
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
