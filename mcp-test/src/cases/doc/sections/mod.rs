//! The sections of a page, one file each, and what they share.

mod client_requests;
mod completions;
mod conversations;
mod errors;
mod lifecycle;
mod notifications;
mod other_requests;
mod prompts;
mod resources;
mod server;
mod tools;

pub(super) use self::server::name;

use std::collections::HashMap;

use mcp_test_core::json::Value;
use mcp_test_core::spec::{self, Revision};

use super::abridge;
use super::anchor::Anchors;
use super::case_index::{CaseIndex, Exchange, IndexedCase, Outcome};
use super::page::{Block, Inline, Inlines, Item, Page, Section, code, joined, text};
use crate::cases::Direction;

/// The maximum number of examples of an item; the others are linked.
const EXAMPLES: usize = 6;
/// The maximum number of links to cases in one place.
const LINKS: usize = 20;
/// The maximum number of rows of a table that is made of all cases.
const ROWS: usize = 200;

/// The page with everything that the cases show.
pub(super) fn page(index: &CaseIndex<'_>, anchors: &mut Anchors, title: &str) -> Page {
    let sections = [
        server::section(index, anchors),
        lifecycle::section(index, anchors),
        tools::section(index, anchors),
        resources::section(index, anchors),
        prompts::section(index, anchors),
        completions::section(index, anchors),
        client_requests::section(index, anchors),
        notifications::section(index, anchors),
        errors::section(index, anchors),
        other_requests::section(index, anchors),
    ];
    let conversations = conversations::sections(index, anchors);
    Page {
        title: abridge::name(title),
        lead: conversations::lead(index),
        sections: sections.into_iter().flatten().chain(conversations).collect(),
    }
}

/// An empty section.
fn empty_section(anchors: &mut Anchors, title: &str) -> Section {
    let anchor = anchors.of(title, "");
    Section { anchor, title: title.to_owned(), blocks: Vec::new(), items: Vec::new() }
}

/// A section that consists of a table, unless the table has no rows.
fn table_section(
    anchors: &mut Anchors,
    title: &str,
    head: &[&'static str],
    rows: Vec<Vec<Inlines>>,
) -> Option<Section> {
    let table = table(head, rows)?;
    Some(Section { blocks: vec![table], ..empty_section(anchors, title) })
}

/// A section that consists of items, unless there are none.
fn item_section(anchors: &mut Anchors, title: &str, items: Vec<Item>) -> Option<Section> {
    (!items.is_empty()).then(|| Section { items, ..empty_section(anchors, title) })
}

/// An item under its name, which is code.
fn item(anchors: &mut Anchors, kind: &str, name: &str, blocks: Vec<Block>) -> Item {
    Item { anchor: anchors.of(kind, name), title: vec![code(abridge::code(name))], blocks }
}

/// A link to a case.
fn case_link(index: &CaseIndex<'_>, case: usize) -> Inline {
    let entry = &index.cases[case];
    Inline::Link { anchor: entry.anchor.clone(), text: title(entry) }
}

/// The title of a case.
fn title(entry: &IndexedCase<'_>) -> String {
    let title = abridge::name(&entry.case.title());
    if title.is_empty() { format!("case {}", entry.case.number) } else { title }
}

/// Links to cases, each once.
fn case_links(index: &CaseIndex<'_>, cases: impl IntoIterator<Item = usize>) -> Inlines {
    // A case may have several of the things that are linked.
    let mut cases: Vec<usize> = cases.into_iter().collect();
    cases.sort_unstable();
    cases.dedup();
    let links = cases.iter().take(LINKS).map(|&case| vec![case_link(index, case)]);
    let mut links = joined(links, ", ");
    if cases.len() > LINKS {
        links.push(text(format!(" and {} more", cases.len() - LINKS)));
    }
    links
}

/// Some requests with their outcomes, then links to the rest.
fn examples<'a>(
    index: &CaseIndex<'a>,
    exchanges: &[&Exchange<'a>],
    shown_params: impl Fn(&Exchange<'a>) -> Option<&'a Value>,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    for exchange in exchanges.iter().take(EXAMPLES) {
        let mut caption =
            vec![Inline::Strong("Example: ".to_owned()), case_link(index, exchange.case)];
        match shown_params(exchange) {
            Some(params) => {
                let text = abridge::json(params);
                blocks.push(Block::Json { caption, text });
                caption = Inlines::new();
            }
            None => caption.push(text(". ")),
        }
        blocks.push(outcome(exchange, caption));
    }
    if exchanges.len() > EXAMPLES {
        let rest = exchanges[EXAMPLES..].iter().map(|exchange| exchange.case);
        blocks.push(Block::Paragraph([vec![text("Also in ")], case_links(index, rest)].concat()));
    }
    blocks
}

/// A section with an item for each method, if there are any requests.
fn requests_by_method<'a: 'd, 'd>(
    index: &CaseIndex<'a>,
    anchors: &mut Anchors,
    (title, anchor_kind): (&str, &str),
    requests: impl Iterator<Item = &'d Exchange<'a>>,
) -> Option<Section> {
    let mut methods = Named::<Vec<&Exchange<'_>>>::new();
    for exchange in requests {
        methods.entry(exchange.method).push(exchange);
    }
    let items = methods.all.iter().map(|(name, exchanges)| {
        let mut blocks = vec![Block::Paragraph(method(name))];
        blocks.extend(examples(index, exchanges, |it| it.params));
        item(anchors, anchor_kind, name, blocks)
    });
    let items = items.collect();
    item_section(anchors, title, items)
}

/// The outcome of a request, under a caption that it completes.
fn outcome(exchange: &Exchange<'_>, mut caption: Inlines) -> Block {
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
            caption.push(text("The case has no reply."));
            Block::Paragraph(caption)
        }
    }
}

