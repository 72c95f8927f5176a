//! From the parser's events to nodes.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, StrInput, StructureStyle, Tag, options};

use super::node::Raw;
use super::{
    Before, Comment, Document, Kind, Limits, Member, Node, Problem, ProblemKind, Span, Style,
    scalar,
};
use crate::json::Number;

/// Builds the documents of a text, one after the other.
pub(super) struct Builder<'t, 'l> {
    text: &'t str,
    events: Parser<'t, StrInput<'t>>,
    pub(super) limits: &'l Limits,
    comments: Vec<Comment>,
    stopped: bool,
    nodes: usize,
    copied: usize,
    /// Of the document at hand.
    anchors: HashMap<usize, Anchor>,
    problems: Vec<Problem>,
    /// The brackets that are open.
    open: Vec<Span>,
    /// Where the last token ends.
    past: usize,
    /// The line in which it ends.
    line: usize,
    /// Whether it was the first of its line.
    fresh: bool,
    /// The column of the bracket that closed last, if it was the first of its line.
    closed: Option<usize>,
    /// Whether that was a key, and its value is still to come.
    after_key: bool,
}

/// What an alias copies.
struct Anchor {
    name: String,
    /// None while what it names is not complete.
    node: Option<(Node, Size)>,
}

/// What a node costs to copy.
#[derive(Clone, Copy)]
struct Size {
    nodes: usize,
    bytes: usize,
    levels: usize,
}

type Step<'t> = Option<(Event<'t>, Span)>;

impl<'t, 'l> Builder<'t, 'l> {
    pub(super) fn new(text: &'t str, limits: &'l Limits) -> Self {
        let options = options! {
            emit_anchor_events: true,
            // What is open is counted here; the parser only has to let it through.
            flow_nesting_limit: limits.depth + 1,
            block_nesting_limit: limits.depth + 1,
            // As many as there are lines.
            max_buffered_comment_events: usize::MAX,
        };
        Self {
            text,
            events: Parser::new_from_str_with_options(text, options),
            limits,
            comments: Vec::new(),
            stopped: false,
            nodes: 0,
            copied: 0,
            anchors: HashMap::new(),
            problems: Vec::new(),
            open: Vec::new(),
            past: 0,
            line: 0,
            fresh: false,
            closed: None,
            after_key: false,
        }
    }

