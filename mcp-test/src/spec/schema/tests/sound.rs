//! Every line of the shape files can be read, means something wherever it holds, and is used.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::spec::Revision;
use crate::spec::schema::source::{Line, Says, Source, Typed};
use crate::spec::schema::{
    Authority, DISAGREEMENTS, Definition, Disagreement, Schemas, files, model, read, resolve,
};

/// All that is wrong with these files, a line for each.
fn problems(texts: &[(&'static str, &'static str)]) -> String {
    let (source, problems) = read::files(texts);
    let mut problems: Vec<_> =
        problems.into_iter().map(|problem| (problem.place, problem.to_string())).collect();
    for (revision, authority) in everywhere() {
        let (_, found) = resolve::model(&source, revision, authority);
        problems.extend(found.into_iter().map(|found| (found.place, found.to_string())));
    }
    for (index, shape) in source.shapes.iter().enumerate() {
        let overlaps = |before: &&crate::spec::schema::source::Shape| {
            before.name == shape.name && !before.revisions.intersection(shape.revisions).is_empty()
        };
        if let Some(before) = source.shapes[..index].iter().find(overlaps) {
            let problem =
                format!("{}: `{}` stands at {} too", shape.place, shape.name, before.place);
            problems.push((shape.place, problem));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || (shape.is_mixin() && c == '-');
        if !shape.name.chars().all(plain) {
            problems.push((shape.place, format!("{}: `{}` is no name", shape.place, shape.name)));
        }
    }
    let used = Used::of(&source);
    for shape in source.shapes.iter().filter(|shape| shape.is_mixin()) {
        if !used.names.contains(shape.name) {
            problems
                .push((shape.place, format!("{}: nothing is with `{}`", shape.place, shape.name)));
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

/// What lines mention.
#[derive(Default)]
struct Used {
    names: BTreeSet<&'static str>,
    disagreements: BTreeSet<&'static str>,
}

impl Used {
    fn of(source: &Source) -> Self {
        let mut used = Self::default();
        source.shapes.iter().for_each(|shape| used.lines(&shape.body));
        used
    }

    fn lines(&mut self, lines: &[Line]) {
        for line in lines {
            self.disagreements.extend(line.disagreement);
            match &line.says {
                Says::With(name) => {
                    self.names.insert(name);
                }
                Says::Is(typed) | Says::Or(typed) | Says::Rest(typed) => self.typed(typed),
                Says::Member { of, .. } => self.typed(of),
                Says::Result(_) | Says::Without(_) => {}
            }
        }
    }

    fn typed(&mut self, typed: &Typed) {
        self.lines(&typed.inside);
    }
}

#[test]
fn the_files_are_sound() {
    let found = problems(files::FILES);
    assert!(found.is_empty(), "\n{found}");
}

/// The names that a value of the type may have without a step into the value.
fn stand_for(of: &model::Type, names: &mut Vec<model::Index>) {
    match of {
        model::Type::Named(index) => names.push(*index),
        model::Type::Union(types) => types.iter().for_each(|of| stand_for(of, names)),
        _ => {}
    }
}

#[test]
fn no_definition_stands_for_itself() {
    for (revision, authority) in everywhere() {
        let (source, _) = read::files(files::FILES);
        let (model, _) = resolve::model(&source, revision, authority);
        for shape in &model.shapes {
            let mut open = Vec::new();
            stand_for(&shape.of, &mut open);
            let mut steps = 0;
            while let Some(index) = open.pop() {
                let next = model.shape(index);
                steps += 1;
                assert!(next.name != shape.name && steps < 1000, "{} at {revision}", shape.name);
                stand_for(&next.of, &mut open);
            }
        }
    }
}

#[test]
fn what_is_disagreed_on_exists() {
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
fn every_disagreement_is_told_and_has_its_lines() {
    let (source, _) = read::files(files::FILES);
    let used = Used::of(&source).disagreements;
    let told: BTreeSet<_> = DISAGREEMENTS.iter().map(|disagreement| disagreement.id).collect();
    assert_eq!(told.len(), DISAGREEMENTS.len(), "an id stands twice");
    let untold: Vec<_> = used.difference(&told).collect();
    assert!(untold.is_empty(), "not in DISAGREEMENTS: {untold:?}");
    let unused: Vec<_> = told.difference(&used).collect();
    assert!(unused.is_empty(), "no line in the shape files: {unused:?}");
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let wrong = |text: &'static str| problems(&[("a.shapes", text)]);
    insta::assert_snapshot!(wrong("A\n  b string\n  b? integer\n"), @"a.shapes:3: this member has been described above");
    insta::assert_snapshot!(wrong("A\n   b string\n  c text\n  d [string\n  e number(0-1)\n  f string @2025\n"), @"
    a.shapes:2: expected two spaces for each level, and none at the end
    a.shapes:3: `text` is not a type
    a.shapes:4: expected `]`, got `the end of the line`
    a.shapes:5: `0-1` is not an integer
    a.shapes:6: `2025` is not a revision of MCP; the revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
    ");
    insta::assert_snapshot!(wrong("A @..2025-03-26\n  b B\n  c string @2025-06-18..\nB @2024-11-05\nB = string @..2025-03-26\n"), @"
    a.shapes:3: what this line belongs to exists at 2024-11-05..2025-03-26, the line at 2025-06-18..
    a.shapes:5: `B` stands at a.shapes:4 too
    ");
    insta::assert_snapshot!(wrong("a\n  b string\nB\n  with C\n  with D\nC\n  x string\nD\n  x integer\nE =\n"), @"
    a.shapes:1: nothing is with `a`
    a.shapes:5: `x` comes from two shapes that disagree; say here what it is
    a.shapes:10: expected a type after `=`, or lines that begin with `|` below
    ");
    insta::assert_snapshot!(wrong("A = A\nB\n  with B\n"), @"a.shapes:3: these shapes take in each other for ever");
    insta::assert_snapshot!(wrong("A\n  ~ b string\n  | string\n  c string\n    d string\n"), @"
    a.shapes:2: expected ` : ` and the id of a disagreement at the end
    a.shapes:5: expected these lines below a type with one `object`
    ");
}
