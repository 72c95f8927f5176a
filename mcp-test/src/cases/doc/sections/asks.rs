//! What the server asks of its client: sampling, elicitation, roots.

use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Exchange};
use super::super::page::{Block, Item, Section, code, text};
use super::{Direction, Named, abridge, chapter, examples, method};

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut asked = Named::<Vec<&Exchange<'_>>>::new();
    for exchange in dialogue.exchanges.iter().filter(|it| it.asker == Direction::Out) {
        asked.entry(exchange.method).push(exchange);
    }
    if asked.all.is_empty() {
        return None;
    }
    let mut section = chapter(anchors, "Requests to the client");
    let lead = "A client that uses what leads here has to answer these requests of the server.";
    section.blocks.push(Block::Paragraph(vec![text(lead)]));
    for (name, exchanges) in &asked.all {
        let mut blocks = vec![Block::Paragraph(method(name))];
        blocks.extend(examples(dialogue, exchanges, |it| it.params));
        let anchor = anchors.of("ask", name);
        section.items.push(Item { anchor, title: vec![code(abridge::code(name))], blocks });
    }
    Some(section)
}
