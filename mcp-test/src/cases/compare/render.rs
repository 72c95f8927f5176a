//! Differences as people read them: at the case's own lines, then as a JSON diff.

use std::fmt::Write;

use super::super::complaint::{Complaint, Level};
use super::super::{CaseFile, CaseMessage};
use super::Difference;
use crate::check::Finding;
use crate::expect::words;
use crate::json::{DifferenceKind, Pointer};
use crate::yaml::Span;

/// How many differences are shown at their lines.
const AT_LINES: usize = 8;
/// How many differences are shown at all.
const SHOWN: usize = 20;

/// The differences of a message, each at its line of the case, then one below the other as a JSON diff.
///
/// Lines that begin with `-` are what the case says, lines that begin with `+` what came.
#[must_use]
pub fn render(differences: &[Difference], message: &CaseMessage, file: &CaseFile) -> String {
    let mut places = differences.iter().take(AT_LINES).map(|it| (place(it, message), label(it)));
    let Some((span, label)) = places.next() else {
        return String::new();
    };
    let complaint = Complaint {
        level: Level::Error,
        name: "different",
        file: file.path.clone(),
        text: file.text.clone(),
        span,
        message: String::new(),
        label,
        also: places.collect(),
        help: None,
    };
    let mut text = complaint.excerpt();
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

/// A finding against the peer, with the differences [rendered](render).
#[must_use]
pub fn finding(differences: &[Difference], message: &CaseMessage, file: &CaseFile) -> Finding {
    let differs = match differences {
        [one] if one.pointer.is_root() => "it differs as a whole".to_owned(),
        [one] => format!("`{}` differs", one.pointer),
        many if many.len() >= super::MOST => format!("{} places or more differ", many.len()),
        many => format!("{} differ", words::count(many.len(), "place")),
    };
    Finding::peer(format!("what came is not `{}`: {differs}", message.key)).excerpt(render(
        differences,
        message,
        file,
    ))
}

/// Where a difference is shown: at the value of the case, or where the case has none at what asks for it.
fn place(difference: &Difference, message: &CaseMessage) -> Span {
    match difference.asked {
        Some(asked) if !message.has(&difference.case) => asked,
        _ => {
            let span = message.place(&difference.case);
            // Something besides belongs to the whole value, whose beginning says which one.
            let is_besides = difference.kind == DifferenceKind::Extra;
            let end = if is_besides { span.end.min(span.start + 1) } else { span.end };
            Span { end, ..span }
        }
    }
}

fn label(difference: &Difference) -> String {
    let Difference { pointer, kind, expected, got, which, asked, .. } = difference;
    let which = which.as_ref().map(|which| format!(", which {which}")).unwrap_or_default();
    match kind {
        DifferenceKind::Extra => format!("got `{}` besides", last(pointer)),
        _ if asked.is_some() => format!("expected {expected}, got {got}{which}"),
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
