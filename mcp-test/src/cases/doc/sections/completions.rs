//! What the server proposes while an argument is typed.

use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Outcome};
use super::super::page::{Section, Words, code, text};
use super::{Direction, abridge, case, chapter, error_code, table};
use crate::json::Value;

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    const ROWS: usize = 200;
    let mut rows: Vec<Vec<Words>> = Vec::new();
    for request in dialogue.asked(Direction::In, "completion/complete") {
        let of = |pointer: &str| code(abridge::code(request.param(pointer).unwrap_or_default()));
        let of_what =
            if request.param("/ref/uri").is_some() { of("/ref/uri") } else { of("/ref/name") };
        let proposed = match request.outcome {
            Some(Outcome::Result(result)) => {
                let values = result.at("/completion/values").unwrap_or(&Value::Null);
                vec![code(abridge::json_line(values))]
            }
            Some(Outcome::Error(error)) => [vec![text("error ")], error_code(error.code)].concat(),
            None => Words::new(),
        };
        rows.push(vec![
            vec![of_what],
            vec![of("/argument/name")],
            vec![of("/argument/value")],
            proposed,
            vec![case(dialogue, request.talk)],
        ]);
    }
    rows.truncate(ROWS);
    let head = ["Of", "Argument", "Typed", "Proposed", "Case"];
    let table = table(&head, rows)?;
    let mut section = chapter(anchors, "Completions");
    section.blocks.push(table);
    Some(section)
}
