//! The shapes of one revision for one authority: definitions with fully resolved types.
//!
//! `resolve` makes it from the shape files.

use std::borrow::Cow;

use super::types;
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
    /// The definition of its result, if it is a request.
    pub(super) result: Option<Index>,
}

/// The index of a definition in [`Model::shapes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Index(pub(super) u16);

/// A resolved type.
pub(super) type Type = types::Type<Index, Object>;

/// The members of an object; members that are not named have the type `rest`, or any if it is `None`.
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

    /// Follows names to the type they stand for.
    pub(super) fn resolved<'a>(&'a self, of: &'a Type) -> &'a Type {
        let mut of = of;
        // Bounded, in case the shape files declare a name that stands for itself.
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
        match self.resolved(of) {
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
    /// Calls `visit` with each definition that the type refers to.
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
    /// The URL of its description.
    pub(super) fn link(&self, revision: Revision) -> String {
        crate::spec::url(&page(self.page, self.name), revision)
    }
}

/// The page of a definition: its own, or its section of the schema page.
pub(super) fn page(own: Option<&'static str>, name: &str) -> Cow<'static, str> {
    own.map_or_else(|| format!("schema#{}", name.to_ascii_lowercase()).into(), Cow::Borrowed)
}
