//! Adding a recording to a file that is there: what people wrote in it stays, comments included.
//!
//! A case that is there already is compared with what was recorded: what differs becomes a matcher. One that turned out to
//! be another conversation is nothing that could be put right here.

use super::super::compare::{Tolerance, compare};
use super::super::{Case, CaseMessage, Cases, Direction, Matcher, ReadOptions};
use super::compare::asked;
use super::draft::Draft;
use super::page::Page;
use super::{Recording, text, walk};
use crate::expect::words;
use crate::json::{Difference, Pointer, Value};
use crate::trace::SecretTexts;
use crate::yaml::{self, Document, Kind, Limits, Member, Node, Style};

/// A file with what was recorded in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated {
    /// The text.
    pub text: String,
    /// How many cases were added.
    pub added: usize,
    /// How many places have a matcher now, because what was recorded differs there.
    pub matchers: usize,
}

impl Recording {
    /// The text of a file with what was recorded in it: new cases at its end, matchers where known ones differ.
    ///
    /// ```
    /// use mcp_test::cases::Recording;
    ///
    /// let text = "# Ours.\ncase: ping\nin: {method: ping}\n";
    /// let updated = Recording::new().update("ours.yaml", text).unwrap_or_else(|why| panic!("{why:?}"));
    /// assert_eq!((updated.text.as_str(), updated.added), (text, 0));
    /// ```
    ///
    /// # Errors
    ///
    /// Why it cannot be done without losing something: the text is no file of cases, or a case in it is another
    /// conversation than the one that was recorded under its name.
    pub fn update(&self, path: &str, text: &str) -> Result<Updated, Vec<String>> {
        let (cases, _) = Cases::parse(path, text, &ReadOptions::default())
            .map_err(|error| vec![error.to_string()])?;
        let mut stream = yaml::read(text, &Limits::default());
        let mut complaints = Vec::new();
        let mut new = Vec::new();
        let mut matchers = 0;
        for (draft, differing) in &self.cases {
            let is_it = |case: &&Case| {
                let name = case.name.as_deref();
                let mut names = std::iter::once(&draft.name).chain(&draft.also);
                names.any(|known| Some(known.as_str()) == name)
            };
            let Some(known) = cases.iter().map(|(_, case)| &**case).find(is_it) else {
                new.push(text::document(&Page::of(draft, differing)));
                continue;
            };
            match loosened(known, draft) {
                Err(why) => complaints.push(format!("{}: {why}", known.title())),
                Ok(places) => {
                    let document = stream.documents.get_mut(known.number.saturating_sub(1));
                    if let Some(Ok(document)) = document {
                        matchers += places.len();
                        places.into_iter().for_each(|place| put(document, place));
                    }
                }
            }
        }
        if !complaints.is_empty() {
            return Err(complaints);
        }
        let mut text = if matchers > 0 { yaml::write(&stream) } else { text.to_owned() };
        for document in &new {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            if !text.trim().is_empty() {
                text.push_str("---\n");
            }
            text.push_str(document);
        }
        // Whatever was put together here, it has to be a file of cases again.
        let read = Cases::parse(path, &text, &ReadOptions::default());
        let (again, _) = read.map_err(|error| vec![error.to_string()])?;
        if again.iter().count() != cases.iter().count() + new.len() {
            return Err(vec![format!("{path} would not have all of its cases any more")]);
        }
        Ok(Updated { text, added: new.len(), matchers })
    }
}

/// A matcher that a message gets: its key, the place, and what is asked there.
type Place = (String, Pointer, Matcher);

