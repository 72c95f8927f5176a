//! Makes the model of a revision from the shapes of all of them: takes the lines that hold there, takes in what `with`
//! names, and lets a line that the official schema has otherwise replace ours where that is asked for.
//!
//! What does not fit together becomes a problem with its place, and `any`.

use std::collections::HashMap;

use super::Authority;
use super::model::{Index, Member, Model, Object, Shape, Type};
use super::source::{self, Line, Place, Problem, Says, Source, Typed};
use crate::spec::Revision;

/// How deep shapes may take in each other.
const DEEPEST: usize = 16;

/// The model of `revision`, and what does not fit together there.
pub(super) fn model(
    source: &Source,
    revision: Revision,
    authority: Authority,
) -> (Model, Vec<Problem>) {
    let here = |shape: &&source::Shape| shape.revisions.contains(revision);
    let mut named: Vec<&source::Shape> =
        source.shapes.iter().filter(here).filter(|shape| !shape.is_mixin()).collect();
    named.sort_by_key(|shape| shape.name);
    let places = named.iter().zip(0..).map(|(shape, index)| (shape.name, Index(index))).collect();
    let all = source.shapes.iter().filter(here).map(|shape| (shape.name, shape)).collect();
    let mut resolver = Resolver { revision, authority, places, all, problems: Vec::new() };
    let shapes = named.into_iter().map(|shape| resolver.shape(shape)).collect();
    (Model { revision, shapes }, resolver.problems)
}

struct Resolver<'a> {
    revision: Revision,
    authority: Authority,
    places: HashMap<&'static str, Index>,
    all: HashMap<&'static str, &'a source::Shape>,
    problems: Vec<Problem>,
}

impl<'a> Resolver<'a> {
    fn shape(&mut self, shape: &source::Shape) -> Shape {
        let lines = self.in_force(&shape.body);
        let of = self.body(&lines, shape.place, DEEPEST);
        let mut result = None;
        for line in &lines {
            if let Says::Result(name) = line.says {
                if result.is_some() {
                    self.problem(line.place, "a second result");
                }
                result = self.find(name, line.place);
            }
        }
        Shape { name: shape.name, page: shape.page, of, result }
    }

