//! `tools-call-sampling`.

use mcp_test_core::client::SamplingResponse;
use mcp_test_core::expect::{
    any_of, non_empty_array, non_empty_array_of, number, one_of, some_item, text_containing,
};
use mcp_test_core::server::AskError;

use crate::scenarios::input_requests::{
    judge_each, not_requested, requested, requests_to_incapable_client,
};
use crate::scenarios::matchers::first_text;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SAMPLING;
use crate::scenarios::server_messages::{input_requests, open_listening_stream};

scenario! {
    /// The tool `test_sampling` requests a completion from the client's model, and returns it in its result.
    ///
    /// The official check expects the request and content of any kind. Our own checks look at the request, at the model's
    /// answer in the result, and that a client without the capability gets no such request.
    Server "tools-call-sampling": "A tool requests a completion from the client's model",
    revisions: Revisions::all(),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_sampling")],
    checks: [
        check!("tools-call-sampling",
            "The server sends `sampling/createMessage`, and the result of the call has content",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SAMPLING]),
        check!("tools-call-sampling-request", "The request has messages, `maxTokens`, and the prompt of the call",
            [SAMPLING_MESSAGE_ROLE_AND_CONTENT, SAMPLING_PARAMS_MAX_TOKENS_REQUIRED]),
        check!("tools-call-sampling-exact", "The text of the result contains the answer of the model",
            [SCHEMA_CALL_TOOL_RESULT]),
        check!("tools-call-sampling-undeclared", "A client that does not declare `sampling` gets no such request",
            [SAMPLING_REQUEST_REQUIRES_CAPABILITY]),
    ],
}

const METHOD: &str = "sampling/createMessage";
const PROMPT: &str = "Test prompt for sampling";
const ANSWER: &str = "This is a test response from the client";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // Before the first use of the client, which declares the capability when it connects.
    ctx.on_sampling(|_| SamplingResponse::text(ANSWER).model("test-model"));
    open_listening_stream(ctx.client().await?).await;
    let call = json!({"name": "test_sampling", "arguments": {"prompt": PROMPT}});
    let reply = ctx.request("tools/call", call.clone()).await?;
    reply.result()?;
    let requests = input_requests(&ctx.trace(), METHOD);
    ctx.check("tools-call-sampling")
        .expect(&reply, object().member("content", non_empty_array()))
        .by_fixture()
        .judge(requested(&requests, METHOD, &reply));
    judge_each(ctx, "tools-call-sampling-request", &requests, |check, params| {
        check
            .requires(Requirement::SAMPLING_MESSAGE_ROLE_AND_CONTENT)
            .expect(params, object().member("messages", non_empty_array_of(any_message())))
            .requires(Requirement::SAMPLING_PARAMS_MAX_TOKENS_REQUIRED)
            .expect(params, object().member("maxTokens", number()))
            .by_fixture()
            .expect(params, object().member("messages", some_item(message_with(PROMPT))))
    });
    ctx.check("tools-call-sampling-exact")
        .by_fixture()
        .expect(&reply, first_text(text_containing(ANSWER)));

    // From another client, because this one has declared the capability for its whole connection.
    let unexpected = requests_to_incapable_client(ctx, METHOD, call.into()).await?;
    ctx.check("tools-call-sampling-undeclared").judge(not_requested(&unexpected, "sampling"));
    Ok(())
}

fn any_message() -> impl Matcher {
    // From 2025-11-25 on `content` may also be an array of blocks.
    let content = any_of(vec![Box::new(object()), Box::new(non_empty_array())]);
    object().member("role", one_of(["user", "assistant"])).member("content", content)
}

/// Matches a message whose content, or one of its content blocks, is this text.
fn message_with(text: &'static str) -> impl Matcher {
    let block = || object().member("type", equals("text")).member("text", text_containing(text));
    object().member("content", any_of(vec![Box::new(block()), Box::new(some_item(block()))]))
}

proofs! {
    passes on everything();
    catches "tools-call-sampling" by reply_error("tools/call", -32603);
    catches "tools-call-sampling" by set("tools/call", "/content", json!([]));
    // Answers without requesting a completion.
    catches "tools-call-sampling" on everything().on("tools/call", |_: Call| async { answer() });
    catches "tools-call-sampling-request" on without_max_tokens(), at V2025_11_25;
    catches "tools-call-sampling-request" by remove("tools/call", "/inputRequests/sampling/params/maxTokens");
    catches "tools-call-sampling-request" by set("tools/call", "/inputRequests/sampling/params/messages", json!([]));
    catches "tools-call-sampling-request" by retype("tools/call", "/inputRequests/sampling/params/messages/0/role");
    catches "tools-call-sampling-request"
        by remove("tools/call", "/inputRequests/sampling/params/messages/0/content/text");
    catches "tools-call-sampling-exact" by set("tools/call", "/content/0/text", json!("The model answered something."));
    catches "tools-call-sampling-undeclared" on ignoring_capabilities();
    catches "tools-call-sampling-undeclared" on ignoring_capabilities(), at V2025_11_25;
}

fn answer() -> Answer {
    json!({"content": [{"type": "text", "text": ANSWER}]}).into()
}

/// Requests a completion without `maxTokens`.
fn without_max_tokens() -> Server {
    everything().on("tools/call", |call: Call| async move {
        if Capability::Sampling.declared_in(call.client_capabilities()) {
            call.request(METHOD, json!({"messages": [prompt()]})).await.ok();
        }
        answer()
    })
}

/// Requests a completion whether or not the client declares the capability.
fn ignoring_capabilities() -> Server {
    everything().on("tools/call", |call: Call| async move {
        match call.ask(METHOD, json!({"messages": [prompt()], "maxTokens": 100})).await {
            Err(AskError::InputRequired(answer)) => answer,
            _ => answer(),
        }
    })
}

fn prompt() -> serde_json::Value {
    json!({"role": "user", "content": {"type": "text", "text": PROMPT}})
}
