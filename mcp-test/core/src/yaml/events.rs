//! The parser's events with their spans in the text.

use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, ScanError, StrInput, StructureStyle, options,
};

use super::{Comment, Limits, Problem, ProblemKind, Spacing, Span, SyntaxError};

/// An event that is not a comment, with its span; `None` at the end.
pub(super) type NextEvent<'t> = Option<(Event<'t>, Span)>;

/// Reads events and collects comments separately.
pub(super) struct EventReader<'t, 'l> {
    limits: &'l Limits,
    pub(super) text: &'t str,
    events: Parser<'t, StrInput<'t>>,
    comments: Vec<Comment>,
    /// The spans of open brackets.
    open: Vec<Span>,
    /// The end of the last token.
    last_end: usize,
    /// The line on which the last token ends.
    line: usize,
    /// The spacing before the last token.
    spacing: Spacing,
    /// Whether the last token was a key, so that a value follows.
    is_key: bool,
}

impl<'t, 'l> EventReader<'t, 'l> {
    pub(super) fn new(text: &'t str, limits: &'l Limits) -> Self {
        let options = options! {
            emit_anchor_events: true,
            // The builder enforces the depth limit, so the parser must accept one level more.
            flow_nesting_limit: limits.depth + 1,
            block_nesting_limit: limits.depth + 1,
            // Bounded by the size of the text.
            max_buffered_comment_events: usize::MAX,
        };
        Self {
            limits,
            text,
            events: Parser::new_from_str_with_options(text, options),
            comments: Vec::new(),
            open: Vec::new(),
            last_end: 0,
            line: 0,
            spacing: Spacing::SameLine,
            is_key: false,
        }
    }

