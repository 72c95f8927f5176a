//! Every line of the shape files parses, resolves at each of its revisions, and is used.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::spec::Revision;
use crate::spec::schema::syntax::{Line, LineKind, ShapeDeclaration, ShapeDeclarations};
use crate::spec::schema::{
    Authority, DISAGREEMENTS, Definition, Disagreement, Schemas, files, model, parse, resolve,
};

/// All problems of these files, one per line.
fn problems(texts: &[(&'static str, &'static str)]) -> String {
    let (declarations, problems) = parse::files(texts);
    let mut problems: Vec<_> =
        problems.into_iter().map(|problem| (problem.location, problem.to_string())).collect();
    for (revision, authority) in everywhere() {
        let (_, found) = resolve::model(&declarations, revision, authority);
        problems.extend(found.into_iter().map(|found| (found.location, found.to_string())));
    }
    for (index, shape) in declarations.shapes.iter().enumerate() {
        let overlaps = |before: &&ShapeDeclaration| {
            before.name == shape.name && !before.revisions.intersection(shape.revisions).is_empty()
        };
        if let Some(before) = declarations.shapes[..index].iter().find(overlaps) {
            let problem = format!(
                "{}: `{}` is also declared at {}",
                shape.location, shape.name, before.location
            );
            problems.push((shape.location, problem));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || (shape.is_mixin() && c == '-');
        if !shape.name.chars().all(plain) {
            problems.push((
                shape.location,
                format!("{}: `{}` is not a valid name", shape.location, shape.name),
            ));
        }
    }
    let used = Used::of(&declarations);
    for shape in declarations.shapes.iter().filter(|shape| shape.is_mixin()) {
        if !used.names.contains(shape.name) {
            problems.push((
                shape.location,
                format!("{}: nothing includes `{}`", shape.location, shape.name),
            ));
        }
    }
    problems.sort_by(|(left, left_text), (right, right_text)| {
        (left.file, left.line, left_text).cmp(&(right.file, right.line, right_text))
    });
    problems.dedup();
    let mut all = String::new();
    for (_, problem) in problems {
        let _ = writeln!(all, "{problem}");
    }
    all
}

fn everywhere() -> impl Iterator<Item = (Revision, Authority)> {
    let both =
        |revision| [Authority::Text, Authority::Schema].map(|authority| (revision, authority));
    Revision::ALL.into_iter().flat_map(both)
}

/// The names and disagreements that lines use.
#[derive(Default)]
struct Used {
    names: BTreeSet<&'static str>,
    disagreements: BTreeSet<&'static str>,
}

impl Used {
    fn of(declarations: &ShapeDeclarations) -> Self {
        let mut used = Self::default();
        declarations.shapes.iter().for_each(|shape| used.lines(&shape.body));
        used
    }

    fn lines(&mut self, lines: &[Line]) {
        for line in lines {
            self.disagreements.extend(line.disagreement);
            match &line.kind {
                LineKind::With(name) => {
                    self.names.insert(name);
                }
                LineKind::Is(of) | LineKind::Or(of) | LineKind::Rest(of) => self.lines(&of.body),
                LineKind::Member { of, .. } => self.lines(&of.body),
                LineKind::Result(_) | LineKind::Without(_) => {}
            }
        }
    }
}

#[test]
fn the_files_have_no_problems() {
    let found = problems(files::FILES);
    assert!(found.is_empty(), "\n{found}");
}

/// The definitions that the type refers to for the value itself.
fn aliases(of: &model::Type, names: &mut Vec<model::Index>) {
    match of {
        model::Type::Named(index) => names.push(*index),
        model::Type::Union(types) => types.iter().for_each(|of| aliases(of, names)),
        _ => {}
    }
}

#[test]
fn no_definition_is_an_alias_of_itself() {
    for (revision, authority) in everywhere() {
        let (declarations, _) = parse::files(files::FILES);
        let (model, _) = resolve::model(&declarations, revision, authority);
        for shape in &model.shapes {
            let mut open = Vec::new();
            aliases(&shape.of, &mut open);
            let mut steps = 0;
            while let Some(index) = open.pop() {
                let next = model.shape(index);
                steps += 1;
                assert!(next.name != shape.name && steps < 1000, "{} at {revision}", shape.name);
                aliases(&next.of, &mut open);
            }
        }
    }
}

#[test]
fn disagreements_name_existing_definitions() {
    for disagreement in DISAGREEMENTS {
        let Disagreement { id, definition, revisions, .. } = disagreement;
        assert!(!revisions.is_empty(), "{id}");
        for revision in revisions.iter() {
            let found = |authority| Schemas::ours().definition(definition, revision, authority);
            let (text, schema) = (found(Authority::Text), found(Authority::Schema));
            let read = |found: &Option<Definition>| found.as_ref().map(Definition::json_schema);
            assert_ne!(read(&text), read(&schema), "{id}: {definition} at {revision}");
        }
    }
}

#[test]
fn every_disagreement_is_listed_and_has_lines() {
    let (declarations, _) = parse::files(files::FILES);
    let used = Used::of(&declarations).disagreements;
    let listed: BTreeSet<_> = DISAGREEMENTS.iter().map(|disagreement| disagreement.id).collect();
    assert_eq!(listed.len(), DISAGREEMENTS.len(), "an id is used twice");
    let unlisted: Vec<_> = used.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in DISAGREEMENTS: {unlisted:?}");
    let unused: Vec<_> = listed.difference(&used).collect();
    assert!(unused.is_empty(), "no line in the shape files: {unused:?}");
}

#[test]
fn problems_name_their_location() {
    let found = |text: &'static str| problems(&[("a.shapes", text)]);
    insta::assert_snapshot!(found("A\n  b string\n  b? integer\n"), @"a.shapes:3: this member is already declared above");
    insta::assert_snapshot!(found("A\n   b string\n  c text\n  d [string\n  e number(0-1)\n  f string @2025\n"), @"
    a.shapes:2: expected two spaces for each level, and none at the end
    a.shapes:3: `text` is not a type
    a.shapes:4: expected `]`, got `the end of the line`
    a.shapes:5: `0-1` is not an integer
    a.shapes:6: `2025` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
    ");
    insta::assert_snapshot!(found("A @..2025-03-26\n  b B\n  c string @2025-06-18..\nB @2024-11-05\nB = string @..2025-03-26\n"), @"
    a.shapes:3: this line is for 2025-06-18.., but what it belongs to exists at 2024-11-05..2025-03-26
    a.shapes:5: `B` is also declared at a.shapes:4
    ");
    insta::assert_snapshot!(found("a\n  b string\nB\n  with C\n  with D\nC\n  x string\nD\n  x integer\nE =\n"), @"
    a.shapes:1: nothing includes `a`
    a.shapes:5: `x` is included from two shapes that disagree; declare it here
    a.shapes:10: expected a type after `=`, or lines that start with `|` below
    ");
    insta::assert_snapshot!(found("A = A\nB\n  with B\n"), @"a.shapes:3: these shapes include each other endlessly");
    insta::assert_snapshot!(found("A\n  ~ b string\n  | string\n  c string\n    d string\n"), @"
    a.shapes:2: expected ` : ` and the id of a disagreement at the end
    a.shapes:5: expected these lines below a type with one `object`
    ");
}
