//! `input-required-result-tampered-state`.

use mcp_test_core::expect::{non_empty_string, not, text_containing};
use mcp_test_core::server::Respond;

use super::fixture::{Fixture, accepted, complete, state, to_first};
use super::input_rounds::{alter, completes, declare_all};
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2322;
use crate::scenarios::refusal::is_error;

scenario! {
    /// The tool `test_input_required_result_tampered_state` refuses a state that the client has changed.
    ///
    /// The state travels through the client, so that a server must not trust what it says. The official check appends a text to
    /// the state, and passes on any error, also on that of a server that refuses every state; our own checks change a character
    /// within the state, and expect that the state is accepted as it was issued.
    Server "input-required-result-tampered-state": "A state that was changed is refused",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    needs: [Need::Capability(Capability::Tools), Need::Tool(PROTECTING.name)],
    shares_connection: Revisions::all(),
    checks: [
        check!("sep-2322-reject-tampered-state", "A retry with a text appended to the state is refused",
            [MRTR_STATE_TAMPER_REJECTED, MRTR_STATE_INTEGRITY]).official(&[SEP_2322]).named("RejectTamperedState"),
        check!("input-required-result-tampered-state-altered",
            "A retry with a state in which a character was changed does not complete",
            [MRTR_STATE_TAMPER_REJECTED, MRTR_STATE_INTEGRITY]),
        check!("input-required-result-tampered-state-untouched",
            "The same retry completes with the state as it was issued",
            [SCHEMA_CALL_TOOL_RESULT]),
    ],
}

const PROTECTING: Fixture = Fixture::tool("test_input_required_result_tampered_state");

/// Where the state is altered, in quarters of its length.
const QUARTERS: [usize; 3] = [1, 2, 3];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let asked = PROTECTING.request(ctx).await?;
    let asks = object()
        .member("resultType", equals("input_required"))
        .member("requestState", non_empty_string());
    if asked.expect(&asks).is_err() {
        ctx.check("sep-2322-reject-tampered-state").by_fixture().expect(&asked, asks);
        ctx.skip_the_rest("the fixture does not send a state");
        return Ok(());
    }

    let untouched = PROTECTING.retry(ctx, &asked, to_first(&asked, confirmation())).await?;
    ctx.check("input-required-result-tampered-state-untouched")
        .by_fixture()
        .expect(&untouched, complete().optional("isError", not(equals(true))));
    // The refusal of a state means nothing if every state is refused, except by the official rules.
    if !completes(&untouched) && ctx.profile() != Profile::Official {
        ctx.skip_the_rest("the retry does not complete with the state as it was issued either");
        return Ok(());
    }

    let reply = retry(ctx, |state| format!("{state}-TAMPERED")).await?;
    ctx.check("sep-2322-reject-tampered-state").judge(rejects(&reply)).officially_judge(
        is_error(&reply),
        "a result with `isError`, or another request for input, also rejects the state",
    );
    for quarter in QUARTERS {
        let changed = |state: &str| alter(state, quarter).unwrap_or_else(|| "altered".to_owned());
        let reply = retry(ctx, changed).await?;
        ctx.check("input-required-result-tampered-state-altered").judge(rejects(&reply));
    }
    Ok(())
}

fn confirmation() -> serde_json::Value {
    accepted(&json!({"ok": true}))
}

/// Retries with another state, in a round of its own: a state may be good for one retry only.
async fn retry(ctx: &mut Ctx, change: impl Fn(&str) -> String) -> Result<Reply, Finding> {
    let asked = PROTECTING.request(ctx).await?;
    let changed = change(state(&asked).and_then(Value::as_str).unwrap_or_default());
    let responses = to_first(&asked, confirmation());
    PROTECTING.retry(ctx, &asked, responses).param("requestState", changed).await
}

/// Whether a retry does not complete.
fn rejects(reply: &Reply) -> Result<(), Finding> {
    ensure(!completes(reply), || {
        Finding::peer("a retry completes although its state was changed")
            .expected("an error: a state that matters is protected against changes")
            .got("a result")
            .evidence_all(reply.evidence())
    })
}

proofs! {
    passes on everything();
    catches "sep-2322-reject-tampered-state" by reply_error("tools/call", -32602);
    catches "sep-2322-reject-tampered-state" by remove("tools/call", "/requestState");
    // Does not look at the state.
    catches "sep-2322-reject-tampered-state" on answering(anything(), confirmed());
    catches "sep-2322-reject-tampered-state" on refusing_in_the_result(), under Official;
    // Looks only at the end of the state.
    catches "input-required-result-tampered-state-altered" on answering(not(text_containing("TAMPERED")), confirmed());
    // Accepts no state, not even its own.
    catches "input-required-result-tampered-state-untouched"
        on answering(anything(), Answer::error(error_code::INVALID_PARAMS, "unknown state"));
}

/// The reference server, with another answer to calls with such a state.
fn answering(state: impl Matcher + 'static, response: impl Respond) -> Server {
    let state = param("/requestState", state);
    reference_server_with([given(method("tools/call")).and(state).respond_with(response)])
}

fn confirmed() -> serde_json::Value {
    json!({"content": [{"type": "text", "text": "state-ok"}]})
}

/// Reports a state that was changed as the failure of the tool.
fn refusing_in_the_result() -> Server {
    let text = json!({"type": "text", "text": "the state was changed"});
    answering(text_containing("TAMPERED"), json!({"content": [text], "isError": true}))
}
