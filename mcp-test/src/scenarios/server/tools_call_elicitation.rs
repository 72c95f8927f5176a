//! `tools-call-elicitation`.

use serde_json::json;

use super::asking::{asked_though_incapable, asks, asks_nobody};
use super::heard::{asked, open_stream};
use super::matchers::first_text;
use super::references::ELICITATION;
use crate::check::Finding;
use crate::client::{Elicited, Handlers, Reply};
use crate::expect::{Matcher, all_of, equals, non_empty_array, object, string, text_containing};
use crate::json::Value;
use crate::scenario::{CheckSpec, Ctx, Need, Official, Part};
use crate::server::reference::everything;
use crate::server::{Answer, Call, Server, Unanswered};
use crate::spec::{Capability, Revision, Revisions, error_code};
use crate::{proofs, scenario};

scenario! {
    /// The tool `test_elicitation` asks the user of its client, and answers with what the user says.
    ///
    /// The official check wants the question, and content of any kind; our own ones look at the form, at whether what was
    /// filled in is in the result, at what becomes of a user who says no, and that a client which never declared a user
    /// is left alone.
    Server "tools-call-elicitation": "A tool asks the user of its client",
    revisions: Revisions::from(Revision::V2025_06_18),
    official: Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    needs: [Need::Capability(Capability::Tools), Need::Tool("test_elicitation")],
    checks: [
        CheckSpec::official(
            "tools-call-elicitation",
            "ToolsCallElicitation",
            "The server asks for `elicitation/create`, and the result of the call has content",
            &[ELICITATION],
        )
        .requires(&["schema.call-tool-result"]),
        CheckSpec::own(
            "tools-call-elicitation-request",
            "ToolsCallElicitationRequest",
            "What is asked has the message of the call and a form of a user name and an e-mail address",
        )
        .requires(&[
            "elicitation.request.message-required",
            "elicitation.form.requested-schema-required",
            "elicitation.schema.object-root",
            "elicitation.schema.primitive-types",
        ]),
        CheckSpec::own(
            "tools-call-elicitation-exact",
            "ToolsCallElicitationExact",
            "The text of the result holds what the user has filled in",
        )
        .requires(&["schema.call-tool-result"]),
        CheckSpec::own(
            "tools-call-elicitation-refused",
            "ToolsCallElicitationRefused",
            "The call is answered, and without an internal error, when the user declines or cancels",
        )
        .requires(&["elicitation.server.handles-each-action"])
        .warns(),
        CheckSpec::own(
            "tools-call-elicitation-undeclared",
            "ToolsCallElicitationUndeclared",
            "A client that does not declare `elicitation` is not asked",
        )
        .requires(&["elicitation.request.requires-capability"]),
    ],
}

const METHOD: &str = "elicitation/create";
const MESSAGE: &str = "Please provide your information";
const NAME: &str = "testuser";
const ADDRESS: &str = "test@example.com";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let filled = || Elicited::accept(json!({"username": NAME, "email": ADDRESS}));
    ctx.handle(Handlers::new().elicitation(move |_| filled()))?;
    open_stream(ctx.client().await?).await;
    let reply = call(ctx).await?;
    reply.result()?;
    let asked = asked(&ctx.trace(), METHOD);
    ctx.check("tools-call-elicitation")
        .expect(&reply, object().member("content", non_empty_array()))
        .by_fixture()
        .judge(asks(&asked, METHOD, &reply));
    let mut request = ctx.check("tools-call-elicitation-request");
    for (seq, params) in &asked {
        let params = Part::new("what the user is asked", params, Some(*seq));
        request = request
            .requires("elicitation.request.message-required")
            .expect(&params, object().member("message", string()))
            .requires("elicitation.form.requested-schema-required")
            .expect(&params, schema(object()))
            .requires("elicitation.schema.object-root")
            .expect(
                &params,
                schema(object().member("type", equals("object")).member("properties", object())),
            )
            .by_fixture()
            .expect(&params, object().member("message", text_containing(MESSAGE)))
            .expect(&params, field("username"))
            .expect(&params, field("email"));
    }
    if asked.is_empty() {
        request.skip("nothing was asked");
    } else {
        drop(request);
    }
    let filled = all_of(vec![Box::new(text_containing(NAME)), Box::new(text_containing(ADDRESS))]);
    ctx.check("tools-call-elicitation-exact").by_fixture().expect(&reply, first_text(filled));

    for refuses in [Elicited::decline, Elicited::cancel] {
        ctx.client().await?.handle(Handlers::new().elicitation(move |_| refuses()));
        let reply = call(ctx).await?;
        ctx.check("tools-call-elicitation-refused").judge(copes(&reply));
    }
    let undue = asked_though_incapable(ctx, METHOD, params()).await?;
    ctx.check("tools-call-elicitation-undeclared").judge(asks_nobody(&undue, "elicitation"));
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

