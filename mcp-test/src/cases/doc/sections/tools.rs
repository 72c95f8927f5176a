//! The tools: their arguments and results, and how the cases call them.

use std::collections::BTreeSet;

use mcp_test_core::json::{Object, Value};

use super::{Named, Offer, abridge, examples, facts, item, item_section, offers, prose, table};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::{CaseIndex, Exchange};
use crate::cases::doc::page::{Block, Inline, Inlines, Section, code, joined, text};

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let tools = offers(index, ("tools/list", "tools"), "tools/call");
    let tools = tools.all.iter();
    let items = tools.map(|(name, tool)| item(anchors, "tool", name, blocks(index, tool)));
    let items = items.collect();
    item_section(anchors, "Tools", items)
}

fn blocks<'a>(index: &CaseIndex<'a>, tool: &Offer<'a, '_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(item) = tool.item() {
        blocks.extend(prose(item, "description"));
        // Annotations are only hints, which a client must not trust (server/tools, Tool).
        let members = [("title", "Title"), ("annotations", "Hints"), ("execution", "Execution")];
        blocks.extend(table(&["", ""], facts(item, &members)));
    }
    blocks.extend(tool.remark(index, "tool"));
    match tool.item().and_then(|item| item.get("inputSchema")) {
        Some(schema) => {
            let rows = properties(schema);
            // `properties` that is not an object says nothing about arguments.
            if rows.is_empty() && schema.get("properties").is_none_or(is_empty) {
                blocks.push(Block::Paragraph(vec![text("It takes no arguments.")]));
            }
            blocks.extend(table(&["Argument", "Type", "Description"], rows));
            let text = abridge::json(schema);
            blocks.push(Block::Folded { summary: "Input schema".to_owned(), text });
        }
        None => blocks.extend(table(&["Argument", "Type seen"], used_arguments(&tool.used))),
    }
    if let Some(schema) = tool.item().and_then(|item| item.get("outputSchema")) {
        let text = abridge::json(schema);
        blocks.push(Block::Folded { summary: "Output schema".to_owned(), text });
    }
    blocks.extend(examples(index, &tool.used, |call| {
        call.params?.get("arguments").filter(|arguments| !is_empty(arguments))
    }));
    blocks
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Object::is_empty)
}

/// A row for each property of a schema.
fn properties(schema: &Value) -> Vec<Vec<Inlines>> {
    const ROWS: usize = 60;
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    let row = |(name, property): (&str, &Value)| {
        let mut argument = vec![code(abridge::code(name))];
        if required.iter().any(|it| it.as_str() == Some(name)) {
            argument.extend([text(" "), Inline::Mark("required".to_owned())]);
        }
        vec![argument, kind(property), description(property)]
    };
    let mut rows: Vec<_> = properties.iter().take(ROWS).map(row).collect();
    if properties.len() > ROWS {
        let more = text(format!("… {} more", properties.len() - ROWS));
        rows.push(vec![vec![more], Inlines::new(), Inlines::new()]);
    }
    rows
}

/// The type of a property in short.
fn kind(property: &Value) -> Inlines {
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        const VALUES: usize = 12;
        let shown = values.iter().take(VALUES).map(|value| vec![code(abridge::json_line(value))]);
        let mut words = joined(shown, ", ");
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

fn description(property: &Value) -> Inlines {
    let of = |member: &str| property.get(member).and_then(Value::as_str).map(abridge::name);
    let mut words: Inlines =
        of("description").or_else(|| of("title")).map(text).into_iter().collect();
    if let Some(default) = property.get("default") {
        words.extend([text(" Default: "), code(abridge::json_line(default)), text(".")]);
    }
    words
}

/// The arguments of calls, with the types of their values.
fn used_arguments(calls: &[&Exchange<'_>]) -> Vec<Vec<Inlines>> {
    let mut arguments = Named::<BTreeSet<&'static str>>::new();
    for call in calls {
        let given = call.params.and_then(|params| params.get("arguments")?.as_object());
        for (name, value) in given.into_iter().flat_map(Object::iter) {
            // Without its article.
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