    pub(super) fn next(&mut self) -> Result<NextEvent<'t>, Problem> {
        loop {
            match self.events.next_event() {
                None => return Ok(None),
                Some(Ok((Event::Comment(text, _), span))) => self.comment(&text, span)?,
                Some(Ok((event, span))) => {
                    let span = self.token(&event, span);
                    return Ok(Some((event, span)));
                }
                Some(Err(error)) => return Err(self.problem(&error)),
            }
        }
    }

    /// Collects a comment.
    fn comment(&mut self, text: &str, span: granit_parser::Span) -> Result<(), Problem> {
        let span = self.span(span);
        if self.is_full() {
            let message = format!("more than {} comments", self.limits.nodes);
            return Err(Problem::new(ProblemKind::Limit, span, message));
        }
        self.comments.push(Comment {
            // Trailing whitespace has no meaning, and the writer leaves it out.
            text: text.trim_end().to_owned(),
            span,
            gap: self.has_gap(span.start),
            pad: pad(self.text, span.start),
        });
        Ok(())
    }

    /// The span of the token that an event stands for, which becomes the last token.
    fn token(&mut self, event: &Event<'t>, span: granit_parser::Span) -> Span {
        let (place, is_certain) = self.place(event, span);
        self.is_key = false;
        self.spacing = match place.line > self.line {
            false => Spacing::SameLine,
            true if self.has_gap(place.start) => Spacing::BlankLine,
            true => Spacing::NewLine,
        };
        // An uncertain span may start after the actual token; counting it would hide the blank lines between them.
        if is_certain {
            self.last_end = self.last_end.max(place.end);
            self.line = place.line + self.text[place.bytes()].matches('\n').count();
        }
        // The span of a node leaves out its tag; an empty value that only has a tag ends with it.
        let tag_end = span.tag_span().and_then(|tag| tag.end.byte_offset());
        self.last_end = self.last_end.max(tag_end.unwrap_or(0));
        place
    }

    /// The problem that the parser reports.
    fn problem(&self, error: &ScanError) -> Problem {
        let marker = *error.marker();
        let span = self.span(granit_parser::Span::new(marker, marker));
        let problem = match error.kind() {
            ErrorKind::RecursionLimitExceeded => self.too_deep(span),
            kind => {
                let error = ProblemKind::Syntax(SyntaxError::of(kind));
                Problem::new(error, span, format!("not YAML: {kind}"))
            }
        };
        // An unclosed bracket often causes an error only further on.
        match self.open.last().filter(|open| open.start != span.start) {
            Some(open) => problem.also(*open, "this bracket is not closed"),
            None => problem,
        }
    }

    /// Whether the maximum number of comments has been reached.
    pub(super) fn is_full(&self) -> bool {
        self.comments.len() >= self.limits.nodes
    }

    pub(super) fn too_deep(&self, span: Span) -> Problem {
        let message = format!("nested deeper than {} levels", self.limits.depth);
        Problem::new(ProblemKind::Limit, span, message)
    }

    /// Skips the rest of a broken document; returns whether another one follows.
    pub(super) fn next_document(&mut self) -> bool {
        // The brackets of the broken document are not open in the next one.
        self.open.clear();
        matches!(self.events.proceed_next_document(), Ok(true))
    }

    /// The comments of the whole text, in order.
    pub(super) fn into_comments(mut self) -> Vec<Comment> {
        self.comments.sort_by_key(|comment| comment.span.start);
        self.comments.dedup_by_key(|comment| comment.span.start);
        self.comments
    }

    /// Records that the last token was a key.
    pub(super) const fn expect_value(&mut self) {
        self.is_key = true;
    }

    /// Where the last token ends.
    pub(super) const fn last_end(&self) -> usize {
        self.last_end
    }

    /// The spacing before the last token.
    pub(super) const fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// Whether a blank line separates the line of this byte from the last token.
    fn has_gap(&self, at: usize) -> bool {
        let between = self.text.get(self.last_end..at).unwrap_or_default();
        // Without the line of the byte itself, which may be indented.
        let above = &between[..between.rfind(['\n', '\r']).unwrap_or(0)];
        above.trim_end_matches([' ', '\t', '\r']).ends_with('\n')
    }

    pub(super) fn open(&mut self, bracket: Span) {
        self.open.push(bracket);
    }

    /// Closes a bracket; returns its column if it is the first token on its line.
    pub(super) fn close(&mut self, bracket: Span) -> Option<usize> {
        self.open.pop();
        (self.spacing != Spacing::SameLine).then_some(bracket.column)
    }

    /// The span of a node, and whether it is certain.
    ///
    /// For block scalars, for lists below their key and for empty values, the parser reports positions after the actual start.
    fn place(&self, event: &Event<'t>, span: granit_parser::Span) -> (Span, bool) {
        let place = self.span(span);
        let is_certain =
            place.start < place.end && !matches!(event, Event::DocumentStart(false, _));
        let (indicators, is_empty_value): (&[u8], bool) = match event {
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => (b"|>", false),
            Event::SequenceStart(StructureStyle::Block, ..) if self.is_key => (b"-", false),
            Event::Scalar(_, ScalarStyle::Plain, 0, None) if place.start == place.end => {
                (if self.is_key { b":" } else { b"-" }, true)
            }
            _ => return (place, is_certain),
        };
        // The parser may place an empty value at the colon, but never at the dash.
        let to = if is_empty_value && !self.is_key { place.start } else { place.start + 1 };
        let Some(start) = indicator(self.text, self.last_end, to, indicators) else {
            return (place, is_certain);
        };
        // An empty value comes after its indicator.
        let start = start + usize::from(is_empty_value);
        let end = match event {
            _ if is_empty_value => start,
            Event::Scalar(text, ..) => content_end(self.text, start, place.end, text),
            _ => start,
        };
        let (line, column) = self.line_and_column(start, place);
        (Span { start, end, line, column }, is_empty_value || start < end)
    }

    /// The line and column of a byte near a known position.
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
        // The parser knows all byte offsets, because the input is a string.
        let start = span.start.byte_offset().unwrap_or(self.text.len());
        let end = span.end.byte_offset().unwrap_or(start).max(start);
        Span { start, end, line: span.start.line(), column: span.start.col() + 1 }
    }
}

/// The first of some indicators outside comments, anchors and tags.
fn indicator(text: &str, from: usize, to: usize, indicators: &[u8]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to && at < bytes.len() {
        let stop: fn(&u8) -> bool = match bytes[at] {
            found if indicators.contains(&found) => return Some(at),
            // Skipped to their ends, because their texts may contain indicators.
            b'#' => |byte| matches!(byte, b'\n' | b'\r'),
            b'&' | b'!' => u8::is_ascii_whitespace,
            _ => |_| true,
        };
        let rest = &bytes[at + 1..];
        at += 1 + rest.iter().position(stop).unwrap_or(rest.len());
    }
    None
}

/// The end of the last line of a block scalar.
fn content_end(source: &str, start: usize, end: usize, text: &str) -> usize {
    let block = &source[start..end];
    // Trailing spaces are part of the string.
    if text.trim_end_matches('\n').ends_with([' ', '\t']) {
        let lines = match block.rfind(['\n', '\r']) {
            // The last line is only the indentation of the next token.
            Some(at) if block[at..].trim().is_empty() => &block[..at],
            _ => block,
        };
        return start + lines.trim_end_matches(['\n', '\r']).len();
    }
    let content = block.trim_end().len();
    block[content..].find(['\n', '\r']).map_or(end, |line_end| start + content + line_end)
}

/// The number of spaces before this byte, capped at more than any aligned comment needs.
fn pad(text: &str, at: usize) -> usize {
    const MOST: usize = 40;
    text[..at].bytes().rev().take(MOST).take_while(|byte| *byte == b' ').count()
}
