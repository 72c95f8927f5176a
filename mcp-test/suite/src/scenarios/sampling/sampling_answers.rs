//! `sampling-answers`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::client::Handlers;
use mcp_test_core::scenario::CallableTool;
use mcp_test_core::server::AskError;

use crate::scenarios::nothing_tested::is_slow;
use crate::scenarios::prelude::*;
use crate::scenarios::server_messages::receive_requests;

scenario! {
    /// A tool that asks a model copes with each form of its answer.
    ///
    /// Providers have reasons of their own to stop, and clients may leave the reason out. From 2025-11-25 on the content may be
    /// an array. A member that the server does not know, and an error with data, must do no harm. Content that is not valid should
    /// not be used. Tried on the first tool that may be called and asks a model. The
    /// model uses no tools here: the server would run them, and they may do anything.
    Server "sampling-answers": "A tool copes with each answer to its request for sampling",
    revisions: Revisions::all(),
    repeats: OncePerEra,
    needs: [Need::Capability(Capability::Tools), Need::CallableTool],
    // In a handshake the client declares what it needs here.
    shares_connection: Revisions::from(Revision::V2026_07_28),
    checks: [
        check!("sampling-stop-reason",
            "The call succeeds whether the model stops for a reason of its provider or for none",
            [SAMPLING_RESULT_SERVER_TOLERATES_STOP_REASON]).conditional(),
        check!("sampling-content-array", "The call succeeds whether the content is one block or an array",
            [SAMPLING_CONTENT_CLIENT_ACCEPTS_SINGLE_AND_ARRAY]).conditional()
            .only_warns("that servers read both forms follows only from the type of `content`"),
        check!("sampling-extra-members",
            "The call succeeds although the answer has a member that the server does not know",
            [JSONRPC_RESULT_EXTRA_MEMBERS_TOLERATED]).conditional(),
        check!("sampling-error-data",
            "The call, and the next one, is answered although the model fails with an error that has `data`",
            [JSONRPC_ERROR_DATA_TOLERATED]).conditional()
            .within(Revisions::until(Revision::V2025_11_25), "from 2026-07-28 on, the client has no error to send"),
        check!("sampling-content-validated",
            "Content of an unknown type, or a text that is not a string, is not accepted",
            [SAMPLING_SECURITY_VALIDATE_CONTENT]).conditional(),
    ],
}

const METHOD: &str = "sampling/createMessage";

/// How many tools are called to find one that asks a model.
const TOOLS: usize = 5;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let asked = Arc::new(AtomicUsize::new(0));
    let usual = || answer(&text("a text of mcp-test"), Some("endTurn"));
    model(ctx, &asked, usual());
    receive_requests(ctx).await?;
    let tools = ctx.callable_tools().await?;
    for tool in tools.iter().filter(|tool| tool.arguments.is_some()).take(TOOLS) {
        let reply = call(ctx, tool).await?;
        let succeeds = succeeded(&reply);
        if asked.load(Ordering::Relaxed) == 0 {
            if is_slow(&reply) {
                break;
            }
            continue;
        }
        if !succeeds {
            let why = "the tool that asks a model does not succeed with a usual answer";
            drop(ctx.check("sampling-stop-reason").skip(why));
            return Ok(());
        }
        for reason in [Some("mcp-test-content-filter"), None] {
            let got = format!("the `stopReason` {}", reason.unwrap_or("is missing"));
            let answer = answer(&text("a text of mcp-test"), reason);
            let outcome = tolerates(ctx, tool, &asked, answer, usual(), &got).await?;
            ctx.check("sampling-stop-reason").judge(outcome);
        }
        if ctx.makes("sampling-content-array") {
            let array = answer(&json!([text("a text of mcp-test")]), Some("endTurn"));
            let outcome =
                tolerates(ctx, tool, &asked, array, usual(), "an array with one text").await?;
            ctx.check("sampling-content-array").judge(outcome.map_err(Finding::should));
        }
        let mut extended = usual();
        extended["mcp-test"] = json!({"unknown": [1, "two"]});
        let outcome = tolerates(ctx, tool, &asked, extended, usual(), "an unknown member").await?;
        ctx.check("sampling-extra-members").judge(outcome);
        // In the stateless era the retry has no place for an error.
        if ctx.revision().era() == Era::Handshake {
            let outcome = survives_an_error(ctx, tool, &asked, usual()).await;
            let is_answered = outcome.is_ok();
            ctx.check("sampling-error-data").judge(outcome);
            if !is_answered {
                ctx.skip_the_rest("the server did not answer after the model had failed");
                return Ok(());
            }
        }
        for content in [json!({"type": "mcp-test"}), json!({"type": "text", "text": 7})] {
            model(ctx, &asked, answer(&content, Some("endTurn")));
            let reply = call(ctx, tool).await?;
            mark_answers(ctx);
            let is_used = succeeded(&reply);
            ctx.check("sampling-content-validated").judge(ensure(!is_used, || {
                Finding::peer("the tool succeeds with an answer whose content is not valid")
                    .expected("an error")
                    .got(format!("a result, for the content {content}"))
                    .evidence_all(reply.evidence())
                    .should()
            }));
        }
        return Ok(());
    }
    let why = "no tool that may be called asks a model";
    drop(ctx.check("sampling-stop-reason").skip(why));
    Ok(())
}

