//! What is wrong with a file, shown at its place.
//!
//! Finding it is for `read` and `lint`.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as Title, Origin, Renderer, Snippet};

use super::Lint;
use crate::json::{Object, Value};
use crate::yaml::Span;

/// How many columns an excerpt takes at most.
const WIDTH: usize = 120;
/// How many characters a sentence has at most.
const SENTENCE: usize = 400;
/// How long a line may be that is looked at as a whole.
const LONG: usize = 4096;
/// How much of a longer one is kept on either side of what is meant.
const AROUND: usize = 400;
/// How many lines lie at most between two places that are shown as one excerpt.
const NEAR: usize = 6;

/// How much a complaint weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing is wrong, but it should be known.
    Note,
    /// The file can be used; it may not mean what its author thinks.
    Warning,
    /// The file cannot be used.
    Error,
}

impl Level {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Something that is wrong with a file, or should be known of it.
///
/// ```
/// use mcp_test::cases::{Cases, ReadError, ReadOptions};
///
/// let refused = Cases::parse("add.yaml", "case: Adds\nouput: {}\n", &ReadOptions::default());
/// let Err(ReadError::Complaints(complaints)) = refused else { panic!("it is refused") };
/// assert_eq!(complaints[0].to_string(), "\
/// error[unknown-key]: `ouput` is no key of a case
///  --> add.yaml:2:1
///   |
/// 2 | ouput: {}
///   | ^^^^^ neither `case`, nor does it begin with `in`, `out` or `_`
///   |
///   = help: did you mean `output`?");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Complaint {
    /// How much it weighs.
    pub level: Level,
    /// What it is called, so that programs can tell complaints apart: `unknown-key`.
    pub name: &'static str,
    /// The path of the file, as it was named.
    pub file: String,
    /// What stands in the file.
    pub text: Arc<str>,
    /// Where it is.
    pub span: Span,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What is said at the place itself; may be empty.
    pub label: String,
    /// Other places that belong to it, and what is said there.
    pub also: Vec<(Span, String)>,
    /// What may help.
    pub help: Option<String>,
}

impl Complaint {
    /// A complaint of a file.
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

    /// Says something at the place.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = cut(label.into());
        self
    }

    /// Names another place.
    pub(crate) fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also.push((span, cut(label.into())));
        self
    }

    /// Says what may help.
    pub(crate) fn help(mut self, help: impl Into<Option<String>>) -> Self {
        self.help = help.into().map(cut);
        self
    }

    /// The complaint with the lines that it is about, with colours if they are wanted.
    #[must_use]
    pub fn render(&self, colours: bool) -> String {
        let level = match self.level {
            Level::Note => Title::NOTE,
            Level::Warning => Title::WARNING,
            Level::Error => Title::ERROR,
        };
        let title = level.primary_title(self.message.as_str()).id(self.name);
        self.below(Group::with_title(title), colours)
    }

    /// The lines that it is about, with what is said there, but without its name and message.
    pub(super) fn excerpt(&self) -> String {
        self.below(Group::with_level(Title::ERROR), false)
    }

    fn below(&self, group: Group<'_>, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let mut is_cut = false;
        let group = self.excerpts().into_iter().fold(group, |group, excerpt| {
            if excerpt.bytes.is_some() {
                return group.element(excerpt.snippet().path(self.file.as_str()));
            }
            is_cut = true;
            // Of a line that was cut only we know the column.
            let origin = Origin::path(self.file.as_str());
            let origin = origin.line(excerpt.line).char_column(excerpt.column);
            group.element(origin).element(excerpt.snippet())
        });
        let group = match &self.help {
            Some(help) => group.element(Title::HELP.message(help.as_str())),
            None => group,
        };
        let shown = renderer.term_width(WIDTH).render(&[group]);
        match is_cut {
            // An excerpt without a path gets a line that would name one.
            true => {
                shown.lines().filter(|line| !is_empty_origin(line)).collect::<Vec<_>>().join("\n")
            }
            false => shown,
        }
    }

    /// The stretches of the text that are shown, the place itself first.
    fn excerpts(&self) -> Vec<Excerpt> {
        let mut excerpts = vec![Excerpt::of(&self.text, self.span, &self.label, true)];
        for (span, label) in &self.also {
            let more = Excerpt::of(&self.text, *span, label, false);
            let near = excerpts.last_mut().filter(|last| last.reaches(&more));
            match near {
                Some(last) => last.join(&self.text, more),
                None => excerpts.push(more),
            }
        }
        excerpts
    }

    /// The complaint for programs: level, name, file, line, column, the bytes, and its sentences.
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

/// With the lines that it is about, without colours.
impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// Some lines of a text, and what is said below them.
struct Excerpt {
    /// The number of the first line.
    first: usize,
    /// The number of the last line.
    last: usize,
    lines: String,
    /// The bytes of the text that the lines are; none if a line was cut.
    bytes: Option<Range<usize>>,
    marks: Vec<Mark>,
    /// Where the place begins that it was made for.
    line: usize,
    column: usize,
}

