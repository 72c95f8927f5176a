//! A diagnostic about a file, rendered with its source lines.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as Title, Origin, Renderer, Snippet};
use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::yaml::Span;

use super::case::CaseFile;
use super::lints::{Level, Lint};

/// The largest width of an excerpt in columns.
const WIDTH: usize = 120;
/// The largest length of a message in characters.
const SENTENCE: usize = 400;
/// A longer line is truncated.
const LONG: usize = 4096;
/// How much of a truncated line is kept on either side of the range.
const AROUND: usize = 400;
/// The largest distance in lines between two ranges in one excerpt.
const NEAR: usize = 6;

/// An error, a warning or a note about a file.
///
/// ```
/// use mcp_test::cases::{Cases, ReadError, ReadOptions};
///
/// let refused = Cases::parse("add.yaml", "case: Adds\nouput: {}\n", &ReadOptions::default());
/// let Err(ReadError::Diagnostics(diagnostics)) = refused else { panic!("expected an error") };
/// assert_eq!(diagnostics[0].to_string(), "\
/// error[unknown-key]: `ouput` is not a key of a case
///  --> add.yaml:2:1
///   |
/// 2 | ouput: {}
///   | ^^^^^ expected `case`, or a key that begins with `in`, `out` or `_`
///   |
///   = help: did you mean `output`?");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The level.
    pub level: Level,
    /// The name by which programs identify the kind: `unknown-key`.
    pub name: &'static str,
    /// The path of the file, as given.
    pub file: String,
    /// The text of the file.
    pub text: Arc<str>,
    /// The range it applies to.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// The label at the range; may be empty.
    pub label: String,
    /// Related ranges with their labels.
    pub also: Vec<(Span, String)>,
    /// A suggestion.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Creates a diagnostic of a file (path and text).
    pub(crate) fn new(
        lint: &Lint,
        (file, text): (&str, &Arc<str>),
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        Self {
            level: lint.level,
            name: lint.name,
            file: file.to_owned(),
            text: text.clone(),
            span,
            message: cut(message.into()),
            label: String::new(),
            also: Vec::new(),
            help: None,
        }
    }

    /// Sets the label at the range.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = cut(label.into());
        self
    }

    /// Adds a related range.
    pub(crate) fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also.push((span, cut(label.into())));
        self
    }

    /// Sets the suggestion.
    pub(crate) fn help(mut self, help: impl Into<Option<String>>) -> Self {
        self.help = help.into().map(cut);
        self
    }

    /// Renders the diagnostic with its source lines.
    #[must_use]
    pub fn render(&self, colours: bool) -> String {
        let level = match self.level {
            Level::Note => Title::NOTE,
            Level::Warning => Title::WARNING,
            Level::Error => Title::ERROR,
        };
        let message = words::inert(&self.message);
        let title = level.primary_title(message).id(self.name);
        self.below(Group::with_title(title), colours)
    }

    /// Renders only the source lines with their labels, without level, name and message.
    pub(in crate::cases) fn excerpt(
        file: &CaseFile,
        span: Span,
        label: String,
        also: Vec<(Span, String)>,
    ) -> String {
        let diagnostic = Self {
            level: Level::Error,
            name: "",
            file: file.path.clone(),
            text: file.text.clone(),
            span,
            message: String::new(),
            label,
            also,
            help: None,
        };
        diagnostic.below(Group::with_level(Title::ERROR), false)
    }

    fn below(&self, group: Group<'_>, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        // The colours of the rendered text are ours, so that nothing else may bring its own.
        let file = words::printable(&self.file);
        let mut is_cut = false;
        let group = self.excerpts().into_iter().fold(group, |group, excerpt| {
            if excerpt.bytes.is_some() {
                return group.element(excerpt.snippet().path(file.as_str()));
            }
            is_cut = true;
            // The renderer cannot compute the column in a truncated line.
            let origin = Origin::path(file.as_str());
            let origin = origin.line(excerpt.first).char_column(excerpt.column);
            group.element(origin).element(excerpt.snippet())
        });
        let group = match &self.help {
            Some(help) => group.element(Title::HELP.message(words::inert(help))),
            None => group,
        };
        let shown = renderer.term_width(WIDTH).render(&[group]);
        match is_cut {
            // The renderer writes an empty origin line for an excerpt without a path.
            true => {
                shown.lines().filter(|line| !is_empty_origin(line)).collect::<Vec<_>>().join("\n")
            }
            false => shown,
        }
    }

    /// The source lines to show, those of the main range first.
    fn excerpts(&self) -> Vec<Excerpt> {
        let label = words::inert(&self.label);
        let mut excerpts = vec![Excerpt::of(&self.text, self.span, &label, true)];
        for (span, label) in &self.also {
            let more = Excerpt::of(&self.text, *span, &words::inert(label), false);
            // Ranges far apart would pull all lines between them into the excerpt.
            let near = excerpts.last_mut().filter(|last| last.reaches(&more));
            match near {
                Some(last) => last.join(&self.text, more),
                None => excerpts.push(more),
            }
        }
        excerpts
    }

    /// Converts it to JSON: level, name, file, line, column, bytes and texts.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let place = |span: &Span, object: &mut Object| {
            object.push("line", span.line);
            object.push("column", span.column);
            object.push("start", span.start);
            object.push("end", span.end);
        };
        let mut object = Object::new();
        object.push("level", self.level.as_str());
        object.push("name", self.name);
        object.push("file", self.file.as_str());
        place(&self.span, &mut object);
        object.push("message", self.message.as_str());
        object.push("label", self.label.as_str());
        let also = self.also.iter().map(|(span, label)| {
            let mut object = Object::new();
            place(span, &mut object);
            object.push("label", label.as_str());
            Value::from(object)
        });
        object.push("also", also.collect::<Value>());
        object.push("help", self.help.as_deref().map_or(Value::Null, Value::from));
        object.into()
    }
}

