//! From the parser's events to nodes.

use std::collections::HashMap;

use granit_parser::{Event, ScalarStyle, StructureStyle, Tag};

use super::anchors::Anchors;
use super::node::Raw;
use super::problem::{Problems, shown};
use super::tokens::{Step, Tokens};
use super::{
    Before, Comment, Document, Kind, Limits, Member, Node, Problem, ProblemKind, Span, Style,
    scalar,
};
use crate::json::Number;

type Built = Result<Node, Problem>;

/// Builds the documents of a text, one after the other.
pub(super) struct Builder<'t, 'l> {
    tokens: Tokens<'t, 'l>,
    pub(super) limits: &'l Limits,
    anchors: Anchors,
    /// Of the document at hand.
    problems: Problems,
    nodes: usize,
    stopped: bool,
    /// The column of the bracket that closed last, if it was the first of its line.
    closed: Option<usize>,
}

impl<'t, 'l> Builder<'t, 'l> {
    pub(super) fn new(text: &'t str, limits: &'l Limits) -> Self {
        Self {
            tokens: Tokens::new(text, limits),
            limits,
            anchors: Anchors::new(limits.copied),
            problems: Problems::default(),
            nodes: 0,
            stopped: false,
            closed: None,
        }
    }

    /// The next event that is no comment.
    pub(super) fn next(&mut self) -> Result<Step<'t>, Problem> {
        self.tokens.next().inspect_err(|_| self.stopped |= self.tokens.is_full())
    }

    /// Skips the rest of a broken document, and says whether another one follows.
    pub(super) fn go_on(&mut self) -> bool {
        self.tokens.next_document()
    }

    /// Where the last token ends.
    pub(super) const fn past(&self) -> usize {
        self.tokens.past()
    }

    /// What stands before the last event.
    pub(super) const fn before(&self) -> Before {
        self.tokens.before()
    }

    /// Reads no further.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// The comments of the whole text, in order.
    pub(super) fn into_comments(self) -> Vec<Comment> {
        self.tokens.into_comments()
    }

    /// The document that has begun, and whether a `...` ends it.
    pub(super) fn document(&mut self, explicit: bool) -> Result<(Document, bool), Problem> {
        self.anchors.forget();
        self.problems = Problems::default();
        let root = match self.next()? {
            Some((event, span)) => self.node(event, span, 0)?,
            None => Node::new(Kind::Null, Style::Plain),
        };
        let end = self.next()?;
        let has_end = matches!(end, Some((Event::DocumentEnd, span)) if span.start < span.end);
        let mut document = Document::new(root);
        document.explicit = explicit;
        document.problems = std::mem::take(&mut self.problems).list;
        Ok((document, has_end))
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Built {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            let message = format!("there are more than {} nodes", self.limits.nodes);
            return Err(self.stopped_by(Problem::new(ProblemKind::Limit, span, message)));
        }
        let before = self.tokens.before();
        let mut node = self.content(event, span, depth)?;
        node.before = before;
        Ok(node)
    }

    fn content(&mut self, event: Event<'t>, span: Span, depth: usize) -> Built {
        let (anchor, node) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let anchor = self.anchor(anchor)?;
                (anchor, self.scalar(text.into_owned(), style, tag.as_deref(), span))
            }
            Event::SequenceStart(style, anchor, tag) => {
                let anchor = self.anchor(anchor)?;
                self.enter(style, span, depth)?;
                (anchor, self.list(style, tag.as_deref(), span, depth)?)
            }
            Event::MappingStart(style, anchor, tag) => {
                let anchor = self.anchor(anchor)?;
                self.enter(style, span, depth)?;
                (anchor, self.mapping(style, tag.as_deref(), span, depth)?)
            }
            Event::Alias(id) => return self.alias(id, span, depth),
            _ => {
                let message = "not YAML: no node stands here";
                return Err(Problem::new(ProblemKind::Syntax, span, message));
            }
        };
        match anchor {
            None => Ok(node),
            Some(id) => self.anchors.keep(id, node).map_err(|problem| self.stopped_by(problem)),
        }
    }

    fn list(
        &mut self,
        style: StructureStyle,
        tag: Option<&Tag>,
        start: Span,
        depth: usize,
    ) -> Built {
        let mut items: Vec<Node> = Vec::new();
        let end = loop {
            let (event, span) = match self.next()? {
                None => break start,
                Some((Event::SequenceEnd, end)) => break end,
                Some(step) => step,
            };
            let mut item = self.node(event, span, depth + 1)?;
            if style == StructureStyle::Block {
                self.mark_outdented(&mut item, start.column);
            }
            items.push(item);
        };
        let last = items.last().map_or(start.end, |item| item.span.end);
        Ok(self.collection(Kind::List(items), style, tag, start, end, last))
    }

    fn mapping(
        &mut self,
        style: StructureStyle,
        tag: Option<&Tag>,
        start: Span,
        depth: usize,
    ) -> Built {
        let mut members: Vec<Member> = Vec::new();
        let end = loop {
            let (event, span) = match self.next()? {
                None => break start,
                Some((Event::MappingEnd, end)) => break end,
                Some(step) => step,
            };
            let key = self.node(event, span, depth + 1)?;
            self.tokens.expect_value();
            let Some((event, span)) = self.next()? else { break start };
            let mut value = self.node(event, span, depth + 1)?;
            if style == StructureStyle::Block {
                self.mark_outdented(&mut value, key.span.column);
            }
            members.push(Member { key, value });
        };
        self.vet(&members);
        let last = members
            .last()
            .map_or(start.end, |Member { key, value }| value.span.end.max(key.span.end));
        Ok(self.collection(Kind::Mapping(members), style, tag, start, end, last))
    }

    fn enter(&mut self, style: StructureStyle, span: Span, depth: usize) -> Result<(), Problem> {
        if depth >= self.limits.depth {
            return Err(self.tokens.too_deep(span));
        }
        if style == StructureStyle::Flow {
            self.tokens.open(span);
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
                self.closed = self.tokens.close(end);
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
                self.problems.odd_tag(tag, node.span);
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
                    self.problems.tell(Problem::new(ProblemKind::Number, span, message));
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
        let spelled = &self.tokens.text[span.bytes()];
        node.is_unwritten = node.kind == Kind::Null && spelled.is_empty();
        if !node.is_unwritten && !scalar::is_spelled(&node.kind, style, spelled) {
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
            self.problems.odd_tag(tag, span);
            match style {
                Style::Plain => scalar::plain(&text),
                _ => Kind::String(text),
            }
        })
    }

    /// Tells of keys that occur twice, and of those that JSON does not have.
    fn vet(&mut self, members: &[Member]) {
        let mut known: HashMap<&str, Span> = HashMap::with_capacity(members.len());
        for Member { key, .. } in members {
            let name = match &key.kind {
                Kind::String(name) => name.as_str(),
                Kind::List(_) | Kind::Mapping(_) => {
                    let message = format!("a key is {}; JSON has only texts", key.kind.name());
                    self.problems.tell(Problem::new(ProblemKind::Key, key.span, message));
                    continue;
                }
                _ => &self.tokens.text[key.span.bytes()],
            };
            if name == "<<" && key.style == Style::Plain {
                let message = "`<<` merges nothing in YAML 1.2; it is a key like any other";
                self.problems.tell(Problem::new(ProblemKind::Merge, key.span, message));
            }
            match known.get(name) {
                None => {
                    known.insert(name, key.span);
                }
                Some(first) => {
                    let message = format!("the key `{}` occurs twice", shown(name));
                    let problem = Problem::new(ProblemKind::Duplicate, key.span, message);
                    self.problems.tell(problem.also(*first, "the first one is here"));
                }
            }
        }
    }

    /// Takes the name of the anchor that the node at hand has.
    fn anchor(&mut self, id: usize) -> Result<Option<usize>, Problem> {
        if id == 0 {
            return Ok(None);
        }
        Ok(match self.next()? {
            Some((Event::Anchor(id, name), _)) => {
                self.anchors.begin(id, name.into_owned());
                Some(id)
            }
            _ => None,
        })
    }

    fn alias(&mut self, id: usize, span: Span, depth: usize) -> Built {
        let size = self.anchors.size(id, span)?;
        if depth + size.levels > self.limits.depth {
            let message = format!("nested deeper than {} levels, by aliases", self.limits.depth);
            return Err(Problem::new(ProblemKind::Limit, span, message));
        }
        self.nodes += size.nodes;
        self.anchors.copy(id, span).map_err(|problem| self.stopped_by(problem))
    }

    /// Reads no further, for want of room.
    fn stopped_by(&mut self, problem: Problem) -> Problem {
        self.stop();
        problem
    }
}
