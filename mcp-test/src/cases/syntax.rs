//! What the YAML reader says is wrong, with what may help people who have not read the specification of YAML.

use super::reading::Reading;
use super::{Complaint, Lint, lint};
use crate::yaml::{Problem, ProblemKind, Span};

/// The complaint about a problem.
pub(super) fn complaint(reading: &Reading<'_>, problem: &Problem) -> Complaint {
    if let Some((span, key)) = missing_colon(&reading.text, problem) {
        let message = format!("not YAML: a `:` is missing after `{key}`");
        let complaint = reading.complaint(&lint::SYNTAX, span, message);
        return complaint.label("it belongs here");
    }
    let complaint =
        reading.complaint(&lint_of(problem.kind), problem.span, problem.message.as_str());
    let complaint = problem
        .also
        .iter()
        .fold(complaint, |complaint, (span, label)| complaint.also(*span, label.as_str()));
    let help = help(&reading.text, problem);
    complaint.label(label(problem.kind)).help(help)
}

const fn lint_of(kind: ProblemKind) -> Lint {
    match kind {
        ProblemKind::Encoding => lint::ENCODING,
        ProblemKind::Limit => lint::LIMIT,
        ProblemKind::Duplicate => lint::DUPLICATE_KEY,
        ProblemKind::LineBreak => lint::LINE_BREAK,
        ProblemKind::Key | ProblemKind::Tag | ProblemKind::Number | ProblemKind::Merge => {
            lint::NOT_JSON
        }
        ProblemKind::Character | ProblemKind::Syntax | ProblemKind::Alias => lint::SYNTAX,
    }
}

const fn label(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Duplicate => "again here",
        _ => "",
    }
}

fn help(text: &str, problem: &Problem) -> Option<String> {
    let here = &text[..problem.span.start.min(text.len())];
    let line = here.rsplit('\n').next().unwrap_or_default();
    let key = text.get(problem.span.bytes()).unwrap_or_default();
    let says = |part: &str| problem.message.contains(part);
    let help = match problem.kind {
        ProblemKind::Duplicate if key == "case" => {
            "a new case begins with `---` on a line of its own".to_owned()
        }
        ProblemKind::Duplicate if key.starts_with("in") || key.starts_with("out") => {
            format!("what follows `in` or `out` is free: `{key}_2`")
        }
        ProblemKind::Merge => "write out what is to be there".to_owned(),
        ProblemKind::Number | ProblemKind::Tag => "put a text in quotes".to_owned(),
        ProblemKind::Key => "put the key in quotes".to_owned(),
        ProblemKind::Encoding => "save the file as UTF-8".to_owned(),
        ProblemKind::Syntax if says("tab") => "indent with spaces".to_owned(),
        ProblemKind::Syntax if says("unknown anchor") => {
            "a text that begins with `*` has to be in quotes".to_owned()
        }
        ProblemKind::Syntax => return broken(line, says),
        _ => return None,
    };
    Some(help)
}

/// The place behind a key that a bracket or a quote follows instead of a colon, and the key.
fn missing_colon<'t>(text: &'t str, problem: &Problem) -> Option<(Span, &'t str)> {
    if problem.kind != ProblemKind::Syntax {
        return None;
    }
    let begin = text.get(..problem.span.start)?.rfind('\n').map_or(0, |newline| newline + 1);
    let (word, rest) = text[begin..].split_once(' ')?;
    let is_key = ["case", "in", "out", "_"].iter().any(|beginning| word.starts_with(beginning))
        && word.chars().all(|char| char.is_alphanumeric() || "_-".contains(char));
    let opens = rest.trim_start_matches(' ').starts_with(['{', '[', '"', '\'']);
    let end = begin + word.len();
    let column = word.chars().count() + 1;
    let span = Span { start: end, end: end + 1, line: problem.span.line, column };
    (is_key && opens).then_some((span, word))
}

fn broken(line: &str, says: impl Fn(&str) -> bool) -> Option<String> {
    const INDENT: &str = "indent the line as much as those that it belongs to";
    let help = if says("quote") {
        "a quote is not closed, in this line or above"
    } else if says("mapping values are not allowed") && line.contains(": ") {
        "a text with `: ` in it has to be in quotes"
    } else if says("mapping values are not allowed")
        || says("did not find expected key")
        || says("invalid indentation")
    {
        INDENT
    } else if says("did not find expected ',' or '}'") {
        "a `}` or a `,` is missing before this"
    } else if says("did not find expected ',' or ']'") {
        "a `]` or a `,` is missing before this"
    } else {
        return None;
    };
    Some(help.to_owned())
}