/// Renders it without colours.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// Some lines of a text with labels.
struct Excerpt {
    /// The number of the first line.
    first: usize,
    /// The number of the last line.
    last: usize,
    lines: String,
    /// The range of the lines in the text; `None` if a line was truncated.
    bytes: Option<Range<usize>>,
    marks: Vec<Mark>,
    /// The column at which the range starts that it was created for.
    column: usize,
}

struct Mark {
    /// Relative to the lines.
    span: Range<usize>,
    label: String,
    is_primary: bool,
}

impl Excerpt {
    /// The line on which a range begins, or the part of a long line around it.
    fn of(text: &str, span: Span, label: &str, is_primary: bool) -> Self {
        // A span may be from another text, or from one that was decoded with loss: slicing must not panic.
        let start = floor(text, span.start);
        let begin = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let stop = floor(text, span.end).clamp(start, end.max(start));
        let around = if end - begin > LONG { AROUND } else { LONG };
        let from = ceil(text, begin.max(start.saturating_sub(around)));
        let to = floor(text, end.min(stop.min(start + around) + around)).max(start);
        let (before, after) = (dots(from > begin), dots(to < end));
        let line = text[from..to].trim_end_matches('\r');
        // A range may begin behind the line, among the carriage returns that are not shown.
        let shown = |at: usize| before.len() + at.min(from + line.len()) - from;
        Self {
            first: span.line.max(1),
            last: span.line.max(1),
            lines: format!("{before}{line}{after}"),
            bytes: (before.is_empty() && after.is_empty()).then_some(begin..end),
            marks: vec![Mark {
                span: shown(start)..shown(stop),
                label: label.to_owned(),
                is_primary,
            }],
            column: span.column.max(1),
        }
    }

    /// Whether another excerpt is near enough to be merged with this one.
    fn reaches(&self, other: &Self) -> bool {
        let distance = match other.first >= self.first {
            true => other.first.saturating_sub(self.last),
            false => self.first - other.last,
        };
        self.bytes.is_some() && other.bytes.is_some() && distance <= NEAR
    }

    /// Merges an excerpt of the same text, including the lines between them.
    fn join(&mut self, text: &str, other: Self) {
        // Unreachable: `reaches` is false for truncated lines.
        let (Some(mine), Some(theirs)) = (self.bytes.clone(), other.bytes) else { return };
        let bytes = mine.start.min(theirs.start)..mine.end.max(theirs.end);
        let moved = |mark: Mark, from: usize| {
            let by = from - bytes.start;
            Mark { span: mark.span.start + by..mark.span.end + by, ..mark }
        };
        let own = std::mem::take(&mut self.marks).into_iter().map(|mark| moved(mark, mine.start));
        let new = other.marks.into_iter().map(|mark| moved(mark, theirs.start));
        self.marks = own.chain(new).collect();
        self.lines = text[bytes.clone()].to_owned();
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.bytes = Some(bytes);
    }

    fn snippet(self) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
        let marks = self.marks.into_iter().map(|mark| {
            let kind =
                if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(mark.span).label((!mark.label.is_empty()).then_some(mark.label))
        });
        Snippet::source(self.lines).line_start(self.first).annotations(marks)
    }
}

/// Truncates a message, which may quote untrusted text.
fn cut(sentence: String) -> String {
    match sentence.char_indices().nth(SENTENCE) {
        Some((end, _)) => format!("{}…", &sentence[..end]),
        None => sentence,
    }
}

