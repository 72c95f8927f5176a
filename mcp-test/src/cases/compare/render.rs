//! Renders differences at the lines of the case, then as a JSON diff.

use std::fmt::Write;

use mcp_test_core::check::Finding;
use mcp_test_core::expect::words;
use mcp_test_core::json::{DifferenceKind, Pointer};
use mcp_test_core::yaml::Span;

use super::difference::Difference;
use super::walk::MOST;
use crate::cases::{CaseFile, CaseMessage, Diagnostic};

/// The largest number of differences shown at their lines.
// Each adds a line or more to the excerpt; the diff below is more compact.
const AT_LINES: usize = 8;
/// The largest number of differences shown.
const SHOWN: usize = 20;

/// Renders differences at the lines of the case, followed by a JSON diff.
///
/// Lines with `-` are from the case, lines with `+` from the received message.
#[must_use]
pub fn render(differences: &[Difference], message: &CaseMessage, file: &CaseFile) -> String {
    let mut places = differences.iter().take(AT_LINES).map(|it| (span(it, message), label(it)));
    let Some((span, label)) = places.next() else {
        return String::new();
    };
    let mut text = Diagnostic::excerpt(file, span, label, places.collect());
    for difference in differences.iter().take(SHOWN) {
        // Writing to a String does not fail.
        let _ = write!(text, "\n{}", in_lines(difference));
    }
    if let Some(more @ 1..) = differences.len().checked_sub(SHOWN) {
        let more = words::count(more, "difference");
        let _ = write!(text, "\n… and {more} more");
    }
    text
}

/// Creates a finding against the peer with the [rendered](render) differences.
#[must_use]
pub fn finding(differences: &[Difference], message: &CaseMessage, file: &CaseFile) -> Finding {
    let differs = match differences {
        [one] if one.pointer.is_root() => "the whole message differs".to_owned(),
        [one] => format!("`{}` differs", one.pointer),
        many if many.len() >= MOST => format!("at least {} values differ", many.len()),
        many => format!("{} differ", words::count(many.len(), "value")),
    };
    Finding::peer(format!("the message does not match `{}`: {differs}", message.key))
        .excerpt(render(differences, message, file))
}

/// Where a difference is shown: at the value of the case, or else at the matcher.
fn span(difference: &Difference, message: &CaseMessage) -> Span {
    match difference.matcher_span {
        // A matcher may require a value that the case does not have.
        Some(matcher_span) if !message.has(&difference.case) => matcher_span,
        _ => {
            let span = message.span_of(&difference.case);
            // An extra value belongs to the whole object or array, of which the start is enough.
            let is_extra = difference.kind == DifferenceKind::Extra;
            let end = if is_extra { span.end.min(span.start + 1) } else { span.end };
            Span { end, ..span }
        }
    }
}

fn label(difference: &Difference) -> String {
    let Difference { pointer, kind, expected, got, which, matcher_span, .. } = difference;
    let which = which.as_ref().map(|which| format!(", which {which}")).unwrap_or_default();
    match kind {
        DifferenceKind::Extra => format!("unexpected `{}`", last(pointer)),
        _ if matcher_span.is_some() => format!("expected {expected}, got {got}{which}"),
        _ => format!("got {got}{which}"),
    }
}

fn last(pointer: &Pointer) -> String {
    pointer.split_last().map_or_else(String::new, |(_, name)| words::printable(&name))
}

fn in_lines(difference: &Difference) -> String {
    let Difference { pointer, kind, expected, got, lines, .. } = difference;
    let mut text =
        if pointer.is_root() { "the whole message".to_owned() } else { pointer.to_string() };
    let (minus, plus) = (format!("- {expected}"), format!("+ {got}"));
    let short = match kind {
        DifferenceKind::Missing => vec![minus],
        DifferenceKind::Extra => vec![plus],
        DifferenceKind::Changed => vec![minus, plus],
    };
    for line in if lines.is_empty() { &short } else { lines } {
        let _ = write!(text, "\n{line}");
    }
    text
}
