//! Notifications of both sides, including log messages.

use super::{
    Direction, EXAMPLES, Named, abridge, case_link, case_links, item, item_section, method,
};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::{CaseIndex, SentNotification};
use crate::cases::doc::page::{Block, Inline, Section, text};

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut methods = Named::<Vec<&SentNotification<'_>>>::new();
    for notification in &index.notifications {
        methods.entry(notification.method).push(notification);
    }
    let items = methods.all.iter().map(|(name, notifications)| {
        let is_sent_by = |side| notifications.iter().any(|it| it.sender == side);
        let senders = match (is_sent_by(Direction::In), is_sent_by(Direction::Out)) {
            (true, false) => "From the client. ",
            (false, true) => "From the server. ",
            _ => "From both sides. ",
        };
        let mut blocks = vec![Block::Paragraph([vec![text(senders)], method(name)].concat())];
        // A notification without params needs no example.
        let (examples, bare): (Vec<&SentNotification<'_>>, Vec<&SentNotification<'_>>) =
            notifications.iter().partition(|it| it.params.is_some());
        for it in examples.iter().take(EXAMPLES) {
            let caption = vec![Inline::Strong("Example: ".to_owned()), case_link(index, it.case)];
            let text = it.params.map(abridge::json).unwrap_or_default();
            blocks.push(Block::Json { caption, text });
        }
        let rest: Vec<usize> =
            examples.iter().skip(EXAMPLES).chain(&bare).map(|it| it.case).collect();
        if !rest.is_empty() {
            let lead = if examples.is_empty() { "In " } else { "Also in " };
            blocks.push(Block::Paragraph([vec![text(lead)], case_links(index, rest)].concat()));
        }
        item(anchors, "notification", name, blocks)
    });
    let items = items.collect();
    item_section(anchors, "Notifications", items)
}