    /// The next event that is no comment.
    pub(super) fn next(&mut self) -> Result<Step<'t>, Problem> {
        loop {
            match self.events.next_event() {
                None => return Ok(None),
                Some(Ok((Event::Comment(text, _), span))) => {
                    let span = self.span(span);
                    self.comments.push(Comment {
                        text: text.into_owned(),
                        span,
                        gap: gap_above(self.text, span.start),
                        pad: pad(self.text, span.start),
                    });
                }
                Some(Ok((event, span))) => {
                    let place = self.place(&event, span);
                    self.after_key = false;
                    let tag_end = span.tag_span().and_then(|tag| tag.end.byte_offset());
                    self.past = self.past.max(place.end).max(tag_end.unwrap_or(0));
                    self.fresh = place.line > self.line;
                    if place.start < place.end {
                        let lines = self.text[place.bytes()].matches('\n').count();
                        self.line = place.line + lines;
                    }
                    return Ok(Some((event, place)));
                }
                Some(Err(error)) => {
                    let marker = *error.marker();
                    let span = self.span(granit_parser::Span::new(marker, marker));
                    let message = format!("not YAML: {}", error.kind());
                    let mut problem = Problem::new(ProblemKind::Syntax, span, message);
                    if let Some(open) = self.open.last().filter(|open| open.start != span.start) {
                        problem = problem.also(*open, "this is still open");
                    }
                    return Err(problem);
                }
            }
        }
    }

    /// Skips the rest of a broken document, and says whether another one follows.
    pub(super) fn go_on(&mut self) -> bool {
        matches!(self.events.proceed_next_document(), Ok(true))
    }

    /// Reads no further.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// The comments of the whole text, in order.
    pub(super) fn into_comments(mut self) -> Vec<Comment> {
        self.comments.sort_by_key(|comment| comment.span.start);
        self.comments.dedup_by_key(|comment| comment.span.start);
        self.comments
    }

    /// The document that has begun, and where its `...` ends, if it has one.
    pub(super) fn document(
        &mut self,
        explicit: bool,
    ) -> Result<(Document, Option<usize>), Problem> {
        self.anchors.clear();
        self.problems.clear();
        self.open.clear();
        let root = match self.next()? {
            Some((event, span)) => self.node(event, span, 0)?.0,
            None => Node::new(Kind::Null, Style::Plain),
        };
        let ended = match self.next()? {
            Some((Event::DocumentEnd, span)) => {
                let is_told = self.text[span.start..].starts_with("...") && span.column == 1;
                is_told.then_some(span.end)
            }
            _ => None,
        };
        let mut document = Document::new(root);
        document.explicit = explicit;
        document.problems = std::mem::take(&mut self.problems);
        Ok((document, ended))
    }

    fn node(
        &mut self,
        event: Event<'t>,
        span: Span,
        depth: usize,
    ) -> Result<(Node, Size), Problem> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            let message = format!("there are more than {} nodes", self.limits.nodes);
            return Err(self.too_much(span, message));
        }
        let before = match self.fresh {
            false => Before::Nothing,
            true if gap_above(self.text, span.start) => Before::Gap,
            true => Before::Line,
        };
        let (mut node, size) = self.content(event, span, depth)?;
        node.before = before;
        Ok((node, size))
    }

    fn content(
        &mut self,
        event: Event<'t>,
        span: Span,
        depth: usize,
    ) -> Result<(Node, Size), Problem> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let anchor = self.anchor(anchor)?;
                let mut size = Size { nodes: 1, bytes: size_of::<Node>() + text.len(), levels: 0 };
                let node = self.scalar(text.into_owned(), style, tag.as_deref(), span);
                size.bytes += node.extra.as_ref().map_or(0, |_| 2 * size_of::<Node>());
                self.named(node, size, anchor)
            }
            Event::SequenceStart(style, anchor, tag) => {
                let start = span;
                let anchor = self.anchor(anchor)?;
                self.enter(style, span, depth)?;
                let mut size = Size { nodes: 1, bytes: size_of::<Node>(), levels: 0 };
                let mut items = Vec::new();
                let end = loop {
                    match self.next()? {
                        Some((Event::SequenceEnd, end)) => break end,
                        Some((event, span)) => {
                            let (mut item, its) = self.node(event, span, depth + 1)?;
                            size.add(its);
                            if style == StructureStyle::Block {
                                self.mark_outdented(&mut item, start.column);
                            }
                            items.push(item);
                        }
                        None => break span,
                    }
                };
                let last = items.last().map_or(span.end, |item| item.span.end);
                let node =
                    self.collection(Kind::List(items), style, tag.as_deref(), span, end, last);
                self.named(node, size, anchor)
            }
            Event::MappingStart(style, anchor, tag) => {
                let anchor = self.anchor(anchor)?;
                self.enter(style, span, depth)?;
                let mut size = Size { nodes: 1, bytes: size_of::<Node>(), levels: 0 };
                let mut members = Vec::new();
                let end = loop {
                    let (event, span) = match self.next()? {
                        Some((Event::MappingEnd, end)) => break end,
                        Some(step) => step,
                        None => break span,
                    };
                    let (key, its) = self.node(event, span, depth + 1)?;
                    size.add(its);
                    self.after_key = true;
                    let Some((event, span)) = self.next()? else { break span };
                    let (mut value, its) = self.node(event, span, depth + 1)?;
                    size.add(its);
                    if style == StructureStyle::Block {
                        self.mark_outdented(&mut value, key.span.column);
                    }
                    members.push(Member { key, value });
                };
                self.vet(&members);
                let last = members
                    .last()
                    .map_or(span.end, |member| member.value.span.end.max(member.key.span.end));
                let node =
                    self.collection(Kind::Mapping(members), style, tag.as_deref(), span, end, last);
                self.named(node, size, anchor)
            }
            Event::Alias(id) => self.alias(id, span, depth),
            _ => Err(Problem::new(ProblemKind::Syntax, span, "not YAML: no node stands here")),
        }
    }

    fn enter(&mut self, style: StructureStyle, span: Span, depth: usize) -> Result<(), Problem> {
        if depth >= self.limits.depth {
            let message = format!("nested deeper than {} levels", self.limits.depth);
            return Err(Problem::new(ProblemKind::Limit, span, message));
        }
        if style == StructureStyle::Flow {
            self.open.push(span);
        }
        Ok(())
    }

    fn collection(
        &mut self,
        kind: Kind,
        style: StructureStyle,
        tag: Option<&Tag>,
        start: Span,
        end: Span,
        last: usize,
    ) -> Node {
        let (style, end) = match style {
            StructureStyle::Flow => {
                self.open.pop();
                self.closed = Some(end.column).filter(|_| self.fresh);
                (Style::Flow, if end.start < end.end { end.end } else { last })
            }
            StructureStyle::Block => (Style::Block, last),
        };
        let fits = match kind {
            Kind::List(_) => "seq",
            _ => "map",
        };
        let mut node = Node::new(kind, style);
        node.span = Span { end: end.max(start.start), ..start };
        if let Some(tag) = tag {
            if tag.core_suffix() != Some(fits) {
                self.odd_tag(tag, node.span);
            }
            node.extra_mut().tag = Some(tag.original());
        }
        node
    }

    /// Notes of what stands in brackets that they close in the column of what it belongs to.
    fn mark_outdented(&self, node: &mut Node, column: usize) {
        let is_outdented = self.closed.is_some_and(|closed| closed <= column);
        if is_outdented && node.style == Style::Flow && node.alias().is_none() {
            node.extra_mut().outdented = true;
        }
    }

    fn scalar(&mut self, text: String, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Node {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::Single,
            ScalarStyle::DoubleQuoted => Style::Double,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        };
        let kind = match tag {
            None if style == Style::Plain => {
                if scalar::is_beyond_json(&text) {
                    let message = format!("`{text}` is no number in JSON; it is read as a text");
                    self.tell(Problem::new(ProblemKind::Number, span, message));
                }
                scalar::plain(&text)
            }
            None => Kind::String(text),
            Some(tag) => self.tagged(text, tag, style, span),
        };
        let mut node = Node::new(kind, style);
        node.span = span;
        if let Some(tag) = tag {
            node.extra_mut().tag = Some(tag.original());
        }
        let spelled = &self.text[span.bytes()];
        if !scalar::is_spelled(&node.kind, style, spelled) {
            node.extra_mut().raw = Some(Raw::new(spelled, &node.kind));
        }
        node
    }

    fn tagged(&mut self, text: String, tag: &Tag, style: Style, span: Span) -> Kind {
        let read = match tag.core_suffix() {
            Some("str") => return Kind::String(text),
            Some("null") if scalar::is_null(&text) => return Kind::Null,
            Some("bool") => scalar::truth(&text).map(Kind::Bool),
            Some("int") => scalar::number(&text).filter(Number::is_integer).map(Kind::Number),
            Some("float") => scalar::number(&text).map(Kind::Number),
            None if tag.original() == "!" => return Kind::String(text),
            _ => None,
        };
        read.unwrap_or_else(|| {
            self.odd_tag(tag, span);
            match style {
                Style::Plain => scalar::plain(&text),
                _ => Kind::String(text),
            }
        })
    }

    fn odd_tag(&mut self, tag: &Tag, span: Span) {
        let message = match tag.is_yaml_core_schema() {
            true => format!("the tag `{}` does not fit its value", shown(&tag.original())),
            false => format!("the tag `{}` means nothing here", shown(&tag.original())),
        };
        self.tell(Problem::new(ProblemKind::Tag, span, message));
    }

    /// Tells of keys that occur twice, and of those that JSON does not have.
    fn vet(&mut self, members: &[Member]) {
        let mut known: HashMap<&str, Span> = HashMap::with_capacity(members.len());
        for Member { key, .. } in members {
            let name = match &key.kind {
                Kind::String(name) => name.as_str(),
                Kind::List(_) | Kind::Mapping(_) => {
                    let message = format!("a key is {}; JSON has only texts", key.kind.name());
                    self.tell(Problem::new(ProblemKind::Key, key.span, message));
                    continue;
                }
                _ => &self.text[key.span.bytes()],
            };
            if name == "<<" && key.style == Style::Plain {
                let message = "`<<` merges nothing in YAML 1.2; it is a key like any other";
                self.tell(Problem::new(ProblemKind::Merge, key.span, message));
            }
            match known.get(name) {
                None => {
                    known.insert(name, key.span);
                }
                Some(first) => {
                    let message = format!("the key `{}` occurs twice", shown(name));
                    let problem = Problem::new(ProblemKind::Duplicate, key.span, message);
                    self.tell(problem.also(*first, "the first one is here"));
                }
            }
        }
    }

    /// Keeps a problem; of very many, the first.
    fn tell(&mut self, problem: Problem) {
        const MOST: usize = 100;
        if self.problems.len() < MOST {
            self.problems.push(problem);
        }
    }

    /// Takes the name of the anchor that the node at hand has.
    fn anchor(&mut self, id: usize) -> Result<Option<usize>, Problem> {
        if id == 0 {
            return Ok(None);
        }
        if let Some((Event::Anchor(id, name), _)) = self.next()? {
            self.anchors.insert(id, Anchor { name: name.into_owned(), node: None });
            return Ok(Some(id));
        }
        Ok(None)
    }

    /// Keeps a node that has an anchor, for those who name it.
    fn named(
        &mut self,
        mut node: Node,
        size: Size,
        anchor: Option<usize>,
    ) -> Result<(Node, Size), Problem> {
        let Some(id) = anchor else { return Ok((node, size)) };
        self.charge(size, node.span)?;
        if let Some(anchor) = self.anchors.get_mut(&id) {
            anchor.node = Some((node.clone(), size));
            node.extra_mut().anchor = Some(anchor.name.clone());
        }
        Ok((node, size))
    }

    fn alias(&mut self, id: usize, span: Span, depth: usize) -> Result<(Node, Size), Problem> {
        let size = match self.anchors.get(&id) {
            Some(Anchor { node: Some((_, size)), .. }) => *size,
            _ => {
                let message = "an alias stands inside of what it names";
                return Err(Problem::new(ProblemKind::Alias, span, message));
            }
        };
        if depth + size.levels > self.limits.depth {
            let message = format!("nested deeper than {} levels, by aliases", self.limits.depth);
            return Err(Problem::new(ProblemKind::Limit, span, message));
        }
        self.charge(size, span)?;
        self.nodes += size.nodes;
        let Some(Anchor { node: Some((node, _)), name }) = self.anchors.get(&id) else {
            return Err(Problem::new(ProblemKind::Alias, span, "an alias names nothing"));
        };
        let (mut node, name) = (node.clone(), name.clone());
        node.span = span;
        node.extra_mut().alias = Some(name);
        Ok((node, size))
    }

    fn charge(&mut self, size: Size, span: Span) -> Result<(), Problem> {
        self.copied = self.copied.saturating_add(size.bytes);
        if self.copied <= self.limits.copied {
            return Ok(());
        }
        let message = format!("anchors and aliases copy more than {} bytes", self.limits.copied);
        Err(self.too_much(span, message))
    }

    fn too_much(&mut self, span: Span, message: String) -> Problem {
        self.stop();
        Problem::new(ProblemKind::Limit, span, message)
    }

    /// Where a node stands: the parser has the place of a text behind `|` and that of a list below its key too far behind.
    fn place(&self, event: &Event<'t>, span: granit_parser::Span) -> Span {
        let place = self.span(span);
        let indicators: &[u8] = match event {
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => b"|>",
            Event::SequenceStart(StructureStyle::Block, ..) if self.after_key => b"-",
            _ => return place,
        };
        let Some(start) = indicator(self.text, self.past, place.start, indicators) else {
            return place;
        };
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = content_end(self.text, start, place.end);
        Span {
            start,
            end,
            line: place.line - self.text[start..place.start].matches('\n').count(),
            column: self.text[line..start].chars().count() + 1,
        }
    }

    fn span(&self, span: granit_parser::Span) -> Span {
        // Every offset is known: the text is one string.
        let start = span.start.byte_offset().unwrap_or(self.text.len());
        let end = span.end.byte_offset().unwrap_or(start).max(start);
        Span { start, end, line: span.start.line(), column: span.start.col() + 1 }
    }
}

