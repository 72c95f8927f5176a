//! The resources and resource templates, and how the cases read them.

use mcp_test_core::json::Value;

use super::{
    Direction, Named, Offer, case_links, empty_section, examples, facts, item, prose, table,
};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::CaseIndex;
use crate::cases::doc::page::{Block, Inline, Section, text};

const MEMBERS: [(&str, &str); 5] = [
    ("name", "Name"),
    ("title", "Title"),
    ("mimeType", "MIME type"),
    ("size", "Size in bytes"),
    ("annotations", "Annotations"),
];

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut resources = Named::<Offer<'_, '_>>::new();
    let mut templates = Named::<Offer<'_, '_>>::new();
    for (item, exchange) in index.listed("resources/list", "resources") {
        if let Some(uri) = item.get("uri").and_then(Value::as_str) {
            resources.entry(uri).list(item, exchange.case);
        }
    }
    for (item, exchange) in index.listed("resources/templates/list", "resourceTemplates") {
        if let Some(template) = item.get("uriTemplate").and_then(Value::as_str) {
            templates.entry(template).list(item, exchange.case);
        }
    }
    for read in index.requests(Direction::In, "resources/read") {
        let Some(uri) = read.param("/uri") else { continue };
        // A URI that a list has is that of a resource, even if a template matches it, too.
        let by_template = || templates.all.iter().position(|(template, _)| matches(template, uri));
        match by_template().filter(|_| !resources.places.contains_key(uri)) {
            Some(at) => templates.all[at].1.used.push(read),
            None => resources.entry(uri).used.push(read),
        }
    }
    resources.all.retain(|(uri, offer)| offer.exists(uri));
    if resources.all.is_empty() && templates.all.is_empty() {
        return None;
    }
    let mut section = empty_section(anchors, "Resources");
    for (uri, resource) in &resources.all {
        let mut blocks = description(index, resource, "resource");
        blocks.extend(subscriptions(index, uri));
        blocks.extend(examples(index, &resource.used, |_| None));
        section.items.push(item(anchors, "resource", uri, blocks));
    }
    for (template, offer) in &templates.all {
        let mut blocks = description(index, offer, "template");
        blocks.extend(examples(index, &offer.used, |read| read.params?.get("uri")));
        let mut item = item(anchors, "template", template, blocks);
        item.title.extend([text(" "), Inline::Mark("template".to_owned())]);
        section.items.push(item);
    }
    Some(section)
}

fn description(index: &CaseIndex<'_>, offer: &Offer<'_, '_>, what: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(item) = offer.item() {
        blocks.extend(prose(item, "description"));
        blocks.extend(table(&["", ""], facts(item, &MEMBERS)));
    }
    blocks.extend(offer.remark(index, what));
    blocks
}

/// The cases that subscribe to a resource.
fn subscriptions(index: &CaseIndex<'_>, uri: &str) -> Option<Block> {
    let subscribe = index.requests(Direction::In, "resources/subscribe");
    let cases: Vec<usize> =
        subscribe.filter(|it| it.param("/uri") == Some(uri)).map(|it| it.case).collect();
    if cases.is_empty() {
        return None;
    }
    Some(Block::Paragraph([vec![text("Subscribed to in ")], case_links(index, cases)].concat()))
}

/// Whether a URI matches a template, whose variables match any text that is not empty.
fn matches(template: &str, uri: &str) -> bool {
    let mut parts = template.split('{').enumerate().map(|(index, part)| match index {
        0 => part,
        // What follows a variable; its name does not matter.
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
        // The last part has to be at the end, whatever comes before it.
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
    fn a_uri_matches_a_template_or_not() {
        let yes = [
            ("test://{id}", "test://1"),
            ("test://{id}/data", "test://12/data"),
            ("a/{x}/b/{y}", "a/1/b/2"),
            ("a", "a"),
            ("{a}é{b}", "éééé"),
        ];
        for (template, uri) in yes {
            assert!(matches(template, uri), "{template} {uri}");
        }
        let no = [
            ("test://{id}", "test://"),
            ("test://{id}/data", "test:///data"),
            ("a/{x}/b/{y}", "a/1/c/2"),
            ("a", "ab"),
            ("b{x}", "a"),
        ];
        for (template, uri) in no {
            assert!(!matches(template, uri), "{template} {uri}");
        }
    }
}
