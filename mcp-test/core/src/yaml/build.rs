//! Builds nodes from the parser's events.

use std::collections::HashMap;
use std::ops::ControlFlow;

use granit_parser::{Event, ScalarStyle, StructureStyle, Tag};

use super::anchors::Anchors;
use super::events::{EventReader, NextEvent};
use super::node::Raw;
use super::problem::{Problems, printable};
use super::{
    Comment, Document, Kind, Limits, Member, Node, Problem, ProblemKind, Spacing, Span, Style,
    SyntaxError, scalar,
};
use crate::json::Number;

type Built = Result<Node, Problem>;

/// Builds the documents of a text one by one.
pub(super) struct Builder<'t, 'l> {
    events: EventReader<'t, 'l>,
    pub(super) limits: &'l Limits,
    anchors: Anchors,
    /// Of the current document.
    problems: Problems,
    nodes: usize,
    stopped: bool,
    /// The column of the last closing bracket, if it is the first token on its line.
    closed: Option<usize>,
    items: Buffers<Node>,
    members: Buffers<Member>,
}

/// Empty vectors in which small collections are gathered, one for each level.
///
/// Many small collections would mostly consist of room for more, and to return it costs more than to copy them.
struct Buffers<T>(Vec<Vec<T>>);

impl<T> Buffers<T> {
    /// How many items are copied; what is larger would need its memory twice.
    const MOST: usize = 64;

    fn take(&mut self) -> Vec<T> {
        self.0.pop().unwrap_or_default()
    }

    /// The items without room for more.
    fn exact(&mut self, mut items: Vec<T>) -> Vec<T> {
        if items.len() > Self::MOST {
            items.shrink_to_fit();
            return items;
        }
        let mut exact = Vec::with_capacity(items.len());
        exact.append(&mut items);
        self.0.push(items);
        exact
    }
}

impl<'t, 'l> Builder<'t, 'l> {
    pub(super) fn new(text: &'t str, limits: &'l Limits) -> Self {
        Self {
            events: EventReader::new(text, limits),
            limits,
            anchors: Anchors::new(limits.copied),
            problems: Problems::default(),
            nodes: 0,
            stopped: false,
            closed: None,
            items: Buffers(Vec::new()),
            members: Buffers(Vec::new()),
        }
    }

