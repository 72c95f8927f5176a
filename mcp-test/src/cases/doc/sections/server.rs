//! The server itself: its identity, revisions and capabilities.

use mcp_test_core::json::Value;

use super::{Direction, abridge, empty_section, fact, prose, table};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::{CaseIndex, Exchange};
use crate::cases::doc::page::{Block, Inlines, Section, code, joined, text};

/// The identity of the server in a result of the stateless era.
const INFO_IN_META: &str = "/_meta/io.modelcontextprotocol~1serverInfo";

/// The results of handshakes and of discovery.
struct Handshakes<'a, 'd> {
    initialized: Vec<&'d Exchange<'a>>,
    discovered: Vec<&'d Exchange<'a>>,
}

impl<'a, 'd> Handshakes<'a, 'd> {
    fn of(index: &'d CaseIndex<'a>) -> Self {
        Self {
            initialized: index.requests(Direction::In, "initialize").collect(),
            discovered: index.requests(Direction::In, "server/discover").collect(),
        }
    }

    fn results(&self) -> impl Iterator<Item = &'a Value> {
        // Handshakes come first, because `serverInfo` is required only in their results.
        self.initialized.iter().chain(&self.discovered).filter_map(|exchange| exchange.result())
    }

    fn info(&self) -> Option<&'a Value> {
        self.results()
            .find_map(|result| result.get("serverInfo").or_else(|| result.at(INFO_IN_META)))
    }
}

/// The name of the server.
pub(in crate::cases::doc) fn name<'a>(index: &CaseIndex<'a>) -> Option<&'a str> {
    let info = Handshakes::of(index).info()?;
    let name = info.get("title").or_else(|| info.get("name"))?.as_str()?.trim();
    (!name.is_empty()).then_some(name)
}

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let handshakes = Handshakes::of(index);
    if handshakes.initialized.is_empty() && handshakes.discovered.is_empty() {
        return None;
    }
    let mut section = empty_section(anchors, "Server");
    section.blocks.extend(table(&["", ""], rows(&handshakes)));
    if let Some(block) = handshakes.results().find_map(|result| prose(result, "instructions")) {
        section.blocks.push(Block::Paragraph(vec![text("Instructions for clients:")]));
        section.blocks.push(block);
    }
    let capabilities = handshakes.results().find_map(|result| result.get("capabilities"));
    if let Some(capabilities) = capabilities {
        let caption = vec![text("Its capabilities:")];
        section.blocks.push(Block::Json { caption, text: abridge::json(capabilities) });
    }
    Some(section)
}

fn rows(handshakes: &Handshakes<'_, '_>) -> Vec<Vec<Inlines>> {
    let info = |member: &str| {
        let value = handshakes.info().and_then(|info| info.get(member)?.as_str());
        value.map(|value| vec![text(abridge::name(value))]).unwrap_or_default()
    };
    let facts = [
        fact("Name", info("name")),
        fact("Title", info("title")),
        fact("Version", info("version")),
        fact("Revisions", revisions(handshakes)),
    ];
    facts.into_iter().flatten().collect()
}

/// The revisions that the server agrees to or names, each once.
fn revisions(handshakes: &Handshakes<'_, '_>) -> Inlines {
    let mut revisions: Vec<&str> = Vec::new();
    for result in handshakes.results() {
        let supported = result.get("supportedVersions").and_then(Value::as_array);
        let agreed = result.get("protocolVersion").into_iter();
        revisions.extend(agreed.chain(supported.unwrap_or_default()).filter_map(Value::as_str));
    }
    revisions.sort_unstable();
    revisions.dedup();
    revisions.truncate(20);
    joined(revisions.iter().map(|revision| vec![code(abridge::code(revision))]), ", ")
}