/// The outcome of a request in a cell of a table.
fn outcome_cell(exchange: &Exchange<'_>, of_result: impl Fn(&Value) -> Inlines) -> Inlines {
    match exchange.outcome {
        Some(Outcome::Result(result)) => of_result(result),
        Some(Outcome::Error(error)) => [vec![text("error ")], error_code(error.code)].concat(),
        None => Inlines::new(),
    }
}

/// The code of an error, with its name if it is in the specification.
fn error_code(number: i64) -> Inlines {
    let mut words = vec![code(number.to_string())];
    if let Some(name) = spec::error_code::name_of(number) {
        words.push(text(format!(" ({name})")));
    }
    words
}

/// A method, with a link to its description.
fn method(name: &str) -> Inlines {
    let Some(known) = spec::method(name) else { return vec![code(abridge::code(name))] };
    let url = known.link(known.revisions().newest().unwrap_or(Revision::NEWEST));
    vec![code(name), text(" ("), Inline::External { url, text: "specification".into() }, text(")")]
}

/// Rows of a table for those members that a listed item has.
fn facts(item: &Value, members: &[(&'static str, &'static str)]) -> Vec<Vec<Inlines>> {
    let value = |member: &str| match item.get(member) {
        None | Some(Value::Null) => Inlines::new(),
        Some(Value::String(value)) => vec![text(abridge::name(value))],
        Some(other) => vec![code(abridge::json_line(other))],
    };
    members.iter().filter_map(|(member, heading)| fact(heading, value(member))).collect()
}

/// A row with a heading, unless its value is empty.
fn fact(heading: &str, value: Inlines) -> Option<Vec<Inlines>> {
    (!value.is_empty()).then(|| vec![vec![text(heading)], value])
}

/// A table, unless it has no rows.
fn table(head: &[&'static str], rows: Vec<Vec<Inlines>>) -> Option<Block> {
    (!rows.is_empty()).then(|| Block::Table { head: head.to_vec(), rows })
}

/// A string member as prose.
fn prose(item: &Value, member: &str) -> Option<Block> {
    let prose = item.get(member)?.as_str()?.trim();
    (!prose.is_empty()).then(|| Block::Prose(abridge::prose(prose)))
}

/// Things by name, in the order of their first occurrence.
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

/// Something that the server offers: its entries in lists, and its uses.
#[derive(Default)]
struct Offer<'a, 'd> {
    /// Its entries in lists, each version once, with the first case that has it.
    listed: Vec<(&'a Value, usize)>,
    used: Vec<&'d Exchange<'a>>,
}

/// What the server offers by name: the entries of a list, and the requests that use them.
fn offers<'a, 'd>(
    index: &'d CaseIndex<'a>,
    (list, member): (&str, &str),
    uses: &'d str,
) -> Named<'a, Offer<'a, 'd>> {
    let mut offers = Named::<Offer<'_, '_>>::new();
    for (item, exchange) in index.listed(list, member) {
        if let Some(name) = item.get("name").and_then(Value::as_str) {
            offers.entry(name).list(item, exchange.case);
        }
    }
    for request in index.requests(Direction::In, uses) {
        if let Some(name) = request.param("/name") {
            offers.entry(name).used.push(request);
        }
    }
    offers.all.retain(|(name, offer)| offer.exists(name));
    offers
}

impl<'a> Offer<'a, '_> {
    /// Adds its entry in a list, unless an earlier one is the same.
    fn list(&mut self, item: &'a Value, case: usize) {
        if !self.listed.iter().any(|(known, _)| *known == item) {
            self.listed.push((item, case));
        }
    }

    /// Whether it exists: a list has it, or a use of it succeeded. A name that is only known when a case is played (`${name}`)
    /// does not count.
    fn exists(&self, name: &str) -> bool {
        let succeeded =
            |exchange: &&Exchange<'_>| !matches!(exchange.outcome, Some(Outcome::Error(_)));
        !self.listed.is_empty() || (!name.contains("${") && self.used.iter().any(succeeded))
    }

    /// Its entry in the first list.
    fn item(&self) -> Option<&'a Value> {
        self.listed.first().map(|(item, _)| *item)
    }

    /// A remark if no list has it, or several have different versions.
    fn remark(&self, index: &CaseIndex<'_>, what: &str) -> Option<Block> {
        let words = match self.listed.as_slice() {
            [] => vec![text(format!(
                "No list in these cases has this {what}; its description is inferred from its use."
            ))],
            [_] => return None,
            [_, others @ ..] => {
                let cases = others.iter().map(|(_, case)| *case);
                [
                    vec![text("It is listed differently in ")],
                    case_links(index, cases),
                    vec![text(".")],
                ]
                .concat()
            }
        };
        Some(Block::Paragraph(words))
    }
}
