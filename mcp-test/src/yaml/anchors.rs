//! What aliases copy, and how much of it.

use std::collections::HashMap;

use super::{Kind, Member, Node, Problem, ProblemKind, Span};

/// The anchors of a document.
pub(super) struct Anchors {
    known: HashMap<usize, Anchor>,
    /// Bytes that were copied, in all documents.
    copied: usize,
    most: usize,
}

struct Anchor {
    name: String,
    /// None while what it names is not complete.
    node: Option<(Node, Size)>,
}

/// What a node takes in memory, with everything inside of it.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) nodes: usize,
    pub(super) bytes: usize,
    pub(super) levels: usize,
}

impl Anchors {
    pub(super) fn new(most: usize) -> Self {
        Self { known: HashMap::new(), copied: 0, most }
    }

    /// Anchors end with their document.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    pub(super) fn begin(&mut self, id: usize, name: String) {
        self.known.insert(id, Anchor { name, node: None });
    }

    /// Keeps what an anchor names, and gives it its name.
    pub(super) fn keep(&mut self, id: usize, mut node: Node) -> Result<Node, Problem> {
        let size = Size::of(&node);
        self.charge(size, node.span)?;
        if let Some(anchor) = self.known.get_mut(&id) {
            anchor.node = Some((node.clone(), size));
            node.extra_mut().anchor = Some(anchor.name.clone());
        }
        Ok(node)
    }

    /// How much an alias would copy.
    pub(super) fn size(&self, id: usize, alias: Span) -> Result<Size, Problem> {
        self.kept(id, alias).map(|(_, _, size)| size)
    }

    pub(super) fn copy(&mut self, id: usize, alias: Span) -> Result<Node, Problem> {
        let size = self.size(id, alias)?;
        self.charge(size, alias)?;
        let (node, name, _) = self.kept(id, alias)?;
        let (mut node, name) = (node.clone(), name.to_owned());
        node.span = alias;
        node.extra_mut().alias = Some(name);
        Ok(node)
    }

    fn kept(&self, id: usize, alias: Span) -> Result<(&Node, &str, Size), Problem> {
        match self.known.get(&id) {
            Some(Anchor { name, node: Some((node, size)) }) => Ok((node, name, *size)),
            _ => {
                let message = "an alias stands inside of what it names";
                Err(Problem::new(ProblemKind::Alias, alias, message))
            }
        }
    }

    fn charge(&mut self, size: Size, span: Span) -> Result<(), Problem> {
        self.copied = self.copied.saturating_add(size.bytes);
        if self.copied <= self.most {
            return Ok(());
        }
        let message = format!("anchors and aliases copy more than {} bytes", self.most);
        Err(Problem::new(ProblemKind::Limit, span, message))
    }
}

impl Size {
    fn of(node: &Node) -> Self {
        let mut size = Self { nodes: 1, bytes: size_of::<Node>(), levels: 0 };
        size.bytes += node.extra.as_ref().map_or(0, |extra| extra.bytes());
        match &node.kind {
            Kind::Null | Kind::Bool(_) => {}
            Kind::Number(number) => size.bytes += number.as_str().len(),
            Kind::String(text) => size.bytes += text.len(),
            Kind::List(items) => items.iter().for_each(|item| size.add(Self::of(item))),
            Kind::Mapping(members) => members.iter().for_each(|Member { key, value }| {
                size.add(Self::of(key));
                size.add(Self::of(value));
            }),
        }
        size
    }

    /// Takes a part of the node in.
    fn add(&mut self, part: Self) {
        self.nodes += part.nodes;
        self.bytes += part.bytes;
        self.levels = self.levels.max(part.levels + 1);
    }
}
