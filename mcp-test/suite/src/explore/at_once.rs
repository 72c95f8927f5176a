//! Several calls of a tool at once: each has to get its own result.

use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::scenario::Ctx;
use mcp_test_core::spec::Requirement;

use super::chain::{Chain, Step};
use super::explorable::Explorable;
use super::failure::{Failure, FailureKind};
use super::replay::Conversation;
use crate::known_values::Readable;

/// Makes the calls of a chain one after another, twice, and then all at once, on a new connection. What is wrong with the results of
/// the last time, if anything.
///
/// A tool that does not give the same result twice is not judged: the result depends on more than the arguments.
pub(super) async fn replay(
    ctx: &Ctx,
    chain: &Chain,
    tool: &Explorable,
    wait: Duration,
) -> Option<Failure> {
    let mut conversation = Conversation::begin(ctx).await.ok()?;
    let mixed = mixed(&mut conversation, chain, tool, wait).await;
    conversation.end().await;
    match mixed? {
        Mixed { failure, alone: None } => Some(failure),
        Mixed { failure, alone: Some((step, result)) } => {
            // If a new connection gives another result by now, it depends on the time.
            let mut conversation = Conversation::begin(ctx).await.ok()?;
            let again = conversation.result_of(step, wait).await;
            conversation.end().await;
            (again? == result).then_some(failure)
        }
    }
}

/// What is wrong with the results of calls that were made at once.
struct Mixed<'chain> {
    failure: Failure,
    /// The call that got the result of another one, and its own result when it was made alone.
    alone: Option<(&'chain Step, Readable)>,
}

async fn mixed<'chain>(
    conversation: &mut Conversation,
    chain: &'chain Chain,
    tool: &Explorable,
    wait: Duration,
) -> Option<Mixed<'chain>> {
    let mut alone: Vec<Readable> = Vec::new();
    for step in &chain.steps {
        let first = conversation.result_of(step, wait).await?;
        let second = conversation.result_of(step, wait).await?;
        if first != second {
            return None;
        }
        alone.push(first);
    }
    let results = match conversation.results_at_once(&chain.steps, wait).await {
        Ok(results) => results,
        Err(failure) => return Some(Mixed { failure, alone: None }),
    };
    // A tool may refuse too many calls at once, and say so.
    let (differing, of_other) = results.iter().enumerate().find_map(|(index, together)| {
        let together = together.as_ref().filter(|it| **it != alone[index])?;
        Some((index, alone.iter().position(|other| other == together)?))
    })?;
    let finding = Finding::peer(format!(
        "of several calls of `{}` at once, one gets the result of another",
        tool.operation
    ))
    .expected(format!("the result for {}", chain.steps[differing].arguments.short(80)))
    .got(format!("the result for {}", chain.steps[of_other].arguments.short(80)))
    .requires(Requirement::JSONRPC_RESULT_ID_ECHO);
    let failure = Failure::new(FailureKind::Mixed, finding);
    Some(Mixed { failure, alone: Some((&chain.steps[differing], alone.swap_remove(differing))) })
}
