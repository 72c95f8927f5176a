//! Reads the shape files. What cannot be read becomes a problem with its file and line, and the rest is read on.
//!
//! The grammar is told in the docs of [`schema`](super).

use super::source::{Line, Place, Problem, Says, Shape, Source, Typed};
use super::type_text::Cursor;
use crate::spec::{Revisions, SpecError};

/// A line that is neither empty nor a comment.
#[derive(Clone, Copy)]
struct Text {
    depth: usize,
    text: &'static str,
    place: Place,
}

type Read<T> = Result<T, Problem>;

/// The shapes of all files, and everything that could not be read.
pub(super) fn files(files: &[(&'static str, &'static str)]) -> (Source, Vec<Problem>) {
    let mut source = Source::default();
    let mut problems = Vec::new();
    for &(file, text) in files {
        let lines = lines(file, text, &mut problems);
        let mut rest = lines.as_slice();
        while let Some((header, below)) = rest.split_first() {
            let (inside, after) = split(below, header.depth);
            match shape(header, inside, &mut problems) {
                Ok(shape) => source.shapes.push(shape),
                Err(problem) => problems.push(problem),
            }
            rest = after;
        }
    }
    (source, problems)
}

fn lines(file: &'static str, text: &'static str, problems: &mut Vec<Problem>) -> Vec<Text> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = Place { file, line: index + 1 };
        let text = line.trim_start_matches(' ');
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let spaces = line.len() - text.len();
        if spaces % 2 == 1 || text.starts_with('\t') || text.trim_end() != text {
            problems.push(place.problem("expected two spaces for each level, and none at the end"));
        }
        lines.push(Text { depth: spaces / 2, text: text.trim(), place });
    }
    lines
}

/// The lines that are deeper than `depth`, up to the first that is not, and those from there on.
fn split(lines: &[Text], depth: usize) -> (&[Text], &[Text]) {
    let end = lines.iter().position(|line| line.depth <= depth).unwrap_or(lines.len());
    lines.split_at(end)
}

fn shape(header: &Text, below: &[Text], problems: &mut Vec<Problem>) -> Read<Shape> {
    let place = header.place;
    if header.depth > 0 {
        return Err(place.problem("expected a shape, which begins at the beginning of the line"));
    }
    let mut cursor = Cursor::new(header.text, place);
    let name = cursor.word()?;
    let mut page = None;
    let mut says = Vec::new();
    let mut unites = false;
    while !cursor.at_end() && !cursor.at("@") {
        if cursor.eat("->") {
            says.push(Says::Result(cursor.word()?));
        } else if cursor.eat("=") {
            if cursor.at_end() || cursor.at("<") || cursor.at("@") {
                unites = true;
            } else {
                says.push(Says::Is(Typed { of: cursor.of()?, inside: Vec::new() }));
            }
        } else if cursor.eat("<") {
            page = Some(cursor.until('>')?);
        } else {
            return Err(cursor.expected("`->`, `=`, `<page>` or `@revisions`"));
        }
    }
    let revisions = revisions(&mut cursor, Revisions::all())?;
    let mut body: Vec<Line> =
        says.into_iter().map(|says| Line { says, revisions, disagreement: None, place }).collect();
    body.extend(block(below, 1, revisions, problems));
    if unites && !body.iter().any(|line| matches!(line.says, Says::Or(_) | Says::Is(_))) {
        return Err(place.problem("expected a type after `=`, or lines that begin with `|` below"));
    }
    Ok(Shape { name, page, revisions, place, body })
}

/// The lines of one level, each with what is deeper.
fn block(
    lines: &[Text],
    depth: usize,
    within: Revisions,
    problems: &mut Vec<Problem>,
) -> Vec<Line> {
    let mut read = Vec::new();
    let mut rest = lines;
    while let Some((first, below)) = rest.split_first() {
        let (inside, after) = split(below, first.depth);
        let line = if first.depth == depth {
            line(first, inside, within, problems)
        } else {
            Err(first.place.problem("this line is indented deeper than it belongs"))
        };
        match line {
            Ok(line) => read.push(line),
            Err(problem) => problems.push(problem),
        }
        rest = after;
    }
    read
}

fn line(text: &Text, below: &[Text], within: Revisions, problems: &mut Vec<Problem>) -> Read<Line> {
    let place = text.place;
    let (written, disagreement) = match text.text.strip_prefix("~ ") {
        None => (text.text, None),
        Some(line) => {
            let (line, id) = line.rsplit_once(" : ").ok_or_else(|| {
                place.problem("expected ` : ` and the id of a disagreement at the end")
            })?;
            (line.trim_end(), Some(id.trim()))
        }
    };
    let mut cursor = Cursor::new(written, place);
    let mut says = says(&mut cursor)?;
    let revisions = revisions(&mut cursor, within)?;
    match typed(&mut says) {
        Some(typed) if !below.is_empty() && typed.of.objects() == 1 => {
            typed.inside = block(below, text.depth + 1, revisions, problems);
        }
        _ if below.is_empty() => {}
        _ => {
            return Err(below[0]
                .place
                .problem("expected these lines below a type with one `object`"));
        }
    }
    Ok(Line { says, revisions, disagreement, place })
}

fn says(cursor: &mut Cursor) -> Read<Says> {
    let typed = |cursor: &mut Cursor| cursor.of().map(|of| Typed { of, inside: Vec::new() });
    if cursor.eat("->") {
        return cursor.word().map(Says::Result);
    }
    if cursor.eat("=") {
        return typed(cursor).map(Says::Is);
    }
    if cursor.eat("|") {
        return typed(cursor).map(Says::Or);
    }
    Ok(match cursor.word()? {
        "*" => Says::Rest(typed(cursor)?),
        "with" => Says::With(cursor.word()?),
        "without" => Says::Without(cursor.word()?),
        word => {
            let (name, required) = match word.strip_suffix('?') {
                Some(name) => (name, false),
                None => (word, true),
            };
            Says::Member { name, required, of: typed(cursor)? }
        }
    })
}

fn typed(says: &mut Says) -> Option<&mut Typed> {
    match says {
        Says::Is(typed) | Says::Or(typed) | Says::Rest(typed) => Some(typed),
        Says::Member { of, .. } => Some(of),
        Says::Result(_) | Says::With(_) | Says::Without(_) => None,
    }
}

/// What stands after `@`, as far as it is within the revisions of what the line belongs to; these, if there is no `@`.
fn revisions(cursor: &mut Cursor, within: Revisions) -> Read<Revisions> {
    if cursor.at_end() {
        return Ok(within);
    }
    if !cursor.eat("@") {
        return Err(cursor.expected("`@revisions` or the end of the line"));
    }
    let written: Revisions =
        cursor.rest().parse().map_err(|error: SpecError| cursor.problem(&error.to_string()))?;
    let held = written.intersection(within);
    if held.is_empty() {
        return Err(cursor.problem(&format!(
            "what this line belongs to exists at {within}, the line at {written}"
        )));
    }
    Ok(held)
}
