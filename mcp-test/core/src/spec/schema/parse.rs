//! Parses the shape files, whose grammar the docs of [`schema`](super) describe.
//!
//! A line that cannot be parsed becomes a problem with its location, and parsing continues after it.

use super::syntax::{
    Line, LineKind, Problem, ShapeDeclaration, ShapeDeclarations, SourceLocation, TypeExpression,
};
use super::type_parser::Cursor;
use crate::spec::{Revisions, SpecError};

/// A line of text that is neither empty nor a comment.
#[derive(Clone, Copy)]
struct Text {
    depth: usize,
    text: &'static str,
    location: SourceLocation,
}

type Parsed<T> = Result<T, Problem>;

/// Parses all files; also returns what could not be parsed.
pub(super) fn files(files: &[(&'static str, &'static str)]) -> (ShapeDeclarations, Vec<Problem>) {
    let mut declarations = ShapeDeclarations::default();
    let mut problems = Vec::new();
    for &(file, text) in files {
        let lines = lines(file, text, &mut problems);
        let mut rest = lines.as_slice();
        while let Some((header, below)) = rest.split_first() {
            let (body, after) = split_body(below, header.depth);
            match declaration(header, body, &mut problems) {
                Ok(declaration) => declarations.shapes.push(declaration),
                Err(problem) => problems.push(problem),
            }
            rest = after;
        }
    }
    (declarations, problems)
}

fn lines(file: &'static str, text: &'static str, problems: &mut Vec<Problem>) -> Vec<Text> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let location = SourceLocation { file, line: index + 1 };
        let text = line.trim_start_matches(' ');
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let spaces = line.len() - text.len();
        if spaces % 2 == 1 || text.starts_with('\t') || text.trim_end() != text {
            problems
                .push(location.problem("expected two spaces for each level, and none at the end"));
        }
        // Parsed nevertheless, so that a wrong blank does not hide other problems.
        lines.push(Text { depth: spaces / 2, text: text.trim(), location });
    }
    lines
}

/// Splits off the leading lines that are deeper than `depth`.
fn split_body(lines: &[Text], depth: usize) -> (&[Text], &[Text]) {
    let end = lines.iter().position(|line| line.depth <= depth).unwrap_or(lines.len());
    lines.split_at(end)
}

fn declaration(
    header: &Text,
    below: &[Text],
    problems: &mut Vec<Problem>,
) -> Parsed<ShapeDeclaration> {
    let location = header.location;
    if header.depth > 0 {
        return Err(location.problem("expected a shape, which is not indented"));
    }
    let mut cursor = Cursor::new(header.text, location);
    let name = cursor.word()?;
    let mut page = None;
    let mut kinds = Vec::new();
    let mut is_union = false;
    while !cursor.at_end() && !cursor.at("@") {
        if cursor.eat("->") {
            kinds.push(LineKind::Result(cursor.word()?));
        } else if cursor.eat("=") {
            if cursor.at_end() || cursor.at("<") || cursor.at("@") {
                is_union = true;
            } else {
                kinds.push(LineKind::Is(type_expression(&mut cursor)?));
            }
        } else if cursor.eat("<") {
            page = Some(cursor.until('>')?);
        } else {
            return Err(cursor.expected("`->`, `=`, `<page>` or `@revisions`"));
        }
    }
    let revisions = revisions(&mut cursor, Revisions::all())?;
    let line = |kind| Line { kind, revisions, disagreement: None, location };
    let mut body: Vec<Line> = kinds.into_iter().map(line).collect();
    body.extend(block(below, 1, revisions, problems));
    if is_union && !body.iter().any(|line| matches!(line.kind, LineKind::Or(_) | LineKind::Is(_))) {
        return Err(
            location.problem("expected a type after `=`, or lines that start with `|` below")
        );
    }
    Ok(ShapeDeclaration { name, page, revisions, location, body })
}

