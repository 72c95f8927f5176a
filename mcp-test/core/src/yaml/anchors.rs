//! Anchored nodes, and the cost of copying them for aliases.

use std::collections::HashMap;

use super::{Kind, Node, Problem, ProblemKind, Span};

/// The anchors of a document.
pub(super) struct Anchors {
    known: HashMap<usize, Anchor>,
    /// Bytes copied so far, in all documents.
    copied: usize,
    limit: usize,
}

struct Anchor {
    name: String,
    /// `None` while the node is still being built.
    node: Option<(Node, Size)>,
}

/// The size of a node with everything inside it.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) nodes: usize,
    pub(super) bytes: usize,
    pub(super) levels: usize,
}

impl Anchors {
    pub(super) fn new(limit: usize) -> Self {
        Self { known: HashMap::new(), copied: 0, limit }
    }

    /// Clears all anchors: their scope is one document.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    /// Declares an anchor, whose node is still to be built.
    pub(super) fn declare(&mut self, id: usize, name: String) {
        self.known.insert(id, Anchor { name, node: None });
    }

    /// Stores the node that an anchor names, and sets the node's anchor.
    pub(super) fn store(&mut self, id: usize, mut node: Node) -> Result<Node, Problem> {
        let size = Size::of(&node);
        // The stored node is a copy as well, even if no alias uses it.
        self.charge(size, node.span)?;
        if let Some(anchor) = self.known.get_mut(&id) {
            anchor.node = Some((node.clone(), size));
            node.extra_mut().anchor = Some(anchor.name.clone());
        }
        Ok(node)
    }

    /// The size of the copy that an alias makes.
    pub(super) fn size(&self, id: usize, alias: Span) -> Result<Size, Problem> {
        self.anchored(id, alias).map(|(_, _, size)| size)
    }

    /// Copies the node that an alias names.
    pub(super) fn copy(&mut self, id: usize, alias: Span) -> Result<Node, Problem> {
        let size = self.size(id, alias)?;
        self.charge(size, alias)?;
        let (node, name, _) = self.anchored(id, alias)?;
        let (mut node, name) = (node.clone(), name.to_owned());
        node.span = alias;
        node.extra_mut().alias = Some(name);
        Ok(node)
    }

    fn anchored(&self, id: usize, alias: Span) -> Result<(&Node, &str, Size), Problem> {
        match self.known.get(&id) {
            Some(Anchor { name, node: Some((node, size)) }) => Ok((node, name, *size)),
            // The parser itself reports an alias of an unknown anchor, so this is one inside the anchor's own node.
            _ => {
                let message = "an alias is used inside the node that it names";
                Err(Problem::new(ProblemKind::Alias, alias, message))
            }
        }
    }

    fn charge(&mut self, size: Size, span: Span) -> Result<(), Problem> {
        // Over all documents: nested aliases can double the size at each level, and a text may repeat that.
        self.copied = self.copied.saturating_add(size.bytes);
        if self.copied <= self.limit {
            return Ok(());
        }
        let message = format!("anchors and aliases copy more than {} bytes", self.limit);
        Err(Problem::new(ProblemKind::Limit, span, message))
    }
}

impl Size {
    fn of(node: &Node) -> Self {
        let mut size = Self { nodes: 1, bytes: size_of::<Node>(), levels: 0 };
        size.bytes += node.extra.as_ref().map_or(0, |extra| extra.bytes());
        match &node.kind {
            Kind::Number(number) => size.bytes += number.as_str().len(),
            Kind::String(text) => size.bytes += text.len(),
            kind => kind.children().for_each(|child| size.add(Self::of(child))),
        }
        size
    }

    /// Adds a part of the node.
    fn add(&mut self, part: Self) {
        self.nodes += part.nodes;
        self.bytes += part.bytes;
        self.levels = self.levels.max(part.levels + 1);
    }
}
