//! The prompts: their arguments and messages.

use mcp_test_core::json::Value;

use super::{abridge, examples, facts, item, item_section, offers, prose, table};
use crate::cases::doc::anchor::Anchors;
use crate::cases::doc::case_index::CaseIndex;
use crate::cases::doc::page::{Inline, Inlines, Section, code, text};

pub(super) fn section(index: &CaseIndex<'_>, anchors: &mut Anchors) -> Option<Section> {
    let prompts = offers(index, ("prompts/list", "prompts"), "prompts/get");
    let items = prompts.all.iter().map(|(name, prompt)| {
        let mut blocks = Vec::new();
        if let Some(listed) = prompt.item() {
            blocks.extend(prose(listed, "description"));
            blocks.extend(table(&["", ""], facts(listed, &[("title", "Title")])));
            blocks.extend(table(&["Argument", "Description"], arguments(listed)));
        }
        blocks.extend(prompt.remark(index, "prompt"));
        blocks.extend(examples(index, &prompt.used, |it| it.params?.get("arguments")));
        item(anchors, "prompt", name, blocks)
    });
    let items = items.collect();
    item_section(anchors, "Prompts", items)
}

fn arguments(prompt: &Value) -> Vec<Vec<Inlines>> {
    const ROWS: usize = 60;
    let arguments = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
    let row = |argument: &Value| {
        let of = |member: &str| argument.get(member).and_then(Value::as_str).map(abridge::name);
        let mut name = vec![code(of("name").unwrap_or_default())];
        if argument.get("required").and_then(Value::as_bool) == Some(true) {
            name.extend([text(" "), Inline::Mark("required".to_owned())]);
        }
        vec![name, vec![text(of("description").or_else(|| of("title")).unwrap_or_default())]]
    };
    arguments.iter().take(ROWS).map(row).collect()
}
