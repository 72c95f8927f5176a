//! Requests that have no chapter of their own, such as those of extensions.

use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Exchange};
use super::super::page::{Block, Item, Section, code};
use super::{Direction, Named, abridge, chapter, examples, method};

/// What other chapters tell.
const TOLD: [&str; 12] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut others = Named::<Vec<&Exchange<'_>>>::new();
    let requests = dialogue.exchanges.iter().filter(|it| it.asker == Direction::In);
    for exchange in requests.filter(|it| !TOLD.contains(&it.method)) {
        others.entry(exchange.method).push(exchange);
    }
    if others.all.is_empty() {
        return None;
    }
    let mut section = chapter(anchors, "Other requests");
    for (name, exchanges) in &others.all {
        let mut blocks = vec![Block::Paragraph(method(name))];
        blocks.extend(examples(dialogue, exchanges, |it| it.params));
        let anchor = anchors.of("request", name);
        section.items.push(Item { anchor, title: vec![code(abridge::code(name))], blocks });
    }
    Some(section)
}
