//! A node of the syntax tree: its kind, span and style.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use super::{Comments, Span};
use crate::json::{Number, Pointer, Value, array_index};

/// A node of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its span without anchor and tag; an empty value has an empty span where it would begin.
    pub span: Span,
    /// Its content.
    pub kind: Kind,
    /// How it is written.
    pub style: Style,
    /// What separates it from the previous token; only used for items and keys.
    pub spacing: Spacing,
    /// Whether it is [null](Kind::Null) and written as an empty value.
    pub(super) is_unwritten: bool,
    /// Boxed because few nodes have it.
    pub(super) extra: Option<Box<Extra>>,
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `null`, `~` or an empty value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping.
    Mapping(Vec<Member>),
}

/// A member of a mapping.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "a key and a value")]
pub struct Member {
    pub key: Node,
    pub value: Node,
}

/// How a node is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// A scalar without quotes.
    #[default]
    Plain,
    /// A single-quoted scalar.
    Single,
    /// A double-quoted scalar.
    Double,
    /// A literal block scalar (`|`).
    Literal,
    /// A folded block scalar (`>`).
    Folded,
    /// A list or mapping in brackets.
    Flow,
    /// A list or mapping written by indentation.
    Block,
}

/// What separates a node from the token before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Spacing {
    /// It is on the same line.
    #[default]
    SameLine,
    /// It begins a new line.
    NewLine,
    /// A blank line precedes it, below any comments above it.
    BlankLine,
}

/// The properties that few nodes have.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Extra {
    pub(super) comments: Option<Box<Comments>>,
    pub(super) tag: Option<String>,
    pub(super) anchor: Option<String>,
    pub(super) alias: Option<String>,
    /// The spelling of a scalar in the text, if it differs from the one we would write.
    pub(super) raw: Option<Raw>,
    /// Whether its closing bracket is in the column of its key or dash.
    pub(super) outdented: bool,
}

/// The original spelling of a scalar, valid while the value has the same fingerprint.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Raw {
    spelled: String,
    kind: u64,
}

impl Extra {
    /// Its size in memory, without comments.
    pub(super) fn bytes(&self) -> usize {
        let raw = self.raw.as_ref().map(|raw| &raw.spelled);
        let texts = [self.tag.as_ref(), self.anchor.as_ref(), self.alias.as_ref(), raw];
        size_of::<Self>() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl Raw {
    pub(super) fn new(spelled: &str, kind: &Kind) -> Self {
        Self { spelled: spelled.to_owned(), kind: fingerprint(kind) }
    }
}

/// A hash by which a changed scalar is noticed.
fn fingerprint(kind: &Kind) -> u64 {
    let mut hasher = DefaultHasher::new();
    discriminant(kind).hash(&mut hasher);
    match kind {
        Kind::Null | Kind::List(_) | Kind::Mapping(_) => {}
        Kind::Bool(boolean) => boolean.hash(&mut hasher),
        Kind::Number(number) => number.as_str().hash(&mut hasher),
        Kind::String(text) => text.hash(&mut hasher),
    }
    hasher.finish()
}

impl Node {
    /// Creates a node.
    #[must_use]
    pub fn new(kind: Kind, style: Style) -> Self {
        Self {
            span: Span::default(),
            kind,
            style,
            spacing: Spacing::SameLine,
            is_unwritten: false,
            extra: None,
        }
    }

    /// Creates a node from JSON, written on one line.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::yaml::{self, Document, Node};
    ///
    /// let message = serde_json::json!({"jsonrpc": "2.0", "method": "ping"}).into();
    /// let mut stream = yaml::Stream::default();
    /// stream.documents.push(Ok(Document::new(Node::json(&message))));
    /// assert_eq!(yaml::write(&stream), "{\"jsonrpc\": \"2.0\", \"method\": \"ping\"}\n");
    /// ```
    #[must_use]
    pub fn json(value: &Value) -> Self {
        let text = |text: &str| Self::new(Kind::String(text.to_owned()), Style::Double);
        match value {
            Value::Null => Self::new(Kind::Null, Style::Plain),
            Value::Bool(boolean) => Self::new(Kind::Bool(*boolean), Style::Plain),
            Value::Number(number) => Self::new(Kind::Number(number.clone()), Style::Plain),
            Value::String(string) => text(string),
            Value::Array(items) => {
                Self::new(Kind::List(items.iter().map(Self::json).collect()), Style::Flow)
            }
            Value::Object(object) => {
                let member = |(name, value)| Member { key: text(name), value: Self::json(value) };
                Self::new(Kind::Mapping(object.iter().map(member).collect()), Style::Flow)
            }
        }
    }

    /// Its comments.
    #[must_use]
    pub fn comments(&self) -> &Comments {
        let comments = self.extra.as_ref().and_then(|extra| extra.comments.as_ref());
        comments.map_or(Comments::NONE, |comments| comments)
    }

    /// Its comments, mutably.
    pub fn comments_mut(&mut self) -> &mut Comments {
        self.extra_mut().comments.get_or_insert_default()
    }

    /// Its tag as written: `!!str`.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.extra.as_ref()?.tag.as_deref()
    }

    /// Its anchor, without the `&`.
    #[must_use]
    pub fn anchor(&self) -> Option<&str> {
        self.extra.as_ref()?.anchor.as_deref()
    }

    /// The anchor it copies, if it is written as an alias.
    #[must_use]
    pub fn alias(&self) -> Option<&str> {
        self.extra.as_ref()?.alias.as_deref()
    }

    /// Its original spelling, if that differs from ours and the value is unchanged.
    pub(super) fn raw(&self) -> Option<&str> {
        // A flag instead of a `Raw`, because empty values are common and a box for each takes memory.
        if self.is_unwritten && self.kind == Kind::Null {
            return Some("");
        }
        let raw = self.extra.as_ref()?.raw.as_ref()?;
        // A caller may have changed the value through its public field; the old spelling would then be wrong.
        (raw.kind == fingerprint(&self.kind)).then_some(raw.spelled.as_str())
    }

    pub(super) fn is_outdented(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.outdented)
    }

