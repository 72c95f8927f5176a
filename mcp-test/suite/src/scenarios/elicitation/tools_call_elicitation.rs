//! `tools-call-elicitation`.

use mcp_test_core::client::ElicitationResponse;
use mcp_test_core::expect::{all_of, non_empty_array, text_containing};
use mcp_test_core::server::AskError;

use crate::scenarios::input_requests::{
    form_field, judge_each, not_requested, requested, requests_to_incapable_client,
};
use crate::scenarios::matchers::first_text;
use crate::scenarios::prelude::*;
use crate::scenarios::references::ELICITATION;
use crate::scenarios::server_messages::{input_requests, open_listening_stream};

scenario! {
    /// The tool `test_elicitation` elicits input from the user, and returns it in its result.
    ///
    /// The official check expects the request and content of any kind. Our own checks look at the form, at the submitted
    /// values in the result, at how the tool handles decline and cancel, and that a client without the capability gets no
    /// such request.
    Server "tools-call-elicitation": "A tool elicits input from the user",
    revisions: Revisions::from(Revision::V2025_06_18),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_elicitation")],
    checks: [
        check!("tools-call-elicitation",
            "The server sends `elicitation/create`, and the result of the call has content",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[ELICITATION]),
        check!("tools-call-elicitation-request",
            "The request has the message of the call and a form with a user name and an email address",
            [
                ELICITATION_REQUEST_MESSAGE_REQUIRED, ELICITATION_FORM_REQUESTED_SCHEMA_REQUIRED,
                ELICITATION_SCHEMA_OBJECT_ROOT, ELICITATION_SCHEMA_PRIMITIVE_TYPES,
            ]),
        check!("tools-call-elicitation-exact", "The text of the result contains the submitted values",
            [SCHEMA_CALL_TOOL_RESULT]),
        check!("tools-call-elicitation-refused",
            "The call is answered without an internal error when the user declines or cancels",
            [ELICITATION_SERVER_HANDLES_EACH_ACTION]),
        check!("tools-call-elicitation-undeclared",
            "A client that does not declare `elicitation` gets no such request",
            [ELICITATION_REQUEST_REQUIRES_CAPABILITY]),
    ],
}

const METHOD: &str = "elicitation/create";
const MESSAGE: &str = "Please provide your information";
const NAME: &str = "testuser";
const ADDRESS: &str = "test@example.com";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let submitted = || ElicitationResponse::accept(json!({"username": NAME, "email": ADDRESS}));
    // Before the first use of the client, which declares the capability when it connects.
    ctx.on_elicitation(move |_| submitted());
    open_listening_stream(ctx.client().await?).await;
    let reply = call(ctx).await?;
    reply.result()?;
    let requests = input_requests(&ctx.trace(), METHOD);
    ctx.check("tools-call-elicitation")
        .expect(&reply, object().member("content", non_empty_array()))
        .by_fixture()
        .judge(requested(&requests, METHOD, &reply));
    let text = || object().member("type", equals("string"));
    let root = || object().member("type", equals("object")).member("properties", object());
    judge_each(ctx, "tools-call-elicitation-request", &requests, |check, params| {
        check
            .requires(Requirement::ELICITATION_REQUEST_MESSAGE_REQUIRED)
            .expect(params, object().member("message", string()))
            .requires(Requirement::ELICITATION_FORM_REQUESTED_SCHEMA_REQUIRED)
            .expect(params, schema(object()))
            .requires(Requirement::ELICITATION_SCHEMA_OBJECT_ROOT)
            .expect(params, schema(root()))
            .by_fixture()
            .expect(params, object().member("message", text_containing(MESSAGE)))
            .expect(params, form_field("username", text()))
            .expect(params, form_field("email", text()))
    });
    let submitted =
        all_of(vec![Box::new(text_containing(NAME)), Box::new(text_containing(ADDRESS))]);
    ctx.check("tools-call-elicitation-exact").by_fixture().expect(&reply, first_text(submitted));

    // The capability is declared already, so the handler of the connected client can be replaced.
    for refusal in [ElicitationResponse::decline, ElicitationResponse::cancel] {
        ctx.on_elicitation(move |_| refusal());
        let reply = call(ctx).await?;
        ctx.check("tools-call-elicitation-refused").judge(handles_refusal(&reply));
    }
    let unexpected = requests_to_incapable_client(ctx, METHOD, params()).await?;
    ctx.check("tools-call-elicitation-undeclared").judge(not_requested(&unexpected, "elicitation"));
    Ok(())
}

