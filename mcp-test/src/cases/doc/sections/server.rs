//! The server itself: who it is, what it speaks, and what it can.

use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Exchange};
use super::super::page::{Block, Section, Words, code, joined, text};
use super::{Direction, abridge, chapter, prose, table};
use crate::json::Value;

/// Where a result of the stateless era says who the server is.
const INFO_IN_META: &str = "/_meta/io.modelcontextprotocol~1serverInfo";

/// What the beginnings of conversations say of the server.
struct Greetings<'a, 'd> {
    initialized: Vec<&'d Exchange<'a>>,
    discovered: Vec<&'d Exchange<'a>>,
}

impl<'a, 'd> Greetings<'a, 'd> {
    fn of(dialogue: &'d Dialogue<'a>) -> Self {
        Self {
            initialized: dialogue.asked(Direction::In, "initialize").collect(),
            discovered: dialogue.asked(Direction::In, "server/discover").collect(),
        }
    }

    fn results(&self) -> impl Iterator<Item = &'a Value> {
        self.initialized.iter().chain(&self.discovered).filter_map(|exchange| exchange.result())
    }

    fn info(&self) -> Option<&'a Value> {
        self.results()
            .find_map(|result| result.get("serverInfo").or_else(|| result.at(INFO_IN_META)))
    }
}

/// What the server calls itself.
pub(in super::super) fn name<'a>(dialogue: &Dialogue<'a>) -> Option<&'a str> {
    let info = Greetings::of(dialogue).info()?;
    let name = info.get("title").or_else(|| info.get("name"))?.as_str()?.trim();
    (!name.is_empty()).then_some(name)
}

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    let greetings = Greetings::of(dialogue);
    if greetings.initialized.is_empty() && greetings.discovered.is_empty() {
        return None;
    }
    let mut section = chapter(anchors, "Server");
    section.blocks.extend(table(&["", ""], rows(&greetings)));
    if let Some(block) = greetings.results().find_map(|result| prose(result, "instructions")) {
        section.blocks.push(Block::Paragraph(vec![text("It tells clients:")]));
        section.blocks.push(block);
    }
    let capabilities = greetings.results().find_map(|result| result.get("capabilities"));
    if let Some(capabilities) = capabilities {
        let caption = vec![text("Its capabilities:")];
        section.blocks.push(Block::Json { caption, text: abridge::json(capabilities) });
    }
    Some(section)
}

fn rows(greetings: &Greetings<'_, '_>) -> Vec<Vec<Words>> {
    let mut rows = Vec::new();
    let mut row = |called: &str, words: Words| {
        if !words.is_empty() {
            rows.push(vec![vec![text(called)], words]);
        }
    };
    let info = |member: &str| {
        let said = greetings.info().and_then(|info| info.get(member)?.as_str());
        said.map(|said| vec![text(abridge::name(said))]).unwrap_or_default()
    };
    row("Name", info("name"));
    row("Title", info("title"));
    row("Version", info("version"));
    row("Revisions", revisions(greetings));
    rows
}

/// The revisions that the server agrees to or names, each once.
fn revisions(greetings: &Greetings<'_, '_>) -> Words {
    let mut revisions: Vec<&str> = Vec::new();
    for result in greetings.results() {
        let supported = result.get("supportedVersions").and_then(Value::as_array);
        let agreed = result.get("protocolVersion").into_iter();
        revisions.extend(agreed.chain(supported.unwrap_or_default()).filter_map(Value::as_str));
    }
    revisions.sort_unstable();
    revisions.dedup();
    revisions.truncate(20);
    joined(revisions.iter().map(|revision| vec![code(abridge::code(revision))]), ", ")
}
