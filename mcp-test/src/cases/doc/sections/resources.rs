//! The resources and the templates of resources: what they are, and what reading them gives.

use super::super::anchor::Anchors;
use super::super::dialogue::Dialogue;
use super::super::page::{Block, Item, Section, Word, code, text};
use super::{Direction, Named, Offer, abridge, cases, chapter, examples, facts, prose, table};
use crate::json::Value;

const MEMBERS: [(&str, &str); 5] = [
    ("name", "Name"),
    ("title", "Title"),
    ("mimeType", "MIME type"),
    ("size", "Size in bytes"),
    ("annotations", "Annotations"),
];

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut resources = Named::<Offer<'_, '_>>::new();
    let mut templates = Named::<Offer<'_, '_>>::new();
    for (item, exchange) in dialogue.listed("resources/list", "resources") {
        if let Some(uri) = item.get("uri").and_then(Value::as_str) {
            resources.entry(uri).list(item, exchange.talk);
        }
    }
    for (item, exchange) in dialogue.listed("resources/templates/list", "resourceTemplates") {
        if let Some(template) = item.get("uriTemplate").and_then(Value::as_str) {
            templates.entry(template).list(item, exchange.talk);
        }
    }
    for read in dialogue.asked(Direction::In, "resources/read") {
        let Some(uri) = read.param("/uri") else { continue };
        let by_template = || templates.all.iter().position(|(template, _)| is_of(template, uri));
        match by_template().filter(|_| !resources.places.contains_key(uri)) {
            Some(at) => templates.all[at].1.used.push(read),
            None => resources.entry(uri).used.push(read),
        }
    }
    resources.all.retain(|(uri, offer)| offer.is_there(uri));
    if resources.all.is_empty() && templates.all.is_empty() {
        return None;
    }
    let mut section = chapter(anchors, "Resources");
    for (uri, resource) in &resources.all {
        let mut blocks = described(dialogue, resource, "resource");
        blocks.extend(watched(dialogue, uri));
        blocks.extend(examples(dialogue, &resource.used, |_| None));
        let anchor = anchors.of("resource", uri);
        section.items.push(Item { anchor, title: vec![code(abridge::code(uri))], blocks });
    }
    for (template, offer) in &templates.all {
        let mut blocks = described(dialogue, offer, "template");
        blocks.extend(examples(dialogue, &offer.used, |read| read.params?.get("uri")));
        let anchor = anchors.of("template", template);
        let mark = Word::Mark("template".to_owned());
        let title = vec![code(abridge::code(template)), text(" "), mark];
        section.items.push(Item { anchor, title, blocks });
    }
    Some(section)
}

fn described(dialogue: &Dialogue<'_>, offer: &Offer<'_, '_>, what: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(item) = offer.item() {
        blocks.extend(prose(item, "description"));
        blocks.extend(table(&["", ""], facts(item, &MEMBERS)));
    }
    blocks.extend(offer.remark(dialogue, what));
    blocks
}

/// The cases that subscribe to a resource.
fn watched(dialogue: &Dialogue<'_>, uri: &str) -> Option<Block> {
    let subscribe = dialogue.asked(Direction::In, "resources/subscribe");
    let talks: Vec<usize> =
        subscribe.filter(|it| it.param("/uri") == Some(uri)).map(|it| it.talk).collect();
    if talks.is_empty() {
        return None;
    }
    Some(Block::Paragraph([vec![text("Subscribed to in ")], cases(dialogue, talks)].concat()))
}

/// Whether a URI may come from a template: its variables stand for anything that is not empty.
fn is_of(template: &str, uri: &str) -> bool {
    let mut parts = template.split('{').enumerate().map(|(index, part)| match index {
        0 => part,
        _ => part.split_once('}').map_or(part, |(_, after)| after),
    });
    let Some(mut rest) = uri.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let mut after = rest.chars();
        if after.next().is_none() {
            return false;
        }
        let after = after.as_str();
        let found = if parts.peek().is_some() {
            after.find(part).map(|at| &after[at + part.len()..])
        } else {
            after.strip_suffix(part).map(|_| "")
        };
        match found {
            Some(found) => rest = found,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_of_a_template_or_not() {
        let yes = [
            ("test://{id}", "test://1"),
            ("test://{id}/data", "test://12/data"),
            ("a/{x}/b/{y}", "a/1/b/2"),
            ("a", "a"),
            ("{a}é{b}", "éééé"),
        ];
        for (template, uri) in yes {
            assert!(is_of(template, uri), "{template} {uri}");
        }
        let no = [
            ("test://{id}", "test://"),
            ("test://{id}/data", "test:///data"),
            ("a/{x}/b/{y}", "a/1/c/2"),
            ("a", "ab"),
            ("b{x}", "a"),
        ];
        for (template, uri) in no {
            assert!(!is_of(template, uri), "{template} {uri}");
        }
    }
}
