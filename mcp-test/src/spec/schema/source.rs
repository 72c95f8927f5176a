//! What stands in the shape files, all revisions together: shapes, their lines, and the types that lines name.
//!
//! How it is read from text is `read`; what it means at one revision is `model`.

use std::fmt;

use crate::spec::Revisions;

/// The shapes of all files, in their order.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) shapes: Vec<Shape>,
}

/// A line of a shape file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: &'static str,
    pub(super) line: usize,
}

/// What is wrong with a shape file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) place: Place,
    pub(super) reason: String,
}

/// A header and the lines below it.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    /// Where the specification describes it, if not under its name on the schema page.
    pub(super) page: Option<&'static str>,
    pub(super) revisions: Revisions,
    pub(super) place: Place,
    pub(super) body: Vec<Line>,
}

/// One thing said of a shape or of an object inside it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) says: Says,
    /// Where it holds; within the revisions of what it belongs to.
    pub(super) revisions: Revisions,
    /// The disagreement by which the official schema has this line and the text does not.
    pub(super) disagreement: Option<&'static str>,
    pub(super) place: Place,
}

/// What a line says.
#[derive(Debug)]
pub(super) enum Says {
    /// `-> Name`: what answers the request.
    Result(&'static str),
    /// `= TYPE`: the whole shape.
    Is(Typed),
    /// `| TYPE`: one of the shapes that it may have.
    Or(Typed),
    /// `name TYPE`, `name? TYPE`.
    Member { name: &'static str, required: bool, of: Typed },
    /// `* TYPE`: every member that is not named.
    Rest(Typed),
    /// `with Name`: all members of that shape.
    With(&'static str),
    /// `without name`: a member that is taken away again.
    Without(&'static str),
}

/// A type, and the deeper lines that say what is in the object it mentions.
#[derive(Debug)]
pub(super) struct Typed {
    pub(super) of: Type,
    pub(super) inside: Vec<Line>,
}

/// A type as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    Any,
    Null,
    Boolean,
    String,
    Format(Format),
    Integer(Range),
    Number(Range),
    Literal(&'static str),
    Exactly(i64),
    Object,
    Name(&'static str),
    Array(Box<Type>, Range),
    Map(Box<Type>),
    Union(Vec<Type>),
}

/// A form that a string must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Uri,
    UriTemplate,
    Base64,
}

/// The least and the most that a number or a length may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: Option<i64>,
    pub(super) most: Option<i64>,
}

impl Shape {
    /// Whether it is only there to be taken in by others.
    pub(super) fn is_mixin(&self) -> bool {
        self.name.starts_with(|first: char| first.is_ascii_lowercase())
    }
}

impl Type {
    /// How often the type mentions `object`, which deeper lines may describe.
    pub(super) fn objects(&self) -> usize {
        match self {
            Self::Object => 1,
            Self::Array(inner, _) | Self::Map(inner) => inner.objects(),
            Self::Union(types) => types.iter().map(Self::objects).sum(),
            _ => 0,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}
