//! The completions that the server proposes for arguments.

use mcp_test_core::json::Value;

use super::{Direction, ROWS, abridge, case_link, outcome_cell, table_section};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::{CaseIndex, Exchange};
use crate::cases::doc::page::{Inlines, Section, code};

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let requests = index.requests(Direction::In, "completion/complete");
    let rows = requests.take(ROWS).map(|request| row(index, request)).collect();
    let head = ["Of", "Argument", "Typed", "Proposed", "Case"];
    table_section(anchors, "Completions", &head, rows)
}

fn row(index: &CaseIndex<'_>, request: &Exchange<'_>) -> Vec<Inlines> {
    let param = |pointer: &str| code(abridge::code(request.param(pointer).unwrap_or_default()));
    // A reference to a resource template has a URI, one to a prompt a name.
    let reference = if request.param("/ref/uri").is_some() { "/ref/uri" } else { "/ref/name" };
    let proposed = outcome_cell(request, |result| {
        let values = result.at("/completion/values").unwrap_or(&Value::Null);
        vec![code(abridge::json_line(values))]
    });
    vec![
        vec![param(reference)],
        vec![param("/argument/name")],
        vec![param("/argument/value")],
        proposed,
        vec![case_link(index, request.case)],
    ]
}
