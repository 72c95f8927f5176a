//! Notifications of both sides, and the log.

use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Told};
use super::super::page::{Block, Item, Section, Word, code, text};
use super::{Direction, EXAMPLES, Named, abridge, case, cases, chapter, method};

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut told = Named::<Vec<&Told<'_>>>::new();
    for notification in &dialogue.told {
        told.entry(notification.method).push(notification);
    }
    if told.all.is_empty() {
        return None;
    }
    let mut section = chapter(anchors, "Notifications");
    for (name, told) in &told.all {
        let mut by: Vec<Direction> = told.iter().map(|it| it.by).collect();
        by.sort_unstable();
        by.dedup();
        let by = match by.as_slice() {
            [Direction::In] => "From the client. ",
            [Direction::Out] => "From the server. ",
            _ => "From both sides. ",
        };
        let mut blocks = vec![Block::Paragraph([vec![text(by)], method(name)].concat())];
        // What says nothing but its method needs no examples.
        let (telling, bare): (Vec<&Told<'_>>, Vec<&Told<'_>>) =
            told.iter().partition(|it| it.params.is_some());
        for it in telling.iter().take(EXAMPLES) {
            let caption = vec![Word::Strong("Example: ".to_owned()), case(dialogue, it.talk)];
            let text = it.params.map(abridge::json).unwrap_or_default();
            blocks.push(Block::Json { caption, text });
        }
        let rest: Vec<usize> =
            telling.iter().skip(EXAMPLES).chain(&bare).map(|it| it.talk).collect();
        if !rest.is_empty() {
            let lead = if telling.is_empty() { "In " } else { "Also in " };
            blocks.push(Block::Paragraph([vec![text(lead)], cases(dialogue, rest)].concat()));
        }
        let anchor = anchors.of("notification", name);
        section.items.push(Item { anchor, title: vec![code(abridge::code(name))], blocks });
    }
    Some(section)
}
