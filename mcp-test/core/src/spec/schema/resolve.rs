//! Resolves the shape files for one revision and authority: selects the lines that apply, includes the members that
//! `with` names, and replaces lines with those of the official schema where it is the authority.
//!
//! An inconsistency becomes a problem with its location, and the type there `any`.

use std::collections::HashMap;

use super::Authority;
use super::model::{Index, Member, Model, Object, Shape, Type};
use super::syntax::{
    self, Line, LineKind, ObjectType, Problem, ShapeDeclaration, ShapeDeclarations, SourceLocation,
    TypeExpression,
};
use crate::spec::Revision;

/// How deep shapes may include each other, so that a cycle ends; the shape files need far less.
const MAX_INCLUDE_DEPTH: usize = 16;

/// The model of `revision`, and its inconsistencies.
pub(super) fn model(
    declarations: &ShapeDeclarations,
    revision: Revision,
    authority: Authority,
) -> (Model, Vec<Problem>) {
    let here = |shape: &&ShapeDeclaration| shape.revisions.contains(revision);
    let mut named: Vec<&ShapeDeclaration> =
        declarations.shapes.iter().filter(here).filter(|shape| !shape.is_mixin()).collect();
    // `DefinitionSet::find` searches the definitions by name.
    named.sort_by_key(|shape| shape.name);
    let indices = named.iter().zip(0..).map(|(shape, index)| (shape.name, Index(index))).collect();
    let all = declarations.shapes.iter().filter(here).map(|shape| (shape.name, shape)).collect();
    let mut resolver = Resolver { revision, authority, indices, all, problems: Vec::new() };
    let shapes = named.into_iter().map(|shape| resolver.shape(shape)).collect();
    (Model { revision, shapes }, resolver.problems)
}

struct Resolver<'a> {
    revision: Revision,
    authority: Authority,
    indices: HashMap<&'static str, Index>,
    all: HashMap<&'static str, &'a ShapeDeclaration>,
    problems: Vec<Problem>,
}

impl<'a> Resolver<'a> {
    fn shape(&mut self, shape: &ShapeDeclaration) -> Shape {
        let lines = self.applicable(&shape.body);
        let of = self.body(&lines, shape.location, MAX_INCLUDE_DEPTH);
        let mut result = None;
        for line in &lines {
            if let LineKind::Result(name) = line.kind {
                if result.is_some() {
                    self.problem(line.location, "a second result");
                }
                result = self.find(name, line.location);
            }
        }
        Shape { name: shape.name, page: shape.page, of, result }
    }

