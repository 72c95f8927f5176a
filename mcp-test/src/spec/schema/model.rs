//! What the shapes mean at one revision, read with one authority: definitions with their types, nothing left to look up.
//!
//! Making it from what stands in the files is `resolve`.

use std::borrow::Cow;

use super::source::{Format, Range};
use crate::spec::Revision;

/// All definitions of a revision, sorted by name.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) revision: Revision,
    pub(super) shapes: Vec<Shape>,
}

/// A definition.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) page: Option<&'static str>,
    pub(super) of: Type,
    /// What answers it, if it is a request: the place of that definition.
    pub(super) result: Option<Index>,
}

/// The place of a definition in [`Model::shapes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Index(pub(super) u16);

/// A type, with what is inside.
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
    Array(Box<Type>, Range),
    Object(Object),
    Union(Vec<Type>),
    Named(Index),
}

/// What an object may hold. What it does not name may be anything, unless `rest` says what.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Object {
    pub(super) members: Vec<Member>,
    pub(super) rest: Option<Box<Type>>,
}

/// A member with a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) required: bool,
    pub(super) of: Type,
}

impl Model {
    pub(super) fn shape(&self, index: Index) -> &Shape {
        &self.shapes[usize::from(index.0)]
    }

    /// The type behind a name, and behind the name that may stand for it.
    pub(super) fn behind<'a>(&'a self, of: &'a Type) -> &'a Type {
        let mut of = of;
        // A name that stands for itself is a problem of the files; it must not keep us for ever.
        for _ in 0..8 {
            match of {
                Type::Named(index) => of = &self.shape(*index).of,
                other => return other,
            }
        }
        &Type::Any
    }

    /// The members, if the type is an object.
    pub(super) fn object<'a>(&'a self, of: &'a Type) -> Option<&'a Object> {
        match self.behind(of) {
            Type::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl Object {
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl Type {
    /// Calls `visit` with each name that the type mentions.
    pub(super) fn names(&self, visit: &mut impl FnMut(Index)) {
        match self {
            Self::Named(index) => visit(*index),
            Self::Array(items, _) => items.names(visit),
            Self::Union(types) => types.iter().for_each(|of| of.names(visit)),
            Self::Object(object) => {
                object.members.iter().for_each(|member| member.of.names(visit));
                if let Some(rest) = &object.rest {
                    rest.names(visit);
                }
            }
            _ => {}
        }
    }
}

impl Shape {
    /// The address of what describes it.
    pub(super) fn link(&self, revision: Revision) -> String {
        crate::spec::url(&page(self.page, self.name), revision)
    }
}

/// The page of a definition: its own, or its place on the schema page.
pub(super) fn page(own: Option<&'static str>, name: &str) -> Cow<'static, str> {
    own.map_or_else(|| format!("schema#{}", name.to_ascii_lowercase()).into(), Cow::Borrowed)
}