/// Marks the answers so far as invalid on purpose.
fn mark_answers(ctx: &Ctx) {
    for (event, message) in ctx.trace().messages() {
        if event.party == Party::Client && message.is_reply() {
            ctx.recorder().mark_deliberate(event.seq);
        }
    }
}

fn text(text: &str) -> serde_json::Value {
    json!({"type": "text", "text": text})
}

fn answer(content: &serde_json::Value, stop_reason: Option<&str>) -> serde_json::Value {
    let mut answer = json!({"role": "assistant", "content": content, "model": "mcp-test"});
    if let Some(reason) = stop_reason {
        answer["stopReason"] = json!(reason);
    }
    answer
}

/// Sets what the model answers, and counts the answers.
fn model(ctx: &mut Ctx, asked: &Arc<AtomicUsize>, answer: serde_json::Value) {
    model_with(ctx, asked, Ok(answer.into()));
}

fn model_with(ctx: &mut Ctx, asked: &Arc<AtomicUsize>, answer: Result<Value, RpcError>) {
    asked.store(0, Ordering::Relaxed);
    let asked = asked.clone();
    ctx.handle(Handlers::new().on(METHOD, move |_| {
        asked.fetch_add(1, Ordering::Relaxed);
        answer.clone()
    }));
}

/// Whether a call is answered while the model fails, and another one after that.
async fn survives_an_error(
    ctx: &mut Ctx,
    tool: &CallableTool,
    asked: &Arc<AtomicUsize>,
    usual: serde_json::Value,
) -> Result<(), Finding> {
    let error = RpcError::new(error_code::INTERNAL_ERROR, "the model is not available");
    model_with(ctx, asked, Err(error.with_data(json!({"retry": [1, {"after": null}]}))));
    let _any_outcome = call(ctx, tool).await?.outcome().is_ok();
    model(ctx, asked, usual);
    let _any_outcome = call(ctx, tool).await?.outcome().is_ok();
    Ok(())
}

/// Whether the call succeeds with an answer, as it does before and after with the usual one.
async fn tolerates(
    ctx: &mut Ctx,
    tool: &CallableTool,
    asked: &Arc<AtomicUsize>,
    answer: serde_json::Value,
    usual: serde_json::Value,
    what: &str,
) -> Result<Result<(), Finding>, Finding> {
    model(ctx, asked, answer);
    let reply = call(ctx, tool).await?;
    if succeeded(&reply) || asked.load(Ordering::Relaxed) == 0 {
        return Ok(Ok(()));
    }
    model(ctx, asked, usual);
    // A tool that is limited to some calls, or uses the network, may fail for another reason.
    let again = call(ctx, tool).await?;
    Ok(ensure(!succeeded(&again), || {
        Finding::peer("the tool fails at a valid answer of the model")
            .expected(format!("a result, as with another answer: {what}"))
            .got(reply.outcome().map_or_else(ToString::to_string, |result| result.short(120)))
            .evidence_all(reply.evidence())
    }))
}