    /// The lines that apply at the revision for the authority.
    fn applicable<'b>(&self, lines: &'b [Line]) -> Vec<&'b Line> {
        let applies = |line: &&Line| {
            let authority = line.disagreement.is_none() || self.authority == Authority::Schema;
            authority && line.revisions.contains(self.revision)
        };
        lines.iter().filter(applies).collect()
    }

    /// The type that the lines declare together: that of `=`, the union of the `|` lines, or an object.
    fn body(&mut self, lines: &[&Line], location: SourceLocation, depth: usize) -> Type {
        let is = |line: &&&Line| matches!(line.kind, LineKind::Is(_));
        if let Some(line) = self.deciding(lines.iter().filter(is), "a second `=`")
            && let LineKind::Is(expression) = &line.kind
        {
            return self.expression(expression, line.location, depth);
        }
        let or: Vec<(&TypeExpression, SourceLocation)> = lines
            .iter()
            .filter_map(|line| match &line.kind {
                LineKind::Or(expression) => Some((expression, line.location)),
                _ => None,
            })
            .collect();
        if or.is_empty() {
            return Type::Object(self.object(lines, depth));
        }
        let object = |line: &&&Line| !matches!(line.kind, LineKind::Or(_) | LineKind::Result(_));
        if let Some(line) = lines.iter().find(object) {
            self.problem(line.location, "a shape is either an object or starts its lines with `|`");
        }
        let types: Vec<Type> =
            or.into_iter().map(|(of, location)| self.expression(of, location, depth)).collect();
        match <[Type; 1]>::try_from(types) {
            Ok([only]) => only,
            Err(types) if types.is_empty() => {
                self.problem(location, "no type is left");
                Type::Any
            }
            Err(types) => flat(types),
        }
    }

    /// The line that decides: the only one, or that of the official schema where it disagrees with the text.
    fn deciding<'b>(
        &mut self,
        lines: impl Iterator<Item = &'b &'b Line>,
        second: &str,
    ) -> Option<&'b Line> {
        let mut deciding: Option<&Line> = None;
        for &line in lines {
            match deciding {
                Some(before) if before.disagreement.is_some() == line.disagreement.is_some() => {
                    self.problem(line.location, second);
                }
                // The line of the official schema was found already; this one is the text's.
                Some(before) if before.disagreement.is_some() => {}
                _ => deciding = Some(line),
            }
        }
        deciding
    }

    fn object(&mut self, lines: &[&Line], depth: usize) -> Object {
        let mut object = Object::default();
        // Collected first, because `with` may come before the lines that override its members.
        let mut own: Vec<&str> = Vec::new();
        for line in lines {
            if let LineKind::Member { name, .. } | LineKind::Without(name) = line.kind
                && !own.contains(&name)
            {
                own.push(name);
            }
        }
        let rest = |line: &&&Line| matches!(line.kind, LineKind::Rest(_));
        let rest = self.deciding(lines.iter().filter(rest), "a second `*`");
        let mut written: Vec<&str> = Vec::new();
        for line in lines {
            match line.kind {
                LineKind::Member { name, .. } | LineKind::Without(name)
                    if !written.contains(&name) =>
                {
                    written.push(name);
                    object.members.extend(self.member(name, lines, depth));
                }
                LineKind::With(name) => self.include(name, line.location, &own, &mut object, depth),
                _ => {}
            }
        }
        if let Some(line) = rest
            && let LineKind::Rest(expression) = &line.kind
        {
            object.rest = Some(Box::new(self.expression(expression, line.location, depth)));
        }
        object
    }

    /// The member as its deciding line declares it; `None` if that is `without`.
    fn member(&mut self, name: &str, lines: &[&Line], depth: usize) -> Option<Member> {
        let about = |line: &&&Line| match line.kind {
            LineKind::Member { name: of, .. } | LineKind::Without(of) => of == name,
            _ => false,
        };
        let line =
            self.deciding(lines.iter().filter(about), "this member is already declared above")?;
        match &line.kind {
            LineKind::Member { name, required, of } => {
                let of = self.expression(of, line.location, depth);
                Some(Member { name, required: *required, of })
            }
            _ => None,
        }
    }

    /// Adds the members of the object shape `name`, except those in `own`.
    fn include(
        &mut self,
        name: &'static str,
        location: SourceLocation,
        own: &[&str],
        object: &mut Object,
        depth: usize,
    ) {
        let Some(included) = self.included(name, location, depth) else {
            return;
        };
        for member in included.members {
            // What the shape itself declares takes precedence over what it includes.
            if own.contains(&member.name) {
                continue;
            }
            match object.member(member.name) {
                Some(before) if *before == member => {}
                Some(_) => {
                    let reason = format!(
                        "`{}` is included from two shapes that disagree; declare it here",
                        member.name
                    );
                    self.problem(location, &reason);
                }
                None => object.members.push(member),
            }
        }
        if let Some(rest) = included.rest {
            object.rest = Some(rest);
        }
    }

    /// The members of the object shape `name`.
    fn included(
        &mut self,
        name: &'static str,
        location: SourceLocation,
        depth: usize,
    ) -> Option<Object> {
        let Some(&shape) = self.all.get(name) else {
            self.missing(name, location);
            return None;
        };
        let Some(depth) = depth.checked_sub(1) else {
            self.problem(location, "these shapes include each other endlessly");
            return None;
        };
        let shape: &'a ShapeDeclaration = shape;
        let lines = self.applicable(&shape.body);
        match self.body(&lines, shape.location, depth) {
            Type::Object(object) => Some(object),
            // A shape that is another name of an object shape.
            Type::Named(index) => {
                let found = self.indices.iter().find(|(_, other)| **other == index);
                let name = found.map(|(name, _)| *name)?;
                self.included(name, location, depth)
            }
            _ => {
                self.problem(location, &format!("`{name}` is not an object at {}", self.revision));
                None
            }
        }
    }

    fn expression(
        &mut self,
        expression: &TypeExpression,
        location: SourceLocation,
        depth: usize,
    ) -> Type {
        let body = self.applicable(&expression.body);
        self.resolve(&expression.of, &body, location, depth)
    }

    fn resolve(
        &mut self,
        of: &syntax::Type,
        body: &[&Line],
        location: SourceLocation,
        depth: usize,
    ) -> Type {
        of.convert(|of| match of {
            syntax::Type::Object(ObjectType::Described) => Type::Object(self.object(body, depth)),
            syntax::Type::Object(ObjectType::Map(members)) => Type::Object(Object {
                members: Vec::new(),
                rest: Some(Box::new(self.resolve(members, body, location, depth))),
            }),
            syntax::Type::Array(items, range) => {
                Type::Array(Box::new(self.resolve(items, body, location, depth)), *range)
            }
            syntax::Type::Union(types) => {
                flat(types.iter().map(|of| self.resolve(of, body, location, depth)).collect())
            }
            syntax::Type::Named(name) => self.find(name, location).map_or(Type::Any, Type::Named),
            // Not reached: `convert` calls this only for types that have others inside.
            _ => Type::Any,
        })
    }

    fn find(&mut self, name: &'static str, location: SourceLocation) -> Option<Index> {
        let found = self.indices.get(name).copied();
        if found.is_none() {
            self.missing(name, location);
        }
        found
    }

    fn missing(&mut self, name: &str, location: SourceLocation) {
        self.problem(location, &format!("`{name}` does not exist at {}", self.revision));
    }

    fn problem(&mut self, location: SourceLocation, reason: &str) {
        self.problems.push(location.problem(reason));
    }
}

/// A union with nested unions flattened.
fn flat(types: Vec<Type>) -> Type {
    let inner = types.into_iter().flat_map(|of| match of {
        Type::Union(types) => types,
        other => vec![other],
    });
    Type::Union(inner.collect())
}
