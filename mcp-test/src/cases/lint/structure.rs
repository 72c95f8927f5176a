//! Checks cases as a whole: names, messages, `_skip` and `_only`.

use std::collections::HashMap;

use mcp_test_core::yaml::{Span, Style};

use crate::cases::format::lints::{
    EMPTY_CASE, Lint, MIXED_STYLES, NOTHING_EXPECTED, ONLY, SAME_NAME, SKIPPED, UNNAMED, YAML_STYLE,
};
use crate::cases::{Case, CaseFile, CaseMessage, Diagnostic, Direction};

pub(super) fn check(file: &CaseFile) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut report = |diagnostic| found.push(diagnostic);
    let diagnostic = |lint: &Lint, span: Span, message: String| {
        Diagnostic::new(lint, (&file.path, &file.text), span, message)
    };
    let mut names: HashMap<&str, Span> = HashMap::new();
    for case in &file.cases {
        let span = case.span;
        match &case.name {
            None => {
                let text = "the case has no name".to_owned();
                let help = "begin it with `case: ` and a name".to_owned();
                let label = format!("its id in reports is `{}`", case.id);
                report(diagnostic(&UNNAMED, span, text).label(label).help(help));
            }
            Some(name) => {
                let first = *names.entry(name.as_str()).or_insert(span);
                if first != span {
                    let text = format!("two cases have the name `{name}`");
                    let label = format!("the id of this one in reports is `{}`", case.id);
                    let diagnostic = diagnostic(&SAME_NAME, span, text).label(label);
                    report(diagnostic.also(first, "first used here"));
                }
            }
        }
        if let Some((lint, text, label)) = missing_messages(case) {
            report(diagnostic(&lint, span, text.to_owned()).label(label));
        }
        if let Some(reason) = &case.settings.skip {
            let text = format!("the case does not run: {reason}");
            report(diagnostic(&SKIPPED, span, text).label("it has `_skip`"));
        }
        if case.settings.only {
            let text = "cases without `_only` do not run because of this one".to_owned();
            let help = "remove `_only` before others rely on the file".to_owned();
            report(diagnostic(&ONLY, span, text).label("it has `_only`").help(help));
        }
    }
    found.extend(styles(file));
    found
}

/// Reports the first message that is in braces while the first of the file is written by indentation, or the reverse; if all are
/// written by indentation, the first one.
///
/// What is inside of a message does not matter, and neither do messages that are aliases: they have the style of another.
fn styles(file: &CaseFile) -> Option<Diagnostic> {
    let messages = file.cases.iter().flat_map(|case| &case.messages);
    let mut written = messages.filter(|message| message.node.alias().is_none());
    let first = written.next()?;
    let source = (file.path.as_str(), &file.text);
    let Some(other) = written.find(|message| message.node.style != first.node.style) else {
        let text = "the messages of the file are in YAML style".to_owned();
        let diagnostic = Diagnostic::new(&YAML_STYLE, source, first.key_span, text);
        let help =
            "prefer JSON style, in braces and with quoted names: `{\"jsonrpc\": \"2.0\", …}`";
        let diagnostic = diagnostic.label("this is written by indentation").help(help.to_owned());
        return (first.node.style == Style::Block).then_some(diagnostic);
    };
    let style = |message: &CaseMessage| match message.node.style {
        Style::Flow => "JSON style, in braces",
        _ => "YAML style, by indentation",
    };
    let text = "the file has messages in JSON style and in YAML style";
    let diagnostic = Diagnostic::new(&MIXED_STYLES, source, other.key_span, text.to_owned());
    let diagnostic = diagnostic
        .label(format!("this is in {}", style(other)))
        .also(first.key_span, format!("this is in {}", style(first)));
    Some(diagnostic.help("write all messages of a file in the same style".to_owned()))
}

/// Reports a case that has no messages, or expects none.
fn missing_messages(case: &Case) -> Option<(Lint, &'static str, &'static str)> {
    if case.messages.is_empty() {
        return Some((EMPTY_CASE, "the case has no messages", "it has no `in…` and no `out…`"));
    }
    let expects = case.sent(Direction::Out).next().is_some();
    (!expects).then_some((
        NOTHING_EXPECTED,
        "the case passes whatever the server does",
        "it has no `out…`",
    ))
}
