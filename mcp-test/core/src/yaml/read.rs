//! Splits a text into documents, and rejects characters that YAML forbids.

use std::borrow::Cow;

use granit_parser::Event;

use super::build::Builder;
use super::{
    Broken, Comment, Document, Limits, Problem, ProblemKind, Spacing, Span, Stream, SyntaxError,
    attach,
};

/// Decodes bytes as UTF-8.
///
/// # Errors
///
/// If they are not UTF-8; the problem names the first offending byte.
pub fn decode(bytes: &[u8]) -> Result<&str, Problem> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    // Lossless here: everything before `valid_up_to` is UTF-8.
    let before = String::from_utf8_lossy(&bytes[..at]);
    let span =
        Span { end: at + error.error_len().unwrap_or(bytes.len() - at), ..place(&before, at) };
    let message = match bytes {
        // The byte order marks of UTF-16.
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the text is UTF-16, expected UTF-8".to_owned(),
        _ => format!("byte {at} (0x{:02x}) is not UTF-8", bytes[at]),
    };
    Err(Problem::new(ProblemKind::Encoding, span, message))
}

/// Reads a text. Errors are part of the returned documents.
#[must_use]
pub fn read(text: &str, limits: &Limits) -> Stream {
    let mut stream = Stream {
        bom: text.starts_with('\u{feff}'),
        crlf: text.find('\n').is_some_and(|end| text[..end].ends_with('\r')),
        ..Stream::default()
    };
    if text.len() > limits.bytes {
        stream.documents.push(Err(too_long(text, limits)));
        return stream;
    }
    // The parser treats NUL as the end of the text; `forbidden` reports it with its position.
    let safe: Cow<'_, str> = match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{1}")),
        false => Cow::Borrowed(text),
    };
    let mut builder = Builder::new(&safe, limits);
    // All documents before any comment is attached: where one ends is known only when the next one begins.
    let drafts = documents(&mut builder, &safe);
    let mut comments = builder.into_comments().into_iter().peekable();
    let mut taken = |end: usize| -> Vec<Comment> {
        std::iter::from_fn(|| comments.next_if(|comment| comment.span.start < end)).collect()
    };
    // Collected in place of the drafts: a second vector would be the largest part of the memory for many small documents.
    stream.documents = drafts
        .into_iter()
        .map(|draft| {
            let comments = taken(draft.span.end);
            draft.finish(text, comments)
        })
        .collect();
    stream.comments = taken(usize::MAX);
    if let Some((problem, span)) = broken_remainder(&stream, text) {
        // They are part of the text of the broken remainder, and would be written twice.
        stream.comments.clear();
        stream.documents.push(Err(broken(text, problem, span, false)));
    }
    stream
}

