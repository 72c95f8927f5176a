//! What aliases copy, and how much of it.

use std::collections::HashMap;

use super::{Node, Problem, ProblemKind, Span};

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

/// What a node is in memory, with everything inside of it.
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
    pub(super) fn keep(&mut self, id: usize, mut node: Node, size: Size) -> Result<Node, Problem> {
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
    /// That of a list or mapping without what is in it.
    pub(super) const COLLECTION: Self = Self { nodes: 1, bytes: 3 * size_of::<Node>(), levels: 0 };

    /// That of a scalar of so many bytes.
    pub(super) fn of(node: &Node, text: usize) -> Self {
        let extra = if node.extra.is_some() { 2 * size_of::<Node>() } else { 0 };
        Self { nodes: 1, bytes: size_of::<Node>() + extra + text, levels: 0 }
    }

    /// Takes a part of the node in.
    pub(super) fn add(&mut self, part: Self) {
        self.nodes += part.nodes;
        self.bytes += part.bytes;
        self.levels = self.levels.max(part.levels + 1);
    }
}
