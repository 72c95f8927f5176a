//! Turns problems of the YAML reader into diagnostics, with help for people who have not read the YAML specification.

use mcp_test_core::yaml::{Problem, ProblemKind, Span, SyntaxError};

use super::context::ReadContext;
use super::diagnostic::Diagnostic;
use super::lints::{self, Lint};

/// The diagnostic for a problem.
pub(super) fn diagnostic(cx: &ReadContext<'_>, problem: &Problem) -> Diagnostic {
    if let Some((span, key)) = missing_colon(&cx.text, problem) {
        let message = format!("not YAML: a `:` is missing after `{key}`");
        let diagnostic = cx.diagnostic(&lints::SYNTAX, span, message);
        return diagnostic.label("expected `:` here");
    }
    let diagnostic = cx.diagnostic(&lint_of(problem.kind), problem.span, problem.message.as_str());
    let diagnostic = problem
        .also
        .iter()
        .fold(diagnostic, |diagnostic, (span, label)| diagnostic.also(*span, label.as_str()));
    let diagnostic = diagnostic.help(help(&cx.text, problem));
    match problem.kind {
        ProblemKind::Duplicate => diagnostic.label("used again here"),
        _ => diagnostic,
    }
}

const fn lint_of(kind: ProblemKind) -> Lint {
    match kind {
        ProblemKind::Encoding => lints::ENCODING,
        ProblemKind::Limit => lints::LIMIT,
        ProblemKind::Duplicate => lints::DUPLICATE_KEY,
        ProblemKind::LineBreak => lints::LINE_BREAK,
        ProblemKind::Key | ProblemKind::Tag | ProblemKind::Number | ProblemKind::Merge => {
            lints::NOT_JSON
        }
        ProblemKind::Character | ProblemKind::Syntax(_) | ProblemKind::Alias => lints::SYNTAX,
    }
}

fn help(text: &str, problem: &Problem) -> Option<String> {
    let here = text.get(..problem.span.start).unwrap_or(text);
    let line = here.rsplit(['\n', '\r']).next().unwrap_or_default();
    let key = text.get(problem.span.bytes()).unwrap_or_default();
    let help = match problem.kind {
        ProblemKind::Duplicate if key == "case" => {
            "begin a new case with `---` on its own line".to_owned()
        }
        ProblemKind::Duplicate if key.starts_with("in") || key.starts_with("out") => {
            format!("choose another key, such as `{key}_2`")
        }
        ProblemKind::Merge => "write out the merged keys".to_owned(),
        ProblemKind::Number | ProblemKind::Tag => "put a string in quotes".to_owned(),
        ProblemKind::Key => "put the key in quotes".to_owned(),
        ProblemKind::Encoding => "save the file as UTF-8".to_owned(),
        ProblemKind::Syntax(error) => syntax_help(error, line)?.to_owned(),
        _ => return None,
    };
    Some(help)
}

/// The end of a key that is followed by a bracket or a quote instead of a colon, and the key.
fn missing_colon<'t>(text: &'t str, problem: &Problem) -> Option<(Span, &'t str)> {
    if !matches!(problem.kind, ProblemKind::Syntax(_)) {
        return None;
    }
    let begin = text.get(..problem.span.start)?.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let (word, rest) = text[begin..].split_once(' ')?;
    let is_key = ["case", "in", "out", "_"].iter().any(|beginning| word.starts_with(beginning))
        && word.chars().all(|char| char.is_alphanumeric() || "_-".contains(char));
    let opens = rest.trim_start_matches(' ').starts_with(['{', '[', '"', '\'']);
    let end = begin + word.len();
    let column = word.chars().count() + 1;
    let span = Span { start: end, end: end + 1, line: problem.span.line, column };
    (is_key && opens).then_some((span, word))
}

/// Advice on a syntax error; `line` is the line before it.
fn syntax_help(error: SyntaxError, line: &str) -> Option<&'static str> {
    Some(match error {
        SyntaxError::Tab => "indent with spaces",
        SyntaxError::UnknownAnchor => "put a string that begins with `*` in quotes",
        SyntaxError::Quote => "a quote is not closed, on this line or above",
        SyntaxError::MappingValue if line.contains(": ") => {
            "put a string that contains `: ` in quotes"
        }
        SyntaxError::MappingValue | SyntaxError::Indentation => {
            "indent the line like the lines it belongs to"
        }
        SyntaxError::FlowMapping => "a `}` or a `,` is missing before this",
        SyntaxError::FlowSequence => "a `]` or a `,` is missing before this",
        _ => return None,
    })
}