/// Whether a line consists only of the sign before a path, ignoring colours.
fn is_empty_origin(line: &str) -> bool {
    let mut coloured = false;
    let visible = line.chars().filter(|char| {
        coloured |= *char == '\u{1b}';
        let shown = !coloured;
        coloured &= *char != 'm';
        shown
    });
    visible.collect::<String>().trim() == ":::"
}

fn dots(cut: bool) -> &'static str {
    if cut { "…" } else { "" }
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// The nearest character boundary at or after `at`.
fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRONG: Lint = Lint { name: "wrong", level: Level::Error, about: "" };
    const END: Lint = Lint { name: "end", level: Level::Note, about: "" };

    fn diagnostic(text: &str, at: &str, also: &[&str]) -> Diagnostic {
        let text: Arc<str> = text.into();
        let span = |part: &str| {
            let start = text.find(part).expect("a part of the text");
            let before = &text[..start];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
            Span { start, end: start + part.len(), line, column }
        };
        let diagnostic = Diagnostic::new(&WRONG, ("a.yaml", &text), span(at), "something is wrong");
        also.iter().fold(diagnostic.label("this"), |diagnostic, part| {
            diagnostic.also(span(part), "and that")
        })
    }

    #[test]
    fn shows_line_label_and_help() {
        let diagnostic = diagnostic("a: 1\nä: two\n", "two", &[]).help("try 2".to_owned());
        insta::assert_snapshot!(diagnostic, @"
        error[wrong]: something is wrong
         --> a.yaml:2:4
          |
        2 | ä: two
          |    ^^^ this
          |
          = help: try 2
        ");
    }

    #[test]
    fn near_ranges_share_an_excerpt() {
        insta::assert_snapshot!(diagnostic("a: 1\nb: 2\nc: 3\n", "c", &["a"]), @"
        error[wrong]: something is wrong
         --> a.yaml:3:1
          |
        1 | a: 1
          | - and that
        2 | b: 2
        3 | c: 3
          | ^ this
        ");
        let far = format!("a: 1\n{}c: 3\n", "b: 2\n".repeat(20));
        insta::assert_snapshot!(diagnostic(&far, "c", &["a"]), @"
        error[wrong]: something is wrong
          --> a.yaml:22:1
           |
        22 | c: 3
           | ^ this
           |
          ::: a.yaml:1:1
           |
         1 | a: 1
           | - and that
        ");
    }

    #[test]
    fn only_the_first_line_of_a_range_is_shown() {
        insta::assert_snapshot!(diagnostic("a:\r\n  - b\r\n  - c\r\n", "- b\r\n  - c", &[]), @"
        error[wrong]: something is wrong
         --> a.yaml:2:3
          |
        2 |   - b
          |   ^^^ this
        ");
    }

    #[test]
    fn a_long_line_is_truncated_around_the_range() {
        let long = format!("a: {}here{}\n", "ä".repeat(100_000), "ö".repeat(100_000));
        let shown = diagnostic(&long, "here", &[]).to_string();
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
        assert!(shown.contains("--> a.yaml:1:100004"), "{shown}");
        assert!(shown.contains("here"), "{shown}");
    }

    #[test]
    fn a_range_at_or_beyond_the_end_is_shown() {
        insta::assert_snapshot!(diagnostic("a: [", "", &[]), @"
        error[wrong]: something is wrong
         --> a.yaml:1:1
          |
        1 | a: [
          | ^ this
        ");
        let text: Arc<str> = "a: [".into();
        let span = Span { start: 4, end: 9, line: 1, column: 5 };
        let diagnostic = Diagnostic::new(&END, ("a.yaml", &text), span, "it ends");
        insta::assert_snapshot!(diagnostic, @"
        note[end]: it ends
         --> a.yaml:1:5
          |
        1 | a: [
          |     ^
        ");
        let text: Arc<str> = "a\r\r\r\r\nb".into();
        let span = Span { start: 4, end: 5, line: 1, column: 5 };
        let diagnostic = Diagnostic::new(&END, ("a.yaml", &text), span, "it is among line breaks");
        insta::assert_snapshot!(diagnostic, @"
        note[end]: it is among line breaks
         --> a.yaml:1:2
          |
        1 | a
          |  ^
        ");
        let empty: Arc<str> = "".into();
        let diagnostic = Diagnostic::new(&END, ("a.yaml", &empty), span, "it ends");
        insta::assert_snapshot!(diagnostic, @"
        note[end]: it ends
         --> a.yaml:1:1
          |
        1 |
          | ^
        ");
    }
}
