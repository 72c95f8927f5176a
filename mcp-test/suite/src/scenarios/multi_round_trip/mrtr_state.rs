//! `mrtr-state`.

use mcp_test_core::transport::TransportKind;

use super::input_rounds::{alter, completes, declare_all};
use super::round::{Round, asking_but, done, first_round, is_call_of, responses, start};
use crate::scenarios::nothing_tested::report_nothing_tested;
use crate::scenarios::prelude::*;

scenario! {
    /// The state of a round is good for the call that it was issued for, unaltered, and on any connection.
    ///
    /// The state travels through the client, which may change it: what matters in it has to be protected. Only the server knows
    /// whether it matters, so that this is a warning, and it is made only where a state that the server has not issued does not get
    /// through. Tried on the tools that may be called and that send a state.
    Server "mrtr-state": "The state of a round is protected",
    revisions: Revisions::from(Revision::V2026_07_28),
    needs: [Need::Capability(Capability::Tools), Need::Any(ItemKind::Tool)],
    checks: [
        check!("altered-state-refused", "A retry with a state in which a character was changed does not complete",
            [MRTR_STATE_TAMPER_REJECTED, MRTR_STATE_INTEGRITY]).conditional()
            .only_warns("only the server knows whether its state needs protection"),
        check!("foreign-state-refused", "A retry with the state of the call of another tool does not complete",
            [MRTR_STATE_BOUND_REQUEST]).conditional(),
        check!("state-on-other-connection", "A retry on another connection is answered as on the first one",
            [MRTR_STATELESS_RETRY]).conditional(),
    ],
}

/// How many tools are called to find some that send a state: each call costs the time of the tool.
const TOOLS: usize = 10;

/// How many tools with a state are tried.
const STATES: usize = 2;

/// Where a state is altered, in quarters of its length.
const QUARTERS: [usize; 3] = [1, 2, 3];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    declare_all(ctx);
    let mut tools = ctx.callable_tools().await?;
    tools.truncate(TOOLS);
    let mut rounds = Vec::new();
    for tool in &tools {
        let Some(round) = first_round(ctx, tool).await? else { continue };
        if rounds.len() < STATES && is_stateful(ctx, &round).await? {
            rounds.push(round);
        }
    }
    let Some(first) = rounds.first() else {
        let why = "no tool that may be called sends a state on which the retry depends";
        report_nothing_tested(ctx, &SCENARIO, why);
        return Ok(());
    };
    for quarter in QUARTERS {
        altered(ctx, first, quarter).await?;
    }
    if let [one, other] = rounds.as_slice() {
        foreign(ctx, one, other).await?;
    }
    // Over stdio another connection is another process, which need not know the keys of the first one.
    if ctx.transport() != TransportKind::Stdio {
        elsewhere(ctx, first).await?;
    }
    Ok(())
}

/// Whether the retry completes with the state of the server, and not with another one.
async fn is_stateful(ctx: &mut Ctx, round: &Round) -> Result<bool, Finding> {
    let Some(state) = fresh_state(ctx, round).await? else { return Ok(false) };
    let call = retry(round, state.into());
    if !completes(&ctx.request("tools/call", call).once().await?) {
        return Ok(false);
    }
    let call = retry(round, "no state of this server, as mcp-test knows".into());
    Ok(!completes(&ctx.request("tools/call", call).once().await?))
}

/// The state of a new round: a state may be good for one retry only.
async fn fresh_state(ctx: &mut Ctx, round: &Round) -> Result<Option<String>, Finding> {
    let again = start(ctx, round.call.clone()).await?;
    Ok(again.and_then(|again| again.state?.as_str().map(str::to_owned)))
}

/// The call with this state, and valid input.
fn retry(round: &Round, state: Value) -> Value {
    let mut call = round.call.clone();
    if let Some(requests) = &round.requests {
        let responses: Object = responses(requests, "cancel");
        call.set("/inputResponses", responses.into());
    }
    call.set("/requestState", state);
    call
}

async fn altered(ctx: &mut Ctx, round: &Round, quarter: usize) -> Result<(), Finding> {
    let Some(state) = fresh_state(ctx, round).await? else { return Ok(()) };
    let Some(altered) = alter(&state, quarter) else { return Ok(()) };
    let reply = ctx.request("tools/call", retry(round, altered.into())).once().await?;
    ctx.check("altered-state-refused").judge(ensure(!completes(&reply), || {
        Finding::peer("a retry with an altered state completes")
            .expected("an error: a state that matters is protected against changes")
            .got("a result, although a state that the server has not issued does not get through")
            .evidence_all(reply.evidence())
            .should()
    }));
    Ok(())
}

async fn foreign(ctx: &mut Ctx, one: &Round, other: &Round) -> Result<(), Finding> {
    for (of, to) in [(one, other), (other, one)] {
        let Some(state) = fresh_state(ctx, of).await? else { continue };
        let reply = ctx.request("tools/call", retry(to, state.into())).once().await?;
        ctx.check("foreign-state-refused").judge(ensure(!completes(&reply), || {
            Finding::peer("a retry with the state of another call completes")
                .expected("an error: a state is bound to the call that it was issued for")
                .got("a result")
                .evidence_all(reply.evidence())
                .should()
        }));
    }
    Ok(())
}

async fn elsewhere(ctx: &mut Ctx, round: &Round) -> Result<(), Finding> {
    let Some(state) = fresh_state(ctx, round).await? else { return Ok(()) };
    let mut other = ctx.connect(ctx.options()).await?;
    let pending = other
        .start_with(
            "tools/call",
            retry(round, state.into()),
            mcp_test_core::client::RequestOptions::new().once(),
        )
        .await;
    let reply = other.wait(pending).await?;
    let is_completed = completes(&reply);
    ctx.check("state-on-other-connection").judge(ensure(is_completed, || {
        Finding::peer("a retry on another connection does not complete")
            .expected("the result, as on the connection of the first call")
            .got(reply.outcome().map_or_else(ToString::to_string, |result| result.short(120)))
            .hint("put all that the retry needs into the state")
            .evidence_all(reply.evidence())
            .should()
    }));
    Ok(())
}

proofs! {
    // The state of `wait` and `greet` is their name; both want it unaltered.
    passes on asking_but(|_| None);
    warns "altered-state-refused" on comparing_lengths();
    // Takes the state of either tool for that of the other one.
    warns "foreign-state-refused" on asking_but(|call| ["wait", "greet"].contains(&call.request_state()?).then(done));
    warns "state-on-other-connection" on remembering_connections();
}

/// Takes any short state that is not a sentence.
fn comparing_lengths() -> Server {
    asking_but(|call| {
        let is_short = call.request_state()?.len() < 10;
        is_short.then(done)
    })
}

/// Takes the third retry with a sound state for one of another client, which is the one on the other connection.
fn remembering_connections() -> Server {
    let retries = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    asking_but(move |call| {
        let is_own = is_call_of(call, call.request_state()?);
        let error = || Answer::error(error_code::INVALID_PARAMS, "unknown state");
        let before = retries.fetch_add(usize::from(is_own), std::sync::atomic::Ordering::Relaxed);
        (is_own && before == 2).then(error)
    })
}
