//! One node: what it is, where it stands, and how it was written.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use super::{Comments, Span};
use crate::json::{Number, Object, Pointer, Value};

/// A node of a document.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// Where it stands, without anchor and tag. What is written as nothing stands where it would begin.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
    /// How it is written.
    pub style: Style,
    /// Whether it begins on a new line; counts for items and keys.
    pub before: Before,
    /// Whether it is [nothing](Kind::Null), and nothing is written for it.
    pub(super) is_unwritten: bool,
    /// What few nodes have.
    pub(super) extra: Option<Box<Extra>>,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Nothing, or a word that stands for it.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
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
    /// A scalar in `'`.
    Single,
    /// A scalar in `"`.
    Double,
    /// A text behind `|`.
    Literal,
    /// A text behind `>`.
    Folded,
    /// A list or mapping in brackets.
    Flow,
    /// A list or mapping by indentation.
    Block,
}

/// What stands between a node and what comes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Before {
    /// It goes on in the same line.
    #[default]
    Nothing,
    /// It begins a line.
    Line,
    /// An empty line stands before it, below the comments above it.
    Gap,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Extra {
    pub(super) comments: Option<Box<Comments>>,
    pub(super) tag: Option<String>,
    pub(super) anchor: Option<String>,
    pub(super) alias: Option<String>,
    /// A scalar as it stands in the text, if it is spelled in another way than we would.
    pub(super) raw: Option<Raw>,
    /// Whether its brackets close in the column of the key or dash that it belongs to.
    pub(super) outdented: bool,
}

/// How a scalar was spelled, and of what that is the spelling.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Raw {
    spelled: String,
    kind: u64,
}

impl Extra {
    /// What it takes in memory, without comments.
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

/// Tells whether a scalar is still what it was.
fn fingerprint(kind: &Kind) -> u64 {
    let mut hasher = DefaultHasher::new();
    discriminant(kind).hash(&mut hasher);
    match kind {
        Kind::Null | Kind::List(_) | Kind::Mapping(_) => {}
        Kind::Bool(truth) => truth.hash(&mut hasher),
        Kind::Number(number) => number.as_str().hash(&mut hasher),
        Kind::String(text) => text.hash(&mut hasher),
    }
    hasher.finish()
}

impl Node {
    /// A node of this kind in this style.
    #[must_use]
    pub fn new(kind: Kind, style: Style) -> Self {
        Self {
            span: Span::default(),
            kind,
            style,
            before: Before::Nothing,
            is_unwritten: false,
            extra: None,
        }
    }

    /// JSON, to be written in one line.
    ///
    /// ```
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
            Value::Bool(truth) => Self::new(Kind::Bool(*truth), Style::Plain),
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

    /// The comments about it.
    #[must_use]
    pub fn comments(&self) -> &Comments {
        let comments = self.extra.as_ref().and_then(|extra| extra.comments.as_ref());
        comments.map_or(Comments::NONE, |comments| comments)
    }

    /// The comments about it, to be changed.
    pub fn comments_mut(&mut self) -> &mut Comments {
        self.extra_mut().comments.get_or_insert_default()
    }

    /// Its tag, as it is written: `!!str`.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.extra.as_ref()?.tag.as_deref()
    }

    /// Its anchor, without the `&`.
    #[must_use]
    pub fn anchor(&self) -> Option<&str> {
        self.extra.as_ref()?.anchor.as_deref()
    }

    /// The anchor that it is a copy of, if it is written as an alias.
    #[must_use]
    pub fn alias(&self) -> Option<&str> {
        self.extra.as_ref()?.alias.as_deref()
    }

    /// How it was spelled, if that is not how we would spell it, and it is still the same.
    pub(super) fn raw(&self) -> Option<&str> {
        if self.is_unwritten && self.kind == Kind::Null {
            return Some("");
        }
        let raw = self.extra.as_ref()?.raw.as_ref()?;
        (raw.kind == fingerprint(&self.kind)).then_some(raw.spelled.as_str())
    }

    pub(super) fn is_outdented(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.outdented)
    }

    pub(super) fn extra_mut(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }

    /// The text, if it is one.
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

    /// The value of the member with this key; of several, the last.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        let mut members = self.as_mapping()?.iter().rev();
        members.find(|member| member.key.as_str() == Some(key)).map(|member| &member.value)
    }

    /// It as JSON. A key that is no text is called as it is spelled, or by its JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(truth) => Value::Bool(*truth),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::String(text) => Value::String(text.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Mapping(members) => {
                let mut object = Object::default();
                for Member { key, value } in members {
                    object.push(key.name(), value.to_value());
                }
                Value::Object(object)
            }
        }
    }

    /// What it is called as a key of JSON.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::String(text) => text.clone(),
            _ => self.raw().map_or_else(|| self.to_value().to_string(), str::to_owned),
        }
    }

    /// The node at a pointer into [its JSON](Self::to_value) and how many of its steps lead there; of what is not there, the
    /// nearest that is.
    #[must_use]
    pub fn nearest(&self, pointer: &Pointer) -> (&Self, usize) {
        let (mut node, mut steps) = (self, 0);
        for step in pointer.tokens() {
            let next = match &node.kind {
                Kind::List(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
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

    /// Whether another node says the same in the same style, with the same comments. Places, blanks and line breaks do not
    /// count, and of an alias only its name does.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.style == other.style
            && self.alias() == other.alias()
            && self.anchor() == other.anchor()
            && self.tag() == other.tag()
            && self.comments().are_like(other.comments())
            && (self.alias().is_some() || self.kind.is_like(&other.kind))
    }
}

impl Kind {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(ours), Self::List(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(ours, theirs)| ours.is_like(theirs))
            }
            (Self::Mapping(ours), Self::Mapping(theirs)) => {
                let same = |(ours, theirs): (&Member, &Member)| {
                    ours.key.is_like(&theirs.key) && ours.value.is_like(&theirs.value)
                };
                ours.len() == theirs.len() && ours.iter().zip(theirs).all(same)
            }
            (Self::Number(ours), Self::Number(theirs)) => ours.as_str() == theirs.as_str(),
            _ => self == other,
        }
    }

    /// The word for it in messages, with its article.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::String(_) => "a text",
            Self::List(_) => "a list",
            Self::Mapping(_) => "a mapping",
        }
    }
}
