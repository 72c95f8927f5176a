//! Data of one call in the answer to another: what a tool that changes nothing was called with must not come back.
//!
//! A tool that stores what it gets may return it later, so that only the arguments of tools with `readOnlyHint` are looked for.

use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::expect::words::inert;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::scenario::Ctx;
use mcp_test_core::spec::Requirement;

use super::chain::{Chain, Step};
use super::explorable::Explorable;
use super::failure::{Failure, FailureKind};
use super::replay::Conversation;

/// What a canary begins with, which no tool returns by chance.
const PREFIX: &str = "canary-of-mcp-test-";

/// The arguments with a canary in place of each text that may be any text; `None` if there is none.
pub(super) fn with_canary(tool: &Explorable, arguments: &Value, number: usize) -> Option<Value> {
    // The end, so that no canary is the beginning of another one.
    let canary = Value::from(format!("{PREFIX}{number}-"));
    let mut marked = arguments.clone();
    let mut is_marked = false;
    for argument in &tool.arguments {
        let is_text = marked.get(&argument.name).is_some_and(Value::is_string);
        let mut candidate = marked.clone();
        let place = mcp_test_core::json::Pointer::default().member(&argument.name);
        if is_text && candidate.set(place.as_str(), canary.clone()) && tool.allows(&candidate) {
            (marked, is_marked) = (candidate, true);
        }
    }
    is_marked.then_some(marked)
}

/// Which of these calls leaves a canary that the answer to another one has, and in the answer to which: by their indices.
pub(super) async fn find(
    ctx: &Ctx,
    marked: &[Step],
    others: &[Step],
    wait: Duration,
) -> Option<(usize, usize)> {
    let mut same = Conversation::begin(ctx).await.ok()?;
    for step in marked {
        // What it answers does not matter.
        drop(same.answer_to(step, wait).await);
    }
    // Another tool may list what was called on this connection.
    let is_same = |of: &Step, step: &Step| of.operation == step.operation;
    let mut found = first_leak(&mut same, marked, others, wait, is_same).await;
    if found.is_none() {
        // Once more, since another connection may get the last call only.
        for step in marked {
            drop(same.answer_to(step, wait).await);
        }
    }
    same.end().await;
    if found.is_none() {
        let mut next = Conversation::begin(ctx).await.ok()?;
        found = first_leak(&mut next, marked, others, wait, |_, _| true).await;
        next.end().await;
    }
    found
}

async fn first_leak(
    conversation: &mut Conversation,
    marked: &[Step],
    others: &[Step],
    wait: Duration,
    counts: fn(&Step, &Step) -> bool,
) -> Option<(usize, usize)> {
    for (index, step) in others.iter().enumerate() {
        let Some(answer) = conversation.answer_to(step, wait).await else { continue };
        let has_canary = |other: &&Step| canaries(other).any(|it| answer.contains(it));
        let mut tools = marked.iter().filter(has_canary).map(|it| &it.operation);
        let first = tools.next();
        // What several tools were called with is a list of calls, which is what this tool is for.
        if tools.any(|other| Some(other) != first) {
            continue;
        }
        let is_leaked = |other: &Step| {
            counts(other, step) && has_canary(&other) && canaries(step).next().is_none()
        };
        if let Some(of) = marked.iter().position(is_leaked) {
            return Some((of, index));
        }
    }
    None
}

/// The canaries in the arguments of a call.
fn canaries(step: &Step) -> impl Iterator<Item = &str> {
    let members = step.arguments.as_object().into_iter().flat_map(Object::iter);
    members.filter_map(|(_, value)| value.as_str().filter(|text| text.starts_with(PREFIX)))
}

/// Repeats a chain, whose last call may return what the others were called with; what is wrong with that, if anything.
pub(super) async fn replay(ctx: &Ctx, chain: &Chain, wait: Duration) -> Option<Failure> {
    let (last, marked) = chain.steps.split_last()?;
    let (of, _) = find(ctx, marked, std::slice::from_ref(last), wait).await?;
    Some(failure(&marked[of], last))
}

/// The failure that an answer has data of another call.
pub(super) fn failure(marked: &Step, last: &Step) -> Failure {
    let finding = Finding::peer(format!(
        "the answer to `{}` has data of a call of `{}`",
        last.operation, marked.operation
    ))
    .expected(format!(
        "nothing of {}: `{}` changes nothing, by its `readOnlyHint`",
        marked.arguments.short(80),
        marked.operation
    ))
    .got(canaries(marked).map(inert).collect::<Vec<_>>().join(", "))
    .requires(Requirement::MCP_TEST_EXPLORED_CALLS_APART);
    Failure::new(FailureKind::Leaked, finding)
}
