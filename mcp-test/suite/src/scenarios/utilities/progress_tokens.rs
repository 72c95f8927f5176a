//! `progress-tokens`.

use mcp_test_core::server::meta;

use crate::scenarios::prelude::*;

scenario! {
    /// A request may ask for progress with any string or whole number as token, and progress repeats that token unchanged.
    ///
    /// Some clients count their tokens from 0, and a server that takes 0 or the empty string for "no token", or a token for
    /// text, reports no progress, or reports it under a token that the client does not know. Tools are called only where
    /// that is permitted.
    Server "progress-tokens": "Progress tokens of each kind are accepted",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("progress-token-accepted",
            "A request with a text, a number, 0 or an empty text as progress token gets its result",
            [PROGRESS_TOKEN_TYPE]),
        check!("progress-token-repeated",
            "Progress carries the token of its request, in the same JSON type; checked if a tool reports progress",
            [PROGRESS_TOKEN_ECHOED]).conditional(),
    ],
}

/// How many tools are called, with each token.
const TOOLS: usize = 3;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let tokens = tokens();
    let method = always_answered(ctx.revision());
    let mut outcomes = Vec::new();
    for token in tokens {
        let reply = ctx.request(method, json!({})).progress(token.clone()).await?;
        let expected = format!("a result: {} is a valid progress token", token.short(40));
        let outcome = reply.result().map(|_| ());
        outcomes.push(outcome.map_err(|finding| finding.expected(expected)));
    }
    let check = ctx.check("progress-token-accepted");
    outcomes.into_iter().fold(check, CheckBuilder::judge);
    repeated(ctx).await
}

/// Tokens of each kind. No two differ in their type only, so that each can be told apart.
fn tokens() -> [Value; 5] {
    [json!("mcp-test"), json!(41), json!("42"), json!(0), json!("")].map(Value::from)
}

async fn repeated(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.working_tools().await?;
    let callable = tools.iter().filter_map(|tool| Some((&tool.name, tool.arguments.as_ref()?)));
    for (name, arguments) in callable.take(TOOLS) {
        for token in tokens() {
            let call = json!({"name": name, "arguments": arguments.to_serde()});
            let reply = ctx.request("tools/call", call).progress(token.clone()).once().await?;
            // Whether the call succeeds does not matter here.
            let _ = reply.outcome();
            let trace = ctx.trace();
            let Some(since) = reply.evidence().first().copied() else { continue };
            let sent = trace.messages().filter_map(|(event, message)| match message {
                Message::Notification(it)
                    if event.seq > since && it.method == "notifications/progress" =>
                {
                    Some((event.seq, it.params.as_ref()?.get("progressToken")?.clone()))
                }
                _ => None,
            });
            let all: Vec<_> = sent.collect();
            let mut check = ctx.check("progress-token-repeated");
            for (seq, got) in &all {
                // That of an earlier call is late, which is another fault.
                let is_known = tokens().contains(got);
                check = check.judge(ensure(is_known, || {
                    Finding::peer("progress with another token than that of the request")
                        .expected(token.short(40))
                        .got(got.short(40))
                        .evidence_all(reply.evidence())
                        .evidence(*seq)
                }));
            }
            drop(check);
            // Other tools are more likely to report progress than this one with another token.
            if all.is_empty() {
                break;
            }
        }
    }
    Ok(())
}

proofs! {
    passes on everything();
    catches "progress-token-accepted" on without_empty_tokens();
    catches "progress-token-repeated" on with_text_tokens();
}

/// Reports progress of a harmless tool, under the token as text.
fn with_text_tokens() -> Server {
    let harmless = json!({"readOnlyHint": true});
    let tool = json!({"name": "a", "inputSchema": {"type": "object"}, "annotations": harmless});
    let server = everything().on("tools/list", move |_| {
        let tool = tool.clone();
        async move { json!({"tools": [tool]}) }
    });
    server.on("tools/call", |call: Call| async move {
        let token = call.param("_meta").and_then(|meta| meta.get("progressToken"));
        let token = token.map(|token| token.as_str().map_or(token.to_string(), str::to_owned));
        let params = json!({"progressToken": token, "progress": 1});
        // A client that has disconnected misses the progress and the answer alike.
        call.notify("notifications/progress", params).await.ok();
        json!({"content": []})
    })
}

/// Refuses a token that is empty.
fn without_empty_tokens() -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "empty token");
    reference_server_with([given(meta("progressToken", equals(""))).respond_with(error)])
}
