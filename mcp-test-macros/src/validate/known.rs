//! Validates known violations: each is the id of a requirement, alone or with a reason and a link.

use syn::{Expr, ExprArray, ExprLit, ExprTuple, Lit, LitStr};

use crate::model::{Errors, Known};
use crate::suggest;

/// The ids and aliases of all requirements, one on each line; a test of the workspace compares them with the registry.
const IDS: &str = include_str!("requirement_ids.txt");

const EXPECTED: &str = "expected the id of a requirement, alone or with a reason and a link: \
                        `\"ping.result-empty\"`, `(\"ping.result-empty\", \"fixed in 2.0\", \"https://…\")`";

/// Reads every valid entry.
pub(super) fn validate<'a>(list: &'a ExprArray, errors: &mut Errors) -> Vec<Known<'a>> {
    if list.elems.is_empty() {
        errors.at(list, "expected at least one requirement: name one, or leave `known` out");
    }
    list.elems.iter().filter_map(|element| entry(element, errors)).collect()
}

fn entry<'a>(element: &'a Expr, errors: &mut Errors) -> Option<Known<'a>> {
    let texts: Option<Vec<&LitStr>> = match element {
        Expr::Tuple(ExprTuple { elems, .. }) => elems.iter().map(text).collect(),
        other => text(other).map(|id| vec![id]),
    };
    let (id, reason, link) = match texts.as_deref() {
        Some([id]) => (*id, None, None),
        Some([id, reason]) => (*id, Some(*reason), None),
        Some([id, reason, link]) => (*id, Some(*reason), Some(*link)),
        _ => {
            errors.at(element, EXPECTED);
            return None;
        }
    };
    let (value, ids) = (id.value(), || IDS.lines());
    if !ids().any(|known| known == value) {
        let hint = match suggest::closest(&value, &ids().collect::<Vec<_>>()) {
            Some(similar) => format!(": did you mean \"{similar}\"?"),
            None => "; `mcp-test requirements` lists them".to_owned(),
        };
        errors.at(id, format!("no requirement has the id {value:?}{hint}"));
        return None;
    }
    Some(Known { id, reason, link })
}

fn text(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}