/// Parses the lines of one level, each with its deeper lines.
fn block(
    lines: &[Text],
    depth: usize,
    within: Revisions,
    problems: &mut Vec<Problem>,
) -> Vec<Line> {
    let mut parsed = Vec::new();
    let mut rest = lines;
    while let Some((first, below)) = rest.split_first() {
        let (body, after) = split_body(below, first.depth);
        let line = if first.depth == depth {
            line(first, body, within, problems)
        } else {
            Err(first.location.problem("this line is indented too deep"))
        };
        match line {
            Ok(line) => parsed.push(line),
            Err(problem) => problems.push(problem),
        }
        rest = after;
    }
    parsed
}

fn line(
    text: &Text,
    below: &[Text],
    within: Revisions,
    problems: &mut Vec<Problem>,
) -> Parsed<Line> {
    let location = text.location;
    let (written, disagreement) = match text.text.strip_prefix("~ ") {
        None => (text.text, None),
        Some(line) => {
            let (line, id) = line.rsplit_once(" : ").ok_or_else(|| {
                location.problem("expected ` : ` and the id of a disagreement at the end")
            })?;
            (line.trim_end(), Some(id.trim()))
        }
    };
    let mut cursor = Cursor::new(written, location);
    let mut kind = line_kind(&mut cursor)?;
    let revisions = revisions(&mut cursor, within)?;
    match expression_of(&mut kind) {
        // With two objects in a type it would be unclear which one the deeper lines describe.
        Some(expression) if !below.is_empty() && expression.of.objects() == 1 => {
            expression.body = block(below, text.depth + 1, revisions, problems);
        }
        _ if below.is_empty() => {}
        _ => {
            return Err(below[0]
                .location
                .problem("expected these lines below a type with one `object`"));
        }
    }
    Ok(Line { kind, revisions, disagreement, location })
}

fn type_expression(cursor: &mut Cursor) -> Parsed<TypeExpression> {
    Ok(TypeExpression { of: cursor.parse_type()?, body: Vec::new() })
}

fn line_kind(cursor: &mut Cursor) -> Parsed<LineKind> {
    if cursor.eat("->") {
        return cursor.word().map(LineKind::Result);
    }
    if cursor.eat("=") {
        return type_expression(cursor).map(LineKind::Is);
    }
    if cursor.eat("|") {
        return type_expression(cursor).map(LineKind::Or);
    }
    Ok(match cursor.word()? {
        "*" => LineKind::Rest(type_expression(cursor)?),
        "with" => LineKind::With(cursor.word()?),
        "without" => LineKind::Without(cursor.word()?),
        word => {
            let (name, required) = match word.strip_suffix('?') {
                Some(name) => (name, false),
                None => (word, true),
            };
            LineKind::Member { name, required, of: type_expression(cursor)? }
        }
    })
}

/// The type in a line, if it has one.
fn expression_of(kind: &mut LineKind) -> Option<&mut TypeExpression> {
    match kind {
        LineKind::Is(of) | LineKind::Or(of) | LineKind::Rest(of) => Some(of),
        LineKind::Member { of, .. } => Some(of),
        LineKind::Result(_) | LineKind::With(_) | LineKind::Without(_) => None,
    }
}

/// Parses `@revisions`, limited to those of the parent; all of the parent's if there is no `@`.
fn revisions(cursor: &mut Cursor, within: Revisions) -> Parsed<Revisions> {
    if cursor.at_end() {
        return Ok(within);
    }
    if !cursor.eat("@") {
        return Err(cursor.expected("`@revisions` or the end of the line"));
    }
    let written: Revisions =
        cursor.rest().parse().map_err(|error: SpecError| cursor.problem(&error.to_string()))?;
    let applicable = written.intersection(within);
    if applicable.is_empty() {
        return Err(cursor.problem(&format!(
            "this line is for {written}, but what it belongs to exists at {within}"
        )));
    }
    Ok(applicable)
}
