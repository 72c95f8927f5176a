//! The events of the parser, with the places that they have in the text.

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, StrInput, StructureStyle, options};

use super::{Before, Comment, Limits, Problem, ProblemKind, Span};

/// An event that is no comment, and where it stands; none at the end.
pub(super) type Step<'t> = Option<(Event<'t>, Span)>;

/// Reads events, and puts comments aside.
pub(super) struct Tokens<'t, 'l> {
    limits: &'l Limits,
    pub(super) text: &'t str,
    events: Parser<'t, StrInput<'t>>,
    comments: Vec<Comment>,
    /// The brackets that are open.
    open: Vec<Span>,
    /// Where the last token ends.
    past: usize,
    /// The line in which it ends.
    line: usize,
    /// What stands before it.
    before: Before,
    /// Whether it was a key, so that a value comes next.
    is_key: bool,
}

impl<'t, 'l> Tokens<'t, 'l> {
    pub(super) fn new(text: &'t str, limits: &'l Limits) -> Self {
        let options = options! {
            emit_anchor_events: true,
            // Levels are counted where nodes are built; the parser only has to let them through.
            flow_nesting_limit: limits.depth + 1,
            block_nesting_limit: limits.depth + 1,
            // As many as there are lines.
            max_buffered_comment_events: usize::MAX,
        };
        Self {
            limits,
            text,
            events: Parser::new_from_str_with_options(text, options),
            comments: Vec::new(),
            open: Vec::new(),
            past: 0,
            line: 0,
            before: Before::Nothing,
            is_key: false,
        }
    }