/// Where a known case differs from what was recorded, with what to ask there.
fn loosened(known: &Case, draft: &Draft) -> Result<Vec<Place>, String> {
    let is_aside =
        |value: &Value, direction| direction == Direction::Out && value.get("id").is_none();
    let mine = known.messages.iter().filter(|it| !is_aside(&it.value, it.direction));
    let theirs = draft.messages.iter().filter(|it| !is_aside(&it.value, it.direction));
    let (mine, theirs): (Vec<_>, Vec<_>) = (mine.collect(), theirs.collect());
    if mine.len() != theirs.len() {
        let mine = words::count(mine.len(), "message");
        return Err(format!("it has {mine}, and what was recorded has {}", theirs.len()));
    }
    let tolerance = draft.revision.map_or_else(Tolerance::none, Tolerance::of);
    let mut places = Vec::new();
    for (mine, theirs) in mine.into_iter().zip(theirs) {
        let method = |value: &Value| value.get("method").cloned();
        let same = mine.direction == theirs.direction
            && method(&mine.value) == method(&theirs.value)
            && mine.value.get("error").is_some() == theirs.value.get("error").is_some();
        if !same {
            return Err(format!("instead of `{}` came `{}`", mine.key, theirs.key));
        }
        // What the client says is up to whoever wrote the case.
        if mine.direction == Direction::Out {
            places.extend(of_message(mine, &theirs.value, &tolerance));
        }
    }
    Ok(places)
}

fn of_message(known: &CaseMessage, got: &Value, tolerance: &Tolerance) -> Vec<Place> {
    let mut rule = known.rule.clone();
    // What a name stands for is known only when the case is played.
    for (place, value) in walk::values(&known.value) {
        if value.as_str().is_some_and(|text| text.contains("${")) {
            rule.matchers.push((place, Matcher::Ignored, known.span));
        }
    }
    let differences = compare(&known.value, got, &rule, tolerance, &SecretTexts::default());
    let places = differences.into_iter().map(|difference| {
        let at = |value: &Value| value.at(difference.pointer.as_str()).cloned();
        let difference = Difference {
            expected: at(&known.value),
            got: at(got),
            kind: difference.kind,
            pointer: difference.pointer,
        };
        let (place, matcher) = asked(&known.value, got, &difference);
        (known.key.clone(), place, matcher)
    });
    let mut places: Vec<Place> = places.collect();
    places.dedup_by(|one, two| one.1 == two.1);
    places
}

/// Puts a matcher into `_match` of a document.
fn put(document: &mut Document, (key, place, matcher): Place) {
    let rules = member(&mut document.root, "_match");
    let Some(rule) = rules.and_then(|rules| member(rules, &key)) else { return };
    if let Kind::String(mode) = &rule.kind {
        // `contains` said of the whole message goes on to hold.
        let mode = Node::new(Kind::String(mode.clone()), Style::Plain);
        let key = Node::new(Kind::String("mode".to_owned()), Style::Plain);
        rule.kind = Kind::Mapping(vec![Member { key, value: mode }]);
        rule.style = Style::Flow;
    }
    let text = text::written(&matcher);
    let written = yaml::read(&text, &Limits::default());
    let value = written.documents.into_iter().flatten().next().map(|document| document.root);
    let Some(value) = value else { return };
    if let Kind::Mapping(members) = &mut rule.kind {
        members.retain(|member| member.key.as_str() != Some(place.as_str()));
        let key = Node::new(Kind::String(place.as_str().to_owned()), key_style(place.as_str()));
        members.push(Member { key, value });
    }
}

/// The value of a member, which is made if there is none.
fn member<'a>(mapping: &'a mut Node, name: &str) -> Option<&'a mut Node> {
    let style = if mapping.style == Style::Flow { Style::Flow } else { Style::Block };
    let Kind::Mapping(members) = &mut mapping.kind else { return None };
    let place = members.iter().position(|it| it.key.as_str() == Some(name));
    let place = place.unwrap_or_else(|| {
        let key = Node::new(Kind::String(name.to_owned()), Style::Plain);
        let value = Node::new(Kind::Mapping(Vec::new()), style);
        members.push(Member { key, value });
        members.len() - 1
    });
    members.get_mut(place).map(|member| &mut member.value)
}

fn key_style(place: &str) -> Style {
    let plain = |it: char| it.is_ascii_alphanumeric() || "/_-.*".contains(it);
    if place.chars().all(plain) { Style::Plain } else { Style::Single }
}
