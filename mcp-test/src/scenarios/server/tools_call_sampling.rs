//! `tools-call-sampling`.

use serde_json::json;

use super::asking::{asked_though_incapable, asks, asks_nobody};
use super::heard::{asked, open_stream};
use super::matchers::first_text;
use super::references::SAMPLING;
use crate::check::Finding;
use crate::client::{Handlers, Sampled};
use crate::expect::{
    Matcher, any_of, equals, non_empty_array, non_empty_array_of, number, object, one_of,
    some_item, text_containing,
};
use crate::scenario::{CheckSpec, Ctx, Need, Official, Part};
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server, Unanswered};
use crate::spec::{Capability, Revision, Revisions};
use crate::{proofs, scenario};

scenario! {
    /// The tool `test_sampling` asks the model of its client, and answers with what the model says.
    ///
    /// The official check wants the question, and content of any kind; our own ones look at what is asked, at whether the
    /// model's words are in the result, and that a client which never declared a model is left alone.
    Server "tools-call-sampling": "A tool asks the model of its client",
    revisions: Revisions::all(),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_sampling")],
    checks: [
        CheckSpec::official(
            "tools-call-sampling",
            "ToolsCallSampling",
            "The server asks for `sampling/createMessage`, and the result of the call has content",
            &[SAMPLING],
        )
        .requires(&["schema.call-tool-result"]),
        CheckSpec::own(
            "tools-call-sampling-request",
            "ToolsCallSamplingRequest",
            "What is asked has messages and `maxTokens`, and is the prompt of the call",
        )
        .requires(&["sampling.message.role-and-content", "sampling.params.max-tokens-required"]),
        CheckSpec::own(
            "tools-call-sampling-exact",
            "ToolsCallSamplingExact",
            "The text of the result holds what the model has said",
        )
        .requires(&["schema.call-tool-result"]),
        CheckSpec::own(
            "tools-call-sampling-undeclared",
            "ToolsCallSamplingUndeclared",
            "A client that does not declare `sampling` is not asked",
        )
        .requires(&["sampling.request.requires-capability"]),
    ],
}

const METHOD: &str = "sampling/createMessage";
const PROMPT: &str = "Test prompt for sampling";
const ANSWER: &str = "This is a test response from the client";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    ctx.handle(Handlers::new().sampling(|_| Sampled::text(ANSWER).model("test-model")))?;
    open_stream(ctx.client().await?).await;
    let call = json!({"name": "test_sampling", "arguments": {"prompt": PROMPT}});
    let reply = ctx.request("tools/call", call.clone()).await?;
    reply.result()?;
    let asked = asked(&ctx.trace(), METHOD);
    ctx.check("tools-call-sampling")
        .expect(&reply, object().member("content", non_empty_array()))
        .by_fixture()
        .judge(asks(&asked, METHOD, &reply));
    let mut request = ctx.check("tools-call-sampling-request");
    for (seq, params) in &asked {
        let params = Part::new("what the model is asked", params, Some(*seq));
        request = request
            .requires("sampling.message.role-and-content")
            .expect(&params, object().member("messages", non_empty_array_of(any_message())))
            .requires("sampling.params.max-tokens-required")
            .expect(&params, object().member("maxTokens", number()))
            .by_fixture()
            .expect(&params, object().member("messages", some_item(saying(PROMPT))));
    }
    if asked.is_empty() {
        request.skip("nothing was asked");
    } else {
        drop(request);
    }
    ctx.check("tools-call-sampling-exact")
        .by_fixture()
        .expect(&reply, first_text(text_containing(ANSWER)));

    let undue = asked_though_incapable(ctx, METHOD, call.into()).await?;
    ctx.check("tools-call-sampling-undeclared").judge(asks_nobody(&undue, "sampling"));
    Ok(())
}

fn any_message() -> impl Matcher {
    let content = any_of(vec![Box::new(object()), Box::new(non_empty_array())]);
    object().member("role", one_of(["user", "assistant"])).member("content", content)
}

/// A message with this text, which stands alone or is one of several blocks.
fn saying(text: &'static str) -> impl Matcher {
    let block = || object().member("type", equals("text")).member("text", text_containing(text));
    object().member("content", any_of(vec![Box::new(block()), Box::new(some_item(block()))]))
}

proofs! {
    passes on everything();
    catches "tools-call-sampling" by reply_error("tools/call", -32603),
        also "tools-call-sampling-request" Skipped, also "tools-call-sampling-exact" Skipped,
        also "tools-call-sampling-undeclared" Skipped;
    catches "tools-call-sampling" by set("tools/call", "/content", json!([])),
        also "tools-call-sampling-exact" Failure;
    catches "tools-call-sampling" on knowing_all(), also "tools-call-sampling-request" Skipped;
    catches "tools-call-sampling-request" on generous(),
        also "wire-schema-valid" Failure, at V2025_11_25;
    catches "tools-call-sampling-request" by remove("tools/call", "/inputRequests/sampling/params/maxTokens"),
        also "wire-schema-valid" Failure;
    catches "tools-call-sampling-request" by set("tools/call", "/inputRequests/sampling/params/messages", json!([]));
    catches "tools-call-sampling-request" by retype("tools/call", "/inputRequests/sampling/params/messages/0/role"),
        also "wire-schema-valid" Failure;
    catches "tools-call-sampling-request" by remove("tools/call", "/inputRequests/sampling/params/messages/0/content/text"),
        also "wire-schema-valid" Failure;
    catches "tools-call-sampling-exact" by set("tools/call", "/content/0/text", json!("The model said something."));
    catches "tools-call-sampling-undeclared" on bold();
    catches "tools-call-sampling-undeclared" on bold(), at V2025_11_25;
}

fn answer() -> Answer {
    json!({"content": [{"type": "text", "text": ANSWER}]}).into()
}

/// Needs no model.
fn knowing_all() -> Server {
    everything().on("tools/call", |_: Call| async { answer() })
}

/// Lets the model talk as long as it likes.
fn generous() -> Server {
    everything().on("tools/call", |call: Call| async move {
        if Capability::Sampling.declared_in(call.client_capabilities()) {
            call.request(METHOD, json!({"messages": [prompt()]})).await.ok();
        }
        answer()
    })
}

/// Asks without looking at what its client has declared.
fn bold() -> Server {
    everything().on("tools/call", |call: Call| async move {
        match call.ask(METHOD, json!({"messages": [prompt()], "maxTokens": 100})).await {
            Err(Unanswered::AskedFor(answer)) => answer,
            _ => answer(),
        }
    })
}

fn prompt() -> serde_json::Value {
    json!({"role": "user", "content": {"type": "text", "text": PROMPT}})
}
