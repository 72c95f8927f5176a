//! How conversations begin and are kept: handshake, discovery, pings.

use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Exchange, Outcome};
use super::super::page::{Section, Words, code, text};
use super::{Direction, abridge, case, chapter, error_code, table};
use crate::json::Value;

const STEPS: [&str; 3] = ["initialize", "server/discover", "ping"];

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    const ROWS: usize = 200;
    let steps = STEPS.iter().flat_map(|step| dialogue.asked(Direction::In, step));
    let rows = steps.take(ROWS).map(|step| row(dialogue, step)).collect();
    let table = table(&["Case", "Request", "Client speaks", "Server answers"], rows)?;
    let mut section = chapter(anchors, "Lifecycle");
    section.blocks.push(table);
    Some(section)
}

fn row(dialogue: &Dialogue<'_>, step: &Exchange<'_>) -> Vec<Words> {
    let revision = |value: &Value| match value.as_str() {
        Some(said) => code(abridge::code(said)),
        None => code(abridge::json_line(value)),
    };
    let meta = "/_meta/io.modelcontextprotocol~1protocolVersion";
    let spoken = step.params.and_then(|it| it.get("protocolVersion").or_else(|| it.at(meta)));
    let answered = match step.outcome {
        Some(Outcome::Error(error)) => [vec![text("error ")], error_code(error.code)].concat(),
        Some(Outcome::Result(result)) => {
            let named = result.get("protocolVersion").or_else(|| result.get("supportedVersions"));
            named.map_or_else(|| vec![text("a result")], |value| vec![revision(value)])
        }
        None => Words::new(),
    };
    vec![
        vec![case(dialogue, step.talk)],
        vec![code(step.method)],
        spoken.map(revision).into_iter().collect(),
        answered,
    ]
}
