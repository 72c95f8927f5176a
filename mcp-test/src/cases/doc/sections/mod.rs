//! The chapters of a page, a file each, and what they have in common.

mod asks;
mod completions;
mod conversations;
mod errors;
mod lifecycle;
mod others;
mod prompts;
mod resources;
mod server;
mod signals;
mod tools;

pub(super) use self::server::name;

use std::collections::HashMap;

use super::super::Direction;
use super::abridge;
use super::anchor::Anchors;
use super::dialogue::{Dialogue, Exchange, Outcome, Talk};
use super::page::{Block, Page, Section, Word, Words, code, joined, text};
use crate::json::Value;
use crate::spec::{self, Revision};

/// Examples of one item that are shown; there are links to the rest.
const EXAMPLES: usize = 6;
/// Links to cases in one place.
const LINKS: usize = 20;

/// Lays out everything that the cases show.
pub(super) fn page(dialogue: &Dialogue<'_>, anchors: &mut Anchors, title: &str) -> Page {
    let chapters = [
        server::section(dialogue, anchors),
        lifecycle::section(dialogue, anchors),
        tools::section(dialogue, anchors),
        resources::section(dialogue, anchors),
        prompts::section(dialogue, anchors),
        completions::section(dialogue, anchors),
        asks::section(dialogue, anchors),
        signals::section(dialogue, anchors),
        errors::section(dialogue, anchors),
        others::section(dialogue, anchors),
        conversations::section(dialogue, anchors),
    ];
    Page {
        title: abridge::name(title),
        lead: conversations::lead(dialogue),
        sections: chapters.into_iter().flatten().collect(),
    }
}

/// A chapter without anything in it yet.
fn chapter(anchors: &mut Anchors, title: &str) -> Section {
    let anchor = anchors.of(title, "");
    Section { anchor, title: title.to_owned(), blocks: Vec::new(), items: Vec::new() }
}

/// A link to a case.
fn case(dialogue: &Dialogue<'_>, talk: usize) -> Word {
    let talk = &dialogue.talks[talk];
    Word::Link { anchor: talk.anchor.clone(), words: title(talk) }
}

/// What a case is called.
fn title(talk: &Talk<'_>) -> String {
    let title = abridge::name(&talk.case.title());
    if title.is_empty() { format!("case {}", talk.case.number) } else { title }
}

/// Links to cases, each once.
fn cases(dialogue: &Dialogue<'_>, talks: impl IntoIterator<Item = usize>) -> Words {
    let mut talks: Vec<usize> = talks.into_iter().collect();
    talks.sort_unstable();
    talks.dedup();
    let links = talks.iter().take(LINKS).map(|&talk| vec![case(dialogue, talk)]);
    let mut links = joined(links, ", ");
    if talks.len() > LINKS {
        links.push(text(format!(" and {} more", talks.len() - LINKS)));
    }
    links
}

