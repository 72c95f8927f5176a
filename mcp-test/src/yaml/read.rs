//! From a text to documents: their bounds, and what must not stand in a text at all.

use std::borrow::Cow;

use granit_parser::Event;

use super::build::Builder;
use super::{
    Before, Broken, Comment, Document, Limits, Problem, ProblemKind, Span, Stream, attach,
};

/// Takes bytes for a text.
///
/// # Errors
///
/// If they are not UTF-8; the problem names the byte.
pub fn decode(bytes: &[u8]) -> Result<&str, Problem> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let before = String::from_utf8_lossy(&bytes[..at]);
    let span =
        Span { end: at + error.error_len().unwrap_or(bytes.len() - at), ..place(&before, at) };
    let message = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the text is UTF-16; it has to be UTF-8".to_owned(),
        _ => format!("byte {at} (0x{:02x}) is not UTF-8", bytes[at]),
    };
    Err(Problem::new(ProblemKind::Encoding, span, message))
}

/// Reads a text. What is wrong with it is in the documents.
#[must_use]
pub fn read(text: &str, limits: &Limits) -> Stream {
    let mut stream = Stream {
        bom: text.starts_with('\u{feff}'),
        crlf: text.find('\n').is_some_and(|end| text[..end].ends_with('\r')),
        ..Stream::default()
    };
    if text.len() > limits.bytes {
        let at = (0..=limits.bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let message =
            format!("the text has {} bytes; at most {} are read", text.len(), limits.bytes);
        let problem = Problem::new(ProblemKind::Limit, place(text, at), message);
        let span = Span { end: text.len(), ..place(text, 0) };
        let text = text.to_owned();
        stream.documents.push(Err(Broken { problem, span, text, gap: false }));
        return stream;
    }
    // The parser takes a NUL for the end of the text.
    let safe: Cow<'_, str> = match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{1}")),
        false => Cow::Borrowed(text),
    };
    let mut builder = Builder::new(&safe, limits);
    let drafts = documents(&mut builder, &safe);
    let mut comments = builder.into_comments().into_iter().peekable();
    let mut taken = |end: usize| -> Vec<Comment> {
        std::iter::from_fn(|| comments.next_if(|comment| comment.span.start < end)).collect()
    };
    for draft in drafts {
        let comments = taken(draft.span.end);
        let problem = forbidden(text, draft.span);
        stream.documents.push(match (draft.read, problem) {
            (_, Some(problem)) | (Err(problem), None) => {
                let text = text[draft.span.bytes()].to_owned();
                Err(Broken { problem, span: draft.span, text, gap: draft.gap })
            }
            (Ok(mut document), None) => {
                document.span = draft.span;
                document.problems.extend(lone_return(text, draft.span));
                let mut comments = comments;
                if document.explicit {
                    let own = comments.iter().take_while(|it| it.span.start < draft.begins).count();
                    document.comments = comments.drain(..own).collect();
                    let head = text.get(draft.span.start..draft.begins).unwrap_or_default();
                    let directives = head.lines().filter(|line| line.starts_with('%'));
                    document.directives =
                        directives.map(|line| line.trim_end().to_owned()).collect();
                    document.gap = draft.gap;
                }
                attach::comments(text, &mut document, comments);
                Ok(document)
            }
        });
    }
    stream.comments = taken(usize::MAX);
    if let Some((problem, span)) = rest(&stream, text) {
        stream.comments.clear();
        let text = text[span.bytes()].to_owned();
        stream.documents.push(Err(Broken { problem, span, text, gap: false }));
    }
    stream
}

/// What is wrong with what stands behind the last document, and where that stands.
fn rest(stream: &Stream, text: &str) -> Option<(Problem, Span)> {
    let start = match stream.documents.last() {
        Some(Ok(document)) => document.span.end,
        Some(Err(broken)) => broken.span.end,
        None if stream.bom => '\u{feff}'.len_utf8(),
        None => 0,
    };
    if start == text.len() {
        return None;
    }
    let span = Span { end: text.len(), ..place(text, start) };
    Some((forbidden(text, span)?, span))
}

/// The marker of the beginning of a document.
pub(super) const START: &str = "---";
/// The marker of its end.
pub(super) const END: &str = "...";

/// Whether a text begins with a marker.
pub(super) fn is_marked(text: &str, marker: &str) -> bool {
    let rest = text.strip_prefix(marker);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']))
}

/// A document in the making.
struct Draft {
    read: Result<Document, Problem>,
    /// Where its `---` stands, or else what comes first.
    begins: usize,
    /// Whether an empty line stands before that.
    gap: bool,
    /// Where its last token ends, as far as it was read.
    past: usize,
    /// Whether that is a `...`.
    has_end: bool,
    span: Span,
}