/// A text beyond the limit, which is not read at all.
fn too_long(text: &str, limits: &Limits) -> Broken {
    // The limit may fall inside a character, where a string cannot be cut.
    let at = (0..=limits.bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let message =
        format!("the text has {} bytes, more than the limit of {}", text.len(), limits.bytes);
    let problem = Problem::new(ProblemKind::Limit, place(text, at), message);
    broken(text, problem, Span { end: text.len(), ..place(text, 0) }, false)
}

fn broken(text: &str, problem: Problem, span: Span, gap: bool) -> Broken {
    Broken { problem, span, text: text[span.bytes()].to_owned(), gap }
}

/// A forbidden character behind the last document, and the span of that remainder.
fn broken_remainder(stream: &Stream, text: &str) -> Option<(Problem, Span)> {
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

/// Starts a document.
pub(super) const START: &str = "---";
/// Ends a document.
pub(super) const END: &str = "...";

/// Whether a text begins with a document marker.
pub(super) fn is_marked(text: &str, marker: &str) -> bool {
    let rest = text.strip_prefix(marker);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']))
}

/// A document whose final span is not known yet.
struct Draft {
    read: Result<Document, Problem>,
    /// The byte of its `---`, or of its first token.
    begins: usize,
    /// Whether a blank line precedes it.
    gap: bool,
    /// The end of its last token that was read.
    last_end: usize,
    /// Whether that token is `...`.
    has_end: bool,
    span: Span,
}

impl Draft {
    /// The document with its span, its directives and the comments that end before it does.
    fn finish(self, text: &str, mut comments: Vec<Comment>) -> Result<Document, Broken> {
        let Self { begins, gap, span, .. } = self;
        // A forbidden character comes first: what the parser reports may only be its consequence. It is in the original
        // text; the one that was parsed has other characters in place of NUL.
        let read = forbidden(text, span).map_or(self.read, Err);
        let mut document = read.map_err(|problem| broken(text, problem, span, gap))?;
        document.span = span;
        document.problems.extend(lone_return(text, span));
        if document.explicit {
            let own = comments.iter().take_while(|it| it.span.start < begins).count();
            document.comments = comments.drain(..own).collect();
            let head = text.get(span.start..begins).unwrap_or_default();
            let directives = head.lines().filter(|line| line.starts_with('%'));
            document.directives = directives.map(|line| line.trim_end().to_owned()).collect();
            document.gap = gap;
        }
        attach::comments(text, &mut document, comments);
        Ok(document)
    }
}

/// Reads all documents, without their comments.
fn documents(builder: &mut Builder<'_, '_>, text: &str) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    loop {
        let event = builder.next();
        let gap = matches!(event, Ok(Some((Event::DocumentStart(true, _), _))))
            && builder.spacing() == Spacing::BlankLine;
        let (begins, read) = match event {
            Ok(None | Some((Event::StreamEnd, _))) => break,
            Ok(Some((Event::StreamStart | Event::DocumentEnd, _))) => continue,
            Ok(Some((Event::DocumentStart(explicit, _), begins))) => {
                (begins, builder.document(explicit))
            }
            Ok(Some((_, begins))) => {
                let kind = ProblemKind::Syntax(SyntaxError::Other);
                (begins, Err(Problem::new(kind, begins, "this is not part of a document")))
            }
            // An error in its directives, or behind the end of the previous document.
            Err(problem) => (problem.span, Err(problem)),
        };
        let read = match drafts.len() < builder.limits.documents {
            true => read,
            false => {
                builder.stop();
                let message = format!("more than {} documents", builder.limits.documents);
                Err(Problem::new(ProblemKind::Limit, begins, message))
            }
        };
        let failed = read.is_err();
        let last_end = if failed { begins.start } else { builder.last_end() };
        let has_end = matches!(read, Ok((_, true)));
        let read = read.map(|(document, _)| document);
        drafts.push(Draft { read, begins: begins.start, gap, last_end, has_end, span: begins });
        if builder.is_stopped() || failed && !builder.skip_to_next_document() {
            break;
        }
    }
    let starts = starts(text, &drafts);
    let last = drafts.last().filter(|last| last.has_end).map_or(text.len(), |last| last.last_end);
    let ends = starts.iter().skip(1).map(|start| start.start).chain([last]);
    for ((draft, start), end) in drafts.iter_mut().zip(&starts).zip(ends) {
        draft.span = Span { end, ..*start };
    }
    drafts
}

/// The start of each document, including comments and directives above its `---`.
fn starts(text: &str, drafts: &[Draft]) -> Vec<Span> {
    let mut starts = Vec::with_capacity(drafts.len());
    let mut lines = Lines::new(text);
    let mut floor = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    // The first document starts like one after `...`: with the first byte.
    let mut has_ended = true;
    for draft in drafts {
        let start = if has_ended { floor } else { head(text, floor, draft.begins) };
        starts.push(lines.place(start));
        floor = draft.last_end.max(start);
        has_ended = draft.has_end;
    }
    starts
}

/// The start of the comments and directives above a document: after a preceding `...`, or the document's own line.
fn head(text: &str, floor: usize, begins: usize) -> usize {
    let line_of =
        |end: usize| text[floor..end].rfind(['\n', '\r']).map_or(floor, |at| floor + at + 1);
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

/// The first character that YAML forbids.
fn forbidden(text: &str, document: Span) -> Option<Problem> {
    let stretch = &text[document.bytes()];
    // YAML 1.2 allows all other characters at least in quoted strings, so only these are wrong everywhere.
    let is_forbidden = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    let at = stretch.bytes().position(|byte| is_forbidden(&byte))?;
    let span = inside(text, document, at);
    let message = format!("the character U+{:04X} is not allowed in YAML", stretch.as_bytes()[at]);
    Some(Problem::new(ProblemKind::Character, span, message))
}

/// The first carriage return that is not followed by a line feed.
fn lone_return(text: &str, document: Span) -> Option<Problem> {
    let stretch = &text[document.bytes()];
    let mut returns = stretch.match_indices('\r').map(|(at, _)| at);
    let at = returns.find(|at| stretch.as_bytes().get(at + 1) != Some(&b'\n'))?;
    let message = "a carriage return without a line feed, which ends a line in YAML";
    Some(Problem::new(ProblemKind::LineBreak, inside(text, document, at), message))
}

/// The span of one byte of a document.
fn inside(text: &str, document: Span, at: usize) -> Span {
    let start = document.start + at;
    Span { end: start + 1, ..Lines::from(text, document).place(start) }
}

/// The empty span at a byte of the text.
fn place(text: &str, at: usize) -> Span {
    Lines::new(text).place(at)
}

/// Converts ascending byte offsets to lines and columns.
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
            // A byte order mark does not occupy a column.
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
