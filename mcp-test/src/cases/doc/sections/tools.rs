//! The tools: what they take, what they give, and how the cases call them.

use std::collections::BTreeSet;

use super::super::anchor::Anchors;
use super::super::dialogue::{Dialogue, Exchange};
use super::super::page::{Block, Item, Section, Word, Words, code, joined, text};
use super::{Direction, Named, Offer, abridge, chapter, examples, facts, prose, table};
use crate::json::{Object, Value};

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut tools = Named::<Offer<'_, '_>>::new();
    for (tool, exchange) in dialogue.listed("tools/list", "tools") {
        if let Some(name) = tool.get("name").and_then(Value::as_str) {
            tools.entry(name).list(tool, exchange.talk);
        }
    }
    for call in dialogue.asked(Direction::In, "tools/call") {
        if let Some(name) = call.param("/name") {
            tools.entry(name).used.push(call);
        }
    }
    tools.all.retain(|(name, offer)| offer.is_there(name));
    if tools.all.is_empty() {
        return None;
    }
    let mut section = chapter(anchors, "Tools");
    for (name, tool) in &tools.all {
        let anchor = anchors.of("tool", name);
        let title = vec![code(abridge::code(name))];
        section.items.push(Item { anchor, title, blocks: blocks(dialogue, tool) });
    }
    Some(section)
}

fn blocks<'a>(dialogue: &Dialogue<'a>, tool: &Offer<'a, '_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(item) = tool.item() {
        blocks.extend(prose(item, "description"));
        let members = [("title", "Title"), ("annotations", "Hints"), ("execution", "Execution")];
        blocks.extend(table(&["", ""], facts(item, &members)));
    }
    blocks.extend(tool.remark(dialogue, "tool"));
    let schema = tool.item().and_then(|item| item.get("inputSchema"));
    match schema {
        Some(schema) => {
            let rows = properties(schema);
            if rows.is_empty() && schema.get("properties").is_none_or(is_empty) {
                blocks.push(Block::Paragraph(vec![text("It takes no arguments.")]));
            }
            blocks.extend(table(&["Argument", "Type", "Description"], rows));
            let text = abridge::json(schema);
            blocks.push(Block::Folded { summary: "Input schema".to_owned(), text });
        }
        None => blocks.extend(table(&["Argument", "Type seen"], seen(&tool.used))),
    }
    if let Some(schema) = tool.item().and_then(|item| item.get("outputSchema")) {
        let text = abridge::json(schema);
        blocks.push(Block::Folded { summary: "Output schema".to_owned(), text });
    }
    blocks.extend(examples(dialogue, &tool.used, |call| {
        call.params?.get("arguments").filter(|arguments| !is_empty(arguments))
    }));
    blocks
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Object::is_empty)
}

/// The properties of a schema, a row each.
fn properties(schema: &Value) -> Vec<Vec<Words>> {
    const ROWS: usize = 60;
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    let row = |(name, property): (&str, &Value)| {
        let mut argument = vec![code(abridge::code(name))];
        if required.iter().any(|it| it.as_str() == Some(name)) {
            argument.extend([text(" "), Word::Mark("required".to_owned())]);
        }
        vec![argument, kind(property), about(property)]
    };
    let mut rows: Vec<_> = properties.iter().take(ROWS).map(row).collect();
    if properties.len() > ROWS {
        let more = text(format!("… {} more", properties.len() - ROWS));
        rows.push(vec![vec![more], Words::new(), Words::new()]);
    }
    rows
}

/// The type of a property, as far as a word can say it.
fn kind(property: &Value) -> Words {
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        const VALUES: usize = 12;
        let mut words: Words = joined(
            values.iter().take(VALUES).map(|value| vec![code(abridge::json_line(value))]),
            ", ",
        );
        if values.len() > VALUES {
            words.push(text(format!(" … {} more", values.len() - VALUES)));
        }
        return words;
    }
    if let Some(value) = property.get("const") {
        return vec![code(abridge::json_line(value))];
    }
    match property.get("type") {
        Some(Value::String(name)) if name == "array" => {
            let items = property.get("items").and_then(|items| items.get("type")?.as_str());
            vec![text(match items {
                Some(items) => format!("array of {}", abridge::name(items)),
                None => "array".to_owned(),
            })]
        }
        Some(Value::String(name)) => vec![text(abridge::name(name))],
        Some(Value::Array(names)) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
            vec![text(abridge::name(&names.join(" or ")))]
        }
        _ => vec![text("see the schema")],
    }
}

fn about(property: &Value) -> Words {
    let mut words = Words::new();
    for member in ["title", "description"] {
        if let Some(said) = property.get(member).and_then(Value::as_str) {
            // The description says more than a title.
            words = vec![text(abridge::name(said))];
        }
    }
    if let Some(default) = property.get("default") {
        words.extend([text(" Default: "), code(abridge::json_line(default)), text(".")]);
    }
    words
}

/// The arguments that calls have, with the types of their values.
fn seen(calls: &[&Exchange<'_>]) -> Vec<Vec<Words>> {
    let mut arguments = Named::<BTreeSet<&'static str>>::new();
    for call in calls {
        let given = call.params.and_then(|params| params.get("arguments")?.as_object());
        for (name, value) in given.into_iter().flat_map(Object::iter) {
            let kind = value.kind();
            let kind = kind.split_once(' ').map_or(kind, |(_, noun)| noun);
            arguments.entry(name).insert(kind);
        }
    }
    let row = |(name, kinds): &(&str, BTreeSet<&str>)| {
        let kinds: Vec<_> = kinds.iter().copied().collect();
        vec![vec![code(abridge::code(name))], vec![text(kinds.join(" or "))]]
    };
    arguments.all.iter().map(row).collect()
}
