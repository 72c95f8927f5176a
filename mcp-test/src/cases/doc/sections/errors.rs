//! The JSON-RPC errors of the server.

use std::collections::BTreeMap;

use mcp_test_core::wire::RpcError;

use super::{Direction, ROWS, abridge, case_links, error_code, table_section};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::{CaseIndex, Exchange, Outcome};
use crate::cases::doc::page::{Section, code, text};

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut errors: BTreeMap<(i64, &str, &str), Vec<usize>> = BTreeMap::new();
    for (exchange, error) in index.exchanges.iter().filter_map(error_of) {
        let key = (error.code, exchange.method, error.message.as_str());
        errors.entry(key).or_default().push(exchange.case);
    }
    let row = |((number, method, message), cases): (&(i64, &str, &str), &Vec<usize>)| {
        vec![
            error_code(*number),
            vec![code(abridge::code(method))],
            vec![text(abridge::name(message))],
            case_links(index, cases.iter().copied()),
        ]
    };
    // JSON-RPC codes are negative, so in reverse order the one nearest to zero comes first.
    let rows = errors.iter().rev().take(ROWS).map(row).collect();
    table_section(anchors, "Errors", &["Code", "Answers", "Message", "Cases"], rows)
}

fn error_of<'d, 'a>(exchange: &'d Exchange<'a>) -> Option<(&'d Exchange<'a>, &'a RpcError)> {
    match exchange.outcome {
        Some(Outcome::Error(error)) if exchange.sender == Direction::In => Some((exchange, error)),
        _ => None,
    }
}
