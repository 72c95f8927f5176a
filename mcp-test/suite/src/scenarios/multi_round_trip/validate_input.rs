//! `input-required-result-validate-input`.

use mcp_test_core::expect::not;
use mcp_test_core::server::Respond;

use super::fixture::{GREETING, USER_NAME, accepted, complete};
use super::input_rounds::{completes, declare_all};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// Responses that are malformed are not taken for input.
    ///
    /// The official checks pass on any error, also on that of a server without the tool; our own check expects that the call
    /// completes with a valid response.
    Server "input-required-result-validate-input": "Malformed responses are not taken for input",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(GREETING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-validate-input-responses", "A call with a number in place of a response does not complete",
            [MRTR_SERVER_VALIDATES_RESPONSES]).official(&[SEP_2322]).named("ValidateInputResponses"),
        check!("sep-2322-error-on-protocol-error",
            "A call with `null` in place of all responses is answered with an error or a request for input",
            [MRTR_PROTOCOL_ERRORS]).official(&[SEP_2322]).named("ErrorOnProtocolError"),
        check!("input-required-result-validate-input-valid", "The call completes with a valid response",
            [SCHEMA_CALL_TOOL_RESULT]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let valid = json!({USER_NAME: accepted(&json!({"name": "Alice"}))});
    let valid = GREETING.request(ctx).param("inputResponses", valid).await?;
    ctx.check("input-required-result-validate-input-valid")
        .by_fixture()
        .expect(&valid, complete().optional("isError", not(equals(true))));
    // That malformed input is refused means nothing if every input is, except by the official rules.
    if !completes(&valid) && ctx.profile() != Profile::Official {
        ctx.skip_the_rest("the call does not complete with a valid response either");
        return Ok(());
    }

    let number = send(ctx, json!({USER_NAME: 12345})).await;
    let number = match number {
        Ok(number) => number,
        Err(finding) => return ctx.conclude("sep-2322-validate-input-responses", Err(finding)),
    };
    ctx.check("sep-2322-validate-input-responses")
        .judge(ensure(!completes(&number), || accepted_as_input(&number)))
        .officially_judge(refused(&number), "a result with `isError` does not take it for input");
    let null = send(ctx, Value::Null).await?;
    ctx.check("sep-2322-error-on-protocol-error").judge(refused(&null));
    Ok(())
}

async fn send(ctx: &mut Ctx, responses: impl Into<Value>) -> Result<Reply, Finding> {
    GREETING.request(ctx).param("inputResponses", responses).deliberate().await
}

/// Whether malformed input is answered with an error or a request for input.
fn refused(reply: &Reply) -> Result<(), Finding> {
    let is_refused = reply.error().is_some() || reply.result_type() == Some("input_required");
    ensure(is_refused, || accepted_as_input(reply))
}

fn accepted_as_input(reply: &Reply) -> Finding {
    Finding::peer("a call with malformed `inputResponses` completes")
        .expected("an error, or another request for input")
        .got(reply.outcome().map_or_else(ToString::to_string, |result| result.short(120)))
        .evidence_all(reply.evidence())
        .should()
}

proofs! {
    passes on everything();
    // Greets whatever it finds under the key.
    warns "sep-2322-validate-input-responses" on answering("/inputResponses/user_name", json!(12345), greeting());
    warns "sep-2322-validate-input-responses" on failing_on_a_number(), under Official;
    // Greets although there is no response.
    warns "sep-2322-error-on-protocol-error" on answering("/inputResponses", json!(null), greeting());
    catches "input-required-result-validate-input-valid" by reply_error("tools/call", -32602);
    // Asks again whatever the client responds.
    catches "input-required-result-validate-input-valid"
        on GREETING.retried(Answer::input_required(json!({USER_NAME: {"method": "roots/list"}}), None));
}

/// The reference server, with another answer to calls with this value among their parameters.
fn answering(pointer: &str, value: serde_json::Value, response: impl Respond) -> Server {
    let malformed = param(pointer, equals(value));
    reference_server_with([given(method("tools/call")).and(malformed).respond_with(response)])
}

fn greeting() -> serde_json::Value {
    json!({"content": [{"type": "text", "text": "Hello, undefined!"}]})
}

/// Reports malformed input as the failure of the tool.
fn failing_on_a_number() -> Server {
    let text = json!({"type": "text", "text": "not a name"});
    answering(
        "/inputResponses/user_name",
        json!(12345),
        json!({"content": [text], "isError": true}),
    )
}