    pub(super) fn next(&mut self) -> Result<Step<'t>, Problem> {
        loop {
            match self.events.next_event() {
                None => return Ok(None),
                Some(Ok((Event::Comment(text, _), span))) => {
                    let span = self.span(span);
                    if self.is_full() {
                        let message = format!("there are more than {} comments", self.limits.nodes);
                        return Err(Problem::new(ProblemKind::Limit, span, message));
                    }
                    self.comments.push(Comment {
                        text: text.into_owned(),
                        span,
                        gap: self.has_gap(span.start),
                        pad: pad(self.text, span.start),
                    });
                }
                Some(Ok((event, span))) => {
                    let (place, is_certain) = self.place(&event, span);
                    self.is_key = false;
                    let tag_end = span.tag_span().and_then(|tag| tag.end.byte_offset());
                    self.before = match place.line > self.line {
                        false => Before::Nothing,
                        true if self.has_gap(place.start) => Before::Gap,
                        true => Before::Line,
                    };
                    if is_certain {
                        self.past = self.past.max(place.end);
                        self.line = place.line + self.text[place.bytes()].matches('\n').count();
                    }
                    self.past = self.past.max(tag_end.unwrap_or(0));
                    return Ok(Some((event, place)));
                }
                Some(Err(error)) => {
                    let marker = *error.marker();
                    let span = self.span(granit_parser::Span::new(marker, marker));
                    let problem = match error.kind() {
                        ErrorKind::RecursionLimitExceeded => self.too_deep(span),
                        kind => {
                            Problem::new(ProblemKind::Syntax, span, format!("not YAML: {kind}"))
                        }
                    };
                    let open = self.open.last().filter(|open| open.start != span.start);
                    return Err(match open {
                        Some(open) => problem.also(*open, "this is still open"),
                        None => problem,
                    });
                }
            }
        }
    }

    /// Whether no comment more is read.
    pub(super) fn is_full(&self) -> bool {
        self.comments.len() >= self.limits.nodes
    }

    pub(super) fn too_deep(&self, span: Span) -> Problem {
        let message = format!("nested deeper than {} levels", self.limits.depth);
        Problem::new(ProblemKind::Limit, span, message)
    }

    /// Skips the rest of a broken document, and says whether another one follows.
    pub(super) fn next_document(&mut self) -> bool {
        self.open.clear();
        matches!(self.events.proceed_next_document(), Ok(true))
    }

    /// The comments of the whole text, in order.
    pub(super) fn into_comments(mut self) -> Vec<Comment> {
        self.comments.sort_by_key(|comment| comment.span.start);
        self.comments.dedup_by_key(|comment| comment.span.start);
        self.comments
    }

    /// The token that was read last was a key.
    pub(super) const fn expect_value(&mut self) {
        self.is_key = true;
    }

    /// Where the token that was read last ends.
    pub(super) const fn past(&self) -> usize {
        self.past
    }

    /// What stands before the token that was read last.
    pub(super) const fn before(&self) -> Before {
        self.before
    }

    /// Whether an empty line stands above the line of this byte, behind the last token.
    fn has_gap(&self, at: usize) -> bool {
        let between = self.text.get(self.past..at).unwrap_or_default();
        let above = &between[..between.rfind(['\n', '\r']).unwrap_or(0)];
        above.trim_end_matches([' ', '\t', '\r']).ends_with('\n')
    }

    pub(super) fn open(&mut self, bracket: Span) {
        self.open.push(bracket);
    }

    /// Closes a bracket that was opened, and says in which column if it is the first of its line.
    pub(super) fn close(&mut self, bracket: Span) -> Option<usize> {
        self.open.pop();
        (self.before != Before::Nothing).then_some(bracket.column)
    }

    /// Where a node stands, and whether that is certain. The parser has the place of a text behind `|`, of a list below its
    /// key and of what is written as nothing somewhere behind, sometimes at what follows.
    fn place(&self, event: &Event<'t>, span: granit_parser::Span) -> (Span, bool) {
        let place = self.span(span);
        let is_certain =
            place.start < place.end && !matches!(event, Event::DocumentStart(false, _));
        let (indicators, is_nothing): (&[u8], bool) = match event {
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => (b"|>", false),
            Event::SequenceStart(StructureStyle::Block, ..) if self.is_key => (b"-", false),
            Event::Scalar(_, ScalarStyle::Plain, 0, None) if place.start == place.end => {
                (if self.is_key { b":" } else { b"-" }, true)
            }
            _ => return (place, is_certain),
        };
        // A colon may stand where nothing is said to be; a dash stands before that.
        let to = if is_nothing && !self.is_key { place.start } else { place.start + 1 };
        let Some(start) = indicator(self.text, self.past, to, indicators) else {
            return (place, is_certain);
        };
        // What is written as nothing stands behind what announces it.
        let start = start + usize::from(is_nothing);
        let end = match event {
            _ if is_nothing => start,
            Event::Scalar(text, ..) => content_end(self.text, start, place.end, text),
            _ => start,
        };
        let (line, column) = self.line_and_column(start, place);
        (Span { start, end, line, column }, is_nothing || start < end)
    }

    /// The line and the column of a byte that is not far from a known place.
    fn line_and_column(&self, at: usize, known: Span) -> (usize, usize) {
        let chars = |from: usize, to: usize| self.text[from..to].chars().count();
        if at >= known.start {
            return (known.line, known.column + chars(known.start, at));
        }
        let between = &self.text[at..known.start];
        if !between.contains(['\n', '\r']) {
            return (known.line, known.column.saturating_sub(chars(at, known.start)).max(1));
        }
        let line_start = self.text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let line = known.line.saturating_sub(between.matches('\n').count()).max(1);
        (line, chars(line_start, at) + 1)
    }

    fn span(&self, span: granit_parser::Span) -> Span {
        // Every offset is known: the text is one string.
        let start = span.start.byte_offset().unwrap_or(self.text.len());
        let end = span.end.byte_offset().unwrap_or(start).max(start);
        Span { start, end, line: span.start.line(), column: span.start.col() + 1 }
    }
}

/// Where the first of some indicators stands that is no part of a comment, an anchor or a tag.
fn indicator(text: &str, from: usize, to: usize, indicators: &[u8]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to && at < bytes.len() {
        let stop: fn(&u8) -> bool = match bytes[at] {
            found if indicators.contains(&found) => return Some(at),
            b'#' => |byte| matches!(byte, b'\n' | b'\r'),
            b'&' | b'!' => u8::is_ascii_whitespace,
            _ => |_| true,
        };
        let rest = &bytes[at + 1..];
        at += 1 + rest.iter().position(stop).unwrap_or(rest.len());
    }
    None
}

/// Where the last line of a text behind `|` or `>` ends.
fn content_end(source: &str, start: usize, end: usize, text: &str) -> usize {
    let block = &source[start..end];
    // Blanks at the end of the text are part of it.
    if text.trim_end_matches('\n').ends_with([' ', '\t']) {
        let lines = match block.rfind(['\n', '\r']) {
            // The indentation of what comes next.
            Some(at) if block[at..].trim().is_empty() => &block[..at],
            _ => block,
        };
        return start + lines.trim_end_matches(['\n', '\r']).len();
    }
    let content = block.trim_end().len();
    block[content..].find(['\n', '\r']).map_or(end, |line_end| start + content + line_end)
}

/// How many blanks stand before this byte, up to a number that no alignment needs.
fn pad(text: &str, at: usize) -> usize {
    const MOST: usize = 40;
    text[..at].bytes().rev().take(MOST).take_while(|byte| *byte == b' ').count()
}
