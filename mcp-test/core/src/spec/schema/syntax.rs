//! The syntax of the shape files, for all revisions together: declarations of shapes, their lines, and type expressions.
//!
//! `parse` reads it from text, and `resolve` makes the `model` of one revision from it.

use std::fmt;

use super::types;
use crate::spec::Revisions;

/// The declarations of all files, in order.
#[derive(Debug, Default)]
pub(super) struct ShapeDeclarations {
    pub(super) shapes: Vec<ShapeDeclaration>,
}

/// The location of a line in a shape file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SourceLocation {
    pub(super) file: &'static str,
    pub(super) line: usize,
}

/// Something wrong in a shape file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) location: SourceLocation,
    pub(super) reason: String,
}

/// A header and the lines below it.
#[derive(Debug)]
pub(super) struct ShapeDeclaration {
    pub(super) name: &'static str,
    /// The page that describes it, if that is not the schema page.
    pub(super) page: Option<&'static str>,
    pub(super) revisions: Revisions,
    pub(super) location: SourceLocation,
    pub(super) body: Vec<Line>,
}

/// A line in the body of a shape or of an object inside it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) kind: LineKind,
    /// The revisions at which it applies; a subset of those of its parent.
    pub(super) revisions: Revisions,
    /// The id of the disagreement, if only the official schema has this line.
    pub(super) disagreement: Option<&'static str>,
    pub(super) location: SourceLocation,
}

/// What a line declares.
#[derive(Debug)]
pub(super) enum LineKind {
    /// `-> Name`: the result of the request.
    Result(&'static str),
    /// `= TYPE`: the type of the whole shape.
    Is(TypeExpression),
    /// `| TYPE`: one of the types of the shape.
    Or(TypeExpression),
    /// `name TYPE`, `name? TYPE`: a member.
    Member { name: &'static str, required: bool, of: TypeExpression },
    /// `* TYPE`: the type of members that are not named.
    Rest(TypeExpression),
    /// `with Name`: includes the members of that shape.
    With(&'static str),
    /// `without name`: excludes an included member.
    Without(&'static str),
}

/// A type, and the deeper lines that describe the object in it.
#[derive(Debug)]
pub(super) struct TypeExpression {
    pub(super) of: Type,
    pub(super) body: Vec<Line>,
}

/// A type as written.
pub(super) type Type = types::Type<&'static str, ObjectType>;

/// An object as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ObjectType {
    /// `object`, which the deeper lines describe.
    Described,
    /// `{T}`, all of whose members have one type.
    Map(Box<Type>),
}

impl ShapeDeclaration {
    /// Whether it exists only to be included by others.
    pub(super) fn is_mixin(&self) -> bool {
        self.name.starts_with(|first: char| first.is_ascii_lowercase())
    }
}

impl Type {
    /// How often the type mentions `object`, which deeper lines may describe.
    pub(super) fn objects(&self) -> usize {
        match self {
            Self::Object(ObjectType::Described) => 1,
            Self::Array(inner, _) | Self::Object(ObjectType::Map(inner)) => inner.objects(),
            Self::Union(types) => types.iter().map(Self::objects).sum(),
            _ => 0,
        }
    }
}

impl SourceLocation {
    pub(super) fn problem(self, reason: &str) -> Problem {
        Problem { location: self, reason: reason.to_owned() }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.reason)
    }
}