/// Some requests with what came of them, then links to the rest.
fn examples<'a>(
    dialogue: &Dialogue<'a>,
    exchanges: &[&Exchange<'a>],
    asked: impl Fn(&Exchange<'a>) -> Option<&'a Value>,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    for exchange in exchanges.iter().take(EXAMPLES) {
        let mut caption = vec![Word::Strong("Example: ".to_owned()), case(dialogue, exchange.talk)];
        match asked(exchange) {
            Some(params) => {
                let text = abridge::json(params);
                blocks.push(Block::Json { caption, text });
                caption = Words::new();
            }
            None => caption.push(text(". ")),
        }
        blocks.push(outcome(exchange, caption));
    }
    if exchanges.len() > EXAMPLES {
        let rest = exchanges[EXAMPLES..].iter().map(|exchange| exchange.talk);
        blocks.push(Block::Paragraph([vec![text("Also in ")], cases(dialogue, rest)].concat()));
    }
    blocks
}

/// What came of a request, under a caption that goes on.
fn outcome(exchange: &Exchange<'_>, mut caption: Words) -> Block {
    match exchange.outcome {
        Some(Outcome::Result(result)) => {
            caption.push(text("Result:"));
            Block::Json { caption, text: abridge::json(result) }
        }
        Some(Outcome::Error(error)) => {
            caption.push(text("Error "));
            caption.extend(error_code(error.code));
            caption.push(text(":"));
            Block::Json { caption, text: abridge::json(&error.to_value()) }
        }
        None => {
            caption.push(text("The case has no reply to it."));
            Block::Paragraph(caption)
        }
    }
}

/// The number of an error, with its name if the specification gives it one.
fn error_code(number: i64) -> Words {
    let mut words = vec![code(number.to_string())];
    if let Some(name) = spec::error_code::name_of(number) {
        words.push(text(format!(" ({name})")));
    }
    words
}

/// A method, with a link to its description.
fn method(name: &str) -> Words {
    let Some(known) = spec::method(name) else { return vec![code(abridge::code(name))] };
    let url = known.link(known.revisions().newest().unwrap_or(Revision::NEWEST));
    vec![code(name), text(" ("), Word::Outside { url, words: "specification".into() }, text(")")]
}

/// Members of a listed item as rows of a table, where it has them.
fn facts(item: &Value, members: &[(&'static str, &'static str)]) -> Vec<Vec<Words>> {
    let mut rows = Vec::new();
    for (member, called) in members {
        let words = match item.get(member) {
            None | Some(Value::Null) => continue,
            Some(Value::String(said)) => vec![text(abridge::name(said))],
            Some(other) => vec![code(abridge::json_line(other))],
        };
        rows.push(vec![vec![text(*called)], words]);
    }
    rows
}

/// The table of [`facts`], if there are any.
fn table(head: &[&'static str], rows: Vec<Vec<Words>>) -> Option<Block> {
    (!rows.is_empty()).then(|| Block::Table { head: head.to_vec(), rows })
}

/// A member that is a text, as prose.
fn prose(item: &Value, member: &str) -> Option<Block> {
    let said = item.get(member)?.as_str()?.trim();
    (!said.is_empty()).then(|| Block::Prose(abridge::prose(said)))
}

/// Things by name, in the order in which they are first said.
struct Named<'a, T> {
    all: Vec<(&'a str, T)>,
    places: HashMap<&'a str, usize>,
}

impl<'a, T: Default> Named<'a, T> {
    fn new() -> Self {
        Self { all: Vec::new(), places: HashMap::new() }
    }

    fn entry(&mut self, name: &'a str) -> &mut T {
        let at = *self.places.entry(name).or_insert_with(|| {
            self.all.push((name, T::default()));
            self.all.len() - 1
        });
        &mut self.all[at].1
    }
}

/// Something that is offered: what lists say of it, and what was done with it.
#[derive(Default)]
struct Offer<'a, 'd> {
    /// What lists say, each version once, with the case that says it first.
    listed: Vec<(&'a Value, usize)>,
    used: Vec<&'d Exchange<'a>>,
}

impl<'a> Offer<'a, '_> {
    fn list(&mut self, item: &'a Value, talk: usize) {
        if !self.listed.iter().any(|(known, _)| *known == item) {
            self.listed.push((item, talk));
        }
    }

    /// Whether there is such a thing: a list has it, or using it has led to something. A name that a case puts in when it
    /// is played is none.
    fn is_there(&self, name: &str) -> bool {
        let led = |exchange: &&Exchange<'_>| !matches!(exchange.outcome, Some(Outcome::Error(_)));
        !self.listed.is_empty() || (!name.contains("${") && self.used.iter().any(led))
    }

    /// What the first list says.
    fn item(&self) -> Option<&'a Value> {
        self.listed.first().map(|(item, _)| *item)
    }

    /// A word on where it is listed, if that is not simply once.
    fn remark(&self, dialogue: &Dialogue<'_>, what: &str) -> Option<Block> {
        let words = match self.listed.as_slice() {
            [] => vec![text(format!(
                "No list in these cases has this {what}: what is said here is inferred from its use."
            ))],
            [_] => return None,
            [_, others @ ..] => {
                let talks = others.iter().map(|(_, talk)| *talk);
                [
                    vec![text("It is listed differently in ")],
                    cases(dialogue, talks),
                    vec![text(".")],
                ]
                .concat()
            }
        };
        Some(Block::Paragraph(words))
    }
}
