//! Handshakes, discovery and pings.

use mcp_test_core::json::Value;

use super::{Direction, ROWS, abridge, case_link, outcome_cell, table_section};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::{CaseIndex, Exchange};
use crate::cases::doc::page::{Inlines, Section, code, text};

const STEPS: [&str; 3] = ["initialize", "server/discover", "ping"];

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let steps = STEPS.iter().flat_map(|step| index.requests(Direction::In, step));
    let rows = steps.take(ROWS).map(|step| row(index, step)).collect();
    let head = ["Case", "Request", "Client speaks", "Server answers"];
    table_section(anchors, "Lifecycle", &head, rows)
}

fn row(index: &CaseIndex<'_>, step: &Exchange<'_>) -> Vec<Inlines> {
    let revision = |value: &Value| match value.as_str() {
        Some(text) => code(abridge::code(text)),
        None => code(abridge::json_line(value)),
    };
    // Since 2026-07-28, every request names its revision in `_meta`.
    let meta = "/_meta/io.modelcontextprotocol~1protocolVersion";
    let requested = step.params.and_then(|it| it.get("protocolVersion").or_else(|| it.at(meta)));
    let answered = outcome_cell(step, |result| {
        let named = result.get("protocolVersion").or_else(|| result.get("supportedVersions"));
        vec![named.map_or_else(|| text("a result"), revision)]
    });
    vec![
        vec![case_link(index, step.case)],
        vec![code(step.method)],
        requested.map(revision).into_iter().collect(),
        answered,
    ]
}