fn params() -> Value {
    json!({"name": "test_elicitation", "arguments": {"message": MESSAGE}}).into()
}

async fn call(ctx: &mut Ctx) -> Result<Reply, Finding> {
    ctx.request("tools/call", params()).await
}

fn schema(matcher: impl Matcher + 'static) -> impl Matcher {
    object().member("requestedSchema", matcher)
}

/// Whether the tool handles a refusal by the user.
fn handles_refusal(reply: &Reply) -> Result<(), Finding> {
    // Servers SHOULD handle each action fittingly (`client/elicitation#response-actions`): a result or an error may be fitting.
    match reply.error() {
        Some(error) if error.code == error_code::INTERNAL_ERROR => {
            Err(Finding::peer("the tool fails when the user refuses")
                .expected("a result, or an error with a specific code")
                .got(error.to_string())
                .evidence_all(reply.evidence()))
        }
        _ => Ok(()),
    }
}

proofs! {
    passes on everything();
    catches "tools-call-elicitation" by reply_error("tools/call", -32602);
    catches "tools-call-elicitation" by set("tools/call", "/content", json!([]));
    // Answers without eliciting anything.
    catches "tools-call-elicitation" on everything().on("tools/call", |_: Call| async { answer() });
    catches "tools-call-elicitation-request" on without_form(), at V2025_11_25;
    catches "tools-call-elicitation-request" by remove("tools/call", "/inputRequests/elicitation/params/message");
    catches "tools-call-elicitation-request"
        by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema");
    catches "tools-call-elicitation-request"
        by retype("tools/call", "/inputRequests/elicitation/params/requestedSchema/type");
    catches "tools-call-elicitation-request"
        by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/email");
    catches "tools-call-elicitation-exact"
        by set("tools/call", "/content/0/text", json!("The user answered something."));
    warns "tools-call-elicitation-refused" on failing_on_refusal();
    warns "tools-call-elicitation-refused" on failing_on_refusal(), at V2025_11_25;
    catches "tools-call-elicitation-undeclared" on ignoring_capabilities();
    catches "tools-call-elicitation-undeclared" on ignoring_capabilities(), at V2025_11_25;
}

fn answer() -> Answer {
    json!({"content": [{"type": "text", "text": format!("{NAME} <{ADDRESS}>")}]}).into()
}

fn form() -> serde_json::Value {
    let text = json!({"type": "string"});
    let properties = json!({"username": text, "email": text});
    json!({"message": MESSAGE, "requestedSchema": {"type": "object", "properties": properties}})
}

/// Elicits without a form.
fn without_form() -> Server {
    everything().on("tools/call", |call: Call| async move {
        if Capability::Elicitation.declared_in(call.client_capabilities()) {
            call.request(METHOD, json!({"message": MESSAGE})).await.ok();
        }
        answer()
    })
}

/// Fails unless the user accepts.
fn failing_on_refusal() -> Server {
    everything().on("tools/call", |call: Call| async move {
        if !Capability::Elicitation.declared_in(call.client_capabilities()) {
            return answer();
        }
        match call.ask(METHOD, form()).await {
            Err(unanswered) => unanswered.into(),
            Ok(user) if user.get("content").is_some() => answer(),
            Ok(_) => {
                Answer::error(error_code::INTERNAL_ERROR, "cannot read `content` of undefined")
            }
        }
    })
}

/// Elicits whether or not the client declares the capability.
fn ignoring_capabilities() -> Server {
    everything().on("tools/call", |call: Call| async move {
        match call.ask(METHOD, form()).await {
            Err(AskError::InputRequired(answer)) => answer,
            _ => answer(),
        }
    })
}