    /// The next event that is not a comment.
    pub(super) fn next(&mut self) -> Result<NextEvent<'t>, Problem> {
        self.events.next().inspect_err(|_| self.stopped |= self.events.is_full())
    }

    /// Skips the rest of a broken document; returns whether another document follows.
    pub(super) fn skip_to_next_document(&mut self) -> bool {
        self.events.next_document()
    }

    /// The end of the last token.
    pub(super) const fn last_end(&self) -> usize {
        self.events.last_end()
    }

    /// The spacing before the last event.
    pub(super) const fn spacing(&self) -> Spacing {
        self.events.spacing()
    }

    /// Stops reading.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// All comments of the text, in order.
    pub(super) fn into_comments(self) -> Vec<Comment> {
        self.events.into_comments()
    }

    /// Builds the started document; returns whether `...` ends it.
    pub(super) fn document(&mut self, explicit: bool) -> Result<(Document, bool), Problem> {
        self.anchors.clear();
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

    /// Builds the node that an event begins.
    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Built {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            let message = format!("more than {} nodes", self.limits.nodes);
            return Err(self.stop_with(Problem::new(ProblemKind::Limit, span, message)));
        }
        // Before the content is built, which reads further events and so changes it.
        let before = self.events.spacing();
        let mut node = self.content(event, span, depth)?;
        node.spacing = before;
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
            // An alias can have neither an anchor nor a tag of its own.
            Event::Alias(id) => return self.alias(id, span, depth),
            _ => {
                let message = "not YAML: expected a node";
                return Err(Problem::new(ProblemKind::Syntax(SyntaxError::Other), span, message));
            }
        };
        match anchor {
            None => Ok(node),
            Some(id) => self.anchors.store(id, node).map_err(|problem| self.stop_with(problem)),
        }
    }

    fn list(
        &mut self,
        style: StructureStyle,
        tag: Option<&Tag>,
        start: Span,
        depth: usize,
    ) -> Built {
        let mut items = self.items.take();
        let end = loop {
            let mut item = match self.child(start, depth)? {
                ControlFlow::Continue(item) => item,
                ControlFlow::Break(end) => break end,
            };
            if style == StructureStyle::Block {
                self.mark_outdented(&mut item, start.column);
            }
            items.push(item);
        };
        let items = self.items.exact(items);
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
        let mut members = self.members.take();
        let end = loop {
            let key = match self.child(start, depth)? {
                ControlFlow::Continue(key) => key,
                ControlFlow::Break(end) => break end,
            };
            self.events.expect_value();
            let mut value = match self.child(start, depth)? {
                ControlFlow::Continue(value) => value,
                ControlFlow::Break(end) => break end,
            };
            if style == StructureStyle::Block {
                self.mark_outdented(&mut value, key.span.column);
            }
            members.push(Member { key, value });
        };
        self.check_keys(&members);
        let members = self.members.exact(members);
        let last = members
            .last()
            .map_or(start.end, |Member { key, value }| value.span.end.max(key.span.end));
        Ok(self.collection(Kind::Mapping(members), style, tag, start, end, last))
    }

    /// The next node of a collection, or the span of the collection's end.
    fn child(&mut self, start: Span, depth: usize) -> Result<ControlFlow<Span, Node>, Problem> {
        match self.next()? {
            None => Ok(ControlFlow::Break(start)),
            // The parser emits balanced events, so the end is always that of the innermost collection.
            Some((Event::SequenceEnd | Event::MappingEnd, end)) => Ok(ControlFlow::Break(end)),
            Some((event, span)) => self.node(event, span, depth + 1).map(ControlFlow::Continue),
        }
    }

    /// Enters a collection, if it is not too deep.
    fn enter(&mut self, style: StructureStyle, span: Span, depth: usize) -> Result<(), Problem> {
        if depth >= self.limits.depth {
            return Err(self.events.too_deep(span));
        }
        if style == StructureStyle::Flow {
            self.events.open(span);
        }
        Ok(())
    }

    /// The node of a collection; `last` is where its last item ends.
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
                self.closed = self.events.close(end);
                // A pair in a list, `[a: b]`, is a flow mapping without brackets of its own.
                (Style::Flow, if end.start < end.end { end.end } else { last })
            }
            // The parser reports the end of a block at the next token, behind its last item.
            StructureStyle::Block => (Style::Block, last),
        };
        let fitting_tag = match kind {
            Kind::List(_) => "seq",
            _ => "map",
        };
        let mut node = Node::new(kind, style);
        node.span = Span { end: end.max(start.start), ..start };
        if let Some(tag) = tag {
            if tag.core_suffix() != Some(fitting_tag) {
                self.problems.push_tag(tag, node.span);
            }
            node.extra_mut().tag = Some(tag.original());
        }
        node
    }

    /// Marks a flow collection whose closing bracket is not indented further than its parent.
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
                    let message =
                        format!("`{text}` is not a number in JSON and is read as a string");
                    self.problems.push(Problem::new(ProblemKind::Number, span, message));
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
        let spelled = &self.events.text[span.bytes()];
        node.is_unwritten = node.kind == Kind::Null && spelled.is_empty();
        if !node.is_unwritten && !scalar::is_spelled(&node.kind, style, spelled) {
            node.extra_mut().raw = Some(Raw::new(spelled, &node.kind));
        }
        node
    }

    /// Resolves a tagged scalar; a tag that does not fit is reported and ignored.
    fn tagged(&mut self, text: String, tag: &Tag, style: Style, span: Span) -> Kind {
        let read = match tag.core_suffix() {
            Some("str") => return Kind::String(text),
            Some("null") if scalar::is_null(&text) => return Kind::Null,
            Some("bool") => scalar::boolean(&text).map(Kind::Bool),
            Some("int") => scalar::number(&text).filter(Number::is_integer).map(Kind::Number),
            Some("float") => scalar::number(&text).map(Kind::Number),
            // `!` is the non-specific tag, which makes any scalar a string.
            None if tag.original() == "!" => return Kind::String(text),
            _ => None,
        };
        read.unwrap_or_else(|| {
            self.problems.push_tag(tag, span);
            match style {
                Style::Plain => scalar::plain(&text),
                _ => Kind::String(text),
            }
        })
    }

    /// Reports duplicate keys, and keys that JSON does not have.
    fn check_keys(&mut self, members: &[Member]) {
        let mut known: HashMap<&str, Span> = HashMap::with_capacity(members.len());
        for Member { key, .. } in members {
            let name = match &key.kind {
                Kind::String(name) => name.as_str(),
                Kind::List(_) | Kind::Mapping(_) => {
                    let message =
                        format!("a key is {}, but JSON keys are strings", key.kind.name());
                    self.problems.push(Problem::new(ProblemKind::Key, key.span, message));
                    continue;
                }
                // By spelling, which is what becomes the JSON key: `1` and `1.0` are different members.
                _ => &self.events.text[key.span.bytes()],
            };
            if name == "<<" && key.style == Style::Plain {
                let message = "`<<` does not merge in YAML 1.2 and is an ordinary key";
                self.problems.push(Problem::new(ProblemKind::Merge, key.span, message));
            }
            match known.get(name) {
                None => {
                    known.insert(name, key.span);
                }
                // The first one stays in the table, so that a third occurrence refers to it as well.
                Some(first) => {
                    let message = format!("the key `{}` occurs twice", printable(name));
                    let problem = Problem::new(ProblemKind::Duplicate, key.span, message);
                    self.problems.push(problem.also(*first, "first used here"));
                }
            }
        }
    }

    /// Reads the name of the current node's anchor, which the parser emits as the next event.
    fn anchor(&mut self, id: usize) -> Result<Option<usize>, Problem> {
        if id == 0 {
            return Ok(None);
        }
        Ok(match self.next()? {
            Some((Event::Anchor(id, name), _)) => {
                self.anchors.declare(id, name.into_owned());
                Some(id)
            }
            _ => None,
        })
    }

    fn alias(&mut self, id: usize, span: Span, depth: usize) -> Built {
        let size = self.anchors.size(id, span)?;
        if depth + size.levels > self.limits.depth {
            let message =
                format!("nested deeper than {} levels through aliases", self.limits.depth);
            return Err(Problem::new(ProblemKind::Limit, span, message));
        }
        // Copies count as nodes: a consumer walks through each of them.
        self.nodes += size.nodes;
        self.anchors.copy(id, span).map_err(|problem| self.stop_with(problem))
    }

    /// Stops reading because of a limit.
    fn stop_with(&mut self, problem: Problem) -> Problem {
        // These limits are for all documents together, so the ones that follow would exceed them as well.
        self.stop();
        problem
    }
}
