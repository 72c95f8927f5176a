//! The JSON-RPC errors that the server answers with.

use std::collections::BTreeMap;

use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Exchange, Outcome};
use super::super::page::{Section, Words, code, text};
use super::{Direction, abridge, cases, chapter, error_code, table};
use crate::wire::RpcError;

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    const ROWS: usize = 200;
    let mut errors: BTreeMap<(i64, &str, &str), Vec<usize>> = BTreeMap::new();
    for (exchange, error) in dialogue.exchanges.iter().filter_map(refused) {
        let key = (error.code, exchange.method, error.message.as_str());
        errors.entry(key).or_default().push(exchange.talk);
    }
    let row = |((number, method, message), talks): (&(i64, &str, &str), &Vec<usize>)| {
        let words: Words = vec![text(abridge::name(message))];
        vec![
            error_code(*number),
            vec![code(abridge::code(method))],
            words,
            cases(dialogue, talks.iter().copied()),
        ]
    };
    // The nearest to zero first: the order of the numbers, as people read them.
    let rows = errors.iter().rev().take(ROWS).map(row).collect();
    let table = table(&["Code", "Answers", "Message", "Cases"], rows)?;
    let mut section = chapter(anchors, "Errors");
    section.blocks.push(table);
    Some(section)
}

fn refused<'d, 'a>(exchange: &'d Exchange<'a>) -> Option<(&'d Exchange<'a>, &'a RpcError)> {
    match exchange.outcome {
        Some(Outcome::Error(error)) if exchange.asker == Direction::In => Some((exchange, error)),
        _ => None,
    }
}