fn documents(builder: &mut Builder<'_, '_>, text: &str) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    loop {
        let event = builder.next();
        let gap = matches!(event, Ok(Some((Event::DocumentStart(true, _), _))))
            && builder.before() == Before::Gap;
        let (begins, read) = match event {
            Ok(None | Some((Event::StreamEnd, _))) => break,
            Ok(Some((Event::StreamStart | Event::DocumentEnd, _))) => continue,
            Ok(Some((Event::DocumentStart(explicit, _), begins))) => {
                (begins, builder.document(explicit))
            }
            Ok(Some((_, begins))) => {
                let message = "this belongs to no document";
                (begins, Err(Problem::new(ProblemKind::Syntax, begins, message)))
            }
            // It broke before it began: in its directives, or behind the end of the one before.
            Err(problem) => (problem.span, Err(problem)),
        };
        let read = match drafts.len() < builder.limits.documents {
            true => read,
            false => {
                let many = format!("there are more than {} documents", builder.limits.documents);
                builder.stop();
                Err(Problem::new(ProblemKind::Limit, begins, many))
            }
        };
        let failed = read.is_err();
        let past = if failed { begins.start } else { builder.past() };
        let has_end = matches!(read, Ok((_, true)));
        let read = read.map(|(document, _)| document);
        drafts.push(Draft { read, begins: begins.start, gap, past, has_end, span: begins });
        if builder.is_stopped() || failed && !builder.go_on() {
            break;
        }
    }
    let starts = starts(text, &drafts);
    let last = drafts.last().filter(|last| last.has_end).map_or(text.len(), |last| last.past);
    let ends = starts.iter().skip(1).map(|start| start.start).chain([last]);
    for ((draft, start), end) in drafts.iter_mut().zip(&starts).zip(ends) {
        draft.span = Span { end, ..*start };
    }
    drafts
}

/// Where each document begins, with what stands before its `---`.
fn starts(text: &str, drafts: &[Draft]) -> Vec<Span> {
    let mut starts = Vec::with_capacity(drafts.len());
    let mut lines = Lines::new(text);
    let mut floor = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    // The text begins as if after a `...`.
    let mut has_ended = true;
    for draft in drafts {
        let start = if has_ended { floor } else { head(text, floor, draft.begins) };
        starts.push(lines.place(start));
        floor = draft.past.max(start);
        has_ended = draft.has_end;
    }
    starts
}

/// Where what comes before a document begins: after the `...` of the one before, or else with the line of the document.
fn head(text: &str, floor: usize, begins: usize) -> usize {
    let line_of = |end: usize| text[floor..end].rfind('\n').map_or(floor, |at| floor + at + 1);
    let own = line_of(begins.max(floor));
    let mut end = own;
    while end > floor {
        let start = line_of(end - 1);
        let line = &text[start..end];
        if is_marked(line, END) {
            return start + END.len();
        }
        let is_between =
            line.starts_with('%') || matches!(line.trim_start().bytes().next(), None | Some(b'#'));
        if !is_between {
            break;
        }
        end = start;
    }
    own
}

/// The first character of a document that no document may hold.
fn forbidden(text: &str, document: Span) -> Option<Problem> {
    let stretch = &text[document.bytes()];
    let is_forbidden = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    let at = stretch.bytes().position(|byte| is_forbidden(&byte))?;
    let span = inside(text, document, at);
    let message = format!("the character U+{:04X} must not stand in YAML", stretch.as_bytes()[at]);
    Some(Problem::new(ProblemKind::Character, span, message))
}

/// The first carriage return of a document that is not followed by a line feed.
fn lone_return(text: &str, document: Span) -> Option<Problem> {
    let stretch = &text[document.bytes()];
    let mut returns = stretch.match_indices('\r').map(|(at, _)| at);
    let at = returns.find(|at| stretch.as_bytes().get(at + 1) != Some(&b'\n'))?;
    let message = "a carriage return without a line feed; YAML begins a new line here";
    Some(Problem::new(ProblemKind::LineBreak, inside(text, document, at), message))
}

/// The place of one byte of a document.
fn inside(text: &str, document: Span, at: usize) -> Span {
    let start = document.start + at;
    Span { end: start + 1, ..Lines::from(text, document).place(start) }
}

/// The place of a byte of the text.
fn place(text: &str, at: usize) -> Span {
    Lines::new(text).place(at)
}

/// Counts lines and columns, ever further into a text.
struct Lines<'t> {
    text: &'t str,
    at: Span,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: Span { start: 0, end: 0, line: 1, column: 1 } }
    }

    fn from(text: &'t str, at: Span) -> Self {
        Self { text, at: Span { end: at.start, ..at } }
    }

    fn place(&mut self, byte: usize) -> Span {
        let mut chars = self.text[self.at.start..byte.max(self.at.start)].chars().peekable();
        while let Some(char) = chars.next() {
            self.at.column += usize::from(char != '\u{feff}');
            if char == '\n' || char == '\r' && chars.peek() != Some(&'\n') {
                self.at.line += 1;
                self.at.column = 1;
            }
        }
        self.at.start = byte.max(self.at.start);
        self.at.end = self.at.start;
        self.at
    }
}
