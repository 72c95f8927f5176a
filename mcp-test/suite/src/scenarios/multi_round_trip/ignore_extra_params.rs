//! `input-required-result-ignore-extra-params`.

use super::fixture::{GREETING, USER_NAME, accepted, complete};
use super::input_rounds::declare_all;
use crate::scenarios::matchers::first_text;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// Responses that the server has not asked for are ignored, and the call completes with the one that it needs.
    ///
    /// The official check passes on any complete result, also on the failure of the tool; our own check expects the greeting.
    Server "input-required-result-ignore-extra-params": "Responses that are not needed are ignored",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(GREETING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-ignore-unexpected-params", "A call with the name and two other responses is complete",
            [MRTR_EXTRA_INPUT_IGNORED]).official(&[SEP_2322]).named("IgnoreUnexpectedParams"),
        check!("input-required-result-ignore-extra-params-exact",
            "The text of the result greets the user by the name that was needed",
            [MRTR_EXTRA_INPUT_IGNORED]),
    ],
}

/// The key of a response that is not needed.
const EXTRA: &str = "unknown_extra_key";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let responses = json!({
        USER_NAME: accepted(&json!({"name": "Alice"})),
        EXTRA: accepted(&json!({"name": "Bob"})),
        "another_unexpected": accepted(&json!({"name": "Carol"})),
    });
    let reply = GREETING.request(ctx).param("inputResponses", responses).await?;
    ctx.check("sep-2322-ignore-unexpected-params").should(&reply, complete());
    let exact = ctx.check("input-required-result-ignore-extra-params-exact").by_fixture();
    match reply.result() {
        Ok(_) if reply.result_type() != Some("input_required") => {
            exact.should(&reply, first_text(equals("Hello, Alice!")))
        }
        _ => exact.skip("the call does not complete"),
    };
    Ok(())
}

proofs! {
    passes on everything();
    warns "sep-2322-ignore-unexpected-params" on refusing_extras();
    // Takes no notice of the responses at all.
    warns "sep-2322-ignore-unexpected-params"
        on GREETING.retried(Answer::input_required(json!({USER_NAME: {"method": "roots/list"}}), None));
    warns "input-required-result-ignore-extra-params-exact"
        by set("tools/call", "/content/0/text", json!("Hello, Bob!"));
}

/// Takes a response that is not needed for an error.
fn refusing_extras() -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "unknown response");
    let extra = param(format!("/inputResponses/{EXTRA}"), anything());
    reference_server_with([given(method("tools/call")).and(extra).respond_with(error)])
}