impl Size {
    fn add(&mut self, part: Self) {
        self.nodes += part.nodes;
        self.bytes += part.bytes;
        self.levels = self.levels.max(part.levels + 1);
    }
}

/// Where the first of some indicators stands that is no part of a comment, an anchor or a tag.
fn indicator(text: &str, from: usize, to: usize, indicators: &[u8]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at <= to && at < bytes.len() {
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

/// A name as messages show it: not too long, and without what would garble a terminal.
fn shown(name: &str) -> String {
    const MOST: usize = 60;
    let mut chars = name.chars();
    let visible = |char: char| if char.is_control() { '\u{fffd}' } else { char };
    let mut shown: String = chars.by_ref().take(MOST).map(visible).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Where the last line that is not empty ends.
fn content_end(text: &str, start: usize, end: usize) -> usize {
    let content = start + text[start..end].trim_end().len();
    text[content..end].find(['\n', '\r']).map_or(end, |line_end| content + line_end)
}

/// Whether an empty line stands above the line of this byte, which is the first of what stands there.
pub(super) fn gap_above(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').unwrap_or(0);
    let above = text[..line].trim_end_matches([' ', '\t', '\r']);
    above.ends_with('\n')
}

/// How many blanks stand before this byte, up to a number that no alignment needs.
fn pad(text: &str, at: usize) -> usize {
    const MOST: usize = 40;
    text[..at].bytes().rev().take(MOST).take_while(|byte| *byte == b' ').count()
}