async fn call(ctx: &mut Ctx, tool: &CallableTool) -> Result<Reply, Finding> {
    let arguments = tool.arguments.as_ref().map(Value::to_serde);
    // Deliberate, since some of the answers that a retry carries are not valid.
    let params = json!({"name": tool.name, "arguments": arguments});
    ctx.request("tools/call", params).deliberate().await
}

fn succeeded(reply: &Reply) -> bool {
    let result = reply.outcome();
    result.is_ok_and(|result| result.get("isError").and_then(Value::as_bool) != Some(true))
}

proofs! {
    passes on asking();
    catches "sampling-stop-reason" on knowing_all_reasons();
    catches "sampling-stop-reason" on knowing_all_reasons(), at V2025_03_26;
    warns "sampling-content-array" on reading_one_block();
    catches "sampling-extra-members" on knowing_all_members();
    catches "sampling-error-data" on exiting_at_errors(), at V2025_11_25;
    warns "sampling-content-validated" on reading_anything();
}

/// A tool that asks a model for a poem.
fn asking() -> Server {
    asking_but(|_| None)
}

/// The same server, with other results for some answers of the model.
fn asking_but(other: fn(&Value) -> Option<Answer>) -> Server {
    let harmless = json!({"readOnlyHint": true});
    let tool = json!({"name": "poem", "inputSchema": {"type": "object"}, "annotations": harmless});
    let server = everything().on("tools/list", move |_: Call| {
        let tool = tool.clone();
        async move { json!({"tools": [tool]}) }
    });
    server.on("tools/call", move |call: Call| async move {
        if let Err(instead) = call.require(Capability::Sampling) {
            return instead;
        }
        let message = json!({"role": "user", "content": text("Write a poem")});
        match call.ask(METHOD, json!({"messages": [message], "maxTokens": 100})).await {
            Ok(answer) => other(&answer).unwrap_or_else(|| recite(&answer)),
            Err(AskError::InputRequired(answer)) => answer,
            Err(error) => error.into(),
        }
    })
}

fn recite(answer: &Value) -> Answer {
    let content = answer.get("content").cloned().unwrap_or_default();
    let blocks = content.as_array().map_or_else(|| vec![content.clone()], <[Value]>::to_vec);
    let texts: Option<Vec<&str>> = blocks.iter().map(|block| block.get("text")?.as_str()).collect();
    match texts {
        Some(texts) => json!({"content": [text(&texts.join("\n"))]}).into(),
        None => json!({"content": [text("The model has no text.")], "isError": true}).into(),
    }
}

/// Has a closed list of reasons.
fn knowing_all_reasons() -> Server {
    asking_but(|answer| {
        let reason = answer.get("stopReason").and_then(Value::as_str);
        let error = || Answer::error(error_code::INTERNAL_ERROR, "unknown variant");
        (reason != Some("endTurn")).then(error)
    })
}

/// Knows all members of an answer.
fn knowing_all_members() -> Server {
    asking_but(|answer| {
        let error = || Answer::error(error_code::INTERNAL_ERROR, "unknown field");
        answer.get("mcp-test").is_some().then(error)
    })
}

/// Exits at an error, whose data it cannot read.
fn exiting_at_errors() -> Server {
    asking().on("tools/call", |call: Call| async move {
        let message = json!({"role": "user", "content": text("Write a poem")});
        match call.ask(METHOD, json!({"messages": [message], "maxTokens": 100})).await {
            Ok(answer) => recite(&answer),
            Err(_) => Answer::exit(),
        }
    })
}

/// Reads a single block.
fn reading_one_block() -> Server {
    asking_but(|answer| {
        let error = || Answer::error(error_code::INTERNAL_ERROR, "expected a map");
        answer.get("content")?.is_array().then(error)
    })
}

/// Returns whatever the model says.
fn reading_anything() -> Server {
    asking_but(|answer| {
        let content = answer.get("content")?;
        (!content.is_array()).then(|| json!({"content": [text(&content.to_string())]}).into())
    })
}
