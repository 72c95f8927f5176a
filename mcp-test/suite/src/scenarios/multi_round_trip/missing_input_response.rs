//! `input-required-result-missing-input-response`.

use super::fixture::{GREETING, USER_NAME, accepted, asking};
use super::input_rounds::declare_all;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;

scenario! {
    /// Input that the server needs and that is missing in a retry is asked for again, which is better than an error: the client
    /// still can provide it.
    ///
    /// The official check passes on any request for input; our own check expects that it is for what is missing.
    Server "input-required-result-missing-input-response": "Input that is missing is asked for again",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(GREETING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-missing-response-rerequests",
            "A call whose only response is under a wrong key is answered with a request for input",
            [MRTR_MISSING_INPUT_REASKED]).official(&[SEP_2322]).named("InputRequiredResultMissingResponseRerequests"),
        check!("input-required-result-missing-input-response-key",
            "The request for input is under the key that was missing",
            [MRTR_MISSING_INPUT_REASKED]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let responses = json!({"wrong_key": accepted(&json!({"data": "wrong"}))});
    let reply = GREETING.request(ctx).param("inputResponses", responses).await?;
    ctx.check("sep-2322-missing-response-rerequests")
        .should(&reply, object().member("resultType", equals("input_required")));
    let key = ctx.check("input-required-result-missing-input-response-key");
    if reply.result_type() == Some("input_required") {
        key.should(&reply, asking(object().member(USER_NAME, anything())));
    } else {
        key.skip("the result does not ask for input");
    }
    Ok(())
}

proofs! {
    passes on everything();
    // Takes missing input for an error.
    warns "sep-2322-missing-response-rerequests"
        on GREETING.retried(Answer::error(error_code::INVALID_PARAMS, "the name is missing"));
    // Goes on without the name.
    warns "sep-2322-missing-response-rerequests"
        on GREETING.retried(json!({"content": [{"type": "text", "text": "Hello, undefined!"}]}));
    warns "input-required-result-missing-input-response-key"
        by set("tools/call", "/inputRequests", json!({"wrong_key": {"method": "roots/list"}}));
}