struct Mark {
    /// Within the lines.
    span: Range<usize>,
    label: String,
    is_primary: bool,
}

impl Excerpt {
    /// The line on which a place begins, or the part of it around the place if the line is long.
    fn of(text: &str, span: Span, label: &str, is_primary: bool) -> Self {
        let start = floor(text, span.start);
        let begin = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let stop = floor(text, span.end).clamp(start, end.max(start));
        let around = if end - begin > LONG { AROUND } else { LONG };
        let from = ceil(text, begin.max(start.saturating_sub(around)));
        let to = floor(text, end.min(stop.min(start + around) + around)).max(start);
        let (before, after) = (dots(from > begin), dots(to < end));
        let line = text[from..to].trim_end_matches('\r');
        let mark = before.len() + start - from..before.len() + stop.min(from + line.len()) - from;
        Self {
            first: span.line.max(1),
            last: span.line.max(1),
            lines: format!("{before}{line}{after}"),
            bytes: (before.is_empty() && after.is_empty()).then_some(begin..end),
            marks: vec![Mark {
                span: mark.start..mark.end.max(mark.start),
                label: label.to_owned(),
                is_primary,
            }],
            line: span.line.max(1),
            column: span.column.max(1),
        }
    }

    /// Whether another excerpt is near enough to be shown as one with this.
    fn reaches(&self, other: &Self) -> bool {
        let distance = match other.first >= self.first {
            true => other.first.saturating_sub(self.last),
            false => self.first - other.last,
        };
        self.bytes.is_some() && other.bytes.is_some() && distance <= NEAR
    }

    /// Takes in an excerpt of the same text, and what lies between them.
    fn join(&mut self, text: &str, other: Self) {
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

/// A sentence that may repeat what a stranger wrote, in a length that can be read.
fn cut(sentence: String) -> String {
    match sentence.char_indices().nth(SENTENCE) {
        Some((end, _)) => format!("{}…", &sentence[..end]),
        None => sentence,
    }
}

/// Whether a line has nothing but the sign before a path, and maybe its colours.
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

/// The nearest beginning of a character, not after `at`.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// The nearest beginning of a character, not before `at`.
fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRONG: Lint = Lint { name: "wrong", level: Level::Error, about: "" };
    const END: Lint = Lint { name: "end", level: Level::Note, about: "" };

    fn complaint(text: &str, at: &str, also: &[&str]) -> Complaint {
        let text: Arc<str> = text.into();
        let span = |part: &str| {
            let start = text.find(part).expect("it is there");
            let before = &text[..start];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
            Span { start, end: start + part.len(), line, column }
        };
        let complaint = Complaint::new(&WRONG, ("a.yaml", &text), span(at), "something is wrong");
        also.iter()
            .fold(complaint.label("this"), |complaint, part| complaint.also(span(part), "and that"))
    }

    #[test]
    fn shows_the_line_and_what_may_help() {
        let complaint = complaint("a: 1\nä: two\n", "two", &[]).help("try 2".to_owned());
        insta::assert_snapshot!(complaint, @"
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
    fn places_that_are_near_stand_in_one_excerpt_and_others_do_not() {
        insta::assert_snapshot!(complaint("a: 1\nb: 2\nc: 3\n", "c", &["a"]), @"
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
        insta::assert_snapshot!(complaint(&far, "c", &["a"]), @"
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
    fn of_a_place_on_several_lines_the_first_is_shown() {
        insta::assert_snapshot!(complaint("a:\r\n  - b\r\n  - c\r\n", "- b\r\n  - c", &[]), @"
        error[wrong]: something is wrong
         --> a.yaml:2:3
          |
        2 |   - b
          |   ^^^ this
        ");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let long = format!("a: {}here{}\n", "ä".repeat(100_000), "ö".repeat(100_000));
        let shown = complaint(&long, "here", &[]).to_string();
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
        assert!(shown.contains("--> a.yaml:1:100004"), "{shown}");
        assert!(shown.contains("here"), "{shown}");
    }

    #[test]
    fn a_place_at_the_end_or_beyond_it_is_shown_too() {
        insta::assert_snapshot!(complaint("a: [", "", &[]), @"
        error[wrong]: something is wrong
         --> a.yaml:1:1
          |
        1 | a: [
          | ^ this
        ");
        let text: Arc<str> = "a: [".into();
        let span = Span { start: 4, end: 9, line: 1, column: 5 };
        let complaint = Complaint::new(&END, ("a.yaml", &text), span, "it ends");
        insta::assert_snapshot!(complaint, @"
        note[end]: it ends
         --> a.yaml:1:5
          |
        1 | a: [
          |     ^
        ");
        let empty: Arc<str> = "".into();
        let complaint = Complaint::new(&END, ("a.yaml", &empty), span, "it ends");
        insta::assert_snapshot!(complaint, @"
        note[end]: it ends
         --> a.yaml:1:1
          |
        1 |
          | ^
        ");
    }
}