    /// The lines that hold at the revision for the authority.
    fn in_force<'b>(&self, lines: &'b [Line]) -> Vec<&'b Line> {
        let holds = |line: &&Line| {
            let schema = line.disagreement.is_none() || self.authority == Authority::Schema;
            schema && line.revisions.contains(self.revision)
        };
        lines.iter().filter(holds).collect()
    }

    /// What the lines say together: what the shape is, the union of what it may be, or an object.
    fn body(&mut self, lines: &[&Line], place: Place, depth: usize) -> Type {
        let is = |line: &&&Line| matches!(line.says, Says::Is(_));
        if let Some(line) = self.last(lines.iter().filter(is), "a second `=`")
            && let Says::Is(typed) = &line.says
        {
            return self.typed(typed, line.place, depth);
        }
        let or: Vec<(&Typed, Place)> = lines
            .iter()
            .filter_map(|line| match &line.says {
                Says::Or(typed) => Some((typed, line.place)),
                _ => None,
            })
            .collect();
        if or.is_empty() {
            return Type::Object(self.object(lines, depth));
        }
        let object = |line: &&&Line| !matches!(line.says, Says::Or(_) | Says::Result(_));
        if let Some(line) = lines.iter().find(object) {
            self.problem(line.place, "a shape is either an object or begins its lines with `|`");
        }
        let types: Vec<Type> =
            or.into_iter().map(|(typed, place)| self.typed(typed, place, depth)).collect();
        match <[Type; 1]>::try_from(types) {
            Ok([only]) => only,
            Err(types) if types.is_empty() => {
                self.problem(place, "nothing is left of it");
                Type::Any
            }
            Err(types) => flat(types),
        }
    }

    /// The last line, which is the only one unless the official schema disagrees with the text.
    fn last<'b>(
        &mut self,
        lines: impl Iterator<Item = &'b &'b Line>,
        second: &str,
    ) -> Option<&'b Line> {
        let mut last: Option<&Line> = None;
        for &line in lines {
            match last {
                Some(before) if before.disagreement.is_some() == line.disagreement.is_some() => {
                    self.problem(line.place, second);
                }
                Some(before) if before.disagreement.is_some() => {}
                _ => last = Some(line),
            }
        }
        last
    }

    fn object(&mut self, lines: &[&Line], depth: usize) -> Object {
        let mut object = Object::default();
        let mut own: Vec<&str> = Vec::new();
        for line in lines {
            if let Says::Member { name, .. } | Says::Without(name) = line.says
                && !own.contains(&name)
            {
                own.push(name);
            }
        }
        let rest = |line: &&&Line| matches!(line.says, Says::Rest(_));
        let rest = self.last(lines.iter().filter(rest), "a second `*`");
        let mut written: Vec<&str> = Vec::new();
        for line in lines {
            match line.says {
                Says::Member { name, .. } | Says::Without(name) if !written.contains(&name) => {
                    written.push(name);
                    object.members.extend(self.member(name, lines, depth));
                }
                Says::With(name) => self.take_in(name, line.place, &own, &mut object, depth),
                _ => {}
            }
        }
        if let Some(line) = rest
            && let Says::Rest(typed) = &line.says
        {
            object.rest = Some(Box::new(self.typed(typed, line.place, depth)));
        }
        object
    }

    /// The member as the line says that counts; none where that is `without`.
    fn member(&mut self, name: &str, lines: &[&Line], depth: usize) -> Option<Member> {
        let about = |line: &&&Line| match line.says {
            Says::Member { name: of, .. } | Says::Without(of) => of == name,
            _ => false,
        };
        let line = self.last(lines.iter().filter(about), "this member has been described above")?;
        match &line.says {
            Says::Member { name, required, of } => {
                let of = self.typed(of, line.place, depth);
                Some(Member { name, required: *required, of })
            }
            _ => None,
        }
    }

    /// Adds the members of the object shape `name`, except those in `own`.
    fn take_in(
        &mut self,
        name: &'static str,
        place: Place,
        own: &[&str],
        object: &mut Object,
        depth: usize,
    ) {
        let Some(taken) = self.taken(name, place, depth) else {
            return;
        };
        for member in taken.members {
            if own.contains(&member.name) {
                continue;
            }
            match object.member(member.name) {
                Some(before) if *before == member => {}
                Some(_) => {
                    let reason = format!(
                        "`{}` comes from two shapes that disagree; say here what it is",
                        member.name
                    );
                    self.problem(place, &reason);
                }
                None => object.members.push(member),
            }
        }
        if let Some(rest) = taken.rest {
            object.rest = Some(rest);
        }
    }

    fn taken(&mut self, name: &'static str, place: Place, depth: usize) -> Option<Object> {
        let Some(&shape) = self.all.get(name) else {
            self.missing(name, place);
            return None;
        };
        let Some(depth) = depth.checked_sub(1) else {
            self.problem(place, "these shapes take in each other for ever");
            return None;
        };
        let shape: &'a source::Shape = shape;
        let lines = self.in_force(&shape.body);
        match self.body(&lines, shape.place, depth) {
            Type::Object(object) => Some(object),
            Type::Named(index) => {
                let found = self.places.iter().find(|(_, place)| **place == index);
                let name = found.map(|(name, _)| *name)?;
                self.taken(name, place, depth)
            }
            _ => {
                self.problem(place, &format!("`{name}` is not an object at {}", self.revision));
                None
            }
        }
    }

    fn typed(&mut self, typed: &Typed, place: Place, depth: usize) -> Type {
        let inside = self.in_force(&typed.inside);
        self.of(&typed.of, &inside, place, depth)
    }

    fn of(&mut self, of: &source::Type, inside: &[&Line], place: Place, depth: usize) -> Type {
        match of {
            source::Type::Any => Type::Any,
            source::Type::Null => Type::Null,
            source::Type::Boolean => Type::Boolean,
            source::Type::String => Type::String,
            source::Type::Format(format) => Type::Format(*format),
            source::Type::Integer(range) => Type::Integer(*range),
            source::Type::Number(range) => Type::Number(*range),
            source::Type::Literal(text) => Type::Literal(text),
            source::Type::Exactly(number) => Type::Exactly(*number),
            source::Type::Object => Type::Object(self.object(inside, depth)),
            source::Type::Name(name) => self.find(name, place).map_or(Type::Any, Type::Named),
            source::Type::Array(items, range) => {
                Type::Array(Box::new(self.of(items, inside, place, depth)), *range)
            }
            source::Type::Map(members) => Type::Object(Object {
                members: Vec::new(),
                rest: Some(Box::new(self.of(members, inside, place, depth))),
            }),
            source::Type::Union(types) => {
                flat(types.iter().map(|of| self.of(of, inside, place, depth)).collect())
            }
        }
    }

    fn find(&mut self, name: &'static str, place: Place) -> Option<Index> {
        let found = self.places.get(name).copied();
        if found.is_none() {
            self.missing(name, place);
        }
        found
    }

    fn missing(&mut self, name: &str, place: Place) {
        self.problem(place, &format!("there is no `{name}` at {}", self.revision));
    }

    fn problem(&mut self, place: Place, reason: &str) {
        self.problems.push(place.problem(reason));
    }
}

/// A union without unions directly inside.
fn flat(types: Vec<Type>) -> Type {
    let inner = types.into_iter().flat_map(|of| match of {
        Type::Union(types) => types,
        other => vec![other],
    });
    Type::Union(inner.collect())
}
