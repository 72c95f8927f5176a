//! Another case that has what the client answers: accepting, declining and cancelling are cases of one request.

use super::edition::{At, Edition};
use super::line::Line;
use super::turn::Act;
use crate::cases::compare::{Difference, Tolerance, compare};
use crate::cases::{Values, expand};
use crate::json::Value;
use crate::spec::Revision;

/// In what an answer differs from that of a case.
pub(super) fn differences(
    answer: &Line,
    got: &Value,
    values: &Values,
    revision: Revision,
) -> Vec<Difference> {
    let expected = expand(answer.value(), values);
    let expected = expected.as_ref().unwrap_or(answer.value());
    let (rule, tolerance) = (&answer.message().rule, Tolerance::of(revision));
    compare(expected, got, rule, &tolerance, values.secrets())
}

/// A turn that is the same as this one up to one of its questions, and has this answer to it; with the message that does.
pub(super) fn find(
    edition: &Edition,
    at: At,
    number: usize,
    got: &Value,
    revision: Revision,
) -> Option<(At, Line)> {
    let turn = edition.turn(at);
    let others = edition.chains.iter().enumerate().filter(|(chain, other)| {
        *chain != at.chain && at.turn < other.turns.len() && other.revisions.contains(revision)
    });
    others.into_iter().find_map(|(chain, other)| {
        let there = At { chain, ..at };
        let acts = edition.turn(there).acts.get(..=number)?;
        let is_same = edition.expected(there).is_same(edition.expected(at))
            && turn.acts.iter().zip(&acts[..number]).all(|(one, other)| alike(one, other))
            && asks_alike(&turn.acts[number], &acts[number]);
        let Act::Ask { answer: Some(answer), .. } = &acts[number] else { return None };
        let fits = || differences(answer, got, &other.values, revision).is_empty();
        (is_same && fits()).then(|| (there, answer.clone()))
    })
}

/// Whether two acts say the same and hear the same.
fn alike(one: &Act, other: &Act) -> bool {
    match (one, other) {
        (Act::Tell(one), Act::Tell(other)) | (Act::Reply(one), Act::Reply(other)) => {
            says_alike(one, other)
        }
        (Act::Ask { answer, .. }, Act::Ask { answer: other_answer, .. }) => {
            let heard_alike = match (answer, other_answer) {
                (Some(answer), Some(other)) => says_alike(answer, other),
                (None, None) => true,
                _ => false,
            };
            heard_alike && asks_alike(one, other)
        }
        _ => false,
    }
}

fn asks_alike(one: &Act, other: &Act) -> bool {
    match (one, other) {
        (Act::Ask { question, .. }, Act::Ask { question: other, .. }) => {
            says_alike(question, other)
        }
        _ => false,
    }
}

/// Whether two messages say the same, whatever they are labelled with.
fn says_alike(one: &Line, other: &Line) -> bool {
    let members = ["method", "params", "result", "error"];
    members.iter().all(|member| one.value().get(member) == other.value().get(member))
}