fn field(name: &str) -> impl Matcher {
    let text = object().member("type", equals("string"));
    schema(object().member("properties", object().member(name, text)))
}

/// That a refusal of the user is no surprise to the tool.
fn copes(reply: &Reply) -> Result<(), Finding> {
    match reply.error() {
        Some(error) if error.code == error_code::INTERNAL_ERROR => {
            Err(Finding::peer("the tool breaks down when the user refuses")
                .expected("a result, or an error that says what is the matter")
                .got(error.to_string())
                .evidence_all(reply.evidence()))
        }
        _ => Ok(()),
    }
}

proofs! {
    passes on everything();
    catches "tools-call-elicitation" by reply_error("tools/call", -32602),
        also "tools-call-elicitation-request" Skipped, also "tools-call-elicitation-exact" Skipped,
        also "tools-call-elicitation-refused" Skipped, also "tools-call-elicitation-undeclared" Skipped;
    catches "tools-call-elicitation" by set("tools/call", "/content", json!([])),
        also "tools-call-elicitation-exact" Failure;
    catches "tools-call-elicitation" on knowing_all(), also "tools-call-elicitation-request" Skipped;
    catches "tools-call-elicitation-request" on formless(),
        also "wire-schema-valid" Failure, at V2025_11_25;
    catches "tools-call-elicitation-request" by remove("tools/call", "/inputRequests/elicitation/params/message"),
        also "wire-schema-valid" Failure;
    catches "tools-call-elicitation-request" by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema"),
        also "wire-schema-valid" Failure;
    catches "tools-call-elicitation-request" by retype("tools/call", "/inputRequests/elicitation/params/requestedSchema/type"),
        also "wire-schema-valid" Failure;
    catches "tools-call-elicitation-request" by remove("tools/call", "/inputRequests/elicitation/params/requestedSchema/properties/email");
    catches "tools-call-elicitation-exact" by set("tools/call", "/content/0/text", json!("The user said something."));
    warns "tools-call-elicitation-refused" on spoilt();
    warns "tools-call-elicitation-refused" on spoilt(), at V2025_11_25;
    catches "tools-call-elicitation-undeclared" on bold();
    catches "tools-call-elicitation-undeclared" on bold(), at V2025_11_25;
}

fn answer() -> Answer {
    json!({"content": [{"type": "text", "text": format!("{NAME} <{ADDRESS}>")}]}).into()
}

fn form() -> serde_json::Value {
    let text = json!({"type": "string"});
    let properties = json!({"username": text, "email": text});
    json!({"message": MESSAGE, "requestedSchema": {"type": "object", "properties": properties}})
}

/// Knows its users without asking.
fn knowing_all() -> Server {
    everything().on("tools/call", |_: Call| async { answer() })
}

/// Does not say what is to be filled in.
fn formless() -> Server {
    everything().on("tools/call", |call: Call| async move {
        if Capability::Elicitation.declared_in(call.client_capabilities()) {
            call.request(METHOD, json!({"message": MESSAGE})).await.ok();
        }
        answer()
    })
}

/// Cannot take no for an answer.
fn spoilt() -> Server {
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

/// Asks without looking at what its client has declared.
fn bold() -> Server {
    everything().on("tools/call", |call: Call| async move {
        match call.ask(METHOD, form()).await {
            Err(Unanswered::AskedFor(answer)) => answer,
            _ => answer(),
        }
    })
}
