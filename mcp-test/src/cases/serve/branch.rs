//! Finds another case that has the client's answer: accepting, declining and cancelling are cases of one request.

use mcp_test_core::json::Value;
use mcp_test_core::spec::Revision;

use super::compiled_contract::CompiledContract;
use super::conversation::TurnId;
use super::message_ref::MessageRef;
use super::turn::Action;
use crate::cases::compare::{Difference, Tolerance, compare};
use crate::cases::{Values, expand};

/// Where an answer differs from that of a case.
pub(super) fn differences(
    answer: &MessageRef,
    got: &Value,
    values: &Values,
    revision: Revision,
) -> Vec<Difference> {
    let expected = expand(answer.value(), values);
    // An answer that cannot be expanded is compared as it is written.
    let expected = expected.as_ref().unwrap_or(answer.value());
    let (rule, tolerance) = (&answer.message().rule, Tolerance::of(revision));
    compare(expected, got, rule, &tolerance, values.secrets())
}

/// A turn that is the same as this one up to one of its requests, and has this answer to it; with the message that has it.
pub(super) fn find(
    contract: &CompiledContract,
    at: TurnId,
    number: usize,
    got: &Value,
    revision: Revision,
) -> Option<(TurnId, MessageRef)> {
    let turn = contract.turn(at);
    let others = contract.conversations.iter().enumerate().filter(|(conversation, other)| {
        *conversation != at.conversation
            && at.turn < other.turns.len()
            && other.revisions.contains(revision)
    });
    others.into_iter().find_map(|(conversation, other)| {
        let there = TurnId { conversation, ..at };
        let actions = contract.turn(there).actions.get(..=number)?;
        let is_same = contract.expected(there).is_same(contract.expected(at))
            && turn
                .actions
                .iter()
                .zip(&actions[..number])
                .all(|(one, other)| same_exchange(one, other))
            && same_request(&turn.actions[number], &actions[number]);
        let Action::Ask { answer: Some(answer), .. } = &actions[number] else { return None };
        let fits = || differences(answer, got, &other.values, revision).is_empty();
        (is_same && fits()).then(|| (there, answer.clone()))
    })
}

/// Whether two actions exchange the same messages.
fn same_exchange(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Notify(one), Action::Notify(other))
        | (Action::Reply(one), Action::Reply(other)) => same_message(one, other),
        (Action::Ask { answer, .. }, Action::Ask { answer: other_answer, .. }) => {
            let same_answers = match (answer, other_answer) {
                (Some(answer), Some(other)) => same_message(answer, other),
                (None, None) => true,
                _ => false,
            };
            same_answers && same_request(one, other)
        }
        _ => false,
    }
}

fn same_request(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Ask { request, .. }, Action::Ask { request: other, .. }) => {
            same_message(request, other)
        }
        _ => false,
    }
}

/// Whether two messages are the same but for their labels.
fn same_message(one: &MessageRef, other: &MessageRef) -> bool {
    // Without ids, which differ between cases that are otherwise the same.
    let members = ["method", "params", "result", "error"];
    members.iter().all(|member| one.value().get(member) == other.value().get(member))
}