    pub(super) fn extra_mut(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// The items, if it is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Node]> {
        if let Kind::List(items) = &self.kind { Some(items) } else { None }
    }

    /// The members, if it is a mapping.
    #[must_use]
    pub fn as_mapping(&self) -> Option<&[Member]> {
        if let Kind::Mapping(members) = &self.kind { Some(members) } else { None }
    }

    /// The value of the member with this key; the last one if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        // The last one, as in `json::Object::get`.
        let mut members = self.as_mapping()?.iter().rev();
        members.find(|member| member.key.as_str() == Some(key)).map(|member| &member.value)
    }

    /// Converts it to JSON. A key that is not a string becomes its spelling, or its JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(boolean) => Value::Bool(*boolean),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::String(text) => Value::String(text.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Mapping(members) => {
                let member = |Member { key, value }: &Member| (key.name(), value.to_value());
                Value::Object(members.iter().map(member).collect())
            }
        }
    }

    /// Its name as a JSON key.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::String(text) => text.clone(),
            _ => self.raw().map_or_else(|| self.to_value().to_string(), str::to_owned),
        }
    }

    /// The node at a pointer into [its JSON](Self::to_value), or else its deepest existing ancestor; also returns how many
    /// steps lead there.
    #[must_use]
    pub fn nearest(&self, pointer: &Pointer) -> (&Self, usize) {
        let (mut node, mut steps) = (self, 0);
        for step in pointer.tokens() {
            let next = match &node.kind {
                Kind::List(items) => array_index(&step).and_then(|index| items.get(index)),
                Kind::Mapping(members) => members
                    .iter()
                    .rev()
                    .find(|member| member.key.is_called(&step))
                    .map(|member| &member.value),
                _ => None,
            };
            match next {
                Some(next) => (node, steps) = (next, steps + 1),
                None => break,
            }
        }
        (node, steps)
    }

    fn is_called(&self, name: &str) -> bool {
        self.as_str().map_or_else(|| self.name() == name, |text| text == name)
    }

    /// Whether another node has the same content, style and comments. Spans and spacing are ignored, and aliases are compared by
    /// name.
    pub(super) fn has_same_content(&self, other: &Self) -> bool {
        self.style == other.style
            && self.alias() == other.alias()
            && self.anchor() == other.anchor()
            && self.tag() == other.tag()
            && self.comments().same_texts(other.comments())
            && (self.alias().is_some() || self.kind.has_same_content(&other.kind))
    }
}

impl Kind {
    /// The items of a list, or the keys and values of a mapping, in order.
    pub(super) fn children(&self) -> impl Iterator<Item = &Node> {
        let (items, members): (&[Node], &[Member]) = match self {
            Self::List(items) => (items, &[]),
            Self::Mapping(members) => (&[], members),
            _ => (&[], &[]),
        };
        items.iter().chain(members.iter().flat_map(|member| [&member.key, &member.value]))
    }

    fn has_same_content(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(_), Self::List(_)) | (Self::Mapping(_), Self::Mapping(_)) => {
                let mut pairs = self.children().zip(other.children());
                self.children().count() == other.children().count()
                    && pairs.all(|(ours, theirs)| ours.has_same_content(theirs))
            }
            // By spelling: numbers that are equal in value may still be written differently.
            (Self::Number(ours), Self::Number(theirs)) => ours.as_str() == theirs.as_str(),
            _ => self == other,
        }
    }

    /// Its name in messages, with an article.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Null => "an empty value",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Mapping(_) => "a mapping",
        }
    }
}
