//! Cases as a whole: whether they have names, and whether they expect anything.

use std::collections::HashMap;

use super::{EMPTY_CASE, Lint, NOTHING_EXPECTED, ONLY, SAME_NAME, SKIPPED, UNNAMED};
use crate::cases::{Case, CaseFile, Complaint, Direction};
use crate::yaml::Span;

pub(super) fn of_file(file: &CaseFile) -> Vec<Complaint> {
    let mut found = Vec::new();
    let mut tell = |complaint| found.push(complaint);
    let complaint = |lint: &Lint, span: Span, message: String| {
        Complaint::new(lint, (&file.path, &file.text), span, message)
    };
    let mut names: HashMap<&str, Span> = HashMap::new();
    for case in &file.cases {
        let span = case.span;
        match &case.name {
            None => {
                let text = "the case has no name".to_owned();
                let help = "begin it with `case: ` and what it shows".to_owned();
                let label = format!("reports call it `{}`", case.id);
                tell(complaint(&UNNAMED, span, text).label(label).help(help));
            }
            Some(name) => {
                if let Some(first) = names.get(name.as_str()) {
                    let text = format!("two cases are called `{name}`");
                    let label = format!("reports call this one `{}`", case.id);
                    tell(
                        complaint(&SAME_NAME, span, text)
                            .label(label)
                            .also(*first, "the first one"),
                    );
                } else {
                    names.insert(name, span);
                }
            }
        }
        if let Some(lack) = lack(case) {
            tell(complaint(&lack.0, span, lack.1.to_owned()).label(lack.2));
        }
        if let Some(reason) = &case.settings.skip {
            let text = format!("the case is not run: {reason}");
            tell(complaint(&SKIPPED, span, text).label("it has `_skip`"));
        }
        if case.settings.only {
            let text = "other cases are not run because of this one".to_owned();
            let help = "take `_only` out before others rely on the file".to_owned();
            tell(complaint(&ONLY, span, text).label("it has `_only`").help(help));
        }
    }
    found
}

/// What a case lacks to be one.
fn lack(case: &Case) -> Option<(Lint, &'static str, &'static str)> {
    if case.messages.is_empty() {
        return Some((EMPTY_CASE, "nothing is said in the case", "it has no `in…` and no `out…`"));
    }
    let expects = case.said(Direction::Out).next().is_some();
    (!expects).then_some((
        NOTHING_EXPECTED,
        "the case holds whatever the server does",
        "it has no `out…`",
    ))
}
