//! The prompts: their arguments, and the messages that they give.

use super::super::anchor::Anchors;
use super::super::dialogue::Dialogue;
use super::super::page::{Item, Section, Word, Words, code, text};
use super::{Direction, Named, Offer, abridge, chapter, examples, facts, prose, table};
use crate::json::Value;

pub(super) fn section(dialogue: &Dialogue<'_>, anchors: &mut Anchors) -> Option<Section> {
    let mut prompts = Named::<Offer<'_, '_>>::new();
    for (prompt, exchange) in dialogue.listed("prompts/list", "prompts") {
        if let Some(name) = prompt.get("name").and_then(Value::as_str) {
            prompts.entry(name).list(prompt, exchange.talk);
        }
    }
    for request in dialogue.asked(Direction::In, "prompts/get") {
        if let Some(name) = request.param("/name") {
            prompts.entry(name).used.push(request);
        }
    }
    prompts.all.retain(|(name, offer)| offer.is_there(name));
    if prompts.all.is_empty() {
        return None;
    }
    let mut section = chapter(anchors, "Prompts");
    for (name, prompt) in &prompts.all {
        let mut blocks = Vec::new();
        if let Some(item) = prompt.item() {
            blocks.extend(prose(item, "description"));
            blocks.extend(table(&["", ""], facts(item, &[("title", "Title")])));
            blocks.extend(table(&["Argument", "Description"], arguments(item)));
        }
        blocks.extend(prompt.remark(dialogue, "prompt"));
        blocks.extend(examples(dialogue, &prompt.used, |it| it.params?.get("arguments")));
        let anchor = anchors.of("prompt", name);
        section.items.push(Item { anchor, title: vec![code(abridge::code(name))], blocks });
    }
    Some(section)
}

fn arguments(prompt: &Value) -> Vec<Vec<Words>> {
    const ROWS: usize = 60;
    let arguments = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
    let row = |argument: &Value| {
        let of = |member: &str| argument.get(member).and_then(Value::as_str).map(abridge::name);
        let mut name = vec![code(of("name").unwrap_or_default())];
        if argument.get("required").and_then(Value::as_bool) == Some(true) {
            name.extend([text(" "), Word::Mark("required".to_owned())]);
        }
        vec![name, vec![text(of("description").or_else(|| of("title")).unwrap_or_default())]]
    };
    arguments.iter().take(ROWS).map(row).collect()
}
